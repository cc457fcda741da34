import AppStoreModels
import Foundation
import StoreSimulator
import Testing

@Suite struct `A purchase on a simulated device` {
    @Test(arguments: [PlannedPurchaseResult.cancelled, .failed])
    func `A planned purchase result applies to one purchase only`(_ result: PlannedPurchaseResult) throws {
        var shop = Shop()
        try shop.perform(
            .setNextPurchaseResult(customer: "anna", device: "phone", result: result, message: "networkError"))
        let outcome = try shop.purchase("coins")
        #expect(outcome.result?.rawValue == result.rawValue && outcome.transactionID == nil)
        #expect(outcome.message == (result == .failed ? "networkError" : nil))
        #expect(try shop.purchase("coins").result == .success)
    }

    @Test func `An Ask to Buy purchase is pending until it is approved, then arrives as an update`() throws {
        var shop = Shop()
        try shop.perform(.askToBuy(customer: "anna"))
        #expect(try shop.purchase("gold").result == .pending)
        #expect(try shop.purchase("coins").result == .pending)
        #expect(try shop.knownTransactions().isEmpty)
        #expect(try shop.perform(.declinePurchase(customer: "anna", product: "coins")).result == .cancelled)
        try shop.expectRefusal(.approvePurchase(customer: "anna", product: "coins"), .impossibleTransition)
        shop.wait(days: 2)
        let id = try #require(try shop.perform(.approvePurchase(customer: "anna")).transactionID)
        #expect(try shop.receivedUpdates() == [id, nil])
        try shop.expectRefusal(.approvePurchase(customer: "anna"), .impossibleTransition)
        try shop.perform(.stopAskingToBuy(customer: "anna"))
        #expect(try shop.purchase("coins").result == .success)
    }

    @Test func `An approved purchase has the account token of its request`() throws {
        var shop = Shop()
        let (requested, later) = (UUID(), UUID())
        try shop.perform(.askToBuy(customer: "anna"))
        try shop.perform(
            .purchase(customer: "anna", product: "coins", appAccountToken: AppAccountToken(requested), device: "phone"))
        try shop.perform(.stopAskingToBuy(customer: "anna"))
        try shop.perform(
            .purchase(customer: "anna", product: "lamp", appAccountToken: AppAccountToken(later), device: "phone"))
        let outcome = try shop.perform(.approvePurchase(customer: "anna"))
        #expect(outcome.appAccountToken == requested.uuidString.lowercased())
        #expect(shop.store.customers["anna"]?.accountToken == later)
    }

    @Test func `An interrupted purchase is pending until it is approved`() throws {
        var shop = Shop()
        try shop.perform(.setNextPurchaseResult(customer: "anna", device: "phone", result: .interrupted))
        #expect(try shop.purchase("coins").result == .pending)
        #expect(try shop.purchase("lamp").result == .success)
        let id = try #require(try shop.perform(.approvePurchase(customer: "anna")).transactionID)
        #expect(try shop.receivedUpdates() == [id])
    }

    @Test func `An approved purchase whose payment is declined stays pending`() throws {
        var shop = Shop()
        try shop.perform(.askToBuy(customer: "anna"))
        try shop.purchase("coins")
        try shop.perform(.failBilling(customer: "anna"))
        try shop.expectRefusal(.approvePurchase(customer: "anna"), .paymentDeclined)
        #expect(shop.store.customers["anna"]?.pendingPurchases.count == 1)
    }
}
