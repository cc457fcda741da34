import ClientWorld
import CounterfoilClient
import CounterfoilClientTesting
import Foundation
import Testing

// Transactions that the server refuses.
extension `Finishing transactions` {
    @Test func `One invalid transaction is found by bisection, and the others are kept`() {
        var harness = Harness.signedIn()
        let all = (10...17).map { subscription($0) }
        harness.gather(unfinished: all)
        var rounds = 0
        while let id = harness.open.keys.min(), let request = harness.open[id], rounds < 30 {
            rounds += 1
            if request.ids.contains(13) {
                harness.fail(BackendFailure(status: 400, code: "bad_signature", parameter: "signed_transactions"))
            } else {
                var answer = CustomerResponse(id: anna, asOf: harness.now)
                answer.kept = request.ids.map { String($0) }
                harness.answer(id, answer)
            }
        }
        #expect(harness.finished.sorted() == [10, 11, 12, 14, 15, 16, 17])
        #expect(harness.stuck == [13: StuckReason(rawValue: "bad_signature")])
        #expect(rounds <= 8)
    }

    @Test(arguments: [
        ("wrong_app", "app"), ("wrong_environment", "environment"), ("wrong_environment", "signed_transactions[0]"),
    ])
    func `A refusal of the app or the environment concerns all transactions of the report`(
        _ code: String, _ parameter: String
    ) {
        var harness = Harness.signedIn()
        harness.gather(unfinished: (10...17).map { subscription($0) })
        harness.fail(BackendFailure(status: 400, code: code, parameter: parameter))
        #expect(harness.stuck.count == 8 && Set(harness.stuck.values.map(\.rawValue)) == [code])
        // Only the app transaction is left, and then the customer.
        #expect(harness.sent.dropFirst().map(\.request.ids) == [[]])
        harness.fail(BackendFailure(status: 400, code: code, parameter: parameter))
        #expect(harness.sent.count == 3 && harness.sent.last?.request.isFetch == true)
        #expect(harness.finished.isEmpty)
    }

    /// Errors are not signed: whoever controls the network could say that a purchase belongs to another customer.
    @Test(arguments: [PurchaseRoute.purchase, .restore, .launch])
    func `An error finishes no transaction that the server may not have`(_ route: PurchaseRoute) {
        let isInUse = BackendFailure(status: 409, code: "receipt_already_in_use")
        var harness = Harness.launched("anna")
        switch route {
        case .purchase: harness.send(.recorded(lifetime(token: nil)))
        case .launch: harness.send(.updated(lifetime(token: nil)))
        case .restore:
            harness.send(.restore(call: 1))
            harness.send(.synced(call: 1, reachedAppStore: true))
            harness.gather(unfinished: [lifetime(token: nil)])
        }
        if route != .launch {
            harness.fail(isInUse)
            #expect(harness.finished.isEmpty && harness.record?.foreign == [])
            // A report that moves no purchase gets a response about each of them.
            #expect(harness.sent.map(\.request.ids) == [[5], [5]] && harness.lastReport?.restore == false)
        }
        // A server does not send this error if no purchase may move.
        harness.fail(isInUse)
        #expect(harness.stuck == [5: StuckReason(rawValue: "http_409")])
        harness.answerAll()
        #expect(harness.finished.isEmpty && harness.record?.foreign == [])
    }

    @Test func `A purchase that only errors refused may move when it is bought again`() throws {
        let isInUse = BackendFailure(status: 409, code: "receipt_already_in_use")
        var harness = Harness.launched("anna")
        harness.send(.recorded(lifetime(token: nil)))
        harness.fail(isInUse)
        harness.fail(isInUse)
        #expect(harness.stuck == [5: StuckReason(rawValue: "http_409")])
        harness.pass(2 * day)
        harness.send(.buy(call: 1, productID: "lifetime", options: PurchaseOptions()))
        harness.send(.bought(call: 1, .success(.success(lifetime(token: nil)))))
        let last = harness.lastReport
        let report = try #require(last)
        #expect(report.restore == nil && harness.sent.last?.request.ids == [5])
        harness.answerAll()
        #expect(harness.finished == [5])
    }

    enum PurchaseRoute { case purchase, restore, launch }

    @Test func `A refusal in the answer concerns one transaction only`() {
        var harness = Harness.signedIn()
        harness.gather(unfinished: [subscription(), lifetime()])
        harness.answerAll {
            $0.kept = ["5"]
            $0.refused = [RefusedItem(id: "1", code: "wrong_app")]
        }
        #expect(harness.finished == [5])
        #expect(harness.stuck == [1: StuckReason(rawValue: "wrong_app")])
    }

