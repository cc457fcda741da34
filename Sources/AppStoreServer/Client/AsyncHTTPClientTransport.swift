public import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1

/// Sends requests with AsyncHTTPClient.
public struct AsyncHTTPClientTransport: HTTPTransport {
    private let client: HTTPClient

    /// Creates a transport.
    ///
    /// - Parameter client: The client to send with; whoever made it shuts it down. The default is the one that the whole
    ///   process shares, which needs no shutdown.
    public init(client: HTTPClient = .shared) { self.client = client }

    /// Sends one request; see ``HTTPTransport/send(_:)``.
    public func send(_ request: HTTPTransportRequest) async throws -> HTTPTransportAnswer {
        var outgoing = HTTPClientRequest(url: request.url)
        outgoing.method = HTTPMethod(rawValue: request.method)
        for (name, value) in request.headers { outgoing.headers.add(name: name, value: value) }
        if let body = request.body { outgoing.body = .bytes(ByteBuffer(bytes: body)) }
        do {
            // Nanoseconds of a duration beyond 292 years do not fit; no such timeout is meant seriously.
            let seconds = min(max(request.timeout.components.seconds, 0), 1 << 31)
            let nanoseconds = seconds * 1_000_000_000 + request.timeout.components.attoseconds / 1_000_000_000
            let answer = try await client.execute(outgoing, timeout: .nanoseconds(max(nanoseconds, 1)))
            let body = try await answer.body.collect(upTo: max(request.maximumAnswerSize, 0))
            return HTTPTransportAnswer(
                status: Int(answer.status.code), headers: answer.headers.map { ($0.name, $0.value) },
                body: Data(body.readableBytesView))
        } catch is NIOTooManyBytesError {
            throw HTTPTransportError(.answerTooLarge, "more than \(request.maximumAnswerSize) bytes")
        } catch let error as HTTPClientError {
            if error == .cancelled, Task.isCancelled { throw CancellationError() }
            // The short form: the long one of some errors quotes the values of headers.
            let code: HTTPTransportError.Code = Self.timeouts.contains { $0 == error } ? .timeout : .failed
            throw HTTPTransportError(code, error.shortDescription)
        }
    }

    private static let timeouts: [HTTPClientError] = [
        .deadlineExceeded, .readTimeout, .writeTimeout, .connectTimeout, .getConnectionFromPoolTimeout,
        .tlsHandshakeTimeout, .socksHandshakeTimeout, .httpProxyHandshakeTimeout,
    ]
}
