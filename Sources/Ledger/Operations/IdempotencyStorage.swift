package import Foundation

/// A stored request with an idempotency key.
package struct IdempotentRequest: Sendable, Hashable {
    /// The response to the request.
    package struct StoredResponse: Sendable, Hashable {
        package var status: Int
        package var type: String?
        /// The header `Location`.
        package var location: String?
        package var body: Data

        package init(status: Int, type: String?, location: String? = nil, body: Data) {
            (self.status, self.type, self.location, self.body) = (status, type, location, body)
        }
    }

    /// SHA-256 of the whole request.
    package var fingerprint: Data
    package var startedAt: Milliseconds
    /// Nil while the request is being processed, or if the server stopped meanwhile.
    package var response: StoredResponse?

    package init(fingerprint: Data, startedAt: Milliseconds, response: StoredResponse? = nil) {
        (self.fingerprint, self.startedAt, self.response) = (fingerprint, startedAt, response)
    }
}

/// Stores the responses to requests with an idempotency key.
package protocol IdempotencyStorage: Sendable {
    /// Decides about a request by ``IdempotencyDecision``, and stores it if it is to be processed; it replaces an
    /// expired request with the same key. Repeating the call returns `isInProgress`, as for another client's request.
    ///
    /// - Parameters:
    ///   - client: The client that the key belongs to.
    ///   - customer: The customer whom the request is about.
    ///   - lockTimeout: How long a request without a response blocks repetitions.
    func beginRequest(
        _ key: String, of client: String, about customer: String?, fingerprint: Data, at now: Milliseconds,
        lockTimeout: Milliseconds
    ) async throws -> IdempotencyDecision

    /// Stores the response. A nil response deletes the request, so that it may be sent again. Does nothing if the
    /// request was begun again since, or was deleted because its customer was erased.
    ///
    /// - Parameter start: The instant passed to `beginRequest`.
    func endRequest(
        _ key: String, of client: String, begunAt start: Milliseconds, with response: IdempotentRequest.StoredResponse?
    ) async throws
}
