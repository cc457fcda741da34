package import AppStoreTrust
internal import Ledger

/// Why a service does not do what it was asked for, in words that may be answered to whoever asked.
package struct ServiceFailure: Error, Sendable, Hashable {
    /// What kind of no it is.
    package enum Kind: Sendable, Hashable {
        /// What was sent is wrong.
        case invalid
        /// Who asks has not shown who they are.
        case unauthorized
        /// Who asks may not have it.
        case forbidden
        /// It contradicts what is known.
        case conflict
        /// It would cost too much.
        case tooMuch
        /// It was asked for too often.
        case tooOften
        /// It may be possible later.
        case unavailable
    }

    package var kind: Kind
    /// A word for programs.
    package var code: String
    /// A sentence for people, which says what to do. It never holds a secret or a payload.
    package var message: String
    /// Whether the same may succeed later.
    package var isRetryable: Bool
    /// How long to wait before, in milliseconds.
    package var backoff: Int?
    /// The parameter that is wrong.
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

    /// A text that cannot be believed. What could not be found out yet may be sent again.
    package init(_ error: VerificationError, parameter: String? = nil) {
        self.init(
            error.isRetryable ? .unavailable : .invalid, "\(error.code)", error.message,
            isRetryable: error.isRetryable, backoff: error.isRetryable ? 30_000 : nil, parameter: parameter)
    }
}

extension ServiceFailure: LoggedError {
    package var logReason: String { "\(code): \(message)" }
}
