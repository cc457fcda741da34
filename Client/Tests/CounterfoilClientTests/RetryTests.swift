import ClientWorld
import CounterfoilClient
import CounterfoilClientTesting
import Foundation
import Testing

@Suite struct `Retries after server failures` {
    @Test(arguments: [
        BackendFailure(status: 429, code: "rate_limited"), BackendFailure(status: 500, code: "internal"),
        BackendFailure(status: 503, code: "unavailable"), BackendFailure(status: 408, code: "timeout"),
        BackendFailure(status: 302, code: "http_302"), BackendFailure(status: 511, code: "http_511"), .noConnection,
        .timeout, .invalidResponse, BackendFailure(status: 400, code: "odd", isRetryable: true),
    ])
    func `A request is retried after errors of an overloaded, broken or unreachable server`(_ failure: BackendFailure) {
        var harness = Harness.signedIn()
        harness.gather(unfinished: [subscription()])
        harness.fail(failure)
        #expect(harness.finished.isEmpty && harness.notices.isEmpty && harness.machine.stuck.isEmpty)
        #expect(harness.open.isEmpty)
        harness.fire(.retry)
        #expect(harness.open.count == 1)
        harness.answerAll()
        #expect(harness.finished == [1])
    }

    @Test func `Pauses double from a second to 15 minutes, with a jitter of half`() throws {
        var harness = Harness.signedIn()
        harness.gather(unfinished: [subscription()])
        for round in 0..<20 {
            harness.fail(.noConnection)
            let pause = try #require(harness.timers[.retry])
            let base = min(pow(2, Double(round)), 900)
            #expect(pause >= base * 0.5 && pause <= min(base * 1.5, 900))
            harness.fire(.retry)
        }
    }

    @Test func `Pauses differ between devices`() {
        let pauses = [0.5, 1, 1.5].map { (jitter: Double) -> TimeInterval? in
            var harness = Harness()
            harness.jitter = jitter
            harness.start()
            harness.send(.signedIn(customer: anna, token: "token"))
            harness.gather(unfinished: [subscription()])
            harness.fail(.noConnection)
            return harness.timers[.retry]
        }
        #expect(pauses == [0.5, 1, 1.5])
    }

    @Test func `Retry-After is respected, and no event ends it early`() throws {
        var harness = Harness.signedIn()
        harness.gather(unfinished: [subscription()])
        harness.fail(BackendFailure(status: 503, code: "unavailable", retryAfter: 1800))
        #expect(try #require(harness.timers[.retry]) >= 1800)
        harness.send(.foreground)
        harness.send(.updated(lifetime()))
        #expect(harness.open.isEmpty)
        harness.fire(.retry)
        harness.answerAll()
        #expect(harness.finished.sorted() == [1, 5])
    }

    @Test func `A Retry-After pause ends by the clock, because timers stop during sleep`() {
        var harness = Harness.signedIn()
        harness.gather(unfinished: [subscription()])
        harness.fail(BackendFailure(status: 503, code: "unavailable", retryAfter: 1800))
        harness.pass(1799)
        harness.send(.foreground)
        harness.gather(unfinished: [subscription()])
        #expect(harness.open.isEmpty)
        harness.pass(1)
        harness.send(.foreground)
        #expect(harness.timers[.retry] == nil)
        harness.answerAll()
        #expect(harness.finished == [1])
    }

    @Test func `A failure without Retry-After does not shorten the server's pause`() {
        var harness = Harness.signedIn()
        harness.gather(unfinished: [subscription()])
        harness.send(.recorded(lifetime()))
        #expect(harness.open.count == 2)
        harness.fail(BackendFailure(status: 503, code: "unavailable", retryAfter: 1800))
        harness.fail(.noConnection)
        #expect(harness.timers[.retry] == 1800)
        harness.send(.foreground)
        #expect(harness.open.isEmpty)
    }

    @Test(arguments: [[1800, 5], [5, 1800]] as [[TimeInterval]])
    func `Of two Retry-After pauses the longer one counts`(_ orders: [TimeInterval]) {
        var harness = Harness.signedIn()
        harness.gather(unfinished: [subscription()])
        harness.send(.recorded(lifetime()))
        #expect(harness.open.count == 2)
        for order in orders { harness.fail(BackendFailure(status: 429, code: "rate_limited", retryAfter: order)) }
        #expect(harness.timers[.retry] == 1800)
        harness.fire(.retry)
        harness.answerAll()
        #expect(harness.finished.sorted() == [1, 5])
    }

