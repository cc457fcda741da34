/// A transaction whose history recovery still has to request from the App Store.
package struct HistoryRequest: Sendable, Hashable {
    /// Why the history is requested.
    package enum Reason: String, Sendable, Hashable, CaseIterable {
        /// The receipt of a version 1 notification named the transaction.
        case notificationV1 = "notification_v1"
        /// Only the unsigned part of a version 1 notification named the transaction, which may not exist.
        case unsignedNotificationV1 = "notification_v1_unsigned"
        /// A restore could not reach the App Store.
        case restore
        /// A receipt from an old client named the transaction.
        case receipt
        /// An earlier request failed, or its response could not be verified.
        case retry
    }

    /// The row identifier.
    package var id: Int64
    package var scope: Int64
    /// Any transaction of the Apple account, original or not.
    package var transactionID: String
    package var reason: Reason
    package var addedAt: Milliseconds
    /// The number of failed attempts.
    package var attempts: Int
    /// The earliest time of the next attempt.
    package var nextAttemptAt: Milliseconds
    /// The error of the last attempt; nil before the first attempt.
    package var failure: String?
    /// Whether no further attempt is made.
    package var isGivenUp = false

    package init(
        id: Int64, scope: Int64, transactionID: String, reason: Reason, addedAt: Milliseconds, attempts: Int,
        nextAttemptAt: Milliseconds, failure: String? = nil, isGivenUp: Bool = false
    ) {
        self.id = id
        self.scope = scope
        self.transactionID = transactionID
        self.reason = reason
        self.addedAt = addedAt
        self.attempts = attempts
        self.nextAttemptAt = nextAttemptAt
        self.failure = failure
        self.isGivenUp = isGivenUp
    }
}

/// Stores the queue of history requests. A transaction is in the queue once, however often it is added.
package protocol HistoryRequestStorage: Sendable {
    /// Adds transactions to the queue. A request that failed permanently is tried again. A request that is being sent
    /// is sent again afterwards: the reason for adding it may be newer than the App Store's response. The first reason
    /// stays, except ``HistoryRequest/Reason/unsignedNotificationV1``: something signed may name the transaction now.
    func add(
        requests transactionIDs: [String], in scope: Int64, because reason: HistoryRequest.Reason, at now: Milliseconds
    ) async throws

    /// Returns the requests of a scope that are due at `now`, at most `limit`, those that have waited longest first,
    /// then those that a clock that was ahead has scheduled (see ``LongestDelay``). Requests that are due since one
    /// instant are in any order. They stay in the queue until they are finished, failed or postponed. The call takes no
    /// lease: two callers may get the same request.
    func dueHistoryRequests(in scope: Int64, at now: Milliseconds, limit: Int) async throws -> [HistoryRequest]

    /// Removes a request whose history is in the ledger. Row identifiers are never used again, so finishing a request
    /// twice removes no other one.
    func finish(request id: Int64) async throws

    /// Schedules another attempt of a request, and counts the failed one, again if the call is repeated. If the request
    /// was finished meanwhile it is added again, because the newest response could not be verified.
    func postpone(_ request: HistoryRequest, until next: Milliseconds, code: String) async throws

    /// Adds a transaction whose history was requested without success. A request that is already in the queue does not
    /// change.
    func scheduleRetry(
        of transactionID: String, in scope: Int64, code: String, until next: Milliseconds, at now: Milliseconds
    ) async throws

    /// Marks a request as failed: the App Store will never answer it. The request stays, with the error code, until it
    /// is added again.
    func fail(request id: Int64, code: String, at now: Milliseconds) async throws
}
