import ClientWorld
import CounterfoilClient
import CounterfoilClientTesting
import Foundation
import Testing

@Suite struct `A transaction is finished when the server keeps it, and not before` {
    @Test func `A subscription that is named as kept is finished`() {
        var harness = Harness.signedIn()
        harness.gather(unfinished: [subscription()])
        #expect(harness.finished.isEmpty)
        #expect(harness.lastReport?.restore == false)
        harness.answerAll()
        #expect(harness.finished == [1])
        #expect(harness.machine.stuck.isEmpty)
    }

    @Test func `What the device merely has is reported, and needs no finishing`() {
        var harness = Harness.signedIn()
        harness.gather(current: [subscription()])
        #expect(harness.sent.last?.request.ids == [1])
        harness.answerAll()
        #expect(harness.finished.isEmpty)
    }

    @Test func `A consumable is finished after the app delivered it`() {
        var harness = Harness.signedIn(anna) { $0.deliver = { _ in } }
        harness.gather(unfinished: [coins()])
        #expect(harness.delivered.isEmpty)
        harness.answerAll()
        #expect(harness.delivered == [7])
        #expect(harness.finished.isEmpty)
        harness.send(.delivered(7, true))
        #expect(harness.finished == [7])
    }

    @Test func `Without a delivery of its own the app counts what the server keeps as delivered`() {
        var harness = Harness.signedIn()
        harness.gather(unfinished: [coins()])
        harness.answerAll()
        #expect(harness.finished == [7])
    }

    @Test func `What the app could not deliver stays, and is offered again`() {
        var harness = Harness.signedIn(anna) { $0.deliver = { _ in } }
        harness.gather(unfinished: [coins()])
        harness.answerAll()
        harness.send(.delivered(7, false))
        #expect(harness.finished.isEmpty)
        #expect(harness.stuck == [7: .notDelivered])
        harness.pass(6 * 60)
        harness.send(.foreground)
        #expect(harness.delivered == [7, 7])
        // The app fails before StoreKit has listed it again: that is not a second occasion.
        harness.send(.delivered(7, false))
        harness.gather(unfinished: [coins()])
        harness.answerAll()
        #expect(harness.delivered == [7, 7])
        harness.pass(6 * 60)
        harness.send(.foreground)
        harness.send(.delivered(7, true))
        #expect(harness.delivered == [7, 7, 7] && harness.finished == [7])
    }

