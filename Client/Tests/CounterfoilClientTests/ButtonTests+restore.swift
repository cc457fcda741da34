import ClientWorld
import CounterfoilClient
import CounterfoilClientTesting
import Foundation
import Testing

// Restore.
extension `Purchase and restore by the customer` {
    @Test func `Only restore syncs with the App Store, and it reports everything with restore`() throws {
        var harness = Harness.signedIn()
        harness.gather(current: [subscription()])
        harness.answerAll()
        #expect(harness.syncs == 0)
        harness.send(.restore(call: 1))
        #expect(harness.syncs == 1)
        harness.send(.synced(call: 1, reachedAppStore: true))
        harness.gather(unfinished: [coins()], current: [subscription()], all: [subscription(), lifetime()])
        let foundLastReport = harness.lastReport
        let report = try #require(foundLastReport)
        #expect(report.restore == true)
        #expect(harness.sent.last?.request.ids.sorted() == [1, 5, 7])
        #expect(harness.outcomes.isEmpty)
        harness.answerAll()
        let outcome = try harness.restoration()
        #expect(outcome.reachedAppStore && outcome.failure == nil)
        #expect(harness.finished == [7])
    }

    @Test func `A customer with an empty device can restore`() {
        var harness = Harness.launched()
        harness.send(.restore(call: 1))
        harness.send(.synced(call: 1, reachedAppStore: true))
        harness.gather()
        #expect(harness.lastReport?.restore == true)
        harness.answerAll()
        #expect(harness.outcomes[1] != nil)
    }

    @Test func `Without a network the sync fails, and restore still reports the device's purchases`() throws {
        var harness = Harness.launched()
        harness.send(.restore(call: 1))
        harness.send(.synced(call: 1, reachedAppStore: false))
        harness.gather(current: [lifetime()])
        #expect(harness.sent.last?.request.ids == [5])
        harness.answerAll()
        let outcome = try harness.restoration()
        #expect(!outcome.reachedAppStore && outcome.failure == nil)
    }

    @Test func `Two restore calls sync once, and both complete`() {
        var harness = Harness.launched()
        harness.send(.restore(call: 1))
        harness.send(.restore(call: 2))
        harness.send(.synced(call: 1, reachedAppStore: true))
        harness.gather()
        harness.answerAll()
        #expect(harness.syncs == 1)
        #expect(harness.outcomes.count == 2)
    }

    @Test func `A failed restore is reported, and its retry does not restore`() throws {
        var harness = Harness.launched()
        harness.send(.restore(call: 1))
        harness.send(.synced(call: 1, reachedAppStore: true))
        harness.gather(current: [lifetime()])
        harness.fail(.noConnection)
        let outcome = try harness.restoration()
        #expect(outcome.failure == .noConnection)
        harness.fire(.retry)
        #expect(harness.sent.last?.request.ids == [5])
        #expect(harness.lastReport?.restore == false)
    }

    @Test func `A failure during the sync does not fail the restore`() throws {
        var harness = Harness.signedIn()
        harness.gather(unfinished: [lifetime()])
        harness.send(.restore(call: 1))
        harness.fail(BackendFailure(status: 403, code: "forbidden"))
        harness.send(.synced(call: 1, reachedAppStore: true))
        harness.gather(unfinished: [lifetime()])
        #expect(harness.outcomes.isEmpty)
        harness.answerAll()
        let outcome = try harness.restoration()
        #expect(outcome.reachedAppStore && outcome.failure == nil)
    }

    @Test func `A refused purchase of another customer does not keep the app transaction from being sent`() throws {
        var harness = Harness.launched()
        harness.send(.restore(call: 1))
        harness.send(.synced(call: 1, reachedAppStore: true))
        harness.gather(current: [lifetime()])
        #expect(harness.lastReport?.appTransaction != nil)
        harness.fail(BackendFailure(status: 409, code: "receipt_already_in_use"))
        #expect(harness.sent.map(\.request.ids) == [[5], [5]])
        #expect(harness.lastReport?.appTransaction != nil && harness.lastReport?.restore == false)
        harness.refuseAsInUse([5])
        #expect(harness.notices == [.belongsToAnotherCustomer(lifetime())])
        let outcome = try harness.restoration()
        #expect(outcome.failure == nil)
    }

    @Test func `A restore of another customer's purchases is refused once, and then reported without restore`() throws {
        var harness = Harness.launched()
        harness.send(.restore(call: 1))
        harness.send(.synced(call: 1, reachedAppStore: true))
        let renewals = (10...40).map { subscription($0, token: nil) }
        harness.gather(current: renewals)
        #expect(harness.lastReport?.restore == true)
        harness.fail(BackendFailure(status: 409, code: "receipt_already_in_use"))
        #expect(harness.sent.map(\.request.ids.count) == [31, 31])
        #expect(harness.lastReport?.restore == false && harness.lastReport?.appTransaction != nil)
        let outcome = try harness.restoration()
        #expect(outcome.failure == nil)
        harness.refuseAsInUse(renewals.map(\.id))
        #expect(harness.notices == renewals.map { ClientNotice.belongsToAnotherCustomer($0) })
        #expect(harness.finished.isEmpty && harness.stuck.isEmpty)
    }

