public import AsyncHTTPClient
internal import Basics
import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix

/// Sends requests with AsyncHTTPClient.
public struct AsyncHTTPClientTransport: HTTPTransport {
    private let client: HTTPClient

    /// Creates a transport; all that are made so share one client, which needs no shutdown.
    public init() { client = .withoutRedirects }

    /// Creates a transport with a client of your own; whoever made it shuts it down.
    ///
    /// - Parameter client: A client that follows no redirects, such as one made with ``configuration``. One that follows them
    ///   sends the request elsewhere, and takes the answer for the App Store's.
    public init(client: HTTPClient) { self.client = client }

    /// What a client for this transport needs: no redirects, and no waiting for a server that refuses the connection.
    public static var configuration: HTTPClient.Configuration {
        var configuration = HTTPClient.Configuration.singletonConfiguration
        configuration.redirectConfiguration = .disallow
        // Without this a refused connection is tried again until the request's time is over. When to repeat is up to the
        // caller.
        configuration.connectionPool.retryConnectionEstablishment = false
        return configuration
    }

    /// Sends one request; see ``HTTPTransport/send(_:)``.
    public func send(_ request: HTTPTransportRequest) async throws -> HTTPTransportAnswer {
        var outgoing = HTTPClientRequest(url: request.url)
        outgoing.method = HTTPMethod(rawValue: request.method)
        for (name, value) in request.headers { outgoing.headers.add(name: name, value: value) }
        if let body = request.body { outgoing.body = .bytes(ByteBuffer(bytes: body)) }
        do {
            // The client's own limit ends when the head of an answer is there. No task sleeps for any duration: 68 years do.
            let limit = min(request.timeout, .seconds(1 << 31))
            let answer = try await TimeLimit.run(limit) { [outgoing] in
                try await self.answer(to: outgoing, upTo: max(request.maximumAnswerSize, 0))
            }
            guard let answer else { throw HTTPTransportError(.timeout, "no complete answer within \(limit)") }
            return answer
        } catch let error as HTTPTransportError {
            throw error
        } catch is NIOTooManyBytesError {
            throw HTTPTransportError(.answerTooLarge, "more than \(request.maximumAnswerSize) bytes")
        } catch let error as HTTPClientError where error == .cancelled && Task.isCancelled {
            throw CancellationError()
        } catch let error as CancellationError {
            throw error
        } catch {
            throw HTTPTransportError(client: error)
        }
    }

    private func answer(to request: HTTPClientRequest, upTo limit: Int) async throws -> HTTPTransportAnswer {
        let answer = try await client.execute(request, deadline: .distantFuture)
        let body = try await answer.body.collect(upTo: limit)
        return HTTPTransportAnswer(
            status: Int(answer.status.code), headers: answer.headers.map { ($0.name, $0.value) },
            body: Data(body.readableBytesView))
    }
}

extension HTTPTransportError {
    /// What a client failed with, in words of ours: the errors of libraries name types, source lines and values of headers.
    package init(client error: any Error) {
        switch error {
        case let error as HTTPClientError:
            self.init(Self.timeouts.contains { $0 == error } ? .timeout : .failed, error.shortDescription)
        case let error as NIOConnectionError: self.init(connecting: error)
        case let error as IOError: self.init(errno: error.errnoCode)
        default: self.init(.failed, Self.reason("\(type(of: error)) \(error)"))
        }
    }

    private init(connecting error: NIOConnectionError) {
        let numbers = error.connectionErrors.compactMap { ($0.error as? IOError)?.errnoCode }
        if let number = numbers.first {
            // Of several addresses one may have failed for another reason, and answer the next time.
            self.init(errno: numbers.first { $0 != ECONNREFUSED } ?? number)
        } else if error.dnsAError != nil || error.dnsAAAAError != nil {
            self.init(.failed, "the host's name was not found")
        } else {
            self.init(.failed, "there is no connection to the host")
        }
    }

    private init(errno: CInt) {
        if errno == ECONNREFUSED {
            self.init(.refused, "the connection was refused: nothing listens there")
        } else {
            self.init(errno == ETIMEDOUT ? .timeout : .failed, String(cString: strerror(errno)).lowercased())
        }
    }

    private static func reason(_ text: String) -> String {
        if text.contains("CERTIFICATE_VERIFY_FAILED") { return "the server's certificate is not trusted" }
        return text.contains("SSL") ? "TLS failed" : "the server does not speak HTTP, or the connection broke"
    }

    private static let timeouts: [HTTPClientError] = [
        .deadlineExceeded, .readTimeout, .writeTimeout, .connectTimeout, .getConnectionFromPoolTimeout,
        .tlsHandshakeTimeout, .socksHandshakeTimeout, .httpProxyHandshakeTimeout,
    ]
}

extension HTTPClient {
    /// The client of this library for whatever it calls.
    static let withoutRedirects = HTTPClient(
        eventLoopGroupProvider: .singleton, configuration: AsyncHTTPClientTransport.configuration)
}
