import Crypto
import Foundation
import Logging
import Synchronization
import TestSupport

@testable import AppStoreServer

/// Answers requests in memory: one script entry per request, and the last one for all further requests.
final class StubTransport: HTTPTransport {
    typealias Reply = @Sendable (HTTPTransportRequest) async throws -> HTTPTransportResponse

    private let state: Mutex<(script: [Reply], requests: [HTTPTransportRequest])>

    init(_ script: [Reply]) { state = Mutex((script, [])) }

    convenience init(_ replies: Stub...) { self.init(replies.map(\.reply)) }

    var requests: [HTTPTransportRequest] { state.withLock { $0.requests } }

    func send(_ request: HTTPTransportRequest) async throws -> HTTPTransportResponse {
        let reply = state.withLock { state in
            state.requests.append(request)
            return state.script.count > 1 ? state.script.removeFirst() : state.script.first
        }
        guard let reply else { throw HTTPTransportError(.failed, "no script") }
        return try await reply(request)
    }
}

/// A scripted response.
struct Stub: Sendable {
    let reply: StubTransport.Reply

    static func status(_ status: Int, _ body: String = "", _ headers: [(name: String, value: String)] = []) -> Self {
        let answer = HTTPTransportResponse(status: status, headers: headers, body: Data(body.utf8))
        return Self { _ in answer }
    }

    static func ok(_ body: String) -> Self { status(200, body) }

    static func apiError(_ code: Int64, _ headers: [(name: String, value: String)] = []) -> Self {
        status(Int(code / 10_000), #"{"errorCode":\#(code),"errorMessage":"Message \#(code)"}"#, headers)
    }

    static func failure(_ error: any Error) -> Self { Self { _ in throw error } }

    static let transaction = ok(#"{"signedTransactionInfo":"a.b.c"}"#)
}

/// A client with a stub transport, and its parts.
struct Bench {
    let clock: ManualClock
    let transport: StubTransport
    let key = P256.Signing.PrivateKey()
    let client: AppStoreServerClient

    init(
        _ replies: Stub..., clock: ManualClock = ManualClock(skipsSleeps: true), host: AppStoreHost = .production,
        set: (inout AppStoreServerClient.Configuration) -> Void = { _ in }
    ) throws {
        try self.init(StubTransport(replies.map(\.reply)), clock: clock, host: host, set: set)
    }

    init(
        _ transport: StubTransport, clock: ManualClock = ManualClock(skipsSleeps: true),
        host: AppStoreHost = .production,
        set: (inout AppStoreServerClient.Configuration) -> Void = { _ in }
    ) throws {
        self.clock = clock
        self.transport = transport
        var configuration = AppStoreServerClient.Configuration()
        configuration.clock = clock
        configuration.now = { clock.date }
        configuration.random = { 0.5 }
        set(&configuration)
        let tokens = try APITokenSource(
            key: SigningKey(key, keyID: TestKeys.keyID), issuerID: TestKeys.issuerID, bundleID: TestKeys.bundleID,
            now: { clock.date })
        client = AppStoreServerClient(tokens: tokens, host: host, configuration: configuration, transport: transport)
    }

    /// Requests a transaction. Returns the error that the client throws, or nil if it throws none.
    func transactionError() async -> AppStoreServerError? {
        do throws(AppStoreServerError) {
            _ = try await client.transaction("1")
            return nil
        } catch { return error }
    }
}

/// Returns the error that a call throws, or nil if it throws none.
func failure<Result>(
    _ call: () async throws(AppStoreServerError) -> Result
) async -> AppStoreServerError? {
    do throws(AppStoreServerError) {
        _ = try await call()
        return nil
    } catch { return error }
}

/// A value shared by the tasks of a test.
final class Shared<Value: Sendable>: Sendable {
    private let value: Mutex<Value>
    init(_ value: Value) { self.value = Mutex(value) }
    func withLock<Result: Sendable>(_ body: (inout Value) -> Result) -> Result { value.withLock { body(&$0) } }
}
