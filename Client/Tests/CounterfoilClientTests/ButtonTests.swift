import ClientWorld
import CounterfoilClient
import CounterfoilClientTesting
import Foundation
import Testing

@Suite struct `Purchase and restore by the customer` {
    @Test func `A purchase is sent at once, alone and without restore`() throws {
        var harness = Harness.signedIn()
        // The device is still gathering its lists, and will not find the purchase there.
        harness.send(.buy(call: 1, productID: "monthly", options: PurchaseOptions()))
        harness.send(.bought(call: 1, .success(.success(subscription(purchased: t0)))))
        #expect(harness.sent.map(\.request.ids) == [[1]])
        let foundLastReport = harness.lastReport
        let report = try #require(foundLastReport)
        #expect(report.restore == nil && report.appTransaction == nil)
        harness.answerAll()
        #expect(harness.finished == [1])
        #expect(harness.outcomes[1]?.confirmation == .stored)
    }

    @Test func `A purchase waits two seconds for the server, and StoreKit's entitlement counts meanwhile`() {
        var harness = Harness.launched()
        harness.send(.buy(call: 1, productID: "monthly", options: PurchaseOptions()))
        harness.send(.bought(call: 1, .success(.success(subscription(purchased: t0 + 1)))))
        #expect(harness.timers[.call(1)] == 2)
        #expect(harness.customer?.isActive("pro") == true)
        #expect(harness.customer?.source == .device)
        harness.fire(.call(1))
        #expect(harness.outcomes[1]?.confirmation == .awaitingServer)
        #expect(harness.finished.isEmpty)
    }

    @Test func `A purchase during a slow launch does not wait for the launch`() {
        var harness = Harness.signedIn()
        harness.gather(current: [lifetime()])
        harness.send(.recorded(subscription()))
        #expect(harness.open.count == 2)
        harness.answerAll()
        #expect(harness.finished == [1])
    }

    @Test func `A purchase that belongs to another customer is reported to the caller`() {
        var harness = Harness.launched("anna")
        harness.send(.buy(call: 1, productID: "monthly", options: PurchaseOptions()))
        harness.send(.bought(call: 1, .success(.success(subscription(purchased: t0, token: nil)))))
        harness.fail(BackendFailure(status: 409, code: "receipt_already_in_use"))
        harness.refuseAsInUse([1])
        #expect(harness.outcomes[1]?.confirmation == .belongsToAnotherCustomer)
        #expect(harness.customer?.isActive("pro") == false)
    }

    @Test(arguments: [true, false])
    func `Buying another customer's purchase is decided by the policy and reported to the caller`(isMoved: Bool) {
        var harness = Harness.launched("anna")
        let theirs = lifetime(token: nil)
        harness.send(.updated(theirs))
        harness.refuseAsInUse([5])
        #expect(harness.finished == [5])
        // StoreKit returns what the Apple Account owns.
        harness.send(.buy(call: 1, productID: "lifetime", options: PurchaseOptions()))
        harness.send(.bought(call: 1, .success(.success(theirs))))
        #expect(harness.sent.map(\.request.ids) == [[5], [5]] && harness.lastReport?.restore == nil)
        if isMoved {
            harness.answerAll()
        } else {
            harness.fail(BackendFailure(status: 409, code: "receipt_already_in_use"))
            harness.refuseAsInUse([5])
        }
        #expect(harness.outcomes[1]?.confirmation == (isMoved ? .stored : .belongsToAnotherCustomer))
        #expect(harness.record?.foreign.isEmpty == isMoved)
    }

