internal import AppStoreModels
internal import Basics

/// Readable words for numeric and upper-case values and for lengths in signed payloads, by member name.
enum PayloadValueNames {
    /// The members with prices in thousandths of the payload's currency.
    static let prices: Set<String> = [
        "price", "renewalPrice", "commitmentPrice", "commitmentRenewalPrice", "taxExclusivePrice", "estimatedTax",
        "refundAmount",
    ]

    /// Returns the word for a value; nil for an unknown value, which is shown unchanged.
    static func word(for value: String, of member: String) -> String? {
        if lengths.contains(member), let period = Period(iso8601: value) {
            return "\(period.count) \(period.count.noun("\(period.unit)"))"
        }
        return words[member]?[value] ?? (capitals.contains(member) ? spelled(value) : nil)
    }

    /// The members with lengths in ISO 8601, such as `P1W`.
    private static let lengths: Set<String> = ["offerPeriod", "period"]

    private static let words: [String: [String: String]] = [
        "offerType": named([
            (OfferType.introductory.rawValue, "introductory offer"),
            (OfferType.promotional.rawValue, "promotional offer"),
            (OfferType.offerCode.rawValue, "offer code"), (OfferType.winBack.rawValue, "win-back offer"),
        ]),
        "expirationIntent": named([
            (ExpirationIntent.customerCancelled.rawValue, "the customer cancelled"),
            (ExpirationIntent.billingError.rawValue, "billing error"),
            (ExpirationIntent.priceIncreaseNotAccepted.rawValue, "price increase not accepted"),
            (ExpirationIntent.productNotAvailable.rawValue, "product not available"),
            (ExpirationIntent.other.rawValue, "other"),
        ]),
        "autoRenewStatus": named([
            (AutoRenewStatus.off.rawValue, "off"), (AutoRenewStatus.on.rawValue, "on"),
        ]),
        "priceIncreaseStatus": named([
            (PriceIncreaseStatus.pending.rawValue, "not answered yet"),
            (PriceIncreaseStatus.accepted.rawValue, "accepted"),
        ]),
        "revocationReason": named([
            (RevocationReason.other.rawValue, "other"), (RevocationReason.issueWithApp.rawValue, "issue with the app"),
        ]),
        "status": named([
            (SubscriptionStatus.active.rawValue, "active"), (SubscriptionStatus.expired.rawValue, "expired"),
            (SubscriptionStatus.billingRetry.rawValue, "billing retry"),
            (SubscriptionStatus.billingGracePeriod.rawValue, "billing grace period"),
            (SubscriptionStatus.revoked.rawValue, "revoked"),
        ]),
    ]

    /// The members whose values are English words in upper case.
    private static let capitals: Set<String> = [
        "billingPlanType", "consumptionRequestReason", "inAppOwnershipType", "notificationType", "offerDiscountType",
        "revocationType", "subtype", "transactionReason",
    ]

    private static func named(_ pairs: [(Int32, String)]) -> [String: String] {
        Dictionary(pairs.map { (String($0.0), $0.1) }) { first, _ in first }
    }

    /// Converts `FAMILY_SHARED` to `family shared`.
    private static func spelled(_ value: String) -> String? {
        let isName = !value.isEmpty && value.utf8.allSatisfy { (65...90).contains($0) || $0 == UInt8(ascii: "_") }
        return isName ? value.lowercased().words : nil
    }
}
