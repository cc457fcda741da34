import CounterfoilClient
import CounterfoilClientTesting
import Foundation
import Testing

@Suite struct `Values that an app makes for previews and tests` {
    @Test func `A customer has entitlements and the most urgent next step`() {
        let groups = [
            SubscriptionGroup(id: "1", state: "inactive", nextStep: .subscribe),
            SubscriptionGroup(id: "2", state: "active", details: ["in_grace_period"], nextStep: .fixPayment),
        ]
        let customer = Customer(
            id: "anna", entitlements: [Entitlement(key: "pro", isActive: true)], groups: groups,
            consumables: [ConsumableTotals(productID: "coins", quantity: 3)])
        #expect(customer.isActive("pro") && !customer.isActive("map"))
        #expect(customer.nextStep == .fixPayment && customer.readiness == .ready)
        #expect(customer.consumables.map(\.revokedQuantity) == [0])
        #expect(Customer().id == nil && Customer().nextStep == .noAction)
    }

    @Test func `The outcome of a restore and a notice can be made`() {
        let transaction = DeviceTransaction.unsigned(1, "coins", .consumable, purchased: Date(timeIntervalSince1970: 1))
        let stuck = StuckTransaction(transaction: transaction, reason: .notDelivered)
        #expect(ClientNotice.stuck(stuck) == .stuck(StuckTransaction(transaction: transaction, reason: .notDelivered)))
        let outcome = RestoreOutcome(customer: Customer(id: "anna"), reachedAppStore: true)
        #expect(outcome.customer.id == "anna" && outcome.failure == nil)
    }
}
