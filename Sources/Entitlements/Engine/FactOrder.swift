internal import AppStoreModels
internal import Foundation

extension TransactionFact {
    /// Identifiers are numbers in text, of as many digits as it takes.
    static func identifier(_ one: String, isBefore other: String) -> Bool {
        let (count, otherCount) = (one.utf8.count, other.utf8.count)
        return count == otherCount ? one < other : count < otherCount
    }

    /// Whether of two versions of one transaction, signed at the same time, the other one counts.
    package func yields(to other: TransactionFact) -> Bool { content.lexicographicallyPrecedes(other.content) }

    /// Everything but `transactionId` and `signedDate`, in an order that is the same everywhere: what was taken back comes
    /// last, so that it counts.
    var content: [String] {
        [
            revocationDate.sortable, isUpgraded ? "1" : "0", Date?.some(purchaseDate).sortable, expiresDate.sortable,
            originalTransactionID, productID, type.rawValue, subscriptionGroupIdentifier.sortable,
            revocationReason.map { "\($0.rawValue)" } ?? "", (revocationType?.rawValue).sortable, ownership.rawValue,
            offerType.map { "\($0.rawValue)" } ?? "", offerIdentifier.sortable, (offerDiscountType?.rawValue).sortable,
            "\(quantity)", (reason?.rawValue).sortable, (appAccountToken?.uuidString).sortable,
            appTransactionID.sortable,
            previousOriginalTransactionID.sortable, price.map { "\($0)" } ?? "", currency.sortable,
            revocationPercentage.map { "\($0)" } ?? "",
        ]
    }
}

extension RenewalFact {
    /// Whether of two versions of one renewal info, signed at the same time, the other one counts.
    package func yields(to other: RenewalFact) -> Bool { content.lexicographicallyPrecedes(other.content) }

    /// Everything but `originalTransactionId` and `signedDate`, in an order that is the same everywhere: the later period
    /// comes last, and in it the end, which the App Store announces along with the cancellation that brings it about.
    var content: [String] {
        [
            renewalDate.sortable, expirationIntent != nil && !isInBillingRetry ? "1" : "0", willRenew ? "0" : "1",
            expirationIntent.map { "\($0.rawValue)" } ?? "",
            isInBillingRetry ? "1" : "0", gracePeriodExpiresDate.sortable, productID, autoRenewProductID,
            priceIncreaseStatus.map { "\($0.rawValue)" } ?? "", offerType.map { "\($0.rawValue)" } ?? "",
            offerIdentifier.sortable,
        ] + eligibleWinBackOfferIDs
    }
}

extension Date? {
    /// A text that tells instants apart; absent comes first.
    fileprivate var sortable: String {
        guard let self else { return "" }
        return String(self.timeIntervalSinceReferenceDate.bitPattern, radix: 16)
    }
}

extension String? {
    /// A text that tells absent from empty.
    fileprivate var sortable: String { map { "=" + $0 } ?? "" }
}
