import Testing

@testable import Ledger

@Suite struct `A change of ownership for one customer` {
    private static let standIn = Erasure.standIn(for: "anna", in: "com.example.app")

    @Test(
        arguments: [
            ([], ["anna"], false, false, .purchaseLinked),
            (["ben"], ["anna"], false, false, .purchaseTransferred),
            (["anna"], ["ben"], true, false, .purchaseTransferred),
            (["anna"], [standIn], true, true, .purchaseTransferred),
            // Another customer was erased before anna got the purchase, or gets it after her.
            ([Erasure.standIn(for: "ben", in: "com.example.app")], ["anna"], false, false, .purchaseLinked),
            (["anna"], [Erasure.standIn(for: "ben", in: "com.example.app")], true, false, .purchaseTransferred),
            // The same name in another app.
            (["anna"], [Erasure.standIn(for: "anna", in: "com.example.other")], true, false, .purchaseTransferred),
        ] as [([String], [String], Bool, Bool, EventType)])
    func `It is a loss, an erasure or neither, and a purchase without an owner is linked`(
        from: [String], to: [String], isLoss: Bool, isErasure: Bool, type: EventType
    ) {
        let change = CustomerChange(
            Ownership.Change(instant: 1, from: from, to: to), of: "o", for: "anna", in: "com.example.app")
        #expect(change.isLoss == isLoss && change.isErasure == isErasure)
        #expect(change.type == type)
    }

    @Test func `Changes of other customers, and later ones, are left out`() {
        let claims = [
            ClaimEvent(at: 10, .take, "anna"), ClaimEvent(at: 20, .take, "ben"), ClaimEvent(at: 30, .take, "cleo"),
            ClaimEvent(at: 40, .take, "anna"),
        ]
        let purchase = OwnedPurchase(
            lineage: Lineage(originalTransactionID: "o", transactions: []),
            ownership: Ownership(claims: ClaimHistory(claims), named: nil, account: ClaimHistory([])))
        let changes = purchase.changes(for: "anna", in: "com.example.app", until: 39)
        #expect(changes.map(\.change.instant) == [10, 20])
        #expect(changes.map(\.isLoss) == [false, true])
        #expect(purchase.changes(for: "anna", in: "com.example.app", until: 40).count == 3)
    }
}
