internal import AppStoreModels
internal import AsyncHTTPClient
internal import Basics
internal import Foundation
internal import NIOCore
internal import NIOHTTP1

/// Carries notifications to the developer's server.
struct Courier: Sendable {
    /// How an attempt ended.
    struct Result: Sendable {
        var outcome: SendAttemptResult
        /// The HTTP status, if there was one.
        var status: Int?
        /// The beginning of the answer's body.
        var answer = Data()
    }

    private let client: HTTPClient

    init() {
        var configuration = HTTPClient.Configuration()
        configuration.redirectConfiguration = .follow(max: 5, allowCycles: false)
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 32
        // Where nobody listens now, nobody will within seconds: the schedule says when to try again.
        configuration.connectionPool.retryConnectionEstablishment = false
        client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }

    func shutdown() async throws { try await client.shutdown() }

    /// Posts a notification, and waits for the whole answer no longer than `timeout` seconds.
    func send(_ body: ByteBuffer, to url: String, timeout: TimeInterval) async -> Result {
        let (result, answer) = await post(body, to: url, timeout: timeout, largestAnswer: 1 << 20)
        return Result(
            outcome: result.outcome, status: result.status, answer: answer.prefix(NotificationAttempt.largestAnswer))
    }

    /// A compact JWS needs no escapes.
    static func body(_ signedPayload: String) -> ByteBuffer {
        var body = ByteBuffer()
        body.reserveCapacity(signedPayload.utf8.count + 24)
        body.writeString("{\"signedPayload\":\"")
        body.writeString(signedPayload)
        body.writeString("\"}")
        return body
    }

    /// Posts JSON. The answer's body is given back, too.
    func post(
        _ body: ByteBuffer, to url: String, timeout: TimeInterval, largestAnswer: Int
    ) async -> (result: Result, body: Data) {
        var request = HTTPClientRequest(url: url)
        request.method = .POST
        request.headers.add(name: "Content-Type", value: "application/json")
        request.headers.add(name: "User-Agent", value: "App Store Server Notifications (simulated)")
        request.body = .bytes(body)
        do {
            // The client's own limit ends when the head of an answer is there.
            let answered = try await TimeLimit.run(.seconds(min(max(timeout, 0.001), 3600))) { [request] in
                try await answer(to: request, upTo: largestAnswer)
            }
            return answered ?? (Result(outcome: .timedOut, status: nil), Data())
        } catch {
            return (Result(outcome: Self.outcome(error), status: nil), Data())
        }
    }

    private func answer(
        to request: HTTPClientRequest, upTo largestAnswer: Int
    ) async throws -> (result: Result, body: Data) {
        let answer = try await client.execute(request, deadline: .distantFuture)
        let status = Int(answer.status.code)
        let body = try await answer.body.collect(upTo: largestAnswer)
        // 200 to 206 is what Apple names as success.
        let outcome: SendAttemptResult = (200...206).contains(status) ? .success : .unsuccessfulHTTPResponseCode
        return (Result(outcome: outcome, status: status), Data(body.readableBytesView))
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
