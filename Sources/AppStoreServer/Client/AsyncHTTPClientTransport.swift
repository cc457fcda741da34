public import AsyncHTTPClient
internal import Basics
import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix

/// Sends requests with AsyncHTTPClient.
public struct AsyncHTTPClientTransport: HTTPTransport {
    private let client: HTTPClient

    /// Creates a transport. All transports created this way share one client, which needs no shutdown.
    public init() { client = .withoutRedirects }

    /// Creates a transport with your own client. You have to shut the client down.
    ///
    /// - Parameter client: A client that follows no redirects, such as one made with ``configuration``. Otherwise the
    ///   request is sent to another host, whose response counts as the App Store's.
    public init(client: HTTPClient) { self.client = client }

    /// A suitable configuration for a client: no redirects, and no waiting for a server that refuses the connection.
    public static var configuration: HTTPClient.Configuration {
        var configuration = HTTPClient.Configuration.singletonConfiguration
        configuration.redirectConfiguration = .disallow
        // Otherwise the client retries a refused connection until the time limit. The caller decides about retries.
        configuration.connectionPool.retryConnectionEstablishment = false
        return configuration
    }

    /// Sends one request; see ``HTTPTransport/send(_:)``.
    public func send(_ request: HTTPTransportRequest) async throws -> HTTPTransportResponse {
        var outgoing = HTTPClientRequest(url: request.url)
        outgoing.method = HTTPMethod(rawValue: request.method)
        for (name, value) in request.headers { outgoing.headers.add(name: name, value: value) }
        if let body = request.body { outgoing.body = .bytes(ByteBuffer(bytes: body)) }
        do {
            // The deadline of AsyncHTTPClient ends when the response head has arrived.
            let limit = request.timeout.clampedToWait
            let response = try await TimeLimit.run(limit) { [outgoing] in
                try await self.response(to: outgoing, upTo: max(request.maximumResponseSize, 0))
            }
            guard let response else { throw HTTPTransportError(.timeout, "no complete response within \(limit)") }
            return response
        } catch let error as HTTPTransportError {
            throw error
        } catch is NIOTooManyBytesError {
            throw HTTPTransportError(.responseTooLarge, "more than \(request.maximumResponseSize) bytes")
        } catch let error as HTTPClientError where error == .cancelled && Task.isCancelled {
            throw CancellationError()
        } catch let error as CancellationError {
            throw error
        } catch {
            throw HTTPTransportError(client: error)
        }
    }

    private func response(to request: HTTPClientRequest, upTo limit: Int) async throws -> HTTPTransportResponse {
        let response = try await client.execute(request, deadline: .distantFuture)
        let body = try await response.body.collect(upTo: limit)
        return HTTPTransportResponse(
            status: Int(response.status.code), headers: response.headers.map { ($0.name, $0.value) },
            body: Data(body.readableBytesView))
    }
}

extension HTTPTransportError {
    /// Creates an error from an error of the HTTP client, with our own text: library errors contain type names, source
    /// lines and header values.
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
            // If several addresses were tried, prefer an error other than "refused": that address may respond the next
            // time.
            self.init(errno: numbers.first { $0 != ECONNREFUSED } ?? number)
        } else if error.dnsAError != nil || error.dnsAAAAError != nil {
            self.init(.failed, "the host's name was not found")
        } else {
            self.init(.failed, "there is no connection to the host")
        }
    }

    private init(errno: CInt) {
        if errno == ECONNREFUSED {
            self.init(.connectionRefused, "the connection was refused: nothing listens there")
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
    /// The HTTP client that this library uses for all its requests.
    static let withoutRedirects = HTTPClient(
        eventLoopGroupProvider: .singleton, configuration: AsyncHTTPClientTransport.configuration)
}
