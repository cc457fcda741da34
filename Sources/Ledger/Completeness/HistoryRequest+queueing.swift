extension HistoryRequest {
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
