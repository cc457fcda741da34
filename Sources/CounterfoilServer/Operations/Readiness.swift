internal import Ledger
internal import Synchronization

/// Whether the server can do its work at the moment.
package final class Readiness: Sendable {
    private struct State {
        var isDraining = false
        var isChecking = false
        var checked: ContinuousClock.Instant?
        /// What is wrong with the ledger: a code.
        var problem: String?
        /// What was said last.
        var told = ""
    }

    /// How long an answer is good for: who asks often must not keep the disk busy.
    private static let validity = Duration.seconds(1)
    private let state = Mutex(State())
    private let check: @Sendable () async throws -> Void

    /// Asks `check`, at most once a second, whether something can be kept.
    package init(check: @escaping @Sendable () async throws -> Void) { self.check = check }

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
        let mustCheck = state.withLock { state in
            if state.isChecking { return false }
            if let checked = state.checked, checked.duration(to: .now) < Self.validity { return false }
            state.isChecking = true
            return true
        }
        guard mustCheck else { return state.withLock(\.problem) }
        let problem: String?
        do {
            try await check()
            problem = nil
        } catch let error as StorageError { problem = error.code.rawValue } catch { problem = "storage_failed" }
        state.withLock { state in
            (state.isChecking, state.checked, state.problem) = (false, .now, problem)
        }
        return problem
    }
}
