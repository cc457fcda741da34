package import Foundation

/// Decides what to do with a request whose idempotency key may be known, as a pure function on values.
package enum IdempotencyDecision: Sendable, Hashable {
    /// Process the request.
    case proceed
    /// Send the stored response.
    case repeats(IdempotentRequest.StoredResponse)
    /// The key was used for a different request.
    case isDifferentRequest
    /// The request with this key is being processed.
    case isInProgress

    /// How long a response is stored, in milliseconds.
    package static let retention: Milliseconds = 86_400_000

    /// Decides about a request.
    ///
    /// - Parameter lockTimeout: How long a request without a response blocks repetitions. No request takes longer.
    package static func of(
        _ known: IdempotentRequest?, fingerprint: Data, at now: Milliseconds, lockTimeout: Milliseconds
    ) -> IdempotencyDecision {
        // A clock that was set back makes nothing older.
        guard let known, now - known.startedAt < retention else { return .proceed }
        guard known.fingerprint == fingerprint else { return .isDifferentRequest }
        if let response = known.response { return .repeats(response) }
        // If the clock was ahead when the request began and was corrected since, the request still blocks no longer
        // than `lockTimeout`.
        let age = now - known.startedAt
        return age < lockTimeout && age >= -lockTimeout ? .isInProgress : .proceed
    }
}
