public import Foundation

/// The server that stores purchases. ``HTTPBackend`` calls a Counterfoil server; an app may use its own backend
/// instead.
public protocol Backend: Sendable {
    /// Reports the device's transactions.
    func report(
        _ report: PurchaseReport, for customer: CustomerCredential
    ) async throws(BackendFailure) -> CustomerResponse

    /// Requests the customer's entitlements and purchases.
    func customer(_ customer: CustomerCredential, environment: String?) async throws(BackendFailure) -> CustomerResponse

    /// Transfers the purchases of an anonymous customer to a customer with an account.
    func merge(
        _ anonymous: CustomerCredential, into customer: CustomerCredential, environment: String?
    ) async throws(BackendFailure) -> CustomerResponse

    /// Returns a token for the anonymous customer of a verified app transaction, for apps without a backend of their
    /// own.
    func session(for customer: String, appTransaction: String) async throws(BackendFailure) -> CustomerCredential
}

/// A customer's identifier and the token that authenticates the customer.
public struct CustomerCredential: Hashable, Sendable, Decodable {
    /// The customer's identifier.
    public var customer: String
    /// The token that your backend signed; nil if the backend authenticates the customer in another way.
    public var token: String?

    /// Makes a credential.
    public init(customer: String, token: String?) { (self.customer, self.token) = (customer, token) }
}

/// A report of a device's transactions: at most 500, all of one environment.
public struct PurchaseReport: Sendable, Encodable {
    /// The signed transactions (JWS).
    public var signedTransactions: [String] = []
    /// The signed renewal infos (JWS).
    public var signedRenewals: [String]?
    /// The signed app transaction (JWS).
    public var appTransaction: String?
    /// The app receipt, for systems without app transactions.
    public var receipt: Data?
    /// True: the customer pressed the restore button. False: an automatic report, which takes no purchase from another
    /// customer. Nil: a purchase.
    public var restore: Bool?
    /// The environment of the transactions, such as `Sandbox`. It is sent as a query parameter, not in the body.
    public var environment: String?

    /// Makes an empty report.
    public init() {}

    private enum CodingKeys: String, CodingKey {
        case receipt, restore
        case signedTransactions = "signed_transactions"
        case signedRenewals = "signed_renewals"
        case appTransaction = "app_transaction"
    }

    /// The maximum number of transactions in a report.
    package static let maximum = 500
}

/// A failed request to the backend.
public struct BackendFailure: Error, Hashable, Sendable {
    /// The HTTP status of the response; nil without a readable response.
    public var status: Int?
    /// The server's error code, or a code of the client: `no_connection`, `timeout`, `invalid_response`,
    /// `unverified_response`, `no_token`, `backoff` for a restore during a pause that the server requested, or `http_`
    /// and the status if the response has no error code, such as `http_403`.
    public var code: String
    /// The server's error message, or what is wrong with a JSON response that is not about the customer.
    public var message: String
    /// The invalid member of the request, such as `app` or `signed_transactions[3]`.
    public var parameter: String?
    /// The delay in seconds that the server requests before the next request.
    public var retryAfter: TimeInterval?
    /// Whether the server says that the same request may succeed later.
    public var isRetryable: Bool

    /// Makes a failure.
    public init(
        status: Int? = nil, code: String, message: String = "", parameter: String? = nil,
        retryAfter: TimeInterval? = nil, isRetryable: Bool = false
    ) {
        (self.status, self.code, self.message, self.parameter) = (status, code, message, parameter)
        (self.retryAfter, self.isRetryable) = (retryAfter, isRetryable)
    }

    /// The server could not be reached.
    public static let noConnection = Self(code: "no_connection")
    /// The server did not respond in time.
    public static let timeout = Self(code: "timeout")
    /// The response is not JSON, such as a page of the network.
    public static let invalidResponse = Self(code: "invalid_response")
    /// The response is not signed with a key of the app's ``ResponseVerifier``.
    public static let unverifiedResponse = Self(code: "unverified_response")
    /// The app has no token for the customer.
    public static let noToken = Self(status: 401, code: "no_token")
}

extension BackendFailure {
    static let unrelated = Self(code: "invalid_response", message: "A response about another customer or environment.")

    /// The reaction to a failure. The documentation has the table in the section "When transactions are finished".
    enum Remedy: Equatable { case retry, newToken, split, stop }

    var remedy: Remedy {
        guard let status, !isRetryable, !isDoubtful else { return .retry }
        switch status {
        // The server sends no redirections: a captive portal of the network does.
        case 200..<400, 408, 429, 500...: return .retry
        case 401 where code == "token_expired": return .newToken
        case 409 where code == "receipt_already_in_use", 413, 422: return .split
        case 400 where !Self.mistakesOfTheApp.contains(code): return .split
        default: return .stop
        }
    }

    /// Whether the response may come from a proxy or another server: it is unsigned although a signature is required,
    /// JSON but not about the customer, or an error without a code. A Counterfoil server sends a code with every error.
    /// Proxies may send 408, 413 and 429, so these are never doubtful.
    var isDoubtful: Bool {
        guard let status else { return self == .unverifiedResponse || code == "invalid_response" && !message.isEmpty }
        return 400..<500 ~= status && ![408, 413, 429].contains(status) && code == "http_\(status)"
    }

    /// Error codes with status 400 that do not depend on a transaction.
    private static let mistakesOfTheApp: Set<String> = [
        "unknown_member", "empty_report", "too_many_transactions", "invalid_customer", "unknown_app", "bad_request",
    ]
}