    @Test(arguments: [true, false])
    func `Buying a consumable that waits for another customer asks the server again`(isMoved: Bool) {
        var harness = Harness.launched("anna")
        let theirs = coins(token: nil)
        harness.send(.updated(theirs))
        harness.refuseAsInUse([7])
        #expect(harness.stuck == [7: .belongsToAnotherCustomer])
        // StoreKit returns the unfinished transaction.
        harness.send(.buy(call: 1, productID: "coins", options: PurchaseOptions()))
        harness.send(.bought(call: 1, .success(.success(theirs))))
        #expect(harness.sent.map(\.request.ids) == [[7], [7]] && harness.lastReport?.restore == nil)
        if isMoved {
            harness.answerAll()
        } else {
            harness.fail(BackendFailure(status: 409, code: "receipt_already_in_use"))
            harness.refuseAsInUse([7])
        }
        #expect(harness.outcomes[1]?.confirmation == (isMoved ? .stored : .belongsToAnotherCustomer))
        #expect(harness.finished == (isMoved ? [7] : []))
    }

    @Test func `A purchase that is bought again later is reported again, because it may have moved`() {
        var harness = Harness.launched("anna")
        let old = lifetime(token: nil)
        harness.send(.updated(old))
        harness.answerAll()
        harness.pass(hour)
        harness.send(.buy(call: 1, productID: "lifetime", options: PurchaseOptions()))
        harness.send(.bought(call: 1, .success(.success(old))))
        #expect(harness.sent.map(\.request.ids) == [[5], [5]] && harness.lastReport?.restore == nil)
        harness.fail(BackendFailure(status: 409, code: "receipt_already_in_use"))
        harness.refuseAsInUse([5])
        #expect(harness.outcomes[1]?.confirmation == .belongsToAnotherCustomer)
    }

    @Test func `An unverified purchase is reported to the caller and never finished`() {
        var harness = Harness.launched()
        let bad = subscription(isVerified: false)
        harness.send(.buy(call: 1, productID: "monthly", options: PurchaseOptions()))
        harness.send(.bought(call: 1, .success(.success(bad))))
        #expect(harness.outcomes[1]?.purchaseOutcome == .purchased(bad, .stuck))
        #expect(harness.sent.isEmpty && harness.finished.isEmpty)
    }

    @Test func `A store error is returned to the caller`() {
        var harness = Harness.launched()
        harness.send(.buy(call: 1, productID: "monthly", options: PurchaseOptions()))
        let error = PurchaseClientError(.storeFailed, "no network")
        harness.send(.bought(call: 1, .failure(error)))
        #expect(harness.outcomes[1]?.error == error)
    }

    @Test func `Two calls that StoreKit answers with the same transaction both complete`() {
        var harness = Harness.launched()
        for call in [1, 2] { harness.send(.buy(call: call, productID: "lifetime", options: PurchaseOptions())) }
        for call in [1, 2] { harness.send(.bought(call: call, .success(.success(lifetime())))) }
        #expect(harness.open.count == 1)
        harness.answerAll()
        for call in [1, 2] {
            #expect(harness.outcomes[call]?.confirmation == .stored)
            #expect(harness.timers[.call(call)] == nil)
        }
    }

    @Test func `Buying and restoring require a signed-in customer`() {
        var harness = Harness()
        harness.start()
        harness.send(.buy(call: 1, productID: "monthly", options: PurchaseOptions()))
        harness.send(.restore(call: 2))
        for call in [1, 2] { #expect(harness.outcomes[call]?.error == .notSignedIn) }
        #expect(harness.purchases.isEmpty && harness.syncs == 0)
    }

    @Test func `A purchase whose customer signed out meanwhile waits for the customer`() {
        var harness = Harness.launched("anna")
        harness.send(.buy(call: 1, productID: "monthly", options: PurchaseOptions()))
        harness.send(.signedIn(customer: "bert", token: "b"))
        harness.gather()
        harness.answerAll()
        harness.sent = []
        harness.send(.bought(call: 1, .success(.success(subscription(purchased: t0, token: nil)))))
        #expect(harness.outcomes[1]?.confirmation == .awaitingServer)
        #expect(harness.sent.isEmpty && harness.stuck == [1: .awaitingSignIn])
    }
}
