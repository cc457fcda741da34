import Foundation
import TestSupport
import Testing

@testable import AppStoreServer

@Suite(.timeLimit(.minutes(10))) struct `Circuit breaker` {
    let policy = CircuitBreakerPolicy(failureThreshold: 3, openDuration: .seconds(30))

    func open() -> CircuitState {
        var state = CircuitState(policy)
        for _ in 0..<3 { state.recordFailure(isProbe: false, at: .seconds(1)) }
        return state
    }

    @Test func `The circuit opens after failures in a row, and a success resets the count`() {
        var state = CircuitState(policy)
        state.recordFailure(isProbe: false, at: .zero)
        state.recordFailure(isProbe: false, at: .zero)
        state.recordSuccess(isProbe: false)
        state.recordFailure(isProbe: false, at: .zero)
        state.recordFailure(isProbe: false, at: .zero)
        #expect(state.begin(at: .zero) == .allowed(isProbe: false))
        state.recordFailure(isProbe: false, at: .zero)
        #expect(state.begin(at: .zero) == .refused(.seconds(30)))
    }

    @Test func `An open circuit lets one probe through after the pause`() {
        var state = open()
        #expect(state.begin(at: .seconds(30)) == .refused(.seconds(1)))
        #expect(state.begin(at: .seconds(31)) == .allowed(isProbe: true))
        #expect(state.begin(at: .seconds(31)) == .refused(.zero))
    }

    @Test func `A successful probe closes the circuit`() {
        var state = open()
        _ = state.begin(at: .seconds(31))
        state.recordSuccess(isProbe: true)
        #expect(state.begin(at: .seconds(31)) == .allowed(isProbe: false))
        state.recordFailure(isProbe: false, at: .seconds(31))
        #expect(state.begin(at: .seconds(31)) == .allowed(isProbe: false))
    }

    @Test func `A failed probe opens the circuit again`() {
        var state = open()
        _ = state.begin(at: .seconds(31))
        state.recordFailure(isProbe: true, at: .seconds(32))
        #expect(state.begin(at: .seconds(33)) == .refused(.seconds(29)))
    }

    @Test func `A cancelled probe lets the next request probe`() {
        var state = open()
        _ = state.begin(at: .seconds(31))
        state.recordCancellation(isProbe: true, at: .seconds(31))
        #expect(state.begin(at: .seconds(31)) == .allowed(isProbe: true))
    }

    @Test func `An open circuit ignores the outcome of requests from before it opened`() {
        var state = open()
        state.recordSuccess(isProbe: false)
        state.recordCancellation(isProbe: false, at: .seconds(1))
        #expect(state.begin(at: .seconds(2)) == .refused(.seconds(29)))
        _ = state.begin(at: .seconds(31))
        state.recordFailure(isProbe: false, at: .seconds(31))
        state.recordSuccess(isProbe: false)
        state.recordCancellation(isProbe: false, at: .seconds(31))
        #expect(state.begin(at: .seconds(31)) == .refused(.zero))
    }

    @Test func `While a server fails, the circuit lets one call through per pause, and closes when it recovers`()
        async throws
    {
        let transport = StubTransport(
            Array(repeating: Stub.status(503).reply, count: 5) + [Stub.transaction.reply])
        let bench = try Bench(transport) {
            $0.retry = .never
            $0.circuitBreaker = CircuitBreakerPolicy(failureThreshold: 3, openDuration: .seconds(30))
        }
        for _ in 0..<3 { #expect(await bench.transactionError()?.code == .serverFailure) }
        for _ in 0..<5 { #expect(await bench.transactionError()?.code == .circuitOpen) }
        #expect(transport.requests.count == 3)
        let refusal = await bench.transactionError()
        #expect(refusal?.retryAfter == bench.clock.date + 30)
        for count in 4...5 {
            bench.clock.advance(by: .seconds(30))
            #expect(await bench.transactionError()?.code == .serverFailure)
            #expect(await bench.transactionError()?.code == .circuitOpen)
            #expect(transport.requests.count == count)
        }
        bench.clock.advance(by: .seconds(30))
        #expect(await bench.transactionError()?.code == nil)
        #expect(await bench.transactionError()?.code == nil)
    }

    @Test func `By default ten failures in a row open the circuit for half a minute`() async throws {
        let transport = StubTransport(
            Array(repeating: Stub.status(503).reply, count: 10) + [Stub.transaction.reply])
        let bench = try Bench(transport) { $0.retry = .never }
        for _ in 0..<10 { #expect(await bench.transactionError()?.code == .serverFailure) }
        #expect(await bench.transactionError()?.code == .circuitOpen)
        bench.clock.advance(by: .seconds(29))
        #expect(await bench.transactionError()?.code == .circuitOpen)
        bench.clock.advance(by: .seconds(1))
        #expect(await bench.transactionError()?.code == nil)
    }

    /// Otherwise no call would ever be made again: each would wait for the outcome of the cancelled one.
    @Test func `A call that is cancelled while it tests the server lets the next call test it`() async throws {
        let bench = try Bench(.status(503), .failure(CancellationError()), .transaction) {
            $0.retry = .never
            $0.circuitBreaker = CircuitBreakerPolicy(failureThreshold: 1, openDuration: .seconds(30))
        }
        #expect(await bench.transactionError()?.code == .serverFailure)
        bench.clock.advance(by: .seconds(30))
        #expect(await bench.transactionError()?.code == .cancelled)
        #expect(await bench.transactionError()?.code == nil)
    }

    @Test func `A refusal by a server that works again closes the circuit`() async throws {
        for (stub, code) in [
            (Stub.apiError(4_000_006), AppStoreServerError.Code.refused), (.status(401), .unauthorized),
            (.apiError(4_290_000), .rateLimited), (.ok("{"), .undecodableResponse),
        ] {
            let bench = try Bench(.status(503), stub) {
                $0.retry = .never
                $0.circuitBreaker = CircuitBreakerPolicy(failureThreshold: 1, openDuration: .seconds(30))
            }
            #expect(await bench.transactionError()?.code == .serverFailure)
            bench.clock.advance(by: .seconds(30))
            for _ in 0..<2 { #expect(await bench.transactionError()?.code == code) }
        }
    }

    /// 16 times the seconds of an Int64 are a valid duration.
    @Test(arguments: [Duration.seconds(Int64.max), Duration.seconds(Int64.max) * 16])
    func `A circuit with the longest possible pause stays open`(_ pause: Duration) async throws {
        let bench = try Bench(.status(503)) {
            $0.retry = .never
            $0.circuitBreaker = CircuitBreakerPolicy(failureThreshold: 1, openDuration: pause)
        }
        for code in [AppStoreServerError.Code.serverFailure, .circuitOpen] {
            let error = await failure { () async throws(AppStoreServerError) in
                try await bench.client.transaction("1")
            }
            #expect(error?.code == code)
        }
    }

    @Test func `A circuit that opens during a call ends the call with the causing error`() async throws {
        let bench = try Bench(.status(503), .transaction) {
            $0.circuitBreaker = CircuitBreakerPolicy(failureThreshold: 1, openDuration: .seconds(30))
        }
        let error = await bench.transactionError()
        #expect(error?.code == .serverFailure)
        #expect(error?.attempts == 1)
    }

    @Test func `A call with a refused token fails if other calls have opened the circuit meanwhile`() async throws {
        let gate = Gate()
        let refusal: StubTransport.Reply = { _ in
            await gate.pass()
            return HTTPTransportResponse(status: 401)
        }
        let transport = StubTransport([refusal, Stub.status(503).reply])
        let bench = try Bench(transport) {
            $0.circuitBreaker = CircuitBreakerPolicy(failureThreshold: 1, openDuration: .seconds(30))
        }
        let client = bench.client
        let call = Task {
            await failure { () async throws(AppStoreServerError) in try await client.transaction("1") }
        }
        try await waitUntil("the first call is sent") { !transport.requests.isEmpty }
        let other = await failure { () async throws(AppStoreServerError) in try await client.transaction("2") }
        #expect(other?.code == .serverFailure)
        gate.open()
        let error = try #require(await call.value)
        #expect(error.code == .circuitOpen)
        #expect(error.isRetryable)
        #expect(error.attempts == 1)
    }

    @Test func `Only errors of an unavailable server count for the circuit`() async throws {
        for stub: Stub in [
            .apiError(4_000_006), .apiError(4_290_000), .status(401), .apiError(4_040_002), .ok("{"),
            .failure(HTTPTransportError(.responseTooLarge, "")), .failure(CancellationError()),
        ] {
            let bench = try Bench(stub) {
                $0.retry = .never
                $0.circuitBreaker = CircuitBreakerPolicy(failureThreshold: 2)
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
