import AppStoreModels
import Basics
import Crypto
import Foundation
import TestSupport
import Testing

@testable import AppStoreServer

@Suite struct `Retries of failed requests` {
    static func milliseconds(_ date: Date) -> String { String(Int64((date.timeIntervalSince1970 * 1000).rounded())) }

    static let transient: [Stub] = [
        .apiError(5_000_000), .apiError(5_000_001), .status(500), .status(503, "<html>"), .apiError(4_040_002),
        .apiError(4_040_004), .apiError(4_040_006), .apiError(4_040_008),
        .failure(HTTPTransportError(.timeout, "t")), .failure(HTTPTransportError(.failed, "f")),
        .failure(CocoaError(.fileNoSuchFile)),
    ]

    @Test func `A safe request is repeated after transient errors, with doubling pauses`() async throws {
        for stub in Self.transient {
            let bench = try Bench(stub, stub, stub, .transaction)
            _ = try await bench.client.transaction("1")
            #expect(bench.transport.requests.count == 4)
            #expect(bench.clock.sleepDurations == [.milliseconds(375), .milliseconds(750), .milliseconds(1500)])
        }
    }

    @Test func `A request fails after the last attempt with the last error`() async throws {
        let bench = try Bench(.status(500), .status(500), .status(500), .apiError(5_000_001), .transaction)
        let error = await bench.transactionError()
        #expect(error?.apiCode == .generalInternalRetryable)
        #expect(error?.attempts == 4)
        #expect(bench.transport.requests.count == 4)
    }

    @Test func `A request is not repeated after a permanent error`() async throws {
        for stub: Stub in [
            .apiError(4_000_006), .apiError(4_030_004), .apiError(4_040_010), .apiError(4_090_000), .status(404),
            .status(302), .ok("{"), .failure(HTTPTransportError(.connectionRefused, "r")),
        ] {
            let bench = try Bench(stub, .transaction)
            let error = await failure { () async throws(AppStoreServerError) in
                try await bench.client.transaction("1")
            }
            #expect(error?.attempts == 1)
            #expect(bench.transport.requests.count == 1)
            #expect(bench.clock.sleepDurations.isEmpty)
        }
    }

    @Test(arguments: AppStoreEndpoint.all)
    func `A request is repeated after a transient error only if its endpoint is repeatable`(
        _ endpoint: AppStoreEndpoint
    ) async throws {
        let arguments = endpoint.parameters.map { _ in "1" }
        for stub in Self.transient.prefix(2) + [.failure(HTTPTransportError(.timeout, "t"))] {
            let bench = try Bench(stub, .ok("{}")) { $0.rateLimit = nil }
            let error = await failure { () async throws(AppStoreServerError) in
                try await bench.client.call(endpoint, arguments)
            }
            #expect((error == nil) == (endpoint.idempotency != .notIdempotent))
            #expect(bench.transport.requests.count == (endpoint.idempotency == .notIdempotent ? 1 : 2))
        }
        // A request refused for the quota was not executed, so it may always be repeated.
        let bench = try Bench(.apiError(4_290_000), .ok("{}")) { $0.rateLimit = nil }
        _ = try await bench.client.call(endpoint, arguments)
    }

