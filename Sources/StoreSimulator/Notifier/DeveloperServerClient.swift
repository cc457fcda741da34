internal import AppStoreModels
internal import AsyncHTTPClient
internal import Basics
internal import Foundation
internal import NIOCore
internal import NIOHTTP1

/// Sends notifications and realtime requests to the developer's server.
struct DeveloperServerClient: Sendable {
    /// The result of an attempt.
    struct Result: Sendable {
        var outcome: SendAttemptResult
        /// The HTTP status; nil if there was no response.
        var status: Int?
        /// The response body.
        var answer = Data()
    }

    private let client: HTTPClient

    init() {
        var configuration = HTTPClient.Configuration()
        configuration.redirectConfiguration = .follow(max: 5, allowCycles: false)
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 32
        // A refused connection is not retried within seconds. The retry schedule determines the next attempt.
        configuration.connectionPool.retryConnectionEstablishment = false
        client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }

    func shutdown() async throws { try await client.shutdown() }

    /// Returns the JSON body with a signed payload. A compact JWS needs no escapes.
    static func body(_ signedPayload: String) -> ByteBuffer {
        var body = ByteBuffer()
        body.reserveCapacity(signedPayload.utf8.count + 24)
        body.writeString("{\"signedPayload\":\"")
        body.writeString(signedPayload)
        body.writeString("\"}")
        return body
    }

    /// Posts JSON and waits up to `timeout` seconds for the whole response.
    func post(
        _ body: ByteBuffer, to url: String, timeout: TimeInterval, maximumResponseSize: Int = 1 << 20
    ) async -> Result {
        var request = HTTPClientRequest(url: url)
        request.method = .POST
        request.headers.add(name: "Content-Type", value: "application/json")
        request.headers.add(name: "User-Agent", value: "App Store Server Notifications (simulated)")
        request.body = .bytes(body)
        do {
            // The client's own timeout covers only the time until the response head.
            let answered = try await TimeLimit.run(.seconds(min(max(timeout, 0.001), 3600))) { [request] in
                try await answer(to: request, upTo: maximumResponseSize)
            }
            return answered ?? Result(outcome: .timedOut)
        } catch {
            return Result(outcome: Self.outcome(error))
        }
    }

    private func answer(to request: HTTPClientRequest, upTo maximumResponseSize: Int) async throws -> Result {
        let answer = try await client.execute(request, deadline: .distantFuture)
        let status = Int(answer.status.code)
        let body = try await answer.body.collect(upTo: maximumResponseSize)
        // Apple documents 200 to 206 as success.
        let outcome: SendAttemptResult = (200...206).contains(status) ? .success : .unsuccessfulHTTPResponseCode
        return Result(outcome: outcome, status: status, answer: Data(body.readableBytesView))
    }

    private static func outcome(_ error: any Error) -> SendAttemptResult {
        switch error {
        case is ChannelError, is IOError: return .socketIssue
        case is NIOTooManyBytesError: return .invalidResponse
        case let error as HTTPClientError:
            let outcomes: [(HTTPClientError, SendAttemptResult)] = [
                (.deadlineExceeded, .timedOut), (.readTimeout, .timedOut), (.writeTimeout, .timedOut),
                (.connectTimeout, .noResponse), (.tlsHandshakeTimeout, .tlsIssue),
                (.redirectCycleDetected, .circularRedirect), (.redirectLimitReached, .circularRedirect),
                (.remoteConnectionClosed, .prematureClose), (.uncleanShutdown, .prematureClose),
            ]
            return outcomes.first { $0.0 == error }?.1 ?? .other
        default:
            let name = "\(Swift.type(of: error))"
            if name.contains("NIOConnectionError") { return .socketIssue }
            return name.contains("SSL") ? .tlsIssue : .invalidResponse
        }
    }
}