    @Test func `A refusal is remembered across launches for a day`() {
        var harness = Harness.signedIn()
        harness.gather(unfinished: [subscription()])
        harness.answerAll {
            $0.kept = []
            $0.refused = [RefusedItem(id: "1", code: "bad_signature")]
        }
        harness.relaunch()
        harness.gather(unfinished: [subscription()])
        #expect(harness.sent.allSatisfy { $0.request.ids.isEmpty })
        #expect(harness.stuck == [1: StuckReason(rawValue: "bad_signature")])
        harness.relaunch(after: day)
        harness.gather(unfinished: [subscription()])
        #expect(harness.sent.last?.request.ids == [1])
    }

    @Test func `A refusal expires after a day without a launch`() {
        var harness = Harness.signedIn()
        harness.gather(unfinished: [subscription()])
        harness.answerAll {
            $0.kept = []
            $0.refused = [RefusedItem(id: "1", code: "bad_signature")]
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

    @Test func `A refusal expires when the app is updated`() {
        var harness = Harness.signedIn()
        harness.gather(unfinished: [subscription()])
        harness.answerAll {
            $0.kept = []
            $0.refused = [RefusedItem(id: "1", code: "wrong_app")]
        }
        harness.relaunch { $0.appVersion = "2.0" }
        harness.gather(unfinished: [subscription()])
        #expect(harness.sent.last?.request.ids == [1])
    }

    @Test func `A temporary refusal is retried`() {
        var harness = Harness.signedIn()
        harness.gather(unfinished: [subscription()])
        harness.answerAll {
            $0.kept = []
            $0.refused = [RefusedItem(id: "1", code: "revocation_unknown")]
        }
        #expect(harness.machine.stuck.isEmpty)
        harness.fire(.retry)
        #expect(harness.sent.last?.request.ids == [1])
    }

    @Test func `Temporary refusals are retried with doubling pauses`() {
        var harness = Harness.signedIn()
        harness.gather(unfinished: [subscription(), lifetime()])
        for round in 0..<5 {
            harness.answerAll {
                $0.kept = []
                $0.refused = ["1", "5"].map { RefusedItem(id: $0, code: "revocation_unknown") }
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

    @Test func `A refused app transaction does not block the transactions`() {
        var harness = Harness.signedIn()
        harness.gather(unfinished: [subscription()])
        #expect(harness.lastReport?.appTransaction != nil)
        harness.fail(BackendFailure(status: 400, code: "bad_signature", parameter: "app_transaction"))
        #expect(harness.lastReport?.appTransaction == nil)
        harness.answerAll()
        #expect(harness.finished == [1])
    }

    @Test(arguments: ["signed_renewals[0]", "app_transaction", "receipt"])
    func `A refused renewal info or receipt does not block the transactions`(
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

    @Test func `A transaction named by its index in an error is stuck at once, and the rest is sent again`() {
        var harness = Harness.signedIn()
        harness.gather(unfinished: [subscription()])
        harness.fail(BackendFailure(status: 400, code: "bad_signature", parameter: "signed_transactions[0]"))
        #expect(harness.stuck == [1: StuckReason(rawValue: "bad_signature")])
        #expect(harness.lastReport?.signedTransactions == [] && harness.lastReport?.appTransaction != nil)
    }

    @Test func `A refusal without an identifier concerns the transaction at its index`() {
        var harness = Harness.signedIn()
        harness.gather(unfinished: [lifetime(), subscription()])
        harness.answerAll {
            $0.kept = ["1"]
            $0.refused = [RefusedItem(id: nil, code: "bad_json", param: "signed_transactions[1]")]
        }
        #expect(harness.finished == [1])
        #expect(harness.stuck == [5: StuckReason(rawValue: "bad_json")])
    }

    @Test(arguments: ["signed_transactions[7]", "signed_transactions", "[", ""])
    func `A refusal with an invalid index concerns no transaction`(_ param: String) {
        var harness = Harness.signedIn()
        harness.gather(unfinished: [subscription()])
        harness.answerAll {
            $0.kept = []
            $0.refused = [RefusedItem(id: nil, code: "bad_json", param: param)]
        }
        #expect(harness.stuck == [1: .missingFromResponse])
    }

    @Test func `A refusal of a renewal info does not make its transaction stuck`() {
        var harness = Harness.signedIn()
        harness.gather(unfinished: [subscription()], statuses: [status(subscription())])
        harness.answerOnce {
            $0.kept = []
            $0.refused = [RefusedItem(id: "1", code: "unknown_subscription", param: "signed_renewals[0]")]
        }
        #expect(harness.stuck.isEmpty)
        harness.answerAll()
        #expect(harness.finished == [1])
    }
}
