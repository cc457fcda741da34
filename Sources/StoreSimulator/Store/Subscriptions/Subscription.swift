package import AppStoreModels
package import Foundation

/// A customer's subscription in one group: the state shared by all transactions with the same original transaction
/// identifier.
package struct Subscription: Sendable, Codable {
    /// The original transaction identifier. Empty before the first transaction.
    package var id = ""
    package let customer: String
    package let group: String
    package let ownership: InAppOwnershipType
    /// The identifier of the purchaser's subscription, if a family member shares it.
    package let owner: String?
    /// The identifier of the latest transaction. It is never an upgraded one. Empty before the first transaction.
    package var current = ""
    package var renewsAutomatically = true
    /// The product that the subscription renews into.
    package var renewalProduct: String
    /// This customer's standard price of a period, in thousandths of the currency.
    package var price: Int64
    /// The product that `price` is for.
    package var priceProduct: String
    /// The offer of the current transaction, and how many of the offer's periods have begun.
    package var offer: RunningOffer?
    /// The offer that starts with the next renewal.
    package var nextOffer: Offer?
    package var expirationIntent: ExpirationIntent?
    /// When billing retry ends; set when a renewal fails.
    package var retryEnds: Date?
    package var graceEnds: Date?
    /// Whether the customer turned renewal off in the grace period, which ended the subscription.
    package var wasCancelledInGrace = false
    /// Whether charges for this subscription fail, even if the customer's payment method works.
    package var isBillingFailing = false
    /// Whether charges fail for insufficient funds, so that a later attempt succeeds.
    package var billingRecovers = false
    /// When an attempt in billing retry succeeds. A schedule entry with another date is obsolete.
    package var recovery: Date?
    /// When the customer is notified of a price increase. A schedule entry with another date is obsolete.
    package var notice: Date?
    /// The day of the month on which the subscription renews, or the last day of shorter months; nil in a period of
    /// days or weeks.
    package var anchorDay: Int?
    package var priceIncrease: PriceIncrease?
    /// The start of the paid service without a gap of more than 60 days: `recentSubscriptionStartDate`.
    package var recentStart: Date
    package var renewals = 0
    package var extensions: [Date] = []
    /// The renewal dates that extensions of this subscription resulted in, by the developer's request identifier.
    package var extensionRequests: [String: Date] = [:]
    package var accountToken: UUID?
    package var commitment: Commitment?
    /// The billing plan that the customer chose, if there was a choice.
    package var plan: BillingPlanType?
    package var advancedCommerce: AdvancedCommerceState?
    /// The state before a charge for a period that had not begun then.
    @Boxed package var beforeCharge: BeforeCharge? = nil
    /// When the next event of the subscription is due. A schedule entry with another date is obsolete.
    package var due: Date?

    package struct RunningOffer: Sendable, Codable, Hashable {
        package var offer: Offer
        package var periodsBegun: Int
    }

    package struct PriceIncrease: Sendable, Codable, Hashable {
        package var price: Int64
        package var isAccepted: Bool
        /// Whether the price increase requires the customer's consent.
        package var needsConsent: Bool
    }

    /// The monthly payments, up to twelve, that the customer has committed to.
    package struct Commitment: Sendable, Codable, Hashable {
        /// Apple counts up to twelve periods.
        package static let maximumPeriods: Int32 = 12

        package var plan: BillingPlan
        package var periodNumber: Int32
        package var totalPeriods: Int32
        package var ends: Date
    }
}

extension Subscription {
    /// Whether the subscription has ended. Only a purchase restarts it.
    package var isOver: Bool { expirationIntent != nil && retryEnds == nil }

    /// Whether the customer still owes payments of a commitment, whether or not renewal is off.
    package var isCommitted: Bool { commitment.map { $0.periodNumber < $0.totalPeriods } ?? false }

    /// The product of the next period. Within a commitment it does not change.
    package var nextProduct: String { isCommitted ? priceProduct : renewalProduct }

    /// The price increase that applies to the next period; nil if the next period is of another product.
    package var pendingIncrease: PriceIncrease? { nextProduct == priceProduct ? priceIncrease : nil }

    /// Forgets a failed renewal: it is paid, or no longer owed.
    mutating func clearFailedRenewal() {
        (expirationIntent, retryEnds, graceEnds, recovery) = (nil, nil, nil, nil)
    }

    /// Turns renewal off, and cancels everything that was to happen to the subscription.
    mutating func stop() {
        renewsAutomatically = false
        (nextOffer, retryEnds, graceEnds, recovery, due) = (nil, nil, nil, nil, nil)
    }
}