    @Test(
        arguments: [true, false],
        [
            BackendFailure(status: 409, code: "receipt_already_in_use"),
            BackendFailure(status: 400, code: "bad_signature"),
        ])
    func `A purchase that is being sent during a restore is sent again with restore`(
        isRefusedFirst: Bool, refusal: BackendFailure
    ) throws {
        var harness = Harness.launched("anna")
        harness.send(.recorded(lifetime(token: nil)))
        harness.send(.restore(call: 1))
        harness.send(.synced(call: 1, reachedAppStore: true))
        harness.gather(unfinished: [lifetime(token: nil)])
        #expect(harness.sent.map(\.request.ids) == [[5], []])
        let restore = try #require(harness.open.keys.max())
        if isRefusedFirst { harness.fail(refusal) }
        harness.answer(restore, CustomerResponse(id: "anna", asOf: harness.now))
        #expect(harness.outcomes.isEmpty)
        if !isRefusedFirst { harness.fail(refusal) }
        #expect(harness.sent.last?.request.ids == [5] && harness.lastReport?.restore == true)
        harness.answerAll()
        #expect(harness.finished == [5] && harness.notices.isEmpty)
        let outcome = try harness.restoration()
        #expect(outcome.failure == nil)
    }

    @Test func `A restore with an expired token is repeated with a new token before it completes`() throws {
        var harness = Harness.launched(anna) { $0.token = { _ in nil } }
        harness.send(.restore(call: 1))
        harness.send(.synced(call: 1, reachedAppStore: true))
        harness.gather()
        harness.fail(BackendFailure(status: 401, code: "token_expired"))
        #expect(harness.outcomes.isEmpty)
        harness.send(.token(customer: anna, .success(CustomerCredential(customer: anna, token: "fresh"))))
        #expect(harness.lastReport?.restore == true && harness.lastReport?.appTransaction != nil)
        harness.answerAll()
        let outcome = try harness.restoration()
        #expect(outcome.failure == nil)
    }

    @Test func `A restore whose app transaction is refused fails with the refusal`() throws {
        var harness = Harness.launched()
        harness.send(.restore(call: 1))
        harness.send(.synced(call: 1, reachedAppStore: true))
        harness.gather()
        let failure = BackendFailure(status: 400, code: "bad_signature", parameter: "app_transaction")
        harness.fail(failure)
        let outcome = try harness.restoration()
        #expect(outcome.failure == failure)
    }

    @Test func `A restore during the server's Retry-After pause fails`() throws {
        var harness = Harness.signedIn()
        harness.gather()
        harness.fail(BackendFailure(status: 503, code: "unavailable", retryAfter: 600))
        harness.send(.restore(call: 1))
        harness.send(.synced(call: 1, reachedAppStore: true))
        harness.gather(current: [lifetime()])
        let outcome = try harness.restoration()
        #expect(outcome.failure != nil)
        #expect(harness.open.isEmpty)
    }

    @Test func `A restore without an answer times out`() throws {
        var harness = Harness.launched()
        harness.send(.restore(call: 1))
        harness.send(.synced(call: 1, reachedAppStore: true))
        harness.fire(.call(1))
        let outcome = try harness.restoration()
        #expect(outcome.failure == .timeout)
    }

    @Test func `A sign-in ends the previous customer's restore`() {
        var harness = Harness.launched()
        harness.send(.restore(call: 1))
        harness.send(.signedIn(customer: bert, token: "b"))
        #expect(harness.outcomes[1]?.error == .customerChanged)
        harness.send(.synced(call: 1, reachedAppStore: true))
        harness.gather(current: [lifetime()])
        #expect(harness.sent.allSatisfy { $0.request.report?.restore != true })
    }

    @Test func `A restore waits for its own sync, not for that of the previous customer`() throws {
        var harness = Harness.launched()
        harness.send(.restore(call: 1))
        harness.send(.signedIn(customer: bert, token: "b"))
        harness.gather()
        harness.answerAll()
        harness.send(.restore(call: 2))
        #expect(harness.syncs == 2)
        harness.send(.synced(call: 1, reachedAppStore: false))
        #expect(harness.gathers.isEmpty && harness.open.isEmpty)
        harness.send(.synced(call: 2, reachedAppStore: true))
        harness.gather(current: [lifetime()])
        #expect(harness.sent.last?.request.ids == [5] && harness.lastReport?.restore == true)
        harness.answerAll()
        let outcome = try harness.restoration(of: 2)
        #expect(outcome.reachedAppStore && outcome.failure == nil)
    }
}
