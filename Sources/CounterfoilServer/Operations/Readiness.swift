internal import Ledger
internal import Synchronization

/// Whether the server can do its work at the moment.
package final class Readiness: Sendable {
    private struct State {
        var isDraining = false
        /// When the check began that has not ended.
        var began: ContinuousClock.Instant?
        var checked: ContinuousClock.Instant?
        /// What is wrong with the ledger: a code.
        var problem: String?
        /// What was said last.
        var told = ""
    }

    /// How long an answer is good for: who asks often must not keep the disk busy.
    private static let validity = Duration.seconds(1)
    /// How long a commit may wait for the disk before the server is not ready.
    package static let limit = Duration.seconds(5)
    /// The code for a commit that waits longer.
    package static let stalled = "storage_stalled"

    private let state = Mutex(State())
    private let check: @Sendable () async throws -> Void
    private let patience: Duration
    private let now: @Sendable () -> ContinuousClock.Instant

    /// Asks `check`, at most once a second, whether something can be kept.
    ///
    /// - Parameter patience: How long whoever asks waits for the answer. A disk may never give one.
    package init(
        patience: Duration = .milliseconds(500), now: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
        check: @escaping @Sendable () async throws -> Void
    ) {
        (self.patience, self.now, self.check) = (patience, now, check)
    }

    /// The server takes no more requests soon.
    package func startDraining() { state.withLock { $0.isDraining = true } }

    /// Whether this is something else than what was said last.
    func isNews(_ states: String) -> Bool {
        state.withLock { state in
            defer { state.told = states }
            return state.told != states
        }
    }

    package var isDraining: Bool { state.withLock(\.isDraining) }

    /// What is wrong with the ledger, as a code; nil when it can be written.
    package func ledgerProblem() async -> String? {
        let asked = now()
        let mustCheck = state.withLock { state in
            if state.began != nil { return false }
            if let checked = state.checked, checked.duration(to: asked) < Self.validity { return false }
            state.began = asked
            return true
        }
        if mustCheck { await beginCheck() }
        let current = now()
        return state.withLock { state in
            guard let began = state.began else { return state.problem }
            let waited = began.duration(to: current)
            // Of a disk that has not answered at all, nobody knows anything good: but whoever asks during the first check does
            // not say so before whoever began it.
            let isUnknown = state.checked == nil && (mustCheck || waited >= patience)
            return isUnknown || waited >= Self.limit ? Self.stalled : state.problem
        }
    }

    /// Begins a check, and waits for its end as long as patience lasts.
    private func beginCheck() async {
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        // In a task of its own: a commit that waits for the disk cannot be cancelled, and ends when the disk answers.
        Task {
            await carryOutCheck()
            end.finish()
        }
        await withTaskGroup(of: Void.self) { group in
            group.addTask { for await _ in ends {} }
            group.addTask { [patience] in
                // Cancelled is the end.
                do { try await Task.sleep(for: patience) } catch { return }
            }
            await group.next()
            group.cancelAll()
        }
    }

    private func carryOutCheck() async {
        let problem: String?
        do {
            try await check()
            problem = nil
        } catch let error as StorageError { problem = error.code.rawValue } catch { problem = "storage_failed" }
        let ended = now()
        state.withLock { state in
            (state.began, state.checked, state.problem) = (nil, ended, problem)
        }
    }
}
