package import AppStoreTrust
internal import Ledger

/// The failure of a request to a service. Its texts may be sent to the client.
package struct ServiceFailure: Error, Sendable, Hashable {
    /// The kind of failure.
    package enum Kind: Sendable, Hashable {
        /// The request is invalid.
        case invalid
        /// The client is not authenticated.
        case unauthorized
        /// The client is not allowed to do this.
        case forbidden
        /// The request conflicts with the current state.
        case conflict
        /// The request would cost too much.
        case tooMuch
        /// The client sends too many requests.
        case tooOften
        /// The service is temporarily unavailable.
        case unavailable
    }

    package var kind: Kind
    /// An identifier of the failure, for programs.
    package var code: String
    /// A sentence for people that says what to do. It never contains a secret or a payload.
    package var message: String
    /// Whether the same request may succeed later.
    package var isRetryable: Bool
    /// The recommended delay before a retry, in milliseconds.
    package var backoff: Int?
    /// The invalid parameter.
    package var parameter: String?

    package init(
        _ kind: Kind, _ code: String, _ message: String, isRetryable: Bool = false, backoff: Int? = nil,
        parameter: String? = nil
    ) {
        self.kind = kind
        self.code = code
        self.message = message
        self.isRetryable = isRetryable
        self.backoff = backoff
        self.parameter = parameter
    }

    /// Creates a failure for a text that does not verify. It is retryable if the error may be temporary.
    package init(_ error: VerificationError, parameter: String? = nil) {
        self.init(
            error.isRetryable ? .unavailable : .invalid, "\(error.code)", error.message,
            isRetryable: error.isRetryable, backoff: error.isRetryable ? 30_000 : nil, parameter: parameter)
    }
}

extension ServiceFailure: LoggedError {
    package var logReason: String { "\(code): \(message)" }
}
