import AppStoreModels
import Foundation
import TestSupport
import Testing

@testable import AppStoreServer

@Suite struct `A failed request` {
    static func milliseconds(_ date: Date) -> String { String(Int64((date.timeIntervalSince1970 * 1000).rounded())) }

    static let transient: [Stub] = [
        .apiError(5_000_000), .apiError(5_000_001), .status(500), .status(503, "<html>"), .apiError(4_040_002),
        .apiError(4_040_004), .apiError(4_040_006), .apiError(4_040_008),
        .failure(HTTPTransportError(.timeout, "t")), .failure(HTTPTransportError(.failed, "f")),
        .failure(CocoaError(.fileNoSuchFile)),
    ]

    @Test func `is repeated when that is safe, after pauses that double`() async throws {
        for stub in Self.transient {
            let bench = try Bench(stub, stub, stub, .transaction)
            _ = try await bench.client.transaction("1")
            #expect(bench.transport.requests.count == 4)
            #expect(bench.clock.naps == [.milliseconds(375), .milliseconds(750), .milliseconds(1500)])
        }
    }

    @Test func `is given up after the last attempt, with the last error`() async throws {
        let bench = try Bench(.status(500), .status(500), .status(500), .apiError(5_000_001), .transaction)
        let error = await failure { () async throws(AppStoreServerError) in try await bench.client.transaction("1") }
        #expect(error?.apiCode == .generalInternalRetryable)
        #expect(error?.attempts == 4)
        #expect(bench.transport.requests.count == 4)
    }

    @Test func `is not repeated when repeating cannot help`() async throws {
        for stub: Stub in [
            .apiError(4_000_006), .apiError(4_030_004), .apiError(4_040_010), .apiError(4_090_000), .status(404),
            .status(302), .ok("{"), .failure(HTTPTransportError(.refused, "r")),
        ] {
            let bench = try Bench(stub, .transaction)
            let error = await failure { () async throws(AppStoreServerError) in
                try await bench.client.transaction("1")
            }
            #expect(error?.attempts == 1)
            #expect(bench.transport.requests.count == 1)
            #expect(bench.clock.naps.isEmpty)
        }
    }

    @Test(arguments: AppStoreEndpoint.all)
    func `is repeated only where twice is the same as once`(_ endpoint: AppStoreEndpoint) async throws {
        let arguments = endpoint.parameters.map { _ in "1" }
        for stub in Self.transient.prefix(2) + [.failure(HTTPTransportError(.timeout, "t"))] {
            let bench = try Bench(stub, .ok("{}")) { $0.rates = nil }
            let error = await failure { () async throws(AppStoreServerError) in
                try await bench.client.call(endpoint, arguments)
            }
            #expect((error == nil) == (endpoint.repetition != .unsafe))
            #expect(bench.transport.requests.count == (endpoint.repetition == .unsafe ? 1 : 2))
        }
        // Refused for the quota means not carried out.
        let bench = try Bench(.apiError(4_290_000), .ok("{}")) { $0.rates = nil }
        _ = try await bench.client.call(endpoint, arguments)
    }

