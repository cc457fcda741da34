internal import AppStoreModels
package import Foundation

/// A fact that the App Store signs again when it changes. Each version is a fact of its own.
package protocol VersionedFact: Equatable {
    /// The identifier that all versions have.
    var identifier: String { get }
    var signedDate: Date { get }
    /// All values except the identifier and `signedDate`, in an order that is the same on every system.
    var content: [String] { get }
}

extension VersionedFact {
    /// Whether `other` replaces this version. Both were signed at the same time.
    package func isReplaced(by other: Self) -> Bool { content.precedesExactly(other.content) }

    /// Whether this fact comes first: by the identifier, then from the oldest version to the one in effect.
    func precedes(_ other: Self) -> Bool {
        if !identifier.isExactly(other.identifier) { return identifier.precedesExactly(other.identifier) }
        if signedDate != other.signedDate { return signedDate < other.signedDate }
        return self != other && isReplaced(by: other)
    }
}

extension TransactionFact: VersionedFact {
    package var identifier: String { transactionID }

    /// Whether this transaction was purchased first: by the date, then by the identifier, because a simulator's clock may
    /// stand still.
    package func wasPurchased(before other: TransactionFact) -> Bool {
        purchaseDate == other.purchaseDate
            ? Self.identifier(transactionID, isBefore: other.transactionID) : purchaseDate < other.purchaseDate
    }

    /// Orders transaction identifiers by their numeric value: they are decimal numbers of varying length.
    static func identifier(_ one: String, isBefore other: String) -> Bool {
        let (count, otherCount) = (one.utf8.count, other.utf8.count)
        return count == otherCount ? one.precedesExactly(other) : count < otherCount
    }

    /// Refunded and revoked versions sort last, so that they are chosen.
    package var content: [String] {
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

extension Sequence<TransactionFact> {
    /// The transactions of one subscription in the order of purchase, without periods that never began: those that were
    /// paid for in advance, and refunded or replaced before they began.
    package var periodsThatBegan: [TransactionFact] {
        sorted { $0.wasPurchased(before: $1) }.reduce(into: []) { began, fact in
            let isReplaced = began.last.map { fact.wasReplacedAhead(by: $0) } ?? false
            if !isReplaced, !fact.wasRefundedAhead { began.append(fact) }
        }
    }
}

extension RenewalFact: VersionedFact {
    package var identifier: String { originalTransactionID }

    /// The later period sorts last; within it the expiration does, which the App Store announces together with the
    /// cancellation that causes it.
    package var content: [String] {
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
