import AppStoreModels
import Entitlements
import Foundation
import Ledger
import Testing

@Suite struct `Purchases from receipts` {
    private static let full = TransactionFact(
        transactionID: "t", originalTransactionID: "o", productID: "gold", type: .autoRenewableSubscription,
        purchaseDate: Date(milliseconds: 1), expiresDate: Date(milliseconds: 2), subscriptionGroupIdentifier: "g",
        signedDate: Date(milliseconds: 3), revocationDate: Date(milliseconds: 4), revocationReason: .issueWithApp,
        isUpgraded: true, ownership: .familyShared, offerType: .promotional, offerIdentifier: "save20",
        offerDiscountType: .payUpFront, quantity: 3, appAccountToken: UUID())
    private static let least = TransactionFact(
        transactionID: "t", originalTransactionID: "t", productID: "coins", type: .consumable,
        purchaseDate: Date(milliseconds: 1), signedDate: Date(milliseconds: 3))

    @Test(arguments: [full, least])
    func `A purchase from a receipt is stored with all that the receipt says about it`(_ fact: TransactionFact) throws {
        let shop = AppEnvironment(id: 1, bundleID: "com.example.shop", environment: .production)
        let signed = try SignedFact(receipt: fact, in: shop, at: Date(milliseconds: 5), origin: .app)
        #expect(signed.kind == .receipt)
        let stored = try JSONDecoder().decode(ReceiptFact.self, from: Data(signed.text.utf8))
        #expect(stored.fact == fact)
    }
}
