import ClientWorld
import CounterfoilClient
import CounterfoilClientTesting
import Foundation
import Testing

@Suite struct `Finishing transactions` {
    @Test func `A subscription that the server keeps is finished`() {
        var harness = Harness.signedIn()
        harness.gather(unfinished: [subscription()])
        #expect(harness.finished.isEmpty)
        #expect(harness.lastReport?.restore == false)
        harness.answerAll()
        #expect(harness.finished == [1])
        #expect(harness.machine.stuck.isEmpty)
    }

    @Test func `A current transaction that is not unfinished is reported, but not finished`() {
        var harness = Harness.signedIn()
        harness.gather(current: [subscription()])
        #expect(harness.sent.last?.request.ids == [1])
        harness.answerAll()
        #expect(harness.finished.isEmpty)
    }

    @Test func `A consumable is finished after the app delivered it`() {
        var harness = Harness.signedIn(anna) { $0.deliver = { _, _ in } }
        harness.gather(unfinished: [coins()])
        #expect(harness.delivered.isEmpty)
        harness.answerAll()
        #expect(harness.delivered == [7])
        #expect(harness.finished.isEmpty)
        harness.send(.delivered(7, true))
        #expect(harness.finished == [7])
    }

    @Test func `Without a deliver handler, a kept consumable is finished`() {
        var harness = Harness.signedIn()
        harness.gather(unfinished: [coins()])
        harness.answerAll()
        #expect(harness.finished == [7])
    }

    @Test func `A failed delivery is repeated later`() {
        var harness = Harness.signedIn(anna) { $0.deliver = { _, _ in } }
        harness.gather(unfinished: [coins()])
        harness.answerAll()
        harness.send(.delivered(7, false))
        #expect(harness.finished.isEmpty)
        #expect(harness.stuck == [7: .notDelivered])
        harness.pass(6 * 60)
        harness.send(.foreground)
        #expect(harness.delivered == [7, 7])
        // The app fails again before StoreKit lists the transaction: that causes no further attempt.
        harness.send(.delivered(7, false))
        harness.gather(unfinished: [coins()])
        harness.answerAll()
        #expect(harness.delivered == [7, 7])
        harness.pass(6 * 60)
        harness.send(.foreground)
        harness.send(.delivered(7, true))
        #expect(harness.delivered == [7, 7, 7] && harness.finished == [7])
    }

    @Test func `A failed delivery is repeated at once when the customer buys again`() {
        var harness = Harness.signedIn(anna) { $0.deliver = { _, _ in } }
        harness.gather(unfinished: [coins()])
        harness.answerAll()
        harness.send(.delivered(7, false))
        // StoreKit returns the unfinished purchase.
        harness.send(.buy(call: 1, productID: "coins", options: PurchaseOptions()))
        harness.send(.bought(call: 1, .success(.success(coins()))))
        #expect(harness.outcomes[1]?.confirmation == .stored)
        #expect(harness.delivered == [7, 7])
        harness.send(.delivered(7, true))
        #expect(harness.finished == [7])
    }

    @Test func `A consumable delivered before the app was killed is not delivered again`() {
        var harness = Harness.signedIn(anna) { $0.deliver = { _, _ in } }
        harness.gather(unfinished: [coins()])
        harness.answerAll()
        harness.send(.delivered(7, true))
        // StoreKit did not receive the call of finish.
        harness.relaunch { $0.deliver = { _, _ in } }
        harness.gather(unfinished: [coins()])
        harness.answerAll()
        #expect(harness.delivered.isEmpty)
        #expect(harness.finished == [7])
    }

    @Test func `A delivery that runs during a sign-out is not repeated`() {
        var harness = Harness.signedIn(anna) { $0.deliver = { _, _ in } }
        harness.gather(unfinished: [coins()])
        harness.answerAll()
        harness.send(.signedOut(fresh: UUID()))
        harness.send(.signedIn(customer: anna, token: "token"))
        harness.gather(unfinished: [coins()])
        harness.answerAll()
        #expect(harness.delivered == [7])
        harness.send(.delivered(7, true))
        #expect(harness.finished == [7])
    }

