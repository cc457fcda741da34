internal import AppStoreModels
internal import Foundation

extension TransactionFact {
    /// Orders transaction identifiers by their numeric value: they are decimal numbers of varying length.
    static func identifier(_ one: String, isBefore other: String) -> Bool {
        let (count, otherCount) = (one.utf8.count, other.utf8.count)
        return count == otherCount ? one.precedesExactly(other) : count < otherCount
    }

    /// Whether `other` replaces this version of the transaction. Both were signed at the same time.
    package func isReplaced(by other: TransactionFact) -> Bool { content.precedesExactly(other.content) }

    /// All values except `transactionId` and `signedDate`, in an order that is the same on every system. Refunded and
    /// revoked versions sort last, so that they are chosen.
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
    /// Whether `other` replaces this version of the renewal info. Both were signed at the same time.
    package func isReplaced(by other: RenewalFact) -> Bool { content.precedesExactly(other.content) }

    /// All values except `originalTransactionId` and `signedDate`, in an order that is the same on every system. The
    /// later period sorts last; within it the expiration does, which the App Store announces together with the
    /// cancellation that causes it.
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

extension [String] {
    fileprivate func precedesExactly(_ other: [String]) -> Bool {
        lexicographicallyPrecedes(other) { $0.precedesExactly($1) }
    }
}

extension Date? {
    /// A distinct text for each instant. Nil sorts first.
    fileprivate var sortable: String {
        guard let self else { return "" }
        return String(self.timeIntervalSinceReferenceDate.bitPattern, radix: 16)
    }
}

extension String? {
    /// A text that distinguishes nil from an empty string.
    fileprivate var sortable: String { map { "=" + $0 } ?? "" }
}
