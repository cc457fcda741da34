/// Stores the progress of recoveries, so that a crash loses neither work nor the knowledge of a gap.
package protocol RecoveryStorage: Sendable {
    /// Returns the marks of all scopes that have one.
    func completenessMarks() async throws -> [CompletenessMark]

    /// Stores a plan and returns the row identifier of the recovery. Repeating the call begins another recovery of the
    /// same time, which reads the same notifications again and ends at the same mark.
    func begin(_ plan: RecoveryPlan, at now: Milliseconds) async throws -> Int64

    /// Returns the open recoveries of the scopes, the oldest first.
    func openRecoveries(in scopes: [Int64]) async throws -> [RecoveryRun]

    /// Returns the open windows of a recovery, in the order of their stages.
    func openWindows(of recovery: Int64) async throws -> [RecoveryWindow]

    /// Returns the windows of a recovery in their order, up to `limit`, and whether each is done. The windows of a
    /// finished recovery are deleted.
    func windows(of recovery: Int64, limit: Int) async throws -> [(window: RecoveryWindow, isDone: Bool)]

    /// Records that a page of a window is stored, if the stored window is open and still at the page that begins at the
    /// token of `window`. Otherwise nothing changes: the call is repeated, another server has recorded the page or
    /// started the window over, or the recovery has ended.
    func record(_ page: PageOutcome, of window: RecoveryWindow, at now: Milliseconds) async throws

    /// Starts an open window over at its first page. A window that another server has read to its end does not change:
    /// its unverified items count.
    func restart(window: RecoveryWindow) async throws

    /// Drops the part of an open window before `limit`, which the App Store no longer keeps, and starts the window
    /// over. The recovery begins at `limit` too, if it begins before.
    func clip(window: RecoveryWindow, to limit: Milliseconds) async throws

    /// Closes a window without reading the rest of it.
    func skip(window: RecoveryWindow) async throws

    /// Finishes a recovery whose windows are all done. If the recovery moves the mark, the mark ends at `until` or
    /// before the first unverified span, even if it ended later: the clock may have been ahead. So of two recoveries
    /// that run at once the one that finishes last counts. Returns the present mark. There is a gap if the recovery
    /// begins after the old mark, or if the App Store no longer keeps an unverified span: then a pass over all
    /// purchases begins. A recovery that is already finished does not change, nor does the mark.
    ///
    /// A finished recovery is deleted after ``RecoveryRun/maximumCount`` newer ones of the same scope have begun.
    ///
    /// - Parameter limit: The App Store no longer keeps notifications before this instant.
    /// - Throws: ``StorageError`` with the code `failed` if a window is still open, or if the recovery does not exist.
    func finish(
        recovery id: Int64, until: Milliseconds, limit: Milliseconds, at now: Milliseconds
    ) async throws -> CompletenessMark?

    /// Returns the unverified spans of a scope.
    func unverifiedSpans(in scope: Int64) async throws -> UnverifiedSpans

    /// Records an error of an open recovery. If `isGivenUp`, the recovery ends as failed. A recovery that has ended
    /// does not change: another server may have finished it.
    func record(failure: String, of recovery: Int64, isGivenUp: Bool, at now: Milliseconds) async throws

    /// Returns one recovery.
    func recovery(_ id: Int64) async throws -> RecoveryRun?

    /// Returns recoveries of some scopes, the newest first.
    func recoveries(in scopes: [Int64], before id: Int64?, limit: Int) async throws -> [RecoveryRun]

    /// Returns the numbers of missing items in some scopes.
    func missingCounts(in scopes: [Int64]) async throws -> [Int64: MissingCounts]

    /// Whether a notification of the scope, or a different text with its UUID, is not processed yet that has waited
    /// since an instant in `span`.
    func hasPendingNotifications(in scope: Int64, since span: ClosedRange<Milliseconds>) async throws -> Bool

    /// Returns the missing items of one scope, up to ``MissingItems/maximumCount`` of each kind.
    func missingItems(in scope: Int64) async throws -> MissingItems
}

extension RecoveryStorage {
    /// Returns the open recoveries of one scope.
    package func openRecoveries(in scope: Int64) async throws -> [RecoveryRun] {
        try await openRecoveries(in: [scope])
    }
}

/// Stores which Apple accounts' histories were requested, and how far they were read.
package protocol HistoryStorage: Sendable {
    /// Returns where reading an Apple account's history stopped: the mark of the first of these transactions, all of
    /// the same account, that has a revision; nil if none has. An empty revision counts as none.
    func historyMark(of transactionIDs: [String], in scope: Int64) async throws -> HistoryMark?

    /// Records that a history was read, up to `revision`. Without a revision the stored one stays. The later call
    /// counts: if two servers read a history at once, the next reading may begin at the earlier revision.
    func record(
        revision: String?, of transactionID: String, in scope: Int64, at now: Milliseconds
    ) async throws

    /// Records that the App Store was asked about these subscriptions and purchases, by any request for their history.
    /// The stored revisions stay.
    func recordRequest(about originals: [String], in scope: Int64, at now: Milliseconds) async throws

    /// Replaces the unverified items of a history with those of the newest response. An item that is also in another
    /// history (same digest) is stored once, for the history that was read last.
    func replaceUnverified(
        with items: [UnverifiedItem], ofHistory transactionID: String, in scope: Int64, at now: Milliseconds
    ) async throws

    /// Returns the progress of the pass over all purchases; nil if there was none.
    func historyPass(in scope: Int64) async throws -> HistoryPass?

    /// Stores the progress of a pass, if the stored pass of the scope is still `previous`. Meanwhile another server may
    /// have continued it, or a gap may have begun a new pass.
    ///
    /// - Returns: Whether the pass was stored. A repeated call returns false: the stored pass is no longer `previous`.
    func record(_ pass: HistoryPass, replacing previous: HistoryPass?) async throws -> Bool

    /// Returns the summaries of subscriptions and purchases, sorted by identifier. Those with a corrupt record are
    /// included and marked as damaged.
    func summaries(after original: String, in scope: Int64, limit: Int) async throws -> [LineageSummary]
}

/// How far an Apple account's history was read.
package struct HistoryMark: Sendable, Hashable {
    /// The transaction that was used in the request.
    package var transactionID: String
    /// The App Store's revision token for newer transactions; nil if there is none.
    package var revision: String?

    package init(transactionID: String, revision: String?) {
        (self.transactionID, self.revision) = (transactionID, revision)
    }
}