    @Test func `A consumable refunded before its delivery is finished without delivery`() {
        var harness = Harness.signedIn(anna) { $0.deliver = { _, _ in } }
        harness.gather(unfinished: [coins(revoked: t0)])
        harness.answerAll()
        #expect(harness.delivered.isEmpty)
        #expect(harness.finished == [7])
    }

    @Test func `A transaction that the answer does not name is reported once more, then stuck`() {
        var harness = Harness.signedIn()
        harness.gather(unfinished: [subscription()])
        let first = harness.sent.count
        harness.answerAll { $0.kept = [] }
        #expect(harness.sent.count == first + 1)
        #expect(harness.finished.isEmpty)
        #expect(harness.stuck == [1: .missingFromResponse])
        #expect(harness.notices == harness.machine.stuck.map { .stuck($0) })
    }

    @Test func `A transaction that two answers did not name is reported again in the foreground, without a launch`() {
        var harness = Harness.signedIn()
        harness.gather(unfinished: [subscription()])
        harness.answerAll { $0.kept = [] }
        #expect(harness.stuck == [1: .missingFromResponse])
        for kept in [[], ["1"]] {
            harness.sent = []
            harness.pass(6 * 60)
            harness.send(.foreground)
            harness.gather(unfinished: [subscription()])
            #expect(harness.sent.map(\.request.ids) == [[1]])
            harness.answerAll { $0.kept = kept }
            #expect(harness.sent.count == 1)
            let stuck: [UInt64: StuckReason] = kept.isEmpty ? [1: .missingFromResponse] : [:]
            #expect(harness.stuck == stuck)
        }
        // The app is notified of the first time only.
        #expect(harness.notices.count == 1)
        #expect(harness.finished == [1])
    }

    @Test func `If the answer names no kept transactions, as from older servers, nothing is finished`() {
        var harness = Harness.signedIn()
        harness.gather(unfinished: [subscription(), coins()])
        harness.answerAll { $0.kept = nil }
        #expect(Set(harness.sent.flatMap(\.request.ids)) == [1, 7])
        #expect(harness.finished.isEmpty)
    }

    @Test func `Another customer's subscription is finished, and the app is notified`() {
        var harness = Harness.signedIn()
        harness.gather(unfinished: [subscription(token: nil)], appTransaction: nil)
        harness.refuseAsInUse([1])
        #expect(harness.finished == [1])
        #expect(harness.notices == [.belongsToAnotherCustomer(subscription(token: nil))])
    }

    @Test func `Another customer's consumable is not finished`() {
        var harness = Harness.signedIn(anna) { $0.deliver = { _, _ in } }
        harness.gather(unfinished: [coins(token: nil)], appTransaction: nil)
        harness.refuseAsInUse([7])
        #expect(harness.finished.isEmpty)
        #expect(harness.delivered.isEmpty)
        #expect(harness.stuck == [7: .belongsToAnotherCustomer])
    }

    @Test func `A consumable signed for another customer waits for that customer`() {
        var harness = Harness.signedIn(anna) { $0.deliver = { _, _ in } }
        harness.gather(unfinished: [coins(token: UUID(uuidString: bert))])
        harness.answerAll {
            $0.kept = []
            $0.refused = [RefusedItem(id: "7", code: "receipt_already_in_use")]
        }
        #expect(harness.finished.isEmpty && harness.delivered.isEmpty)
        harness.send(.signedIn(customer: bert, token: "b"))
        harness.gather(unfinished: [coins(token: UUID(uuidString: bert))])
        harness.answerAll()
        harness.send(.delivered(7, true))
        #expect(harness.finished == [7])
    }

    @Test func `Another customer's consumable stays unfinished after a restart, until it is restored`() {
        var harness = Harness.signedIn(anna) { $0.deliver = { _, _ in } }
        harness.gather(unfinished: [coins(token: nil)])
        harness.answerAll {
            $0.kept = []
            $0.refused = [RefusedItem(id: "7", code: "receipt_already_in_use")]
        }
        harness.relaunch { $0.deliver = { _, _ in } }
        harness.gather(unfinished: [coins(token: nil)])
        #expect(harness.delivered.isEmpty && harness.finished.isEmpty)
        #expect(harness.stuck == [7: .belongsToAnotherCustomer])
        harness.send(.restore(call: 1))
        harness.send(.synced(call: 1, reachedAppStore: true))
        harness.gather(unfinished: [coins(token: nil)])
        harness.answerAll()
        #expect(harness.delivered == [7])
    }

