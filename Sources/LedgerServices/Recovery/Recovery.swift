package import Ledger
internal import AppStoreModels
package import AppStoreServer
internal import Basics
internal import Foundation
package import Logging
internal import Synchronization

/// Closes the gaps of the ledger: asks the App Store for the notifications that did not arrive, and, where its history does
/// not reach, for the transactions of the customers that are known.
package final class Recovery: Sendable {
    /// What keeps a scope from being complete.
    struct Trouble: Sendable {
        var count = 0
        /// Nothing is tried before it is over.
        var pause: ServerClock.Pause?
        var message = ""
    }

    /// When what could not be believed is read again.
    struct Rereading: Sendable {
        /// How often it was in vain.
        var count = 0
        var pause: ServerClock.Pause?
    }

    private struct State {
        var marks: [Int64: CompletenessMark]
        /// Passes that somebody asked for.
        var wanted: [Int64: RecoveryRun.Cause] = [:]
        var troubles: [Int64: Trouble] = [:]
        var rereadings: [Int64: Rereading] = [:]
    }

    package typealias Storage = RecoveryStorage & HistoryStorage & HistoryRequestStorage

    let storage: any Storage
    let ingest: Ingest
    let histories: AccountHistories
    let scopes: ScopeRegistry
    let clients: [Int64: AppStoreServerClient]
    let settings: RecoverySettings
    let clock: ServerClock
    let logger: Logger
    private let state: Mutex<State>
    /// One task at a time reads the history of a scope.
    private let gates: [Int64: FairGate]

    package init(
        storage: any Storage, ingest: Ingest, histories: AccountHistories, scopes: ScopeRegistry,
        clients: [Int64: AppStoreServerClient], settings: RecoverySettings,
        clock: ServerClock, logger: Logger
    ) async throws {
        self.storage = storage
        self.ingest = ingest
        self.histories = histories
        self.scopes = scopes
        self.clients = clients
        self.settings = settings
        self.clock = clock
        self.logger = logger
        let marks = try await storage.completenessMarks().map { ($0.scope, $0) }
        state = Mutex(State(marks: Dictionary(marks, uniquingKeysWith: { first, _ in first })))
        gates = clients.mapValues { _ in FairGate() }
    }

    /// The server's time.
    var now: Milliseconds { clock.now().milliseconds }

    /// The scopes that the App Store can be asked about.
    package var recoverable: [Scope] { scopes.all.filter { clients[$0.id] != nil } }

    /// Closes all gaps now, whatever the schedule says: everything is on disk when this returns, though not all folded yet.
    ///
    /// - Throws: The first failure, after everything else was tried. What is left goes on with the next pass.
    package func runNow() async throws {
        try await Concurrently.forEach(recoverable, atOnce: 16) { scope in
            try await self.pass(scope, because: .request)
            try await self.continuePass(scope, pages: .max, startingAnew: true)
        }
        try await runHistoryRequests()
    }

    /// What is asked for where somebody wants a part of the history read again.
    ///
    /// - Parameters:
    ///   - from: The beginning.
    ///   - until: The end; nil for now.
    ///   - filters: Which kinds; empty for all.
    /// - Throws: Where the App Store does not keep all of that time any more, or nothing of it has passed.
    package func plan(
        _ scope: Scope, from: Milliseconds, until: Milliseconds?, filters: [NotificationFilter]
    ) throws(ServiceFailure) -> RecoveryPlan {
        let now = clock.now()
        let limit = RecoveryPlan.limit(at: now, settings)
        guard from >= limit else {
            let earliest = Date(milliseconds: limit).formatted(.iso8601)
            throw ServiceFailure(
                .invalid, "too_old",
                "The App Store keeps \(settings.retentionDays) days; `from` must be after \(earliest).",
                parameter: "from")
        }
        let until = min(until ?? now.milliseconds, now.milliseconds)
        guard from < until else {
            throw ServiceFailure(
                .invalid, "invalid_span", "`from` must be before `to` and before now.", parameter: "to")
        }
        return .asked(scope.id, from: from, until: until, filters: filters, settings)
    }

    /// Records a request to read a part of the history again. Returns its number.
    package func request(_ plan: RecoveryPlan) async throws -> Int64 {
        let id = try await storage.begin(plan, at: now)
        state.withLock { state in
            if state.wanted[plan.scope] == nil { state.wanted[plan.scope] = .request }
        }
        return id
    }

    /// Finishes what is open in a scope, then reads what was signed since the mark.
    ///
    /// - Parameter cause: nil to finish only what is open.
    package func pass(_ scope: Scope, because cause: RecoveryRun.Cause?) async throws {
        guard let client = clients[scope.id], let gate = gates[scope.id] else { return }
        try await gate.enter()
        defer { gate.leave() }
        do {
            var failure: (any Error)?
            var cause = cause
            for run in try await storage.openRecoveries(in: scope.id) {
                if run.movesMark, run.until > now + RecoveryPlan.settling {
                    // Planned by a clock that was ahead: the App Store refuses to tell the future.
                    try await storage.record(
                        failure: "the server's clock was ahead", of: run.id, isGivenUp: true, at: now)
                    cause = cause ?? run.cause
                    continue
                }
                do { try await read(run, scope, client) } catch {
                    // What somebody asked for does not hold up the rest.
                    if run.movesMark || Task.isCancelled { throw error }
                    failure = error
                }
            }
            if let cause { try await catchUp(scope, because: cause, client) }
            if let failure { throw failure }
            state.withLock { $0.troubles[scope.id] = nil }
        } catch {
            if !Task.isCancelled { record(error, in: scope) }
            throw error
        }
    }

    private func catchUp(
        _ scope: Scope, because cause: RecoveryRun.Cause, _ client: AppStoreServerClient
    ) async throws {
        let spans = try await storage.unverifiedSpans(in: scope.id)
        let readsSpans = !spans.isEmpty && isTimeToReread(scope, cause)
        let plan = RecoveryPlan.catchUp(
            scope.id, from: mark(of: scope.id), spans: spans, readsSpans: readsSpans, at: clock.now(), because: cause,
            settings)
        let id = try await storage.begin(plan, at: now)
        if let run = try await storage.recovery(id) { try await read(run, scope, client) }
        guard readsSpans else { return }
        recordRereading(of: scope, inVain: try await storage.unverifiedSpans(in: scope.id) == spans)
    }

    /// Reads what is left of a recovery, stage by stage, and ends it.
    private func read(_ run: RecoveryRun, _ scope: Scope, _ client: AppStoreServerClient) async throws {
        do {
            let windows = try await storage.openWindows(of: run.id)
            for stage in Set(windows.map(\.stage)).sorted() {
                try await Concurrently.forEach(windows.filter { $0.stage == stage }, atOnce: settings.windows) {
                    window in
                    try await self.read(window, isHint: window.onlyFailures, client)
                }
            }
            let mark = try await storage.finish(
                recovery: run.id, until: run.until - RecoveryPlan.settling,
                limit: RecoveryPlan.limit(at: clock.now(), settings), at: now)
            if let mark { state.withLock { $0.marks[scope.id] = mark } }
        } catch {
            if Task.isCancelled { throw error }
            let isGivenUp = !run.movesMark && (error as? AppStoreServerError)?.isFinal ?? false
            try await storage.record(
                failure: String(error.logReason.prefix(500)), of: run.id, isGivenUp: isGivenUp, at: now)
            if !isGivenUp { throw error }
        }
    }
}

