internal import AppStoreModels
internal import AppStoreServer
internal import Basics
internal import Foundation
package import Ledger
internal import Logging
internal import Synchronization

extension Recovery {
    /// The consecutive failures of a scope.
    struct Failures: Sendable {
        var count = 0
        /// The pause before the next attempt.
        var pause: ServerClock.Pause?
        var message = ""
    }

    /// The schedule for reading spans with unverified notifications again.
    struct RereadSchedule: Sendable {
        /// The number of consecutive rereadings that changed nothing.
        var count = 0
        var pause: ServerClock.Pause?
    }

    /// Unverified notifications with the same error code.
    struct UnverifiedCount: Sendable {
        var count: Int
        /// The reason of one of them.
        var message: String
    }

    /// What recovery remembers between passes. Another server on the same ledger does not share it.
    struct State {
        var marks: [Int64: CompletenessMark]
        /// The unverified notifications of the present reading that the log does not contain, by scope and error code.
        var unlogged: [Int64: [String: UnverifiedCount]] = [:]
        /// The requested passes, by scope.
        var requestedPasses: [Int64: RecoveryRun.Cause] = [:]
        var failures: [Int64: Failures] = [:]
        var rereadings: [Int64: RereadSchedule] = [:]
        /// The newer keys that the App Store refused at the last reading, by scope.
        var refusedKeys: [Int64: String] = [:]
    }
}

extension Recovery {
    /// The completeness mark of a scope.
    package func mark(of scope: Int64) -> CompletenessMark? {
        let now = now
        return state.withLock { $0.marks[scope]?.validPart(at: now) }
    }

    /// Whether to read spans with unverified notifications again: always at the start and on request, because the
    /// configuration may have changed; otherwise after pauses that grow.
    func isTimeToReread(_ appEnvironment: AppEnvironment, _ cause: RecoveryRun.Cause) -> Bool {
        guard cause == .schedule || cause == .outage else { return true }
        return state.withLock { $0.rereadings[appEnvironment.id]?.pause }.map(clock.isOver) ?? true
    }

    func recordRereading(of appEnvironment: AppEnvironment, inVain: Bool) {
        state.withLock { state in
            var rereading = state.rereadings[appEnvironment.id] ?? RereadSchedule()
            rereading.count = inVain ? rereading.count + 1 : 0
            let pause = RecoveryPause.beforeRereading(rereading.count, interval: settings.interval)
            rereading.pause = clock.pause(of: pause)
            state.rereadings[appEnvironment.id] = rereading
        }
    }

    /// The consecutive failures of a scope; nil if the last pass succeeded.
    func failures(in scope: Int64) -> Failures? { state.withLock { $0.failures[scope] } }

    /// Whether the pause after the last failure is not over.
    func isPausing(_ appEnvironment: AppEnvironment) -> Bool {
        failures(in: appEnvironment.id)?.pause.map { !clock.isOver($0) } ?? false
    }

    /// Returns the cause of the requested pass of a scope, and removes it unless it is an outage, whose recovery is not
    /// stored yet; nil if none is requested.
    func takeRequestedCause(in scope: Int64) -> RecoveryRun.Cause? {
        state.withLock { state in
            let cause = state.requestedPasses[scope]
            if cause != .outage { state.requestedPasses[scope] = nil }
            return cause
        }
    }

    /// Records that a recovery up to the present is stored, as after an outage. A user may have requested another one
    /// meanwhile, which the next pass runs.
    func recordBegin(in scope: Int64) {
        state.withLock { state in
            if state.requestedPasses[scope] == .outage { state.requestedPasses[scope] = .request }
        }
    }

    /// Requests a pass if a delivered notification indicates an outage: it is new, was signed long ago, and the history
    /// was not read up to its signing date yet.
    package func recordDelivery(_ acceptance: Ingest.Acceptance) {
        guard case .stored = acceptance.insertion, settings.isEnabled else { return }
        let signed = acceptance.signedDate
        guard LateDelivery.isLate(signed: signed, received: now, .delivered) else { return }
        let scope = acceptance.appEnvironment.id
        state.withLock { state in
            guard let mark = state.marks[scope], mark.readUntil < signed else { return }
            state.requestedPasses[scope] = .outage
        }
    }