    @Test func `A consumable restored from another customer is delivered`() {
        var harness = Harness.launched(anna) { $0.deliver = { _, _ in } }
        harness.send(.restore(call: 1))
        harness.send(.synced(call: 1, reachedAppStore: true))
        harness.gather(unfinished: [coins(token: UUID(uuidString: bert))])
        #expect(harness.lastReport?.restore == true)
        harness.answerAll()
        #expect(harness.delivered == [7])
    }

    @Test func `An unverified transaction is neither sent nor finished, and the app is notified once`() {
        var harness = Harness.signedIn()
        let bad = subscription(isVerified: false)
        harness.gather(unfinished: [bad], current: [bad])
        harness.send(.updated(bad))
        harness.answerAll()
        #expect(harness.sent.allSatisfy { $0.request.ids.isEmpty })
        #expect(harness.finished.isEmpty)
        #expect(harness.notices == [.unverified(bad)])
        #expect(harness.stuck == [1: .unverified])
        #expect(harness.customer?.isActive("pro") == false)
    }

    @Test func `A client that must not finish transactions neither finishes nor delivers them`() {
        var harness = Harness.signedIn(anna) {
            $0.finishes = false
            $0.deliver = { _, _ in }
        }
        harness.gather(unfinished: [subscription(), coins()])
        harness.answerAll()
        harness.send(.updated(lifetime()))
        harness.answerAll()
        #expect(Set(harness.sent.flatMap(\.request.ids)) == [1, 5, 7])
        #expect(harness.finished.isEmpty && harness.delivered.isEmpty)
    }

    @Test func `A kept transaction that was not finished before the app was killed is finished without a request`() {
        var harness = Harness.signedIn()
        harness.gather(unfinished: [subscription()])
        harness.answerAll()
        harness.relaunch()
        harness.gather(unfinished: [subscription()])
        #expect(harness.finished == [1])
        #expect(harness.sent.allSatisfy { $0.request.ids.isEmpty })
    }

    @Test func `A newer version of a transaction is reported before it is finished`() {
        var harness = Harness.launched()
        harness.send(.updated(subscription()))
        harness.send(.updated(subscription(revoked: t0, signed: t0)))
        #expect(harness.open.count == 1)
        guard let id = harness.open.keys.min() else { return }
        var answer = CustomerResponse(id: anna, asOf: harness.now)
        answer.kept = ["1"]
        harness.answer(id, answer)
        #expect(harness.finished.isEmpty)
        harness.answerAll()
        #expect(harness.finished == [1])
        #expect(harness.sent.last?.request.transactions.first?.revocationDate != nil)
    }

    @Test func `Several unfinished transactions of one consumable are each delivered and finished`() {
        var harness = Harness.signedIn(anna) { $0.deliver = { _, _ in } }
        harness.gather(unfinished: [coins(7), coins(8), coins(9)])
        harness.answerAll()
        #expect(harness.delivered == [7, 8, 9])
        for id: UInt64 in [7, 8, 9] { harness.send(.delivered(id, true)) }
        #expect(harness.finished == [7, 8, 9])
    }

    @Test func `A purchase that arrives as result and as update is sent once`() {
        var harness = Harness.launched()
        harness.send(.buy(call: 1, productID: "monthly", options: PurchaseOptions()))
        harness.send(.bought(call: 1, .success(.success(subscription(purchased: t0)))))
        harness.send(.updated(subscription(purchased: t0)))
        #expect(harness.open.count == 1)
        harness.answerAll()
        harness.pass(15)
        harness.send(.updated(subscription(purchased: t0)))
        #expect(harness.sent.count == 1)
        #expect(Set(harness.finished) == [1])
    }
}
