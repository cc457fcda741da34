import AppStoreModels
import AppStoreServer
import CounterfoilServer
import Foundation
import StoreSimulator
import Synchronization
import Testing

@testable import Ledger
@testable import LedgerServices

@Suite struct `Failures of a recovery` {
    /// While the circuit breaker is half open, one of several concurrent windows makes a call and the others fail with
    /// `circuitOpen`. If one of those errors were thrown, the failure would not count, and the alert on failing
    /// recovery would never fire.
    @Test func `Concurrent calls throw the error of a call that was made rather than an open circuit breaker`() async {
        let failures = [AppStoreServerError.Code.circuitOpen, .serverFailure, .circuitOpen, .timeout]
        await #expect(throws: AppStoreServerError(.serverFailure, "")) {
            try await Concurrently.forEach(failures, atOnce: 1) { throw AppStoreServerError($0, "") }
        }
        await #expect(throws: AppStoreServerError(.circuitOpen, "")) {
            try await Concurrently.forEach([1, 2], atOnce: 1) { _ in throw AppStoreServerError(.circuitOpen, "") }
        }
    }

    private static func refusal(_ code: APIErrorCode?, _ status: Int) -> AppStoreServerError {
        AppStoreServerError(.refused, "", status: status, apiCode: code)
    }

    /// A request that is refused for good is given up. Any other may be answered later.
    @Test(
        arguments: [
            (.transactionIdNotFound, 404, true), (.invalidTransactionId, 400, true), (.appNotFound, 404, true),
            (.accountNotFoundRetryable, 404, false), (.transactionIdNotFound, 403, false), (nil, 404, false),
            (nil, 418, false),
        ] as [(APIErrorCode?, Int, Bool)])
    func `Only a documented refusal with status 400 or 404 that is not retryable is final`(
        _ code: APIErrorCode?, _ status: Int, _ isFinal: Bool
    ) {
        #expect(Self.refusal(code, status).isFinal == isFinal)
        // A proxy's response without a code concerns all requests.
        #expect(Self.refusal(code, status).mayConcernOneRequest == (code != nil))
    }

    @Test func `A failure of the key, the quota or the network concerns all requests`() {
        let one: [AppStoreServerError.Code] = [
            .serverFailure, .timeout, .undecodableResponse, .responseTooLarge, .invalidPagination, .invalidRequest,
        ]
        let all: [AppStoreServerError.Code] = [
            .unauthorized, .rateLimited, .unreachable, .transport, .circuitOpen, .signing, .unexpectedStatus,
            .cancelled,
        ]
        for code in one + all {
            let error = AppStoreServerError(code, "")
            #expect(!error.isFinal && error.mayConcernOneRequest == one.contains(code), "\(code)")
            #expect(error.name == "\(code)")
        }
    }

    @Test(
        arguments: [
            (.transactionIdNotFound, .transaction), (.originalTransactionIdNotFound, .transaction),
            (.invalidTransactionId, .transaction), (.invalidOriginalTransactionId, .transaction),
            (.appNotFound, .app), (.invalidAppIdentifier, .app), (.accountNotFound, .other), (nil, .other),
        ] as [(APIErrorCode?, HistoryRequest.Refusal)])
    func `A refusal is about the transaction, the app or something else`(
        _ code: APIErrorCode?, _ refusal: HistoryRequest.Refusal
    ) {
        let error = Self.refusal(code, 404)
        #expect(error.refusal == refusal && error.isAboutApp == (refusal == .app))
    }

    /// Calls `body` with a server that does not run: its own first pass would request parts of the history too.
    private static func withStoppedServer(
        _ proxy: AppStoreProxy, _ body: (World, ServerCore, AppEnvironment) async throws -> Void
    ) async throws {
        try await World.run(server: { proxy.redirectRequests(in: &$0) }) { world in
            let appEnvironment = try world.appEnvironment()
            try await world.stopServer()
            try await world.runOffline { core in try await body(world, core, appEnvironment) }
        }
    }

    /// With hundreds of apps, one with a revoked key must not send a request for each part of its history every time.
    @Test func `After a refused key, no further part of the history is requested`() async throws {
        let requests = Mutex(0)
        try await AppStoreProxy.run({ _ in
            requests.withLock { $0 += 1 }
            return (status: 401, body: "")
        }) { proxy in
            try await Self.withStoppedServer(proxy) { _, core, appEnvironment in
                let recovery = core.recovery
                let error = await #expect(throws: AppStoreServerError.self) {
                    try await recovery.runPass(appEnvironment, because: .request)
                }
                #expect(error?.code == .unauthorized)
                // Each of the windows that are read at the same time sends a second request with a new token.
                let count = requests.withLock { $0 }
                #expect((2...2 * recovery.settings.parallelWindows).contains(count))
                let open = try await core.storage.openRecoveries(in: appEnvironment.id)
                let windows = try await core.storage.openWindows(of: try #require(open.first).id)
                #expect(windows.count > count)
            }
        }
    }

    /// The first reading has 60 parts and more. Each further request would only be refused.
    @Test func `After the quota is used up, no further part of the history is requested`() async throws {
        let requests = Mutex(0)
        try await AppStoreProxy.run({ _ in
            requests.withLock { $0 += 1 }
            return nil
        }) { proxy in
            try await Self.withStoppedServer(proxy) { world, core, appEnvironment in
                // So far ahead that the client does not wait for it.
                try world.simulator.add(Fault("route:notification-history", .rateLimit(retryAfterSeconds: 1e9)))
                let recovery = core.recovery
                let error = await #expect(throws: AppStoreServerError.self) {
                    try await recovery.runPass(appEnvironment, because: .request)
                }
                #expect(error?.code == .rateLimited)
                #expect((1...recovery.settings.parallelWindows).contains(requests.withLock { $0 }))
                try world.simulator.removeFault()
                try await recovery.runPass(appEnvironment, because: .request)
                #expect(try await recovery.completeness(of: [appEnvironment]).first?.mark != nil)
                #expect(requests.withLock { $0 } > 60)
            }
        }
    }

    @Test func `A refused key of one app does not end the work for the others`() async {
        let begun = Mutex(0)
        await #expect(throws: AppStoreServerError(.unauthorized, "")) {
            try await Concurrently.forEach(Array(1...9), atOnce: 1) { _ in
                begun.withLock { $0 += 1 }
                throw AppStoreServerError(.unauthorized, "")
            }
        }
        #expect(begun.withLock { $0 } == 9)
    }

    @Test func `A refused key ends the work also after another failure, whose error is thrown`() async {
        let begun = Mutex(0)
        await #expect(throws: AppStoreServerError(.timeout, "")) {
            try await Concurrently.forEach(Array(1...9), atOnce: 1, shareKey: true) { item in
                begun.withLock { $0 += 1 }
                throw AppStoreServerError(item == 1 ? .timeout : .unauthorized, "")
            }
        }
        #expect(begun.withLock { $0 } == 2)
    }

    /// While the circuit breaker waits for the response to its probe, every attempt ends at once, each second.
    @Test func `The log says once that the circuit breaker is open, and every failure of the App Store`() async throws {
        let lines = LogCapture()
        try await World.run(logger: lines.logger(.init())) { world in
            let (recovery, appEnvironment) = (try world.server.core.recovery, try world.appEnvironment())
            let codes: [AppStoreServerError.Code] = [.circuitOpen, .circuitOpen, .timeout, .circuitOpen, .timeout]
            for code in codes { recovery.record(AppStoreServerError(code, "no answer"), in: appEnvironment) }
        }
        let failure = "recovery failed and will be tried again"
        #expect(lines.count(of: failure) == 3, "\(lines.text)")
    }

    /// `GET /v1/completeness` shows this reason. An open circuit breaker must not replace the error that opened it.
    @Test func `The stored reason is not replaced by an open circuit breaker`() {
        let clock = ServerClock.showing { Date() }
        var failures = LedgerServices.Recovery.Failures()
        failures.add(AppStoreServerError(.circuitOpen, "too many calls failed"), clock)
        #expect(failures.message.hasPrefix("circuit_open"))
        for code in [AppStoreServerError.Code.serverFailure, .timeout] {
            failures.add(AppStoreServerError(code, "no answer"), clock)
            let reason = failures.message
            failures.add(AppStoreServerError(.circuitOpen, "too many calls failed"), clock)
            #expect(!reason.isEmpty && !reason.hasPrefix("circuit_open") && failures.message == reason)
        }
    }
}
