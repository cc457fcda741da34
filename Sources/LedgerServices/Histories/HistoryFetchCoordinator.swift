internal import AppStoreModels
internal import Basics
internal import Foundation
internal import Synchronization

/// Coordinates fetches of histories: at most one at a time per Apple account. Requests that wait for it share the next
/// one, and recent outcomes are cached.
final class HistoryFetchCoordinator: Sendable {
    /// An Apple account, identified by its app transaction, or by a transaction if that is unknown.
    struct Account: Sendable, Hashable {
        var scope: Int64
        var identifier: ExactText
    }

    private struct State {
        /// The number of fetches that have begun.
        var begun: UInt64 = 0
        var outcomes: [Account: AccountHistory] = [:]
        var locks: [Account: (lock: AsyncLock, users: Int)] = [:]
    }

    /// The maximum age of a cached `pending` outcome, in seconds.
    fileprivate static let pauseAfterFailure: TimeInterval = 10
    /// The maximum number of cached outcomes.
    private static let capacity = 4096

    private let state = Mutex(State())

    /// Returns the cached outcome for an account if it is recent enough, or else the outcome of `fetch`, which runs
    /// once at a time per account.
    ///
    /// - Parameters:
    ///   - ids: The identifiers that the outcome must cover.
    ///   - age: The maximum age of a cached outcome, in seconds. The outcome of a fetch that began while this call
    ///     waited is always recent enough. One that began earlier may lack what the call is about, such as an extension.
    func outcome(
        about account: Account, of ids: [String], notOlderThan age: TimeInterval, now: @Sendable () -> Date,
        fetch: () async throws -> AccountHistory
    ) async throws -> AccountHistory {
        let (lock, begunBefore) = retainLock(of: account)
        defer { releaseLock(of: account) }
        try await lock.lock()
        defer { lock.unlock() }
        if let known = state.withLock({ $0.outcomes[account] }),
            known.covered.isSuperset(of: ids.map { ExactText($0) }),
            known.number > begunBefore || known.isRecent(at: now(), age)
        {
            return known
        }
        let number = begin()
        return record(try await fetch(), account, number)
    }

    /// Returns the number of a fetch that begins now.
    func begin() -> UInt64 {
        state.withLock { state in
            state.begun &+= 1
            return state.begun
        }
    }

    /// The number of calls that wait for the end of a fetch.
    func waiting(for account: Account) -> Int { state.withLock { $0.locks[account]?.lock.waiting ?? 0 } }

    /// Caches the outcome of the fetch with a number. Returns it merged with the identifiers found before.
    @discardableResult
    func record(_ outcome: AccountHistory, _ account: Account, _ number: UInt64) -> AccountHistory {
        state.withLock { state in
            var outcome = outcome
            outcome.number = number
            // A reading continues where the last one ended, so it does not find earlier purchases again.
            if let last = state.outcomes[account] {
                outcome.found.formUnion(last.found)
                outcome.covered.formUnion(last.covered)
            } else if state.outcomes.count >= Self.capacity,
                let oldest = state.outcomes.min(by: { $0.value.number < $1.value.number })
            {
                state.outcomes[oldest.key] = nil
            }
            state.outcomes[account] = outcome
            return outcome
        }
    }

    private func retainLock(of account: Account) -> (AsyncLock, UInt64) {
        state.withLock { state in
            var entry = state.locks[account] ?? (AsyncLock(), 0)
            entry.users += 1
            state.locks[account] = entry
            return (entry.lock, state.begun)
        }
    }

    private func releaseLock(of account: Account) {
        state.withLock { state in
            guard var entry = state.locks[account] else { return }
            entry.users -= 1
            state.locks[account] = entry.users > 0 ? entry : nil
        }
    }
}

extension AccountHistory {
    /// Whether the outcome is younger than `age`. Outcomes from the future are not recent, after the clock was set
    /// back. For `pending` outcomes the limit is shorter.
    fileprivate func isRecent(at now: Date, _ age: TimeInterval) -> Bool {
        let limit = state == .pending ? min(age, HistoryFetchCoordinator.pauseAfterFailure) : age
        return (0..<max(limit, 0)).contains(now.timeIntervalSince(askedAt))
    }
}
