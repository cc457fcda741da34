import Synchronization

/// A door that one task at a time goes through, in the order in which they came. A task that is cancelled while it waits
/// leaves the queue at once.
package final class FairGate: Sendable {
    private struct State {
        var isTaken = false
        var lastID: UInt64 = 0
        var queue: [(id: UInt64, continuation: CheckedContinuation<Void, any Error>)] = []
    }

    private let state = Mutex(State())

    package init() {}

    /// How many tasks wait.
    package var waiting: Int { state.withLock { $0.queue.count } }

    /// Goes through as soon as everybody who came before has left. Pair it with ``leave()``.
    package func enter() async throws {
        try Task.checkCancellation()
        let id = state.withLock { state -> UInt64? in
            guard state.isTaken else {
                state.isTaken = true
                return nil
            }
            state.lastID += 1
            return state.lastID
        }
        guard let id else { return }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in queue(continuation, id) }
        } onCancel: {
            let waiter = state.withLock { state in
                state.queue.firstIndex { $0.id == id }.map { state.queue.remove(at: $0) }
            }
            waiter?.continuation.resume(throwing: CancellationError())
        }
    }

    /// Lets the next one in.
    package func leave() {
        let next = state.withLock { state -> CheckedContinuation<Void, any Error>? in
            guard !state.queue.isEmpty else {
                state.isTaken = false
                return nil
            }
            return state.queue.removeFirst().continuation
        }
        next?.resume()
    }

    private func queue(_ continuation: CheckedContinuation<Void, any Error>, _ id: UInt64) {
        enum Action { case wait, go, stop }
        let action = state.withLock { state -> Action in
            // Either the handler above ran before this and the flag is set, or it runs later and finds the entry.
            if Task.isCancelled { return .stop }
            guard state.isTaken else {
                state.isTaken = true
                return .go
            }
            state.queue.append((id, continuation))
            return .wait
        }
        switch action {
        case .wait: break
        case .go: continuation.resume()
        case .stop: continuation.resume(throwing: CancellationError())
        }
    }
}
