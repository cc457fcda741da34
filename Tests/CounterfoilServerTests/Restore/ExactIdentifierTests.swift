import AppStoreModels
import Entitlements
import Foundation
import Testing

@testable import CounterfoilServer
@testable import Ledger
@testable import LedgerServices

@Suite struct `Identifiers that are equal only as Unicode` {
    private static let (composed, decomposed) = ("jos\u{E9}", "jose\u{301}")
    private static let date = Date(timeIntervalSince1970: 1_780_000_000)

    private static func purchase(_ id: String, _ product: String = "gold") -> TransactionFact {
        TransactionFact(
            transactionID: id, originalTransactionID: id, productID: product, type: .nonConsumable, purchaseDate: date,
            signedDate: date)
    }

    private static func bytes(_ texts: [String]) -> [[UInt8]] { texts.map { Array($0.utf8) } }

    @Test func `Transactions of a receipt are added to the purchase with exactly their identifier`() {
        let (known, new) = (Self.purchase(Self.composed), Self.purchase(Self.decomposed))
        let lineages = [Lineage(originalTransactionID: Self.composed, transactions: [known])].adding([new, known])
        #expect(
            Self.bytes(lineages.map(\.originalTransactionID)) == Self.bytes([Self.composed, Self.decomposed]))
        #expect(lineages.map(\.transactions.count) == [1, 1])
    }

    @Test func `Each product has its own periods`() {
        let facts = CustomerFacts(transactions: [
            Self.purchase("1", Self.composed), Self.purchase("2", Self.decomposed),
        ])
        let states = EntitlementEngine(catalogue: ProductCatalogue()).state(of: facts, asOf: Self.date + 1)
        let periods = PurchasePeriods.all(of: facts, states)
        #expect(Self.bytes(periods.map(\.productID)) == Self.bytes([Self.decomposed, Self.composed]))
    }
}
