public import AppStoreModels
public import Foundation

/// A discount on a product.
public struct Offer: Sendable, Hashable, Codable {
    /// What transactions carry as `offerIdentifier`; nil for an introductory offer.
    public var identifier: String?

    /// Introductory, promotional, offer code or win-back.
    public var type: OfferType

    /// Free, paid as it goes, paid up front; one-time for offer codes of products that are no subscriptions.
    public var discount: OfferDiscountType

    /// The length of one period of the offer. A one-time discount has none.
    public var period: Period?

    /// How many periods it lasts.
    public var periodCount: Int

    /// The price, in thousandths of the currency: of one period if it is paid as it goes, of everything if up front.
    public var price: Int64

    /// Who may redeem an offer code; nil means everybody.
    public var eligibility: [Audience]?

    /// What customers type to redeem an offer code, besides its identifier; nil for that alone.
    public var codes: [String]?

    /// When an offer code can no longer be redeemed; nil is never.
    public var expires: Date?

    /// How often an offer code can be redeemed in all; nil is without end. Each customer may once.
    public var redemptions: Int?

    /// Whether an offer code follows the introductory offer instead of taking its place; nil is no.
    public var stacks: Bool?

    /// For win-back offers: how much was paid for before and how long ago it ended; nil means all who lapsed.
    public var winBack: WinBackRules?

    /// An offer.
    public init(
        identifier: String? = nil, type: OfferType, discount: OfferDiscountType, period: Period? = nil,
        periodCount: Int = 1, price: Int64 = 0, eligibility: [Audience]? = nil, winBack: WinBackRules? = nil
    ) {
        self.identifier = identifier
        self.type = type
        self.discount = discount
        self.period = period
        self.periodCount = periodCount
        self.price = price
        self.eligibility = eligibility
        self.winBack = winBack
    }

    /// A customer's relation to a subscription group, as offer codes ask for it.
    @nonexhaustive
    public enum Audience: String, Sendable, Hashable, Codable, CaseIterable { case new, existing, expired }

    /// Who may have a win-back offer.
    public struct WinBackRules: Sendable, Hashable, Codable {
        /// The least number of months paid for before.
        public var paidMonths: Int
        /// The least number of months since the subscription ended.
        public var monthsSinceExpiry: Int
        /// The least number of months between two win-back offers; nil is none.
        public var monthsBetweenOffers: Int?

        /// Rules for a win-back offer.
        public init(paidMonths: Int = 0, monthsSinceExpiry: Int = 0, monthsBetweenOffers: Int? = nil) {
            self.paidMonths = paidMonths
            self.monthsSinceExpiry = monthsSinceExpiry
            self.monthsBetweenOffers = monthsBetweenOffers
        }
    }
}