extension Recovery {
    /// The mark of a scope.
    package func mark(of scope: Int64) -> CompletenessMark? {
        let now = now
        return state.withLock { $0.marks[scope]?.holding(at: now) }
    }

    /// Whether what could not be believed is worth another reading: after a start and when somebody asks, since the
    /// configuration may be another; else now and then, and ever less often.
    private func isTimeToReread(_ scope: Scope, _ cause: RecoveryRun.Cause) -> Bool {
        guard cause == .schedule || cause == .outage else { return true }
        return state.withLock { $0.rereadings[scope.id]?.pause }.map(clock.isOver) ?? true
    }

    private func recordRereading(of scope: Scope, inVain: Bool) {
        state.withLock { state in
            var rereading = state.rereadings[scope.id] ?? Rereading()
            rereading.count = inVain ? rereading.count + 1 : 0
            let pause = settings.interval * (1 << min(rereading.count, 16))
            rereading.pause = clock.pause(of: min(pause, .seconds(86_400)))
            state.rereadings[scope.id] = rereading
        }
    }

    /// What keeps a scope from being complete.
    func trouble(in scope: Int64) -> Trouble? { state.withLock { $0.troubles[scope] } }

    /// Whether it is too early to try again.
    func isPausing(_ scope: Scope) -> Bool { trouble(in: scope.id)?.pause.map { !clock.isOver($0) } ?? false }

    /// Takes the requested cause of a pass.
    func takeRequestedCause(in scope: Int64) -> RecoveryRun.Cause? {
        state.withLock { $0.wanted.removeValue(forKey: scope) }
    }

    /// Looks whether a notification that has just arrived betrays that others did not: it is new here, was signed long ago,
    /// and nobody has looked since.
    package func recordDelivery(_ acceptance: Ingest.Acceptance) {
        guard case .kept = acceptance.reception, settings.isEnabled else { return }
        let signed = acceptance.notification.payload.signedDate.milliseconds
        guard LateDelivery.isLate(signed: signed, received: now, .delivered) else { return }
        let scope = acceptance.scope.id
        state.withLock { state in
            guard let mark = state.marks[scope], mark.readUntil < signed else { return }
            state.wanted[scope] = .outage
        }
    }

    /// For how long, in seconds, a scope has not been known to be complete; nil while it never was. Cheap, for metrics.
    package func completenessAges() -> [(scope: Scope, age: Double?)] {
        let (marks, now) = (state.withLock { $0.marks }, now)
        return recoverable.map { scope in
            (scope, marks[scope.id].map { Double(max(now - $0.holding(at: now).until, 0)) / 1000 })
        }
    }

    /// How often in a row passes have failed. Cheap, for metrics.
    package func failuresInARow() -> [(scope: Scope, count: Int)] {
        let troubles = state.withLock { $0.troubles }
        return recoverable.map { ($0, troubles[$0.id]?.count ?? 0) }
    }

    /// Notes a failure outside of a pass, which notes its own.
    func recordIfNew(_ error: any Error, in scope: Scope) {
        if isPausing(scope) { return }
        record(error, in: scope)
    }

    private func record(_ error: any Error, in scope: Scope) {
        state.withLock { state in
            var trouble = state.troubles[scope.id] ?? Trouble()
            trouble.add(error, clock)
            state.troubles[scope.id] = trouble
        }
        logger.warning(
            "recovery failed and will be tried again",
            metadata: [
                "app": "\(scope.bundleID)", "environment": "\(scope.environment.rawValue)",
                "reason": "\(error.logReason.prefix(500))",
            ])
    }
}

extension Recovery.Trouble {
    mutating func add(_ error: any Error, _ clock: ServerClock) {
        let (count, pause) = RecoveryPause.after(count, error)
        self.count = count
        self.pause = clock.pause(of: pause)
        // Where the client did not call, what failed before is still what is wrong.
        if message.isEmpty || (error as? AppStoreServerError)?.code != .circuitOpen {
            message = String(error.logReason.prefix(500))
        }
    }
}
