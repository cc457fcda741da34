extension HistoryRequest {
    /// What becomes of a request after an attempt.
    package enum Outcome: Sendable, Hashable {
        /// The history is in the ledger, or nothing is missing.
        case finished
        /// The App Store will never answer.
        case failed(code: String)
        /// The request is sent again.
        case postponed(until: Milliseconds, code: String)
    }

    /// What the App Store refuses for good.
    package enum Refusal: Sendable, Hashable, CaseIterable {
        /// It has no such transaction.
        case transaction
        /// It does not know the app, so the transaction may exist.
        case app
        case other
    }

    /// The error code of the requests of an app without an API key.
    private static let noKey = "no_key"
    /// How long a transaction that nothing signed names stays missing while the App Store does not answer about the
    /// app, in milliseconds. Everybody with an old client can cause such requests.
    private static let unsignedRetention: Milliseconds = 7 * 86_400_000

    /// Returns the pause before the next attempt after a number of failed ones: 5 minutes, doubled up to a day.
    package static func pause(after attempts: Int) -> Milliseconds {
        min(Milliseconds(300_000) << min(max(attempts, 0), 9), LongestDelay.historyRequest.milliseconds)
    }

    /// Decides about the request of an app without an API key.
    package func outcomeWithoutKey(at now: Milliseconds) -> Outcome {
        // Everybody with an old client can cause such requests. A day ago there was no key either.
        if reason == .unsignedNotificationV1, failure == Self.noKey { return .finished }
        return .postponed(until: now + LongestDelay.historyRequest.milliseconds, code: Self.noKey)
    }

    /// Decides about a request after a failure that may be temporary.
    package func outcome(ofFailure code: String, at now: Milliseconds) -> Outcome {
        .postponed(until: now + Self.pause(after: attempts), code: code)
    }

    /// Decides about a request after the App Store refused it.
    package func outcome(of refusal: Refusal, code: String, at now: Milliseconds) -> Outcome {
        if mayBeAnswered(after: refusal) { return outcome(ofFailure: code, at: now) }
        guard reason == .unsignedNotificationV1 else { return .failed(code: code) }
        // Nothing is missing if the App Store does not know a transaction that nothing signed names.
        if refusal == .transaction || isOld(at: now) { return .finished }
        return .postponed(until: now + LongestDelay.historyRequest.milliseconds, code: code)
    }

    /// Whether the App Store may return the history later, although it refused it: it signed the transaction, so it will
    /// know the app again.
    package func mayBeAnswered(after refusal: Refusal) -> Bool {
        refusal == .app && reason != .unsignedNotificationV1
    }

    /// Whether the request is older than a week, or was added while the clock was ahead.
    private func isOld(at now: Milliseconds) -> Bool { !(0..<Self.unsignedRetention).contains(now - addedAt) }

    /// Returns the request after its transaction was added to the queue.
    ///
    /// - Parameters:
    ///   - known: The stored request about the transaction; nil if there is none.
    ///   - id: A row identifier that no request has or had. The result always gets it: finishing a request that is
    ///     being sent must not remove the one that was added meanwhile.
    package static func adding(
        _ transactionID: String, in scope: Int64, because reason: Reason, to known: HistoryRequest?, id: Int64,
        at now: Milliseconds
    ) -> HistoryRequest {
        guard var request = known else {
            return HistoryRequest(
                id: id, scope: scope, transactionID: transactionID, reason: reason, addedAt: now, attempts: 0,
                nextAttemptAt: now)
        }
        request.id = id
        if request.reason == .unsignedNotificationV1 { request.reason = reason }
        if request.isGivenUp {
            (request.isGivenUp, request.failure, request.attempts, request.nextAttemptAt) = (false, nil, 0, now)
        }
        return request
    }

    /// Returns the request after an attempt failed. A request that was finished meanwhile is added again. A stored one
    /// keeps its row identifier, so that whoever sends it finishes it.
    ///
    /// - Parameters:
    ///   - known: The stored request about the transaction; nil if there is none.
    ///   - id: A row identifier that no request has or had.
    package func postponed(
        as known: HistoryRequest?, id: Int64, until next: Milliseconds, code: String
    ) -> HistoryRequest {
        var request = known ?? self
        if known == nil { request.id = id }
        request.attempts += 1
        (request.nextAttemptAt, request.failure) = (next, code)
        return request
    }

    /// Returns the request after a history was requested without success, for another reason; nil if the stored request
    /// does not change, because it is in the queue.
    ///
    /// - Parameters:
    ///   - known: The stored request about the transaction; nil if there is none.
    ///   - id: A row identifier that no request has or had.
    package static func retrying(
        _ transactionID: String, in scope: Int64, known: HistoryRequest?, id: Int64, code: String,
        until next: Milliseconds, at now: Milliseconds
    ) -> HistoryRequest? {
        guard var request = known else {
            return HistoryRequest(
                id: id, scope: scope, transactionID: transactionID, reason: .retry, addedAt: now, attempts: 1,
                nextAttemptAt: next, failure: code)
        }
        guard request.isGivenUp else { return nil }
        (request.isGivenUp, request.failure, request.attempts, request.nextAttemptAt) = (false, code, 1, next)
        return request
    }
}
