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
            OfferType.introductory: "introductory offer", .promotional: "promotional offer", .offerCode: "offer code",
            .winBack: "win-back offer",
        ]),
        "expirationIntent": named([
            ExpirationIntent.customerCancelled: "the customer cancelled", .billingError: "billing error",
            .priceIncreaseNotAccepted: "price increase not accepted", .productNotAvailable: "product not available",
            .other: "other",
        ]),
        "autoRenewStatus": named([AutoRenewStatus.off: "off", .on: "on"]),
        "priceIncreaseStatus": named([PriceIncreaseStatus.pending: "not answered yet", .accepted: "accepted"]),
        "revocationReason": named([RevocationReason.other: "other", .issueWithApp: "issue with the app"]),
        "status": named([
            SubscriptionStatus.active: "active", .expired: "expired", .billingRetry: "billing retry",
            .billingGracePeriod: "billing grace period", .revoked: "revoked",
        ]),
    ]

    /// The members whose values are English words in upper case.
    private static let capitals: Set<String> = [
        "billingPlanType", "consumptionRequestReason", "inAppOwnershipType", "notificationType", "offerDiscountType",
        "revocationType", "subtype", "transactionReason",
    ]

    private static func named<Value: OpenEnumeration>(_ words: [Value: String]) -> [String: String] {
        Dictionary(words.map { ("\($0.key.rawValue)", $0.value) }) { first, _ in first }
    }

    /// Converts `FAMILY_SHARED` to `family shared`.
    private static func spelled(_ value: String) -> String? {
        let isName = !value.isEmpty && value.utf8.allSatisfy { (65...90).contains($0) || $0 == UInt8(ascii: "_") }
        return isName ? value.lowercased().words : nil
    }
}
