/// A transaction whose history the App Store is still to be asked for: by recovery, when there is time.
package struct HistoryRequest: Sendable, Hashable {
    /// Why somebody wants to know.
    package enum Reason: String, Sendable, Hashable, CaseIterable {
        /// A version 1 notification named it.
        case notificationV1 = "notification_v1"
        /// A restore could not reach the App Store.
        case restore
        /// A receipt that an old client sent named it.
        case receipt
        /// It was asked for, and the App Store did not answer or not with what can be believed.
        case retry
    }

    /// The storage's number for it.
    package var id: Int64
    package var scope: Int64
    /// Any transaction of the Apple account, original or not.
    package var transactionID: String
    package var reason: Reason
    package var addedAt: Milliseconds
    /// How often it was tried without success.
    package var attempts: Int
    /// Not to be tried before.
    package var nextAttemptAt: Milliseconds
    /// What came of the last attempt; nil before the first.
    package var failure: String?
    /// Whether it was given up.
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

/// Keeps what is to be asked for later. One transaction waits once, however often it is added.
package protocol HistoryRequestStorage: Sendable {
    /// Puts transactions down. One that failed for good earlier gets another chance. One that is being asked for is asked for
    /// again: what it was added for may have happened after the App Store answered.
    func add(
        requests transactionIDs: [String], in scope: Int64, because reason: HistoryRequest.Reason, at now: Milliseconds
    ) async throws

    /// Those of a scope that may be tried at `now`, at most `limit`, the longest waiting first. They stay until they are
    /// finished, failed or postponed.
    func takeHistoryRequests(in scope: Int64, at now: Milliseconds, limit: Int) async throws -> [HistoryRequest]

    /// Crosses one off: its history is in the ledger. A number is never used again, so that who finishes one a second time
    /// crosses off no other.
    func finish(request id: Int64) async throws

    /// Has one tried again later, and counts the attempt. If somebody else has finished it meanwhile it is put down again:
    /// what could not be believed last has to be asked for again.
    func postpone(_ request: HistoryRequest, until next: Milliseconds, code: String) async throws

    /// Puts a transaction down whose history was asked for in vain. One that waits already stays as it is.
    func putAside(
        _ transactionID: String, in scope: Int64, code: String, until next: Milliseconds, at now: Milliseconds
    ) async throws

    /// Gives one up: the App Store will never answer it. It stays, with the reason, until it is added again.
    func fail(request id: Int64, code: String, at now: Milliseconds) async throws
}
