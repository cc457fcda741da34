internal import Foundation

/// Keeps how far recovery has come, so that a crash loses none of its work and no gap is forgotten.
package protocol RecoveryStorage: Sendable {
    /// The marks of all scopes that have one.
    func completenessMarks() async throws -> [CompletenessMark]

    /// Keeps a plan; gives the number of the recovery.
    func begin(_ plan: RecoveryPlan, at now: Milliseconds) async throws -> Int64

    /// The recoveries of a scope that are not over, the oldest first.
    func openRecoveries(in scopes: [Int64]) async throws -> [RecoveryRun]

    /// The windows of a recovery that are not over, in the order of their stages.
    func openWindows(of recovery: Int64) async throws -> [RecoveryWindow]

    /// The windows of a recovery and whether they are over, in their order, up to `limit`. Those of a recovery that is over
    /// are forgotten.
    func windows(of recovery: Int64, limit: Int) async throws -> [(window: RecoveryWindow, isDone: Bool)]

    /// Records that a page of a window is on disk. Whatever is late about a window of a recovery that is over changes no other
    /// window, and not what that recovery was about; what is late about a recovery that was forgotten changes nothing.
    func record(_ page: PageOutcome, of window: RecoveryWindow, at now: Milliseconds) async throws

    /// Begins a window anew.
    func restart(window: RecoveryWindow) async throws

    /// Gives up the part of a window before `limit`, which the App Store no longer keeps, and begins it anew.
    func clip(window: RecoveryWindow, to limit: Milliseconds) async throws

    /// Closes a window without reading its rest.
    func skip(window: RecoveryWindow) async throws

    /// Ends a recovery whose windows are all over, and moves the mark if it is one that does, to `until` or to before the
    /// first stretch with something that could not be believed; gives the mark as it is now. Where the recovery begins
    /// after the old mark, and where the App Store no longer keeps what could not be believed, there is a gap: then a pass
    /// over everyone begins. One that is over already stays as it is, and the mark does.
    ///
    /// Recoveries that are over are forgotten when ``RecoveryRun/maximumCount`` more have begun.
    ///
    /// - Parameter limit: What is older the App Store no longer keeps.
    /// - Throws: ``StorageError`` when a window is still open.
    func finish(
        recovery id: Int64, until: Milliseconds, limit: Milliseconds, at now: Milliseconds
    ) async throws -> CompletenessMark?

    /// Where not everything could be believed.
    func unverifiedSpans(in scope: Int64) async throws -> UnverifiedSpans

    /// Records what went wrong. A recovery that is given up is over.
    func record(failure: String, of recovery: Int64, isGivenUp: Bool, at now: Milliseconds) async throws

    /// One recovery.
    func recovery(_ id: Int64) async throws -> RecoveryRun?

    /// Recoveries of some scopes, the newest first.
    func recoveries(in scopes: [Int64], before id: Int64?, limit: Int) async throws -> [RecoveryRun]

    /// What is missing in some scopes.
    func missing(in scopes: [Int64]) async throws -> [Int64: MissingCounts]

    /// The same of one by name, up to ``MissingNames/most`` of each.
    func missingNames(in scope: Int64) async throws -> MissingNames
}

extension RecoveryStorage {
    /// The recoveries of one scope that are not done.
    package func openRecoveries(in scope: Int64) async throws -> [RecoveryRun] {
        try await openRecoveries(in: [scope])
    }

    /// What is missing in one scope.
    package func missing(in scope: Int64) async throws -> MissingCounts {
        try await missing(in: [scope])[scope] ?? MissingCounts()
    }
}

/// Keeps which Apple accounts' histories were asked for, and how far.
package protocol HistoryStorage: Sendable {
    /// Where the history of an Apple account was left off: by the first of these transactions, all of the account, that it
    /// was asked for with that has a revision; nil when none has. An empty revision is none.
    func historyMark(of transactionIDs: [String], in scope: Int64) async throws -> HistoryMark?

    /// Records up to where a history was read; without a revision only that it was, and the one before stays.
    func record(
        revision: String?, of transactionID: String, in scope: Int64, at now: Milliseconds
    ) async throws

    /// Records that the App Store was asked about these subscriptions and purchases, by whatever led to their history. Up to
    /// where it was read stays as it is.
    func recordAsked(about originals: [String], in scope: Int64, at now: Milliseconds) async throws

    /// Keeps what could not be believed when a history was asked for, instead of what could not be before. What was in
    /// another history too, by its digest, is missing once, in the history that was read last.
    func keep(
        unverified: [UnverifiedItem], ofHistory transactionID: String, in scope: Int64, at now: Milliseconds
    ) async throws

    /// How far the search for old gaps has come; nil when there was none.
    func historyPass(in scope: Int64) async throws -> HistoryPass?

    /// Records how far the search for old gaps has come, in place of what was recorded for the scope before, whoever recorded
    /// that: who goes on with a pass is the only one to.
    func record(_ pass: HistoryPass) async throws

    /// What decides whether subscriptions and purchases look out of date, in the order of their identifiers. Those that cannot
    /// be read are among them, and say so.
    func summaries(after original: String, in scope: Int64, limit: Int) async throws -> [LineageSummary]
}

/// How far the history of an Apple account is known.
package struct HistoryMark: Sendable, Hashable {
    /// The transaction that the App Store was asked with.
    package var transactionID: String
    /// The App Store's token for what comes afterwards; nil when there is none.
    package var revision: String?

    package init(transactionID: String, revision: String?) {
        (self.transactionID, self.revision) = (transactionID, revision)
    }
}

/// A walk through all subscriptions and purchases of a scope in search of those that look out of date.
package struct HistoryPass: Sendable, Hashable {
    package var scope: Int64
    /// The last one that was looked at.
    package var cursor: String
    /// Everyone is asked about who was not asked about since: the notification history has a gap that it cannot fill.
    package var everyoneSince: Milliseconds?
    package var startedAt: Milliseconds
    package var finishedAt: Milliseconds?

    package init(
        scope: Int64, cursor: String = "", everyoneSince: Milliseconds? = nil, startedAt: Milliseconds,
        finishedAt: Milliseconds? = nil
    ) {
        self.scope = scope
        self.cursor = cursor
        self.everyoneSince = everyoneSince
        self.startedAt = startedAt
        self.finishedAt = finishedAt
    }
}
