package import Foundation

/// A request that a client may send again, as it is remembered.
package struct RememberedRequest: Sendable, Hashable {
    /// The answer that it got.
    package struct Answer: Sendable, Hashable {
        package var status: Int
        package var type: String?
        /// The header that says where to find what was begun.
        package var location: String?
        package var body: Data

        package init(status: Int, type: String?, location: String? = nil, body: Data) {
            (self.status, self.type, self.location, self.body) = (status, type, location, body)
        }
    }

    /// SHA-256 of everything that was asked.
    package var fingerprint: Data
    package var startedAt: Milliseconds
    /// Nil while it is being answered, or if the server ended meanwhile.
    package var answer: Answer?

    package init(fingerprint: Data, startedAt: Milliseconds, answer: Answer? = nil) {
        (self.fingerprint, self.startedAt, self.answer) = (fingerprint, startedAt, answer)
    }
}

/// What becomes of a request with a key that may have come before: the rule, on values.
package enum IdempotencyDecision: Sendable, Hashable {
    /// It is carried out.
    case proceed
    /// It gets the answer that it got before.
    case repeats(RememberedRequest.Answer)
    /// It was another request.
    case isAnother
    /// It is being carried out at the moment.
    case isUnderWay

    /// How long an answer is kept, in milliseconds.
    package static let keeping: Milliseconds = 86_400_000

    /// - Parameter patience: How long nobody else carries a request out that has no answer. No request takes longer.
    package static func of(
        _ known: RememberedRequest?, fingerprint: Data, at now: Milliseconds, patience: Milliseconds
    ) -> IdempotencyDecision {
        // A clock that was put back makes nothing older.
        guard let known, now - known.startedAt < keeping else { return .proceed }
        guard known.fingerprint == fingerprint else { return .isAnother }
        if let answer = known.answer { return .repeats(answer) }
        // A clock that was ahead when it began, and is right since, keeps nobody waiting for longer than that.
        let age = now - known.startedAt
        return age < patience && age >= -patience ? .isUnderWay : .proceed
    }
}

/// Remembers the answers to requests that have a key of the client's.
package protocol IdempotencyStorage: Sendable {
    /// Decides by ``IdempotencyDecision``, and remembers the request if it proceeds: in place of one that had the key before
    /// and is over, of which nothing is left. Those that are older than ``IdempotencyDecision/keeping`` may be dropped at any
    /// time.
    ///
    /// - Parameters:
    ///   - client: Whose key it is.
    ///   - customer: Whom it is about.
    ///   - patience: How long nobody else carries it out while it has no answer.
    func beginRequest(
        _ key: String, of client: String, about customer: String?, fingerprint: Data, at now: Milliseconds,
        patience: Milliseconds
    ) async throws -> IdempotencyDecision

    /// Remembers the answer; nil forgets the request, which may be sent again then, unless somebody else began to carry it
    /// out since. Where the request is forgotten, because its customer was erased meanwhile, so is the answer.
    ///
    /// - Parameter start: The instant that it was begun at.
    func endRequest(
        _ key: String, of client: String, begunAt start: Milliseconds, with answer: RememberedRequest.Answer?
    ) async throws
}
