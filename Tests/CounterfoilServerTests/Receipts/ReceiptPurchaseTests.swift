import AppStoreModels
import Entitlements
import Testing

@testable import Ledger
@testable import LedgerServices

@Suite struct `Purchases of a receipt beside those of the ledger` {
    private static func fact(_ id: String, of original: String) -> TransactionFact {
        TransactionFact(
            transactionID: id, originalTransactionID: original, productID: "gold", type: .nonConsumable,
            purchaseDate: World.start, signedDate: World.start)
    }

    @Test func `Unknown transactions are added to their purchases, and known ones not again`() {
        let known = ["2", "1"].map { Lineage(originalTransactionID: $0, transactions: [Self.fact($0, of: $0)]) }
        let all = known.adding([
            Self.fact("1", of: "1"), Self.fact("11", of: "1"), Self.fact("4", of: "4"), Self.fact("31", of: "3"),
            Self.fact("3", of: "3"), Self.fact("21", of: "2"),
        ])
        #expect(all.map(\.originalTransactionID) == ["2", "1", "3", "4"])
        #expect(all.map { $0.transactions.map(\.transactionID) } == [["2", "21"], ["1", "11"], ["31", "3"], ["4"]])
    }
}
