internal import Basics
internal import Foundation
internal import Synchronization

/// Sees to it that the App Store is asked about one Apple account by one request at a time, and not again at once by those
/// whom everybody can be. Who waited takes what the one before found out.
final class HistoryTurns: Sendable {
    /// An Apple account by its app transaction; where that is not known, by a transaction.
    struct Account: Sendable, Hashable {
        var scope: Int64
        var identifier: String
    }

    private struct State {
        var number: UInt64 = 0
        var outcomes: [Account: AccountHistory] = [:]
        var gates: [Account: (gate: FairGate, users: Int)] = [:]
    }

    /// How long an outcome is good for where asking broke off, in seconds.
    fileprivate static let pauseAfterFailure: TimeInterval = 10
    /// How many outcomes are remembered.
    private static let capacity = 4096

    private let state = Mutex(State())

    /// What is known of an account if it is recent enough, or else what `ask` finds out, while nobody else asks about it.
    ///
    /// - Parameters:
    ///   - ids: What it is to cover. An outcome without them is of no use.
    ///   - age: How old an outcome may be, in seconds; what was found out while this waited always does.
    func outcome(
        about account: Account, of ids: [String], notOlderThan age: TimeInterval, now: @Sendable () -> Date,
        _ ask: () async throws -> AccountHistory
    ) async throws -> AccountHistory {
        let (gate, number) = join(account)
        defer { leave(account) }
        try await gate.enter()
        defer { gate.leave() }
        if let known = state.withLock({ $0.outcomes[account] }), known.covered.isSuperset(of: ids),
            known.number > number || known.isRecent(at: now(), age)
        {
            return known
        }
        return record(try await ask(), account)
    }

    /// Remembers an outcome; gives it with what was found before.
    @discardableResult
    func record(_ outcome: AccountHistory, _ account: Account) -> AccountHistory {
        state.withLock { state in
            state.number &+= 1
            var outcome = outcome
            outcome.number = state.number
            // What was found before is not found again: histories are read from where they ended.
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

    private func join(_ account: Account) -> (FairGate, UInt64) {
        state.withLock { state in
            var entry = state.gates[account] ?? (FairGate(), 0)
            entry.users += 1
            state.gates[account] = entry
            return (entry.gate, state.number)
        }
    }

    private func leave(_ account: Account) {
        state.withLock { state in
            guard var entry = state.gates[account] else { return }
            entry.users -= 1
            state.gates[account] = entry.users > 0 ? entry : nil
        }
    }
}

extension AccountHistory {
    /// A clock that was put back makes nothing recent. What broke off may be tried again sooner.
    fileprivate func isRecent(at now: Date, _ age: TimeInterval) -> Bool {
        let limit = state == .pending ? min(age, HistoryTurns.pauseAfterFailure) : age
        return (0..<max(limit, 0)).contains(now.timeIntervalSince(askedAt))
    }
}
