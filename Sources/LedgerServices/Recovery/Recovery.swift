internal import AppStoreModels
package import AppStoreServer
internal import Basics
internal import Foundation
package import Ledger
package import Logging
internal import Synchronization

/// Closes gaps of the ledger: fetches missing notifications from the App Store's notification history, and the
/// transactions of known customers for times before that history.
package final class Recovery: Sendable {
    package typealias Storage = RecoveryStorage & HistoryStorage & HistoryRequestStorage

    let storage: any Storage
    let ingest: Ingest
    let histories: AccountHistories
    let scopes: AppEnvironmentRegistry
    let clients: [Int64: AppStoreServerClient]
    package let settings: RecoverySettings
    let clock: ServerClock
    let logger: Logger
    let state: Mutex<State>
    /// Ensures that only one task at a time reads the history of an app and environment.
    private let locks: [Int64: AsyncLock]

    package init(
        storage: any Storage, ingest: Ingest, histories: AccountHistories, scopes: AppEnvironmentRegistry,
        clients: [Int64: AppStoreServerClient], settings: RecoverySettings,
        clock: ServerClock, logger: Logger
    ) async throws {
        self.storage = storage
        self.ingest = ingest
        self.histories = histories
        self.scopes = scopes
        self.clients = clients
        var settings = settings
        settings.interval = settings.interval.clampedToWait
        settings.overlap = settings.overlap.clampedToWait
        self.settings = settings
        self.clock = clock
        self.logger = logger
        let marks = try await storage.completenessMarks().map { ($0.scope, $0) }
        state = Mutex(State(marks: Dictionary(marks, uniquingKeysWith: { first, _ in first })))
        locks = clients.mapValues { _ in AsyncLock() }
    }

    /// The server's time.
    var now: Milliseconds { clock.now().milliseconds }

    /// The scopes with an API key for the App Store.
    package var recoverable: [AppEnvironment] { scopes.all.filter { clients[$0.id] != nil } }

    /// Closes all gaps now, regardless of the schedule. When this method returns, all notifications are on disk, but
    /// not all are processed yet.
    ///
    /// - Throws: The first failure, after everything else was tried. The next pass continues the unfinished work.
    package func runNow() async throws {
        try await Concurrently.forEach(recoverable, atOnce: 16) { appEnvironment in
            try await self.runPass(appEnvironment, because: .request)
            try await self.runHistoryPass(appEnvironment)
        }
        try await runHistoryRequests()
    }

    /// Returns the plan of a recovery that a user requests for a part of the history.
    ///
    /// - Parameters:
    ///   - from: The start of the time span.
    ///   - until: The end of the time span; nil for now.
    ///   - filters: The notification types to read; empty for all.
    /// - Throws: ``ServiceFailure`` if `from` is older than the App Store's retention, or not before `until` and now.
    package func plan(
        _ appEnvironment: AppEnvironment, from: Milliseconds, until: Milliseconds?, filters: [NotificationFilter]
    ) throws(ServiceFailure) -> RecoveryPlan {
        let now = clock.now()
        let limit = RecoveryPlan.limit(at: now, settings)
        guard from >= limit else {
            // Rounded up to a whole second, so that the server accepts the instant in the message.
            let earliest = Date(milliseconds: limit + 999).formatted(.iso8601)
            throw ServiceFailure(
                .invalid, "too_old",
                "The App Store keeps \(settings.retentionDays) \(settings.retentionDays.noun("day")); "
                    + "`from` must not be before \(earliest).",
                parameter: "from")
        }
        let until = min(until ?? now.milliseconds, now.milliseconds)
        guard from < until else {
            throw ServiceFailure(
                .invalid, "invalid_span", "`from` must be before `to` and before now.", parameter: "to")
        }
        return .requested(appEnvironment.id, from: from, until: until, filters: filters, settings)
    }

    /// Stores a recovery that a user requests, and returns its identifier. The next pass runs it.
    package func request(_ plan: RecoveryPlan) async throws -> Int64 {
        // Also after a failure: the recovery may be stored.
        defer {
            state.withLock { state in
                if state.requestedPasses[plan.scope] == nil { state.requestedPasses[plan.scope] = .request }
            }
        }
        return try await storage.begin(plan, at: now)
    }

    /// Finishes the open recoveries of a scope, then reads the notifications signed since the completeness mark.
    ///
    /// - Parameter cause: The cause of the pass; nil to only finish open recoveries.
    package func runPass(_ appEnvironment: AppEnvironment, because cause: RecoveryRun.Cause?) async throws {
        guard let client = clients[appEnvironment.id], let lock = locks[appEnvironment.id] else { return }
        try await lock.lock()
        defer { lock.unlock() }
        do {
            var failure: (any Error)?
            var cause = cause
            let open = try await storage.openRecoveries(in: appEnvironment.id)
            for run in open {
                if run.isAhead(of: now) {
                    try await storage.record(
                        failure: "the server's clock was ahead", of: run.id, isGivenUp: true, at: now)
                    cause = cause ?? run.cause
                    continue
                }
                do { try await read(run, appEnvironment, client) } catch {
                    // A failing recovery that a user requested must not block the others.
                    if run.movesMark || Task.isCancelled { throw error }
                    failure = error
                }
            }
            if let cause { try await catchUp(appEnvironment, because: cause, client) }
            if let failure { throw failure }
            recordSuccess(in: appEnvironment, hasRead: cause != nil || !open.isEmpty)
            if cause != nil { logRefusedKey(of: client, in: appEnvironment) }
        } catch {
            if !Task.isCancelled { record(error, in: appEnvironment) }
            throw error
        }
    }

    private func catchUp(
        _ appEnvironment: AppEnvironment, because cause: RecoveryRun.Cause, _ client: AppStoreServerClient
    ) async throws {
        let spans = try await storage.unverifiedSpans(in: appEnvironment.id)
        let readsSpans = !spans.isEmpty && isTimeToReread(appEnvironment, cause)
        // Another server may have moved the mark.
        let marks = try await storage.completenessMarks()
        state.withLock { $0.marks[appEnvironment.id] = marks.first { $0.scope == appEnvironment.id } }
        let mark = mark(of: appEnvironment.id)
        let plan = RecoveryPlan.catchUp(
            appEnvironment.id, from: mark, spans: spans, readsSpans: readsSpans, at: clock.now(),
            because: cause,
            settings)
        if mark == nil { try await beginPassOverOlderPurchases(in: appEnvironment, before: plan.from) }
        let id = try await storage.begin(plan, at: now)
        recordBegin(in: appEnvironment.id)
        if let run = try await storage.recovery(id) { try await read(run, appEnvironment, client) }
        guard readsSpans else { return }
        recordRereading(of: appEnvironment, inVain: try await storage.unverifiedSpans(in: appEnvironment.id) == spans)
    }

    /// Reads the remaining windows of a recovery, stage by stage, and finishes it.
    private func read(_ run: RecoveryRun, _ appEnvironment: AppEnvironment, _ client: AppStoreServerClient) async throws
    {
        defer { logOtherUnverified(in: appEnvironment) }
        do {
            let windows = try await storage.openWindows(of: run.id)
            for stage in Set(windows.map(\.stage)).sorted() {
                try await Concurrently.forEach(
                    windows.filter { $0.stage == stage }, atOnce: settings.parallelWindows, shareKey: true
                ) { window in
                    try await self.read(window, in: appEnvironment, isHint: window.onlyFailures, client)
                }
            }
            let mark = try await storage.finish(
                recovery: run.id, until: run.until - RecoveryPlan.historyDelay,
                limit: RecoveryPlan.limit(at: clock.now(), settings), at: now)
            if let mark { record(mark, in: appEnvironment) }
        } catch {
            if Task.isCancelled { throw error }
            let isGivenUp = !run.movesMark && (error as? AppStoreServerError)?.isFinal ?? false
            try await storage.record(
                failure: String(error.logReason.prefix(500)), of: run.id, isGivenUp: isGivenUp, at: now)
            if !isGivenUp { throw error }
        }
    }
}