    @Test func `A repeated request has the same URL, body and token`() async throws {
        let bench = try Bench(.status(500), .status(500), .ok(#"{"requestIdentifier":"id"}"#))
        _ = try await bench.client.extendRenewalDates(
            MassExtendRenewalDateRequest(
                extendByDays: 1, extendReasonCode: .other, requestIdentifier: "id", productId: "p"))
        let requests = bench.transport.requests
        #expect(Set(requests.map(\.url)).count == 1)
        #expect(Set(requests.map(\.body)).count == 1)
        #expect(Set(requests.map { $0.header("Authorization") }).count == 1)
    }

    @Test(arguments: [42_500, 60_000])
    func `After status 429 the request waits for up to a minute until the instant in Retry-After`(_ milliseconds: Int)
        async throws
    {
        let clock = ManualClock(skipsSleeps: true)
        let date = clock.date + Double(milliseconds) / 1000
        let header = [(name: "retry-after", value: Self.milliseconds(date))]
        let bench = try Bench(.apiError(4_290_000, header), .transaction, clock: clock)
        _ = try await bench.client.transaction("1")
        #expect(clock.sleepDurations == [.milliseconds(milliseconds + 375)])
    }

    @Test(arguments: [61, 1800, 86_400, 365 * 86_400, 6_940_000_000] as [TimeInterval])
    func `After status 429 with an instant too far away, the request fails with that instant`(_ seconds: TimeInterval)
        async throws
    {
        let clock = ManualClock(skipsSleeps: true)
        let date = clock.date + seconds
        let header = [(name: "Retry-After", value: Self.milliseconds(date))]
        let bench = try Bench(.apiError(4_290_000, header), .transaction, clock: clock)
        let error = await bench.transactionError()
        #expect(error?.code == .rateLimited)
        #expect(error?.isRetryable == true)
        #expect(error?.retryAfter == date)
        #expect(clock.sleepDurations.isEmpty)
    }

    /// Only the refusal for the quota names an instant. Another server in between may send one with any error.
    @Test(arguments: [5_030_000, 5_000_001, 4_040_002] as [Int64])
    func `After another error with an instant in Retry-After, the request is repeated after the usual pause`(
        _ code: Int64
    ) async throws {
        let clock = ManualClock(skipsSleeps: true)
        let instant = clock.date + 30
        let header = [(name: "Retry-After", value: Self.milliseconds(instant))]
        let bench = try Bench(.apiError(code, header), .transaction, clock: clock)
        _ = try await bench.client.transaction("1")
        #expect(clock.sleepDurations == [.milliseconds(375)])
        let last = try Bench(.apiError(code, header), clock: clock) { $0.retry = .never }
        let error = await failure { () async throws(AppStoreServerError) in try await last.client.transaction("1") }
        #expect(error?.retryAfter == instant)
    }

    @Test(arguments: [
        "", "0", "-1", "60", "1", "x", "1.5", "Wed, 21 Oct 2015 07:28:00 GMT", "1600000000000", "1700000000",
        "99999999999999999999999", "1e12", "-9223372036854775808", " 1600000000000 ", "\u{0}",
    ])
    func `After status 429 without a usable Retry-After, the request is repeated after the usual pause`(_ value: String)
        async throws
    {
        let bench = try Bench(.apiError(4_290_000, [("Retry-After", value)]), .transaction)
        _ = try await bench.client.transaction("1")
        #expect(bench.clock.sleepDurations == [.milliseconds(375)])
    }

    @Test func `After status 401 the request is repeated once with a new token`() async throws {
        let bench = try Bench(.status(401), .transaction)
        _ = try await bench.client.transaction("1")
        let tokens = bench.transport.requests.map { $0.header("Authorization") }
        #expect(tokens.count == 2)
        #expect(Set(tokens).count == 2)
        #expect(bench.clock.sleepDurations.isEmpty)
    }

    @Test func `After status 401 each former key is used once`() async throws {
        let keys = ["NEW", "FORMER", "FIRST"].map { SigningKey(P256.Signing.PrivateKey(), keyID: $0) }
        func call(_ replies: Stub...) async throws -> (error: AppStoreServerError?, requests: [HTTPTransportRequest]) {
            let transport = StubTransport(replies.map(\.reply))
            let tokens = try APITokenSource(
                key: keys[0], formerKeys: Array(keys.dropFirst()), issuerID: "i", bundleID: "b")
            let client = AppStoreServerClient(tokens: tokens, transport: transport)
            let error = await failure { () async throws(AppStoreServerError) in try await client.transaction("1") }
            return (error, transport.requests)
        }
        let accepted = try await call(.status(401), .status(401), .transaction)
        #expect(accepted.error == nil)
        let kids = try accepted.requests.map { request -> String? in
            let token = try #require(request.header("Authorization")).dropFirst("Bearer ".count)
            let header = token.prefix { $0 != "." }
            let data = Data(try #require(Base64.decodeURL(header)))
            return try JSONDecoder().decode([String: String].self, from: data)["kid"]
        }
        #expect(kids == ["NEW", "FORMER", "FIRST"])
        let refused = try await call(.status(401))
        #expect(refused.error?.code == .unauthorized)
        #expect(refused.requests.count == 3)
    }

    @Test func `A request that fails twice with status 401 is not repeated again`() async throws {
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

    @Test func `A hundred requests with a refused token share one new token`() async throws {
        let first = Shared<String?>(nil)
        // Requests with the first token are refused.
        let transport = StubTransport([
            { request in
                let token = request.header("Authorization")
                let isFirst = first.withLock { first in
                    first = first ?? token
                    return first == token
                }
                return HTTPTransportResponse(
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

    @Test func `A task that is cancelled during a pause is not repeated`() async throws {
        let clock = ManualClock()
        let bench = try Bench(.status(500), .transaction, clock: clock)
        let task = Task { await bench.transactionError() }
        try await clock.waitForSleepers(1)
        task.cancel()
        let error = await task.value
        #expect(error?.code == .cancelled)
        #expect(error?.isCancellation == true)
        #expect(error?.isRetryable == true)
        #expect(error?.attempts == 1)
        #expect(bench.transport.requests.count == 1)
    }

    @Test func `A task that is cancelled before or in the transport is not repeated`() async throws {
        var bench = try Bench(.failure(CancellationError()), .transaction)
        var error = await bench.transactionError()
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

@Suite struct `Retry delays` {
    static let randomNumbers = [0, 0.25, 0.5, 0.999_999]

    @Test(arguments: randomNumbers)
    func `The pause is between half and all of the doubled pause, up to the maximum`(_ random: Double) {
        let policy = RetryPolicy(maximumAttempts: 100)
        var attempts = RetryState(policy, .idempotent)
        var whole = Duration.milliseconds(500)
        for _ in 1..<100 {
            let step = attempts.step(after: AppStoreServerError(.transport, ""), now: Date(), random: random)
            guard case .retry(let pause) = step else {
                Issue.record("gave up")
                return
            }
            #expect(pause >= whole / 2 && pause <= whole)
            whole = min(whole * 2, .seconds(20))
        }
        #expect(attempts.step(after: AppStoreServerError(.transport, ""), now: Date(), random: random) == .giveUp)
    }

    @Test func `The pause is valid for invalid random numbers and policies`() {
        for random in [-1, 1, 2, .nan, .infinity] as [Double] {
            var attempts = RetryState(RetryPolicy(), .idempotent)
            let step = attempts.step(after: AppStoreServerError(.timeout, ""), now: Date(), random: random)
            #expect(step == .retry(after: .milliseconds(375)))
        }
        for (first, maximum) in [(-1, 5), (5, -1), (0, 0), (10, 5)] {
            let policy = RetryPolicy(initialDelay: .seconds(first), maximumDelay: .seconds(maximum))
            var attempts = RetryState(policy, .idempotent)
            let step = attempts.step(after: AppStoreServerError(.timeout, ""), now: Date(), random: 0)
            guard case .retry(let pause) = step else {
                Issue.record("gave up")
                return
            }
            #expect(pause >= .zero && pause <= .seconds(5))
        }
        let longest = Duration.seconds(Int64.max) * 16
        var attempts = RetryState(
            RetryPolicy(maximumAttempts: 100, initialDelay: longest, maximumDelay: longest, maximumWait: longest),
            .idempotent)
        let error = AppStoreServerError(.rateLimited, "", retryAfter: Date(timeIntervalSince1970: 60))
        for _ in 1..<100 {
            let step = attempts.step(after: error, now: Date(timeIntervalSince1970: 0), random: 0.5)
            guard case .retry(let pause) = step else {
                Issue.record("gave up")
                return
            }
            #expect(pause > .seconds(60))
        }
        for count in [Int.min, -1, 0, 1] {
            var attempts = RetryState(RetryPolicy(maximumAttempts: count), .idempotent)
            #expect(attempts.step(after: AppStoreServerError(.timeout, ""), now: Date(), random: 0) == .giveUp)
        }
    }
}
