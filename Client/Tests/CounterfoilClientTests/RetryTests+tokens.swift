import ClientWorld
import CounterfoilClient
import CounterfoilClientTesting
import Foundation
import Testing

// Expired and missing tokens, and wrong keys.
extension `Retries after server failures` {
    @Test func `An expired token is replaced once, and the report is repeated`() {
        var harness = Harness.signedIn(anna) { $0.token = { _ in nil } }
        harness.gather(unfinished: [subscription()])
        harness.fail(BackendFailure(status: 401, code: "token_expired"))
        #expect(harness.tokenRequests == [anna])
        #expect(harness.open.isEmpty)
        harness.send(.token(customer: anna, .success(CustomerCredential(customer: anna, token: "fresh"))))
        #expect(harness.sent.last?.request.credential.token == "fresh")
        #expect(harness.sent.last?.request.ids == [1])
        harness.answerAll()
        #expect(harness.finished == [1])
    }

    @Test func `A new token that is expired too is reported as a misconfiguration`() {
        var harness = Harness.signedIn(anna) { $0.token = { _ in nil } }
        harness.gather(unfinished: [subscription()])
        let failure = BackendFailure(status: 401, code: "token_expired")
        harness.fail(failure)
        harness.send(.token(customer: anna, .success(CustomerCredential(customer: anna, token: "fresh"))))
        harness.fail(failure)
        #expect(harness.tokenRequests == [anna])
        #expect(harness.notices == [.misconfigured(failure)])
        #expect(harness.finished.isEmpty)
    }

    @Test(arguments: [true, false])
    func `After a change of the server's secret the client requests a new token, and halts if that is refused too`(
        isAccepted: Bool
    ) {
        var harness = Harness.launched(anna) { $0.token = { _ in nil } }
        harness.send(.updated(subscription()))
        let refusal = BackendFailure(status: 401, code: "unauthorized")
        harness.fail(refusal)
        #expect(harness.tokenRequests == [anna] && harness.notices.isEmpty)
        harness.send(.token(customer: anna, .success(CustomerCredential(customer: anna, token: "fresh"))))
        #expect(harness.open.values.map(\.credential.token) == ["fresh"])
        if isAccepted { harness.answerAll() } else { harness.fail(refusal) }
        #expect(harness.tokenRequests == [anna] && harness.finished == (isAccepted ? [1] : []))
        #expect(harness.notices == (isAccepted ? [] : [.misconfigured(refusal)]))
    }

    @Test func `A restore after a refused token requests a new one`() throws {
        var harness = Harness.launched(anna) { $0.token = { _ in nil } }
        harness.send(.updated(subscription()))
        let refusal = BackendFailure(status: 401, code: "unauthorized")
        harness.fail(refusal)
        harness.send(.token(customer: anna, .success(CustomerCredential(customer: anna, token: "fresh"))))
        harness.fail(refusal)
        #expect(harness.notices == [.misconfigured(refusal)] && harness.open.isEmpty)
        harness.send(.restore(call: 1))
        harness.send(.synced(call: 1, reachedAppStore: true))
        harness.gather(unfinished: [subscription()])
        harness.fail(refusal)
        #expect(harness.tokenRequests == [anna, anna] && harness.outcomes.isEmpty)
        harness.send(.token(customer: anna, .success(CustomerCredential(customer: anna, token: "fresher"))))
        harness.answerAll()
        #expect(harness.finished == [1])
        let outcome = try harness.restoration()
        #expect(outcome.failure == nil)
    }

    @Test(arguments: [true, false])
    func `A token request without a result is repeated after ten seconds, and the first result is used`(isLate: Bool) {
        var harness = Harness { $0.token = { _ in nil } }
        harness.start()
        harness.send(.signedIn(customer: anna, token: nil))
        harness.gather(unfinished: [subscription()])
        #expect(harness.tokenRequests == [anna] && harness.timers[.token] == 10)
        harness.fire(.token)
        #expect(harness.tokenRequests == [anna] && harness.sent.isEmpty)
        let token = ClientEvent.token(customer: anna, .success(CustomerCredential(customer: anna, token: "a")))
        if isLate { harness.send(token) }
        harness.fire(.retry)
        if !isLate {
            #expect(harness.tokenRequests == [anna, anna] && harness.sent.isEmpty)
            harness.send(token)
        }
        #expect(harness.sent.map(\.request.credential.token) == ["a"])
        harness.answerAll()
        #expect(harness.tokenRequests.count == (isLate ? 1 : 2) && harness.finished == [1])
    }

    @Test func `A new token that expires while the server is unreachable is replaced too`() {
        var harness = Harness.signedIn(anna) { $0.token = { _ in nil } }
        harness.gather(unfinished: [subscription()])
        let expired = BackendFailure(status: 401, code: "token_expired")
        harness.fail(expired)
        harness.send(.token(customer: anna, .success(CustomerCredential(customer: anna, token: "fresh"))))
        harness.fail(.noConnection)
        harness.pass(hour)
        harness.send(.foreground)
        harness.gather(unfinished: [subscription()])
        harness.fail(expired)
        #expect(harness.tokenRequests == [anna, anna] && harness.notices.isEmpty)
        harness.send(.token(customer: anna, .success(CustomerCredential(customer: anna, token: "fresher"))))
        harness.answerAll()
        #expect(harness.finished == [1])
    }

