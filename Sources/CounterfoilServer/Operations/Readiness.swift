internal import Basics
internal import Ledger
internal import Synchronization

/// Tracks whether the server can handle requests.
package final class Readiness: Sendable {
    private struct State {
        var isDraining = false
        /// The start of the check in progress.
        var began: ContinuousClock.Instant?
        /// The end of the last check.
        var checked: ContinuousClock.Instant?
        /// The error of the last check; nil if it succeeded.
        var failure: StorageError?
        /// The states that were reported last.
        var reported = ""
    }

    /// How long a result is valid. Frequent requests must not keep the disk busy.
    private static let validity = Duration.seconds(1)
    /// The same for metrics, which are sampled also when nobody looks at them.
    private static let validityForMetrics = Duration.seconds(30)
    /// The maximum duration of the check's commit before the server counts as not ready.
    package static let limit = Duration.seconds(5)
    /// The code for a commit that takes longer.
    private static let stalled = "storage_stalled"

    private let state = Mutex(State())
    private let check: @Sendable () async throws -> Void
    private let timeout: Duration
    private let now: @Sendable () -> ContinuousClock.Instant

    /// - Parameters:
    ///   - timeout: How long a caller waits for the result of a check. With a stalled disk, a check may never end.
    ///   - check: Throws if the ledger cannot be written. Called at most once a second.
    package init(
        timeout: Duration = .milliseconds(500), now: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
        check: @escaping @Sendable () async throws -> Void
    ) {
        (self.timeout, self.now, self.check) = (timeout, now, check)
    }

    /// Marks the server as draining: it will soon accept no more requests.
    package func startDraining() { state.withLock { $0.isDraining = true } }

    /// Stores the reported states. Returns the states that were reported before; empty the first time.
    func recordStates(_ states: String) -> String {
        state.withLock { state in
            defer { state.reported = states }
            return state.reported
        }
    }

    package var isDraining: Bool { state.withLock(\.isDraining) }

    /// Whether the server can handle requests, for metrics: from a check of the last half minute.
    func isReady() async -> Bool {
        if isDraining { return false }
        return await ledgerProblem(maximumAge: Self.validityForMetrics) == nil
    }

    /// Returns the code of the ledger's problem; nil if the ledger can be written.
    package func ledgerProblem() async -> String? { await ledgerProblem(maximumAge: Self.validity) }

    /// Returns what is wrong with the ledger, and what to do; nil if the last check found another problem.
    func reason(of problem: String) -> String? {
        let failure = state.withLock(\.failure)
        return failure?.code.rawValue == problem ? failure?.logReason : nil
    }

    private func ledgerProblem(maximumAge: Duration) async -> String? {
        let start = now()
        let mustCheck = state.withLock { state in
            if state.began != nil { return false }
            if let checked = state.checked, checked.duration(to: start) < maximumAge { return false }
            state.began = start
            return true
        }
        if mustCheck { await beginCheck() }
        let current = now()
        return state.withLock { state in
            guard let began = state.began else { return state.failure?.code.rawValue }
            let waited = began.duration(to: current)
            // Before the first check ends, nothing is known. The caller that began it has waited long enough; other
            // callers report a stall only when that check has lasted longer than `timeout`.
            let isUnknown = state.checked == nil && (mustCheck || waited >= timeout)
            return isUnknown || waited >= Self.limit ? Self.stalled : state.failure?.code.rawValue
        }
    }

    /// Starts a check and waits for its end, at most as long as `timeout`.
    private func beginCheck() async {
        let (ended, continuation) = AsyncStream.makeStream(of: Void.self)
        // Use an unstructured task: a commit that waits for the disk cannot be cancelled and ends when the disk
        // responds.
        Task {
            await runCheck()
            continuation.finish()
        }
        // A cancelled caller stops waiting.
        do { _ = try await TimeLimit.run(timeout) { for await _ in ended {} } } catch { return }
    }

    private func runCheck() async {
        let failure: StorageError?
        do {
            try await check()
            failure = nil
        } catch let error as StorageError { failure = error } catch {
            failure = StorageError(.failed, error.logReason)
        }
        let ended = now()
        state.withLock { state in
            (state.began, state.checked, state.failure) = (nil, ended, failure)
        }
    }
}