    /// The age of each scope's completeness mark in seconds; nil if the scope was never complete. For metrics: reads no
    /// storage.
    package func completenessAges() -> [(appEnvironment: AppEnvironment, age: Double?)] {
        let (marks, now) = (state.withLock { $0.marks }, now)
        return recoverable.map { appEnvironment in
            (appEnvironment, marks[appEnvironment.id].map { Double(max(now - $0.validPart(at: now).until, 0)) / 1000 })
        }
    }

    /// Counts unverified notifications of a reading. Returns true for the first ones of an error code, which are logged
    /// immediately.
    func isFirst(_ unverified: UnverifiedCount, _ code: String, in scope: Int64) -> Bool {
        state.withLock { state in
            let known = state.unlogged[scope]?[code]
            // The first ones are logged, so only the later ones count.
            let count = known.map { $0.count + unverified.count } ?? 0
            state.unlogged[scope, default: [:]][code] = UnverifiedCount(count: count, message: unverified.message)
            return known == nil
        }
    }

    /// Removes and returns the unverified notifications of a reading that were not logged.
    func takeUnlogged(in scope: Int64) -> [String: UnverifiedCount] {
        state.withLock { $0.unlogged.removeValue(forKey: scope) } ?? [:]
    }

    /// The number of consecutive failures of each scope. For metrics: reads no storage.
    package func consecutiveFailures() -> [(appEnvironment: AppEnvironment, count: Int)] {
        let failures = state.withLock { $0.failures }
        return recoverable.map { ($0, failures[$0.id]?.count ?? 0) }
    }

    /// Records a failure unless the scope already pauses: a pass records its own failures.
    func recordIfNew(_ error: any Error, in appEnvironment: AppEnvironment) {
        if isPausing(appEnvironment) { return }
        record(error, in: appEnvironment)
    }

    /// Ends the consecutive failures of a scope, and logs that unless the pass had nothing to read: then the failure was
    /// that of a purchase history, which may still fail.
    func recordSuccess(in appEnvironment: AppEnvironment, hasRead: Bool) {
        let failures = state.withLock { $0.failures.removeValue(forKey: appEnvironment.id) }
        guard let failures, hasRead else { return }
        logger.notice(
            "recovery works again",
            metadata: appEnvironment.logMetadata(["failures": "\(failures.count)"]))
    }

    /// Logs once that the App Store refuses the newer of two keys. Requests succeed with the older one, but the server
    /// signs offers with the newer.
    func logRefusedKey(of client: AppStoreServerClient, in appEnvironment: AppEnvironment) {
        let refused = client.tokens.refusedKeyID
        let former = state.withLock { state in
            defer { state.refusedKeys[appEnvironment.id] = refused }
            return state.refusedKeys[appEnvironment.id]
        }
        guard let refused, refused != former else { return }
        logger.warning(
            "the App Store does not accept the newer key; requests use the older one",
            metadata: appEnvironment.logMetadata(["key_id": "\(refused)"]))
    }

    func record(_ error: any Error, in appEnvironment: AppEnvironment) {
        let isNews = state.withLock { state in
            var failures = state.failures[appEnvironment.id] ?? Failures()
            defer { state.failures[appEnvironment.id] = failures }
            return failures.add(error, clock)
        }
        logger.log(
            level: isNews ? .warning : .debug, "recovery failed and will be tried again",
            metadata: appEnvironment.logMetadata(["reason": "\(error.logReason.prefix(500))"]))
    }
}

extension Recovery.Failures {
    /// Adds a failure. Returns whether it tells something new.
    ///
    /// With an open circuit breaker the client made no request, so the earlier message still tells the cause. While the
    /// breaker waits for the response to its probe, there is such a failure every second.
    @discardableResult
    mutating func add(_ error: any Error, _ clock: ServerClock) -> Bool {
        let failure = error as? AppStoreServerError
        let isCircuitOpen = failure?.code == .circuitOpen
        let (count, pause) = RecoveryPause.after(
            count, requestedDelay: failure?.retryAfter.map { Duration.seconds($0.timeIntervalSinceNow) },
            isCircuitOpen: isCircuitOpen)
        self.count = count
        self.pause = clock.pause(of: pause)
        guard message.isEmpty || !isCircuitOpen else { return false }
        message = String(error.logReason.prefix(500))
        return true
    }
}