    @Test(arguments: [false, true])
    func `Two requests with one expired token request one new token, and both are repeated`(arrivesBeforeRefusal: Bool)
    {
        var harness = Harness.signedIn(anna) { $0.token = { _ in nil } }
        harness.gather(unfinished: [subscription()])
        harness.send(.recorded(lifetime()))
        #expect(harness.open.count == 2)
        let expired = BackendFailure(status: 401, code: "token_expired")
        let fresh = ClientEvent.token(
            customer: anna, .success(CustomerCredential(customer: anna, token: "fresh")))
        harness.fail(expired)
        if arrivesBeforeRefusal { harness.send(fresh) }
        harness.fail(expired)
        if !arrivesBeforeRefusal { harness.send(fresh) }
        #expect(harness.tokenRequests == [anna] && harness.notices.isEmpty)
        #expect(harness.open.values.map(\.credential.token) == ["fresh", "fresh"])
        harness.answerAll()
        #expect(harness.finished.sorted() == [1, 5])
    }

    @Test func `A token from a sign-in counts at once, and a late failure of the token request is ignored`() {
        var harness = Harness { $0.token = { _ in nil } }
        harness.start()
        harness.send(.signedIn(customer: anna, token: nil))
        harness.gather(unfinished: [subscription()])
        #expect(harness.tokenRequests == [anna] && harness.sent.isEmpty)
        harness.send(.signedIn(customer: anna, token: "good"))
        harness.gather(unfinished: [subscription()])
        #expect(harness.sent.map(\.request.credential.token) == ["good"])
        harness.send(.token(customer: anna, .failure(.noToken)))
        #expect(harness.notices.isEmpty)
        harness.answerAll()
        #expect(harness.finished == [1])
    }

    @Test(arguments: [false, true])
    func `A refusal without a token does not halt the client if a token has arrived meanwhile`(isRestore: Bool) {
        var harness = Harness.launched()
        harness.relaunch()
        if isRestore {
            harness.send(.restore(call: 1))
            harness.send(.synced(call: 1, reachedAppStore: true))
        }
        harness.gather(unfinished: isRestore ? [] : [subscription()])
        #expect(harness.open.values.map(\.credential.token) == [nil])
        // The app provides the token while the first request is running.
        harness.send(.signedIn(customer: anna, token: "token"))
        harness.fail(BackendFailure(status: 401, code: "unauthorized"))
        harness.gather(unfinished: [subscription()])
        #expect(harness.machine.halted == nil && harness.notices.isEmpty && harness.outcomes.isEmpty)
        #expect(harness.sent.last?.request.credential.token == "token")
        harness.answerAll()
        #expect(harness.finished == [1])
        guard case .restore(let outcome)? = harness.outcomes[1] else { return #expect(!isRestore) as Void }
        #expect(outcome.failure == nil)
    }

    @Test func `A temporarily unavailable token is requested again, and a missing one halts the client`() {
        var harness = Harness { $0.token = { _ in nil } }
        harness.start()
        harness.send(.signedIn(customer: anna, token: nil))
        harness.gather(unfinished: [subscription()])
        #expect(harness.tokenRequests == [anna] && harness.sent.isEmpty)
        harness.send(.token(customer: anna, .failure(.noConnection)))
        harness.fire(.retry)
        #expect(harness.tokenRequests == [anna, anna])
        harness.send(.token(customer: anna, .failure(.noToken)))
        #expect(harness.notices == [.misconfigured(.noToken)])
        harness.send(.signedIn(customer: anna, token: "token"))
        harness.gather(unfinished: [subscription()])
        harness.answerAll()
        #expect(harness.finished == [1])
    }

    @Test(arguments: [401, 403, 404, 405])
    func `A wrong key halts the client until the next launch, loses nothing and is reported`(_ status: Int) {
        var harness = Harness.signedIn()
        harness.gather(unfinished: [subscription(), coins()])
        let failure = BackendFailure(status: status, code: "unauthorized")
        harness.fail(failure)
        harness.send(.foreground)
        harness.send(.updated(lifetime()))
        #expect(harness.open.isEmpty && harness.finished.isEmpty && harness.machine.stuck.isEmpty)
        #expect(harness.notices == [.misconfigured(failure)])
        harness.relaunch()
        harness.gather(unfinished: [subscription(), coins()])
        harness.answerAll()
        #expect(harness.finished.sorted() == [1, 7])
    }

    @Test(arguments: [
        "unknown_member", "empty_report", "too_many_transactions", "invalid_customer", "unknown_app", "bad_request",
    ])
    func `A 400 that depends on no transaction halts the client and blames no transaction`(_ code: String) {
        var harness = Harness.signedIn()
        harness.gather(unfinished: [subscription(), coins()])
        let failure = BackendFailure(status: 400, code: code)
        harness.fail(failure)
        #expect(harness.open.isEmpty && harness.machine.stuck.isEmpty)
        #expect(harness.notices == [.misconfigured(failure)])
    }
}