    @Test func `A Retry-After that is not a number is ignored`() {
        var harness = Harness.signedIn()
        harness.gather(unfinished: [subscription()])
        harness.fail(BackendFailure(status: 503, code: "unavailable", retryAfter: .nan))
        #expect(harness.timers[.retry] == 1)
    }

    @Test func `Retry-After is limited to a day`() throws {
        var harness = Harness.signedIn()
        harness.gather(unfinished: [subscription()])
        harness.fail(BackendFailure(status: 503, code: "unavailable", retryAfter: 1e12))
        #expect(try #require(harness.timers[.retry]) == day)
    }

    enum Occasion: CaseIterable { case foreground, update, purchase, restore }

    @Test(arguments: Occasion.allCases)
    func `An event ends the client's own pause`(_ occasion: Occasion) {
        var harness = Harness.signedIn()
        harness.gather(unfinished: [lifetime()])
        harness.fail(.noConnection)
        #expect(harness.open.isEmpty)
        switch occasion {
        case .foreground: harness.send(.foreground)
        case .update: harness.send(.updated(subscription()))
        case .purchase: harness.send(.buy(call: 1, productID: "monthly", options: PurchaseOptions()))
        case .restore:
            harness.send(.restore(call: 1))
            harness.send(.synced(call: 1, reachedAppStore: true))
            harness.gather(unfinished: [lifetime()])
        }
        #expect(harness.open.values.contains { $0.ids.contains(5) })
        #expect(harness.timers[.retry] == nil)
    }

    @Test func `A request without an answer ends after ten seconds and is repeated`() throws {
        var harness = Harness.signedIn()
        harness.gather(unfinished: [subscription()])
        let id = try #require(harness.open.keys.first)
        #expect(harness.timers[.request(id)] == 10)
        harness.fire(.request(id))
        #expect(harness.open.isEmpty)
        harness.fire(.retry)
        #expect(harness.sent.last?.request.ids == [1])
        // The answer arrives too late.
        var late = CustomerResponse(id: anna, asOf: harness.now)
        late.kept = ["1"]
        harness.send(.answered(request: id, late))
        #expect(harness.finished.isEmpty)
        harness.answerAll()
        #expect(harness.finished == [1])
    }

    @Test(
        arguments: [400, 401, 403, 404, 409, 422].map { (status: Int) in
            BackendFailure(status: status, code: "http_\(status)")
        } + [
            BackendFailure.unverifiedResponse, BackendFailure(code: "invalid_response", message: "as_of is missing"),
        ])
    func `A response that may not be the server's is retried, blames no transaction and is reported once`(
        _ failure: BackendFailure
    ) {
        var harness = Harness.signedIn()
        harness.gather(unfinished: [subscription(), coins()])
        for _ in 0..<3 {
            harness.fail(failure)
            #expect(harness.open.isEmpty && harness.machine.stuck.isEmpty && harness.machine.halted == nil)
            harness.fire(.retry)
        }
        #expect(harness.notices == [.misconfigured(failure)])
        harness.answerAll()
        #expect(harness.finished.sorted() == [1, 7])
    }

    @Test func `A status 408 or 429 from any server is retried without a notice`() {
        for status in [408, 429] {
            var harness = Harness.signedIn()
            harness.gather(unfinished: [subscription()])
            harness.fail(BackendFailure(status: status, code: "http_\(status)"))
            #expect(harness.timers[.retry] == 1 && harness.notices.isEmpty)
        }
    }

    @Test func `An error about the request halts the client without blaming a transaction`() {
        var harness = Harness.signedIn()
        harness.gather(unfinished: [subscription()], appTransaction: nil)
        harness.fail(BackendFailure(status: 400, code: "unknown_member", parameter: "signed_renewals"))
        #expect(harness.machine.stuck.isEmpty)
        #expect(harness.machine.halted?.code == "unknown_member")
    }

