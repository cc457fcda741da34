public import AppStoreModels
public import Foundation

/// What carries a request to the App Store and brings the answer back.
///
/// The default is ``AsyncHTTPClientTransport``. A transport makes one attempt: it neither repeats nor judges an answer by
/// its status. Cancelling the task cancels the request.
public protocol HTTPTransport: Sendable {
    /// Sends one request and gives back whatever answer there is, of any status. Must not follow redirects: the App Store
    /// sends none, and request and token are not for another host.
    ///
    /// - Throws: ``HTTPTransportError`` for a timeout, a refused connection or an answer above the limit; any other error
    ///   counts as a failure of the network. Text in such an error reaches the logs: it must not quote a header.
    func send(_ request: HTTPTransportRequest) async throws -> HTTPTransportAnswer
}

/// A request as it goes over the wire.
public struct HTTPTransportRequest: Sendable {
    /// The method, upper case.
    public var method: String
    /// The whole URL, percent-encoded.
    public var url: String
    /// The headers in order. Among them is `Authorization`, a secret.
    public var headers: [(name: String, value: String)]
    /// The body; nil for none.
    public var body: Data?
    /// How long everything may take, up to the last byte of the answer.
    public var timeout: Duration
    /// The most bytes of a body to accept.
    public var maximumAnswerSize: Int

    /// Creates a request.
    public init(
        method: String, url: String, headers: [(name: String, value: String)] = [], body: Data? = nil,
        timeout: Duration = .seconds(30), maximumAnswerSize: Int = 16 << 20
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
        self.timeout = timeout
        self.maximumAnswerSize = maximumAnswerSize
    }

    /// The first value of a header, whatever the case of its name.
    public func header(_ name: String) -> String? { first(name, headers) }
}

extension HTTPTransportRequest: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Method and URL; headers and body may hold secrets.
    public var description: String { "\(method) \(url)" }

    /// The same as ``description``.
    public var debugDescription: String { description }

    /// Method and URL; headers and body may hold secrets.
    public var customMirror: Mirror { Mirror(self, children: ["method": method, "url": url], displayStyle: .struct) }
}

/// An answer as it came over the wire.
public struct HTTPTransportAnswer: Sendable {
    /// The status.
    public var status: Int
    /// The headers in order.
    public var headers: [(name: String, value: String)]
    /// The body; empty for none.
    public var body: Data

    /// Creates an answer.
    public init(status: Int, headers: [(name: String, value: String)] = [], body: Data = Data()) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// The first value of a header, whatever the case of its name.
    public func header(_ name: String) -> String? { first(name, headers) }
}

private func first(_ name: String, _ headers: [(name: String, value: String)]) -> String? {
    headers.first { $0.name.lowercased() == name.lowercased() }?.value
}

/// Why there is no answer.
public struct HTTPTransportError: CounterfoilError {
    /// What happened.
    public let code: Code

    /// The same for a person, without any header.
    public let message: String

    /// Creates an error.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The code and the message in one line.
    public var description: String { "\(code): \(message)" }

    /// A machine-readable reason.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The code as text, in snake case.
        public let description: String

        private init(_ description: String) { self.description = description }

        /// No complete answer in time.
        public static let timeout = Code("timeout")
        /// The body is larger than ``HTTPTransportRequest/maximumAnswerSize``.
        public static let answerTooLarge = Code("answer_too_large")
        /// Nobody listens there: the connection was refused. Nothing was sent.
        public static let refused = Code("refused")
        /// The network, TLS or the other side failed.
        public static let failed = Code("failed")
    }
}
