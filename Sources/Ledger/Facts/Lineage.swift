internal import AppStoreModels
package import Entitlements
package import Foundation

/// One subscription or one other purchase: all transactions with the same original transaction identifier.
package struct Lineage: Sendable, Hashable {
    package var originalTransactionID: String
    /// The newest version of each transaction.
    package var transactions: [TransactionFact]
    /// The newest renewal info.
    package var renewal: RenewalFact?
    /// The last grace period that a notification named. The newest renewal info no longer names it after its end.
    package var gracePeriod: GracePeriod?
    /// The account that the app named at the purchase.
    package var appAccountToken: UUID?
    /// The app transaction identifier of the Apple account.
    package var appTransactionID: String?

    package init(
        originalTransactionID: String, transactions: [TransactionFact], renewal: RenewalFact? = nil,
        appAccountToken: UUID? = nil, appTransactionID: String? = nil
    ) {
        self.originalTransactionID = originalTransactionID
        self.transactions = transactions
        self.renewal = renewal
        self.appAccountToken = appAccountToken
        self.appTransactionID = appTransactionID
    }

    /// When the purchase was made, according to the known transactions; nil if there are none.
    package var madeAt: Milliseconds? { transactions.lazy.map(\.purchaseDate).min()?.milliseconds }

    /// The purchase without its facts: only what its owner follows from if nobody claimed it.
    package var withoutFacts: Lineage {
        Lineage(
            originalTransactionID: originalTransactionID, transactions: [], appAccountToken: appAccountToken,
            appTransactionID: appTransactionID)
    }

    /// Whether signed data name the account of the app or the Apple account.
    var namesAccount: Bool { appAccountToken != nil || appTransactionID != nil }

    /// Whether both have the same account token and the same Apple account, byte for byte.
    func hasSameAccount(as other: Lineage) -> Bool {
        appAccountToken == other.appAccountToken
            && appTransactionID.map { ExactText($0) } == other.appTransactionID.map { ExactText($0) }
    }

    /// Returns the facts of this subscription or purchase alone.
    ///
    /// - Parameter successors: The transactions of other subscriptions that continue this one.
    package func facts(succeededBy successors: [TransactionFact] = []) -> CustomerFacts {
        var facts = CustomerFacts(transactions: transactions + successors, renewals: renewal.map { [$0] } ?? [])
        facts.gracePeriods = gracePeriod.map { [$0] } ?? []
        return facts
    }
}

/// A subscription or purchase with what decides whether it still gives access.
package struct SucceededPurchase: Sendable, Hashable {
    package var lineage: Lineage
    /// The transactions of other subscriptions that continue this one and end its access, whoever owns them.
    package var successors: [TransactionFact]

    package init(lineage: Lineage, successors: [TransactionFact]) {
        self.lineage = lineage
        self.successors = successors
    }

    /// The facts of this subscription or purchase and of its successors.
    package var facts: CustomerFacts { lineage.facts(succeededBy: successors) }
}
