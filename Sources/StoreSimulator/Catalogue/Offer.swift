public import AppStoreModels
public import Foundation

/// A discount on a product.
public struct Offer: Sendable, Hashable, Codable {
    /// The `offerIdentifier` of transactions; nil for introductory offers.
    public var identifier: String?

    /// The type: introductory, promotional, offer code or win-back.
    public var type: OfferType

    /// The payment mode: free, pay as you go, pay up front; one-time for offer codes of products other than
    /// subscriptions.
    public var discount: OfferDiscountType

    /// The length of one period of the offer; nil for one-time discounts.
    public var period: Period?

    /// The number of periods.
    public var periodCount: Int

    /// The price in thousandths of the currency: of one period for pay as you go, of the whole offer for pay up front.
    public var price: Int64

    /// The customers who can redeem an offer code; nil for all customers.
    public var eligibility: [Audience]?

    /// The codes that customers can enter besides the identifier; nil for none.
    public var codes: [String]?

    /// The expiration date of an offer code; nil for none.
    public var expires: Date?

    /// The maximum number of redemptions of an offer code by all customers; nil for no limit. Each customer can redeem
    /// it once.
    public var maximumRedemptions: Int?

    /// Whether an offer code follows the introductory offer instead of replacing it; nil means false.
    public var stacksWithIntroductoryOffer: Bool?

    /// The eligibility rules of a win-back offer; nil for all customers whose subscription has ended.
    public var winBack: WinBackRules?

    private enum CodingKeys: String, CodingKey {
        case identifier, type, discount, period, periodCount, price, eligibility, codes, expires, winBack
        case maximumRedemptions = "redemptions"
        case stacksWithIntroductoryOffer = "stacks"
    }

    /// Creates an offer.
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

    /// A customer's relation to a subscription group, for the eligibility for offer codes.
    @nonexhaustive
    public enum Audience: String, Sendable, Hashable, Codable, CaseIterable {
        case new, existing, expired

        /// Decodes a name.
        public init(from decoder: any Decoder) throws { self = try decoder.value(among: Self.allCases) }
    }

    /// The eligibility rules of a win-back offer.
    public struct WinBackRules: Sendable, Hashable, Codable {
        /// The minimum number of paid months.
        public var minimumPaidMonths: Int
        /// The minimum number of months since the subscription ended.
        public var minimumMonthsSinceExpiry: Int
        /// The minimum number of months between two win-back offers; nil for no minimum.
        public var minimumMonthsBetweenOffers: Int?

        private enum CodingKeys: String, CodingKey {
            case minimumPaidMonths = "paidMonths"
            case minimumMonthsSinceExpiry = "monthsSinceExpiry"
            case minimumMonthsBetweenOffers = "monthsBetweenOffers"
        }

        /// Creates rules.
        public init(
            minimumPaidMonths: Int = 0, minimumMonthsSinceExpiry: Int = 0, minimumMonthsBetweenOffers: Int? = nil
        ) {
            self.minimumPaidMonths = minimumPaidMonths
            self.minimumMonthsSinceExpiry = minimumMonthsSinceExpiry
            self.minimumMonthsBetweenOffers = minimumMonthsBetweenOffers
        }
    }
}