    @Test func `An answer about another customer is ignored`() {
        var harness = Harness.signedIn()
        harness.gather(unfinished: [subscription()])
        harness.answerOnce {
            $0.id = bert
            $0.entitlements = [Entitlement(key: "pro", isActive: true)]
        }
        #expect(harness.finished.isEmpty)
        // A server that returns other identifiers than it gets would never keep anything: say so.
        guard case .misconfigured(let failure)? = harness.notices.first else {
            Issue.record("\(harness.notices)")
            return
        }
        #expect(failure.code == "invalid_response" && !failure.message.isEmpty)
        #expect(harness.customer?.id == anna)
        #expect(harness.customer?["pro"]?.source == .device)
    }

    /// Whoever controls the network can change the environment in a request, and gets a signed response.
    @Test(arguments: ["Production", "Sandbox"])
    func `An answer about another environment is ignored`(_ requested: String) {
        var harness = Harness.signedIn()
        var bought = coins()
        bought.environment = requested
        harness.gather(unfinished: [bought])
        harness.answerOnce {
            $0.environment = requested == "Sandbox" ? "Production" : "Sandbox"
            $0.entitlements = [Entitlement(key: "pro", isActive: true)]
        }
        #expect(harness.finished.isEmpty && harness.record?.answer == nil)
        #expect(harness.customer?.isActive("pro") != true)
        guard case .misconfigured(let failure)? = harness.notices.first else {
            Issue.record("\(harness.notices)")
            return
        }
        #expect(failure.message.contains("environment"))
        harness.fire(.retry)
        harness.answerAll()
        #expect(harness.finished == [7] && harness.record?.answer?.environment == requested)
    }

    @Test func `A device that does not know its environment accepts production only`() {
        var harness = Harness.signedIn()
        harness.gather(appTransaction: nil)
        #expect(harness.sent.map(\.request.environment) == [nil])
        harness.answerOnce {
            $0.environment = "Sandbox"
            $0.entitlements = [Entitlement(key: "pro", isActive: true)]
        }
        #expect(harness.customer?.isActive("pro") != true && harness.record?.answer == nil)
        harness.fire(.retry)
        harness.answerAll()
        #expect(harness.record?.answer?.environment == "Production")
    }

    @Test func `The server may return a UUID in lower case`() {
        var harness = Harness.signedIn(anna.uppercased())
        harness.gather(unfinished: [subscription()])
        harness.answerOnce { $0.id = anna }
        #expect(harness.finished == [1])
    }

    @Test func `Environments are reported separately, 500 transactions at a time`() {
        var harness = Harness.signedIn()
        let many = (1...1100).map { subscription(UInt64($0)) } + [subscription(2000, environment: "Production")]
        harness.gather(unfinished: many)
        harness.answerAll()
        #expect(harness.sent.map(\.request.ids.count).sorted() == [1, 100, 500, 500])
        #expect(
            harness.sent.allSatisfy { sent in
                Set(sent.request.transactions.map(\.environment)) == [sent.request.report?.environment ?? ""]
            })
        #expect(harness.finished.count == 1101)
    }

    @Test func `A report that times out is halved, and the app transaction is sent separately`() throws {
        var harness = Harness.signedIn()
        harness.gather(unfinished: (1...500).map { subscription(UInt64($0)) })
        // A request may also time out by itself before the client's timer.
        harness.fail(.timeout)
        #expect(harness.timers[.retry] == 1)
        harness.fire(.retry)
        let id = try #require(harness.open.keys.first)
        harness.fire(.request(id))
        harness.fire(.retry)
        harness.answerAll()
        let lots: [ClosedRange<UInt64>] = [1...500, 1...250, 251...500, 1...125, 126...250]
        #expect(harness.sent.map(\.request.ids) == lots.map { Array($0) } + [[]])
        let withApp = harness.sent.map { $0.request.report?.appTransaction != nil }
        #expect(withApp == [true, false, false, false, false, true])
        #expect(harness.finished.count == 500)
    }

    @Test(arguments: ["too_large", "http_413"])
    func `A report that is too large is halved`(_ code: String) {
        var harness = Harness.signedIn()
        harness.gather(unfinished: [subscription(1), subscription(2)], appTransaction: nil)
        harness.fail(BackendFailure(status: 413, code: code))
        #expect(harness.open.values.map(\.ids) == [[1]])
        harness.answerAll()
        #expect(harness.finished.sorted() == [1, 2])
    }
}
