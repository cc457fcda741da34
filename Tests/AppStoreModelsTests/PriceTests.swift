import AppStoreModels
import Foundation
import Testing

@Suite struct `Prices` {
    @Test(
        arguments: [(1990, "1.99"), (300_000, "300"), (1, "0.001"), (0, "0"), (nil, nil)]
            as [(Int64?, String?)])
    func `A price is converted exactly to units of its currency`(_ price: Int64?, _ amount: String?) throws {
        let amount = try amount.map { try #require(Decimal(string: $0)) }
        let date = Date(timeIntervalSince1970: 0)
        let transaction = JWSTransactionDecodedPayload(
            transactionId: "1", originalTransactionId: "1", bundleId: "b", productId: "p", purchaseDate: date,
            originalPurchaseDate: date, quantity: 1, type: .autoRenewableSubscription, inAppOwnershipType: .purchased,
            signedDate: date, environment: .production, price: price)
        let renewal = JWSRenewalInfoDecodedPayload(
            originalTransactionId: "1", productId: "p", autoRenewProductId: "p", autoRenewStatus: .on,
            renewalPrice: price, environment: .production, signedDate: date)
        #expect(transaction.decimalPrice == amount)
        #expect(renewal.decimalRenewalPrice == amount)
        #expect(TransactionCommitmentInfo(commitmentPrice: price).decimalCommitmentPrice == amount)
        #expect(RenewalCommitmentInfo(commitmentRenewalPrice: price).decimalCommitmentRenewalPrice == amount)
    }
}
