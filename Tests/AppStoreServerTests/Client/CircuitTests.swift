import Foundation
import TestSupport
import Testing

@testable import AppStoreServer

@Suite(.timeLimit(.minutes(10))) struct `The circuit` {
    let policy = CircuitPolicy(failures: 3, pause: .seconds(30))

    func open() -> CircuitState {
        var state = CircuitState(policy)
        for _ in 0..<3 { state.failed(isProbe: false, at: .seconds(1)) }
        return state
    }

    @Test func `opens after failures in a row, and a success in between starts the count again`() {
        var state = CircuitState(policy)
        state.failed(isProbe: false, at: .zero)
        state.failed(isProbe: false, at: .zero)
        state.succeeded(isProbe: false)
        state.failed(isProbe: false, at: .zero)
        state.failed(isProbe: false, at: .zero)
        #expect(state.begin(at: .zero) == .go(isProbe: false))
        state.failed(isProbe: false, at: .zero)
        #expect(state.begin(at: .zero) == .refused(.seconds(30)))
    }

    @Test func `lets one request through after the pause, and nobody else`() {
        var state = open()
        #expect(state.begin(at: .seconds(30)) == .refused(.seconds(1)))
        #expect(state.begin(at: .seconds(31)) == .go(isProbe: true))
        #expect(state.begin(at: .seconds(31)) == .refused(.zero))
    }

    @Test func `closes when that one succeeds`() {
        var state = open()
        _ = state.begin(at: .seconds(31))
        state.succeeded(isProbe: true)
        #expect(state.begin(at: .seconds(31)) == .go(isProbe: false))
        state.failed(isProbe: false, at: .seconds(31))
        #expect(state.begin(at: .seconds(31)) == .go(isProbe: false))
    }

    @Test func `opens again when that one fails`() {
        var state = open()
        _ = state.begin(at: .seconds(31))
        state.failed(isProbe: true, at: .seconds(32))
        #expect(state.begin(at: .seconds(33)) == .refused(.seconds(29)))
    }

    @Test func `lets the next one try when that one is cancelled`() {
        var state = open()
        _ = state.begin(at: .seconds(31))
        state.abandoned(isProbe: true, at: .seconds(31))
        #expect(state.begin(at: .seconds(31)) == .go(isProbe: true))
    }

    @Test func `ignores requests from before it opened`() {
        var state = open()
        state.succeeded(isProbe: false)
        state.abandoned(isProbe: false, at: .seconds(1))
        #expect(state.begin(at: .seconds(2)) == .refused(.seconds(29)))
        _ = state.begin(at: .seconds(31))
        state.failed(isProbe: false, at: .seconds(31))
        state.succeeded(isProbe: false)
        state.abandoned(isProbe: false, at: .seconds(31))
        #expect(state.begin(at: .seconds(31)) == .refused(.zero))
    }

    @Test func `spares a failing server all calls but one each pause, and recovers`() async throws {
        let transport = StubTransport(
            Array(repeating: Stub.status(503).reply, count: 5) + [Stub.transaction.reply])
        let bench = try Bench(transport) {
            $0.retry = .never
            $0.circuit = CircuitPolicy(failures: 3, pause: .seconds(30))
        }
        func call() async -> AppStoreServerError.Code? {
            await failure { () async throws(AppStoreServerError) in try await bench.client.transaction("1") }?.code
        }
        for _ in 0..<3 { #expect(await call() == .serverFailure) }
        for _ in 0..<5 { #expect(await call() == .circuitOpen) }
        #expect(transport.requests.count == 3)
        let refusal = await failure { () async throws(AppStoreServerError) in try await bench.client.transaction("1") }
        #expect(refusal?.retryAfter == bench.clock.date + 30)
        for count in 4...5 {
            bench.clock.advance(by: .seconds(30))
            #expect(await call() == .serverFailure)
            #expect(await call() == .circuitOpen)
            #expect(transport.requests.count == count)
        }
        bench.clock.advance(by: .seconds(30))
        #expect(await call() == nil)
        #expect(await call() == nil)
    }

    @Test func `stays open for ever where the pause is as long as a duration can be`() async throws {
        let bench = try Bench(.status(503)) {
            $0.retry = .never
            $0.circuit = CircuitPolicy(failures: 1, pause: .seconds(Int64.max))
        }
        for code in [AppStoreServerError.Code.serverFailure, .circuitOpen] {
            let error = await failure { () async throws(AppStoreServerError) in
                try await bench.client.transaction("1")
            }
            #expect(error?.code == code)
        }
    }

    @Test func `opens in the middle of a call, which then ends with what opened it`() async throws {
        let bench = try Bench(.status(503), .transaction) {
            $0.circuit = CircuitPolicy(failures: 1, pause: .seconds(30))
        }
        let error = await failure { () async throws(AppStoreServerError) in try await bench.client.transaction("1") }
        #expect(error?.code == .serverFailure)
        #expect(error?.attempts == 1)
    }

    @Test func `opened by other calls, is what a call ends with whose token was refused before`() async throws {
        let gate = Gate()
        let refusal: StubTransport.Reply = { _ in
            await gate.pass()
            return HTTPTransportAnswer(status: 401)
        }
        let transport = StubTransport([refusal, Stub.status(503).reply])
        let bench = try Bench(transport) { $0.circuit = CircuitPolicy(failures: 1, pause: .seconds(30)) }
        let client = bench.client
        let call = Task {
            await failure { () async throws(AppStoreServerError) in try await client.transaction("1") }
        }
        while transport.requests.isEmpty { await Task.yield() }
        let other = await failure { () async throws(AppStoreServerError) in try await client.transaction("2") }
        #expect(other?.code == .serverFailure)
        gate.open()
        let error = try #require(await call.value)
        #expect(error.code == .circuitOpen)
        #expect(error.isRetryable)
        #expect(error.attempts == 1)
    }

    @Test func `counts only what says that the server is down`() async throws {
        for stub: Stub in [
            .apiError(4_000_006), .apiError(4_290_000), .status(401), .apiError(4_040_002), .ok("{"),
            .failure(HTTPTransportError(.answerTooLarge, "")), .failure(CancellationError()),
        ] {
            let bench = try Bench(stub) {
                $0.retry = .never
                $0.circuit = CircuitPolicy(failures: 2)
            }
            for _ in 0..<10 {
                let error = await failure { () async throws(AppStoreServerError) in
                    try await bench.client.transaction("1")
                }
                #expect(try #require(error).code != .circuitOpen)
            }
        }
    }
}