    @Test func `is repeated with the identical request, but for a token that expired meanwhile`() async throws {
        let bench = try Bench(.status(500), .status(500), .ok(#"{"requestIdentifier":"id"}"#))
        _ = try await bench.client.extendRenewalDates(
            MassExtendRenewalDateRequest(
                extendByDays: 1, extendReasonCode: .other, requestIdentifier: "id", productId: "p"))
        let requests = bench.transport.requests
        #expect(Set(requests.map(\.url)).count == 1)
        #expect(Set(requests.map(\.body)).count == 1)
        #expect(Set(requests.map { $0.header("Authorization") }).count == 1)
    }

    @Test func `with status 429 waits until the instant that Retry-After names in milliseconds`() async throws {
        let clock = ManualClock(leaps: true)
        let header = [(name: "retry-after", value: Self.milliseconds(clock.date + 42.5))]
        let bench = try Bench(.apiError(4_290_000, header), .transaction, clock: clock)
        _ = try await bench.client.transaction("1")
        #expect(clock.naps == [.milliseconds(42_500 + 375)])
    }

    @Test(arguments: [61, 1800, 86_400, 365 * 86_400, 6_940_000_000] as [TimeInterval])
    func `with status 429 fails at once if the instant lies too far off, and says when`(_ seconds: TimeInterval)
        async throws
    {
        let clock = ManualClock(leaps: true)
        let date = clock.date + seconds
        let header = [(name: "Retry-After", value: Self.milliseconds(date))]
        let bench = try Bench(.apiError(4_290_000, header), .transaction, clock: clock)
        let error = await failure { () async throws(AppStoreServerError) in try await bench.client.transaction("1") }
        #expect(error?.code == .rateLimited)
        #expect(error?.isRetryable == true)
        #expect(error?.retryAfter == date)
        #expect(clock.naps.isEmpty)
    }

    @Test(arguments: [
        "", "0", "-1", "60", "1", "x", "1.5", "Wed, 21 Oct 2015 07:28:00 GMT", "1600000000000", "1700000000",
        "99999999999999999999999", "1e12", "-9223372036854775808", " 1600000000000 ", "\u{0}",
    ])
    func `with status 429 pauses as usual when Retry-After is absent, past or no number`(_ value: String) async throws {
        let bench = try Bench(.apiError(4_290_000, [("Retry-After", value)]), .transaction)
        _ = try await bench.client.transaction("1")
        #expect(bench.clock.naps == [.milliseconds(375)])
    }

    @Test func `with status 401 gets one new token and one more attempt`() async throws {
        let bench = try Bench(.status(401), .transaction)
        _ = try await bench.client.transaction("1")
        let tokens = bench.transport.requests.map { $0.header("Authorization") }
        #expect(tokens.count == 2)
        #expect(Set(tokens).count == 2)
        #expect(bench.clock.naps.isEmpty)
    }

    @Test func `with status 401 twice is given up, for every kind of endpoint`() async throws {
        for endpoint in [AppStoreEndpoint.transaction, .finishTransaction] {
            let bench = try Bench(.status(401), .status(401), .ok("")) { $0.retry = .never }
            let error = await failure { () async throws(AppStoreServerError) in
                try await bench.client.call(endpoint, ["1"])
            }
            #expect(error?.code == .unauthorized)
            #expect(error?.isRetryable == false)
            #expect(error?.attempts == 2)
        }
    }

    @Test func `with status 401 makes one new token for a hundred requests refused at once`() async throws {
        let first = Shared<String?>(nil)
        // Whoever comes with the first token is refused.
        let transport = StubTransport([
            { request in
                let token = request.header("Authorization")
                let isFirst = first.withLock { first in
                    first = first ?? token
                    return first == token
                }
                return HTTPTransportAnswer(
                    status: isFirst ? 401 : 200, body: Data(#"{"signedTransactionInfo":"a.b.c"}"#.utf8))
            }
        ])
        let bench = try Bench(transport)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<100 { group.addTask { _ = try await bench.client.transaction("1") } }
            try await group.waitForAll()
        }
        #expect(Set(transport.requests.map { $0.header("Authorization") }).count == 2)
    }

    @Test func `stops when the task is cancelled while it waits`() async throws {
        let clock = ManualClock()
        let bench = try Bench(.status(500), .transaction, clock: clock)
        let task = Task {
            await failure { () async throws(AppStoreServerError) in try await bench.client.transaction("1") }
        }
        await clock.sleepers(1)
        task.cancel()
        let error = await task.value
        #expect(error?.code == .cancelled)
        #expect(error?.isCancellation == true)
        #expect(error?.isRetryable == true)
        #expect(error?.attempts == 1)
        #expect(bench.transport.requests.count == 1)
    }

    @Test func `stops when the task is cancelled in the transport or before`() async throws {
        var bench = try Bench(.failure(CancellationError()), .transaction)
        var error = await failure { () async throws(AppStoreServerError) in try await bench.client.transaction("1") }
        #expect(error?.code == .cancelled)
        #expect(bench.transport.requests.count == 1)
        bench = try Bench(.transaction)
        let client = bench.client
        error = await Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return await failure { () async throws(AppStoreServerError) in try await client.transaction("1") }
        }.value
        #expect(error?.code == .cancelled)
        #expect(bench.transport.requests.isEmpty)
    }
}

@Suite struct `The pause before a repetition` {
    static let dice = [0, 0.25, 0.5, 0.999_999]

    @Test(arguments: dice)
    func `lies between half of the doubled pause and the whole, up to the longest`(_ random: Double) {
        let policy = RetryPolicy(maximumAttempts: 100)
        var attempts = Attempts(policy, .safe)
        var whole = Duration.milliseconds(500)
        for _ in 1..<100 {
            let step = attempts.step(after: AppStoreServerError(.transport, ""), now: Date(), random: random)
            guard case .again(let pause) = step else {
                Issue.record("gave up")
                return
            }
            #expect(pause >= whole / 2 && pause <= whole)
            whole = min(whole * 2, .seconds(20))
        }
        #expect(attempts.step(after: AppStoreServerError(.transport, ""), now: Date(), random: random) == .giveUp)
    }

    @Test func `survives dice that are none and policies that make no sense`() {
        for random in [-1, 1, 2, .nan, .infinity] as [Double] {
            var attempts = Attempts(RetryPolicy(), .safe)
            let step = attempts.step(after: AppStoreServerError(.timeout, ""), now: Date(), random: random)
            #expect(step == .again(after: .milliseconds(375)))
        }
        for (first, maximum) in [(-1, 5), (5, -1), (0, 0), (10, 5)] {
            let policy = RetryPolicy(firstPause: .seconds(first), maximumPause: .seconds(maximum))
            var attempts = Attempts(policy, .safe)
            let step = attempts.step(after: AppStoreServerError(.timeout, ""), now: Date(), random: 0)
            guard case .again(let pause) = step else {
                Issue.record("gave up")
                return
            }
            #expect(pause >= .zero && pause <= .seconds(5))
        }
        for count in [Int.min, -1, 0, 1] {
            var attempts = Attempts(RetryPolicy(maximumAttempts: count), .safe)
            #expect(attempts.step(after: AppStoreServerError(.timeout, ""), now: Date(), random: 0) == .giveUp)
        }
    }
}