    @Test func `What the app could not deliver is offered at once to who buys it again`() {
        var harness = Harness.signedIn(anna) { $0.deliver = { _ in } }
        harness.gather(unfinished: [coins()])
        harness.answerAll()
        harness.send(.delivered(7, false))
        // StoreKit answers with the purchase that is not finished.
        harness.send(.buy(call: 1, productID: "coins", options: PurchaseOptions()))
        harness.send(.bought(call: 1, .success(.success(coins()))))
        guard case .purchase(.purchased(_, .kept))? = harness.outcomes[1] else { return #expect(Bool(false)) as Void }
        #expect(harness.delivered == [7, 7])
        harness.send(.delivered(7, true))
        #expect(harness.finished == [7])
    }

    @Test func `What was delivered before the app was killed is not delivered again`() {
        var harness = Harness.signedIn(anna) { $0.deliver = { _ in } }
        harness.gather(unfinished: [coins()])
        harness.answerAll()
        harness.send(.delivered(7, true))
        // StoreKit never saw the call of finish.
        harness.relaunch { $0.deliver = { _ in } }
        harness.gather(unfinished: [coins()])
        harness.answerAll()
        #expect(harness.delivered.isEmpty)
        #expect(harness.finished == [7])
    }

    @Test func `A delivery that a sign-out overtook is not made twice`() {
        var harness = Harness.signedIn(anna) { $0.deliver = { _ in } }
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

    @Test func `A consumable that was refunded before it was delivered is finished without`() {
        var harness = Harness.signedIn(anna) { $0.deliver = { _ in } }
        harness.gather(unfinished: [coins(revoked: t0)])
        harness.answerAll()
        #expect(harness.delivered.isEmpty)
        #expect(harness.finished == [7])
    }

    @Test func `What is not named is reported once more, and then stuck`() {
        var harness = Harness.signedIn()
        harness.gather(unfinished: [subscription()])
        let first = harness.sent.count
        harness.answerAll { $0.kept = [] }
        #expect(harness.sent.count == first + 1)
        #expect(harness.finished.isEmpty)
        #expect(harness.stuck == [1: .notNamed])
        #expect(harness.notices == harness.machine.stuck.map { .stuck($0) })
    }

    @Test func `A server that names nothing, as older ones do, finishes nothing`() {
        var harness = Harness.signedIn()
        harness.gather(unfinished: [subscription(), coins()])
        harness.answerAll { $0.kept = nil }
        #expect(Set(harness.sent.flatMap(\.request.ids)) == [1, 7])
        #expect(harness.finished.isEmpty)
    }

    @Test(arguments: [true, false])
    func `Another customer's subscription is finished, and the app is told`(inTheAnswer: Bool) {
        var harness = Harness.signedIn()
        harness.gather(unfinished: [subscription(token: nil)], appTransaction: nil)
        if inTheAnswer {
            harness.answerAll {
                $0.kept = []
                $0.refused = [Refusal(id: "1", code: "receipt_already_in_use")]
            }
        } else {
            harness.fail(BackendFailure(status: 409, code: "receipt_already_in_use"))
        }
        #expect(harness.finished == [1])
        #expect(harness.notices == [.ofAnotherCustomer(subscription(token: nil))])
    }

    @Test(arguments: [true, false])
    func `Another customer's consumable stays`(inTheAnswer: Bool) {
        var harness = Harness.signedIn(anna) { $0.deliver = { _ in } }
        harness.gather(unfinished: [coins(token: nil)], appTransaction: nil)
        if inTheAnswer {
            harness.answerAll {
                $0.kept = []
                $0.refused = [Refusal(id: "7", code: "receipt_already_in_use")]
            }
        } else {
            harness.fail(BackendFailure(status: 409, code: "receipt_already_in_use"))
        }
        #expect(harness.finished.isEmpty)
        #expect(harness.delivered.isEmpty)
        #expect(harness.stuck == [7: .ofAnotherCustomer])
    }

    @Test func `A consumable that was signed for another customer waits for them`() {
        var harness = Harness.signedIn(anna) { $0.deliver = { _ in } }
        harness.gather(unfinished: [coins(token: UUID(uuidString: bert))])
        harness.answerAll {
            $0.kept = []
            $0.refused = [Refusal(id: "7", code: "receipt_already_in_use")]
        }
        #expect(harness.finished.isEmpty && harness.delivered.isEmpty)
        harness.send(.signedIn(customer: bert, token: "b"))
        harness.gather(unfinished: [coins(token: UUID(uuidString: bert))])
        harness.answerAll()
        harness.send(.delivered(7, true))
        #expect(harness.finished == [7])
    }

    @Test func `Another customer's consumable stays after a restart too, until the button brings it over`() {
        var harness = Harness.signedIn(anna) { $0.deliver = { _ in } }
        harness.gather(unfinished: [coins(token: nil)])
        harness.answerAll {
            $0.kept = []
            $0.refused = [Refusal(id: "7", code: "receipt_already_in_use")]
        }
        harness.relaunch { $0.deliver = { _ in } }
        harness.gather(unfinished: [coins(token: nil)])
        #expect(harness.delivered.isEmpty && harness.finished.isEmpty)
        #expect(harness.stuck == [7: .ofAnotherCustomer])
        harness.send(.restore(call: 1))
        harness.send(.synced(reachedAppStore: true))
        harness.gather(unfinished: [coins(token: nil)])
        harness.answerAll()
        #expect(harness.delivered == [7])
    }

    @Test func `A consumable that the button brought over from another customer is delivered`() {
        var harness = Harness.settled(anna) { $0.deliver = { _ in } }
        harness.send(.restore(call: 1))
        harness.send(.synced(reachedAppStore: true))
        harness.gather(unfinished: [coins(token: UUID(uuidString: bert))])
        #expect(harness.lastReport?.restore == true)
        harness.answerAll()
        #expect(harness.delivered == [7])
    }

    @Test func `One bad transaction is found by halves, and the others are kept`() {
        var harness = Harness.signedIn()
        let all = (10...17).map { subscription($0) }
        harness.gather(unfinished: all)
        var rounds = 0
        while let id = harness.open.keys.min(), let request = harness.open[id], rounds < 30 {
            rounds += 1
            if request.ids.contains(13) {
                harness.fail(BackendFailure(status: 400, code: "bad_signature", parameter: "signed_transactions"))
            } else {
                var answer = CustomerAnswer(id: anna, asOf: harness.now)
                answer.kept = request.ids.map { String($0) }
                harness.answer(id, answer)
            }
        }
        #expect(harness.finished.sorted() == [10, 11, 12, 14, 15, 16, 17])
        #expect(harness.stuck == [13: StuckReason(rawValue: "bad_signature")])
        #expect(rounds <= 8)
    }

    @Test func `A refusal in the answer concerns one transaction alone`() {
        var harness = Harness.signedIn()
        harness.gather(unfinished: [subscription(), lifetime()])
        harness.answerAll {
            $0.kept = ["5"]
            $0.refused = [Refusal(id: "1", code: "wrong_app")]
        }
        #expect(harness.finished == [5])
        #expect(harness.stuck == [1: StuckReason(rawValue: "wrong_app")])
    }

    @Test func `A refusal holds over launches, for a day`() {
        var harness = Harness.signedIn()
        harness.gather(unfinished: [subscription()])
        harness.answerAll {
            $0.kept = []
            $0.refused = [Refusal(id: "1", code: "bad_signature")]
        }
        harness.relaunch()
        harness.gather(unfinished: [subscription()])
        #expect(harness.sent.allSatisfy { $0.request.ids.isEmpty })
        #expect(harness.stuck == [1: StuckReason(rawValue: "bad_signature")])
        harness.relaunch(after: day)
        harness.gather(unfinished: [subscription()])
        #expect(harness.sent.last?.request.ids == [1])
    }

    @Test func `A refusal ends after a day without a launch, too`() {
        var harness = Harness.signedIn()
        harness.gather(unfinished: [subscription()])
        harness.answerAll {
            $0.kept = []
            $0.refused = [Refusal(id: "1", code: "bad_signature")]
        }
        harness.sent = []
        harness.pass(hour)
        harness.send(.foreground)
        harness.gather(unfinished: [subscription()])
        harness.answerAll()
        #expect(harness.sent.allSatisfy { $0.request.ids.isEmpty })
        harness.pass(day)
        harness.send(.foreground)
        harness.gather(unfinished: [subscription()])
        #expect(harness.sent.last?.request.ids == [1])
        harness.answerAll()
        #expect(harness.finished == [1] && harness.stuck.isEmpty)
    }

    @Test func `A refusal ends when the app was updated`() {
        var harness = Harness.signedIn()
        harness.gather(unfinished: [subscription()])
        harness.answerAll {
            $0.kept = []
            $0.refused = [Refusal(id: "1", code: "wrong_app")]
        }
        harness.relaunch { $0.appVersion = "2.0" }
        harness.gather(unfinished: [subscription()])
        #expect(harness.sent.last?.request.ids == [1])
    }

    @Test func `A refusal that says nothing of the transaction is tried again`() {
        var harness = Harness.signedIn()
        harness.gather(unfinished: [subscription()])
        harness.answerAll {
            $0.kept = []
            $0.refused = [Refusal(id: "1", code: "revocation_unknown")]
        }
        #expect(harness.machine.stuck.isEmpty)
        harness.fire(.retry)
        #expect(harness.sent.last?.request.ids == [1])
    }

    @Test func `Refusals that say nothing of the transactions are tried again after pauses that double`() {
        var harness = Harness.signedIn()
        harness.gather(unfinished: [subscription(), lifetime()])
        for round in 0..<5 {
            harness.answerAll {
                $0.kept = []
                $0.refused = ["1", "5"].map { Refusal(id: $0, code: "revocation_unknown") }
            }
            #expect(harness.timers[.retry] == pow(2, Double(round)))
            harness.fire(.retry)
        }
        harness.answerAll()
        #expect(harness.finished == [1, 5])
        harness.send(.updated(coins()))
        harness.fail(.noConnection)
        #expect(harness.timers[.retry] == 1)
    }

    @Test func `An app transaction that the server refuses does not hold up the transactions`() {
        var harness = Harness.signedIn()
        harness.gather(unfinished: [subscription()])
        #expect(harness.lastReport?.appTransaction != nil)
        harness.fail(BackendFailure(status: 400, code: "bad_signature", parameter: "app_transaction"))
        #expect(harness.lastReport?.appTransaction == nil)
        harness.answerAll()
        #expect(harness.finished == [1])
    }

    @Test(arguments: ["signed_renewals[0]", "app_transaction", "receipt"])
    func `A renewal info or a receipt that the server refuses by its place does not hold up the transactions`(
        _ parameter: String
    ) {
        var harness = Harness.signedIn()
        harness.gather(
            unfinished: [subscription(), lifetime()], statuses: [status(subscription())])
        harness.sent = []
        harness.fail(BackendFailure(status: 400, code: "bad_signature", parameter: parameter))
        #expect(harness.sent.map(\.request.ids) == [[1, 5]])
        #expect(harness.lastReport?.signedRenewals == nil && harness.lastReport?.appTransaction == nil)
        harness.answerAll()
        #expect(harness.finished == [1, 5])
    }

    @Test func `A transaction that the server names by its place is stuck at once, and the rest goes on without it`() {
        var harness = Harness.signedIn()
        harness.gather(unfinished: [subscription()])
        harness.fail(BackendFailure(status: 400, code: "bad_signature", parameter: "signed_transactions[0]"))
        #expect(harness.stuck == [1: StuckReason(rawValue: "bad_signature")])
        #expect(harness.lastReport?.signedTransactions == [] && harness.lastReport?.appTransaction != nil)
    }

    @Test func `A refusal without an identifier is of the transaction in its place`() {
        var harness = Harness.signedIn()
        harness.gather(unfinished: [lifetime(), subscription()])
        harness.answerAll {
            $0.kept = ["1"]
            $0.refused = [Refusal(id: nil, code: "bad_json", param: "signed_transactions[1]")]
        }
        #expect(harness.finished == [1])
        #expect(harness.stuck == [5: StuckReason(rawValue: "bad_json")])
    }

    @Test(arguments: ["signed_transactions[7]", "signed_transactions", "[", ""])
    func `What is refused out of place is nobody's`(_ param: String) {
        var harness = Harness.signedIn()
        harness.gather(unfinished: [subscription()])
        harness.answerAll {
            $0.kept = []
            $0.refused = [Refusal(id: nil, code: "bad_json", param: param)]
        }
        #expect(harness.stuck == [1: .notNamed])
    }

    @Test func `A renewal info of an unknown subscription does not make its transaction stuck`() {
        var harness = Harness.signedIn()
        harness.gather(unfinished: [subscription()], statuses: [status(subscription())])
        harness.answerOnce {
            $0.kept = []
            $0.refused = [Refusal(id: "1", code: "unknown_subscription", param: "signed_renewals[0]")]
        }
        #expect(harness.stuck.isEmpty)
        harness.answerAll()
        #expect(harness.finished == [1])
    }

    @Test func `What StoreKit could not verify is neither sent nor finished, and the app hears of it once`() {
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

    @Test func `Beside another library nothing is finished or delivered`() {
        var harness = Harness.signedIn(anna) {
            $0.finishes = false
            $0.deliver = { _ in }
        }
        harness.gather(unfinished: [subscription(), coins()])
        harness.answerAll()
        harness.send(.updated(lifetime()))
        harness.answerAll()
        #expect(Set(harness.sent.flatMap(\.request.ids)) == [1, 5, 7])
        #expect(harness.finished.isEmpty && harness.delivered.isEmpty)
    }

    @Test func `What was kept and not finished before the app was killed is finished without asking again`() {
        var harness = Harness.signedIn()
        harness.gather(unfinished: [subscription()])
        harness.answerAll()
        harness.relaunch()
        harness.gather(unfinished: [subscription()])
        #expect(harness.finished == [1])
        #expect(harness.sent.allSatisfy { $0.request.ids.isEmpty })
    }

    @Test func `A newer text of the same transaction is reported before it is finished`() {
        var harness = Harness.settled()
        harness.send(.updated(subscription()))
        harness.send(.updated(subscription(revoked: t0, signed: t0)))
        #expect(harness.open.count == 1)
        guard let id = harness.open.keys.min() else { return }
        var answer = CustomerAnswer(id: anna, asOf: harness.now)
        answer.kept = ["1"]
        harness.answer(id, answer)
        #expect(harness.finished.isEmpty)
        harness.answerAll()
        #expect(harness.finished == [1])
        #expect(harness.sent.last?.request.transactions.first?.revocationDate != nil)
    }

    @Test func `Several unfinished of one consumable are each delivered and finished`() {
        var harness = Harness.signedIn(anna) { $0.deliver = { _ in } }
        harness.gather(unfinished: [coins(7), coins(8), coins(9)])
        harness.answerAll()
        #expect(harness.delivered == [7, 8, 9])
        for id: UInt64 in [7, 8, 9] { harness.send(.delivered(id, true)) }
        #expect(harness.finished == [7, 8, 9])
    }

    @Test func `A purchase that comes by its result and by an update is sent once`() {
        var harness = Harness.settled()
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
