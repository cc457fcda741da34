package import AppStoreModels
package import Foundation

/// A customer's subscription in one group: what all transactions of one original transaction identifier share.
package struct Subscription: Sendable, Codable {
    /// The original transaction identifier. Empty until there is a transaction.
    package var id: String
    package let customer: String
    package let group: String
    package let ownership: InAppOwnershipType
    /// For a family member's: the purchaser's subscription.
    package let owner: String?
    /// The latest transaction. It is never an upgraded one.
    package var current: String
    package var renewsAutomatically = true
    /// What it renews into.
    package var renewalProduct: String
    /// The standard price of a period, in thousandths of the currency, as this customer has it.
    package var price: Int64
    /// The product that the price is for.
    package var priceProduct: String
    /// The offer that the current transaction is part of, and how many of its periods have begun.
    package var offer: RunningOffer?
    /// The offer that begins with the next renewal.
    package var nextOffer: Offer?
    package var expirationIntent: ExpirationIntent?
    /// Until when the store tries to charge; set from the first failure on.
    package var retryEnds: Date?
    package var graceEnds: Date?
    /// Whether the customer turned renewal off in the grace period, which ended it.
    @Later package var wasCancelledInGrace = false
    /// Whether its charges fail, whatever the customer pays otherwise.
    @Later package var isBillingFailing = false
    /// Whether they fail for want of money.
    @Later package var billingRecovers = false
    /// When an attempt to charge succeeds by itself.
    package var recovery: Date?
    /// When the customer is told of another price. An entry of the schedule with another date is out of date.
    package var notice: Date?
    /// The day of the month on which it renews, where a month has one.
    package var anchorDay: Int?
    package var priceIncrease: PriceIncrease?
    /// Since when the customer has paid without a gap of more than 60 days.
    package var streakStart: Date
    package var renewals = 0
    package var extensions: [Date] = []
    /// Where single extensions led, by the developer's request identifier.
    package var extensionRequests: [String: Date] = [:]
    package var accountToken: UUID?
    package var commitment: Commitment?
    /// How the customer chose to pay, if there was a choice.
    package var plan: BillingPlanType?
    package var advancedCommerce: AdvancedCommerceState?
    /// What it was before a period was charged that has not begun, or had not when it was charged. One at most.
    @Later package var beforeCharge: [BeforeCharge] = []
    /// When something happens to it by itself. An entry of the schedule with another date is out of date.
    package var due: Date?

    package struct RunningOffer: Sendable, Codable, Hashable {
        package var offer: Offer
        package var periodsBegun: Int
    }

    package struct PriceIncrease: Sendable, Codable, Hashable {
        package var price: Int64
        package var isAccepted: Bool
        /// Whether the customer has to agree to it.
        package var needsConsent: Bool
    }

    /// Twelve monthly payments that the customer has agreed to.
    package struct Commitment: Sendable, Codable, Hashable {
        /// Apple counts up to twelve periods.
        package static let longest: Int32 = 12

        package var plan: BillingPlan
        package var periodNumber: Int32
        package var totalPeriods: Int32
        package var ends: Date
        /// Whether another commitment follows.
        package var renews: Bool
    }
}

extension Subscription {
    /// Whether it has ended for good: only a purchase brings it back.
    package var isOver: Bool { expirationIntent != nil && retryEnds == nil }

    /// Whether payments are still owed for what the customer agreed to, cancelled or not.
    package var isCommitted: Bool { commitment.map { $0.periodNumber < $0.totalPeriods } ?? false }

    /// The product of the next period. Within a commitment it is the same one.
    package var nextProduct: String { isCommitted ? priceProduct : renewalProduct }

    /// The price increase that the next period brings. None if that is of another product.
    package var pendingIncrease: PriceIncrease? { nextProduct == priceProduct ? priceIncrease : nil }
}
