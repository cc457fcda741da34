internal import Basics
internal import HTTPTypes
internal import Hummingbird
internal import Ledger
internal import LedgerServices

/// An error response: `{"object":"error", "code", "message", "retryable", "backoff_ms"?, "param"?, "request_id"}`.
struct APIFailure: Error, HTTPResponseError, Sendable {
    var status: HTTPResponse.Status
    /// A stable code for programs.
    var code: String
    /// A sentence for people that says what to do. It contains no secrets and no payloads.
    var message: String
    /// Whether the same request may succeed later.
    var isRetryable = false
    /// How long to wait before the next attempt, in milliseconds.
    var backoff: Int?
    /// The name of the invalid parameter.
    var parameter: String?
    /// The methods that the path accepts, for a 405 response.
    var allowed: [String] = []

    init(
        _ status: HTTPResponse.Status, _ code: String, _ message: String, isRetryable: Bool = false,
        backoff: Int? = nil, parameter: String? = nil
    ) {
        self.status = status
        self.code = code
        self.message = message
        self.isRetryable = isRetryable
        self.backoff = backoff
        self.parameter = parameter
    }

    /// Creates a 400 response.
    init(_ code: String, _ message: String, parameter: String? = nil) {
        self.init(.badRequest, code, message, parameter: parameter)
    }

    static func missing(_ parameter: String) -> APIFailure {
        APIFailure("missing_parameter", "`\(parameter)` is missing.", parameter: parameter)
    }

    static func notFound(_ message: String, parameter: String? = nil) -> APIFailure {
        APIFailure(.notFound, "not_found", message, parameter: parameter)
    }

    /// Creates the response about an entitlement in the path that the app does not have.
    static func unknownEntitlement(_ name: String, among known: some Sequence<String>) -> APIFailure {
        notFound(
            .unknown("The configuration has no entitlement with this name", name, among: known.sorted()),
            parameter: "key")
    }

    static func forbidden(_ message: String, parameter: String? = nil) -> APIFailure {
        APIFailure(.forbidden, "forbidden", message, parameter: parameter)
    }

    /// Creates the response for the failure of a service.
    init(_ failure: ServiceFailure) {
        let status: HTTPResponse.Status =
            switch failure.kind {
            case .invalid: .badRequest
            case .unauthorized: .unauthorized
            case .forbidden: .forbidden
            case .conflict: .conflict
            case .tooMuch: .unprocessableContent
            case .tooOften: .tooManyRequests
            case .unavailable: .serviceUnavailable
            }
        self.init(
            status, failure.code, failure.message, isRetryable: failure.isRetryable, backoff: failure.backoff,
            parameter: failure.parameter)
    }

    /// Creates the response to a request that the ledger could not answer or store.
    init(_ error: StorageError) {
        let message =
            error.code == .unconfirmed
            ? "The change may be stored: the ledger did not confirm it. Repeat the request with its Idempotency-Key."
            : "The ledger is currently unavailable."
        self.init(.serviceUnavailable, error.code.rawValue, message, isRetryable: true, backoff: 5000)
    }

    func response(from request: Request, context: some RequestContext) -> Response {
        var response = Response.object("error", status: status) { json in
            json.member("code", code)
            json.member("message", message)
            json.member("retryable", isRetryable)
            if let backoff { json.member("backoff_ms", backoff) }
            json.member("param", parameter)
            json.member("request_id", context.requestID)
        }
        // RFC 9110, section 15.5.2, and RFC 6750, section 3.
        if status == .unauthorized { response.headers[.wwwAuthenticate] = "Bearer realm=\"Counterfoil\"" }
        if !allowed.isEmpty { response.headers[.allow] = allowed.joined(separator: ", ") }
        if let backoff { response.headers[.retryAfter] = String((backoff + 999) / 1000) }
        return response
    }
}
