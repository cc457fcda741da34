public import Foundation

/// The server that keeps purchases. ``HTTPBackend`` speaks to a Counterfoil server; an app may put its own in between.
public protocol Backend: Sendable {
    /// Hands over what the device has.
    func report(
        _ report: PurchaseReport, for customer: CustomerCredential
    ) async throws(BackendFailure) -> CustomerAnswer

    /// Asks what the customer has.
    func customer(_ customer: CustomerCredential, environment: String?) async throws(BackendFailure) -> CustomerAnswer

    /// Gives what an anonymous customer bought to an account.
    func merge(
        _ anonymous: CustomerCredential, into customer: CustomerCredential, environment: String?
    ) async throws(BackendFailure) -> CustomerAnswer

    /// Returns a token for the anonymous customer of a verified app transaction, for apps without a backend of their own.
    func session(for customer: String, appTransaction: String) async throws(BackendFailure) -> CustomerCredential
}

/// A customer and the proof that it is them.
public struct CustomerCredential: Hashable, Sendable, Decodable {
    /// The customer.
    public var customer: String
    /// The token that your backend signed; nil where the backend knows by other means.
    public var token: String?

    /// Makes a credential.
    public init(customer: String, token: String?) { (self.customer, self.token) = (customer, token) }
}

/// What a device has: of one environment, at most 500 transactions.
public struct PurchaseReport: Equatable, Sendable, Encodable {
    /// The transactions, as they were signed.
    public var signedTransactions: [String] = []
    /// The renewal infos, as they were signed.
    public var signedRenewals: [String]?
    /// The app transaction, as it was signed.
    public var appTransaction: String?
    /// The receipt of a system without app transactions.
    public var receipt: Data?
    /// True: the customer pressed the button. False: take nothing from anybody. Nil: a purchase.
    public var restore: Bool?
    /// Where it was bought. It is a parameter of the request, not a member of its body.
    public var environment: String?

    /// Makes an empty report.
    public init() {}

    private enum CodingKeys: String, CodingKey {
        case receipt, restore
        case signedTransactions = "signed_transactions"
        case signedRenewals = "signed_renewals"
        case appTransaction = "app_transaction"
    }

    /// How many transactions the server takes at once.
    package static let maximum = 500
}

/// Why the server did not answer as it was asked to.
public struct BackendFailure: Error, Hashable, Sendable {
    /// The status of the answer; nil when there was none that could be read.
    public var status: Int?
    /// The server's word for it, or one of ours: `no_connection`, `timeout`, `invalid_answer`, `unproven_answer`, `no_token`, and
    /// the status of an answer without the server's word, such as `http_403`.
    public var code: String
    /// The server's sentence.
    public var message: String
    /// The member of the request that was wrong: `app`, `signed_transactions[3]`.
    public var parameter: String?
    /// How long the server wants to be left alone, in seconds.
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
    /// The server did not answer in time.
    public static let timeout = Self(code: "timeout")
    /// The answer is torn, or about somebody else.
    public static let invalidAnswer = Self(code: "invalid_answer")
    /// The answer is not signed by a key of the app's ``AnswerProof``.
    public static let unprovenAnswer = Self(code: "unproven_answer")
    /// The app has no token for the customer.
    public static let noToken = Self(status: 401, code: "no_token")
}

extension BackendFailure {
    /// What to do about a failure. The table is section "What is finished, and when" of the documentation.
    enum Remedy: Equatable { case retry, newToken, split, stop }

    var remedy: Remedy {
        guard let status, !isRetryable, !isDoubtful else { return .retry }
        switch status {
        // A redirection is not the server's: a network wants its customer to sign in first.
        case 200..<400, 408, 429, 500...: return .retry
        case 401 where code == "token_expired": return .newToken
        case 409 where code == "receipt_already_in_use", 413, 422: return .split
        case 400 where !Self.mistakesOfTheApp.contains(code): return .split
        default: return .stop
        }
    }

    /// Whether somebody else may have answered: something in between, or the server of another address. Ours gives every refusal
    /// a code, and signs its answers. That a request is too large, too slow or one too many is for anybody to say.
    var isDoubtful: Bool {
        guard let status else { return self == .unprovenAnswer }
        return 400..<500 ~= status && ![408, 413, 429].contains(status) && code == "http_\(status)"
    }

    /// Codes of 400 that no transaction is to blame for.
    private static let mistakesOfTheApp: Set<String> = [
        "unknown_member", "empty_report", "too_many_transactions", "invalid_customer", "unknown_app", "bad_request",
    ]
}
