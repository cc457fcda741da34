public import AppStoreModels
public import Foundation

/// Sends requests to the App Store and returns the responses.
///
/// The default is ``AsyncHTTPClientTransport``. A transport makes one attempt: it does not retry, and accepts every
/// status. Cancelling the task cancels the request.
public protocol HTTPTransport: Sendable {
    /// Sends one request and returns the response, whatever its status. Must not follow redirects: the App Store sends
    /// none, and no other host may receive the request and its token.
    ///
    /// - Throws: ``HTTPTransportError`` for a timeout, a refused connection or a response above the limit. Any other
    ///   error counts as a network failure. The text of an error is logged: it must not quote a header.
    func send(_ request: HTTPTransportRequest) async throws -> HTTPTransportResponse
}

/// A request as it is sent.
public struct HTTPTransportRequest: Sendable {
    /// The method, upper case.
    public var method: String
    /// The full URL, percent-encoded.
    public var url: String
    /// The headers in order. One of them is `Authorization`, a secret.
    public var headers: [(name: String, value: String)]
    /// The body; nil for none.
    public var body: Data?
    /// The time limit, up to the last byte of the response.
    public var timeout: Duration
    /// The maximum size of the response body, in bytes.
    public var maximumResponseSize: Int

    /// Creates a request.
    public init(
        method: String, url: String, headers: [(name: String, value: String)] = [], body: Data? = nil,
        timeout: Duration = .seconds(30), maximumResponseSize: Int = 16 << 20
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
        self.timeout = timeout
        self.maximumResponseSize = maximumResponseSize
    }

    /// Returns the first value of a header. The case of the name does not matter.
    public func header(_ name: String) -> String? { first(name, headers) }
}

extension HTTPTransportRequest: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The method and the URL. Headers and body may contain secrets.
    public var description: String { "\(method) \(url)" }

    /// The same as ``description``.
    public var debugDescription: String { description }

    /// The method and the URL. Headers and body may contain secrets.
    public var customMirror: Mirror { Mirror(self, children: ["method": method, "url": url], displayStyle: .struct) }
}

/// A response as it was received.
public struct HTTPTransportResponse: Sendable {
    /// The status.
    public var status: Int
    /// The headers in order.
    public var headers: [(name: String, value: String)]
    /// The body; empty for none.
    public var body: Data

    /// Creates a response.
    public init(status: Int, headers: [(name: String, value: String)] = [], body: Data = Data()) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// Returns the first value of a header. The case of the name does not matter.
    public func header(_ name: String) -> String? { first(name, headers) }
}

private func first(_ name: String, _ headers: [(name: String, value: String)]) -> String? {
    headers.first { $0.name.lowercased() == name.lowercased() }?.value
}

/// Why there is no response.
public struct HTTPTransportError: CounterfoilError {
    /// The kind of failure.
    public let code: Code

    /// A description of the failure, for people. Contains no header.
    public let message: String

    /// Creates an error.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// Whether the same request may succeed later without changes: false only for a body that is too large.
    public var isRetryable: Bool { code != .responseTooLarge }

    /// A machine-readable reason.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The code as text, in snake case.
        public let description: String

        private init(_ description: String) { self.description = description }

        /// There was no complete response in time.
        public static let timeout = Code("timeout")
        /// The body is larger than ``HTTPTransportRequest/maximumResponseSize``.
        public static let responseTooLarge = Code("response_too_large")
        /// The connection was refused: no server listens there. Nothing was sent.
        public static let connectionRefused = Code("connection_refused")
        /// The network, TLS or the server failed.
        public static let failed = Code("failed")
    }
}

/// Errors are equal if their codes are equal: the message is for people.
extension HTTPTransportError: Hashable {
    /// Compares only the codes.
    public static func == (left: Self, right: Self) -> Bool { left.code == right.code }

    /// Hashes only the code.
    public func hash(into hasher: inout Hasher) { hasher.combine(code) }
}
