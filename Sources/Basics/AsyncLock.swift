import Synchronization

/// An asynchronous lock that grants access to one task at a time, in the order of arrival. A task that is cancelled
/// while it waits leaves the queue at once.
package final class AsyncLock: Sendable {
    private struct State {
        var isTaken = false
        var lastID: UInt64 = 0
        var queue: [(id: UInt64, continuation: CheckedContinuation<Bool, Never>)] = []
    }

    private let state = Mutex(State())

    package init() {}

    /// The number of waiting tasks.
    package var waiting: Int { state.withLock { $0.queue.count } }

    /// Waits until all earlier tasks have unlocked, then locks. Each call that returns must be paired with ``unlock()``.
    ///
    /// - Throws: `CancellationError` if the task is cancelled first.
    package func lock() async throws(CancellationError) {
        if Task.isCancelled { throw CancellationError() }
        let id = state.withLock { state -> UInt64? in
            guard state.isTaken else {
                state.isTaken = true
                return nil
            }
            state.lastID += 1
            return state.lastID
        }
        guard let id else { return }
        let hasLocked = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in queue(continuation, id) }
        } onCancel: {
            let waiter = state.withLock { state in
                state.queue.firstIndex { $0.id == id }.map { state.queue.remove(at: $0) }
            }
            waiter?.continuation.resume(returning: false)
        }
        guard hasLocked else { throw CancellationError() }
    }

    /// Unlocks, and lets the next task lock.
    package func unlock() {
        let next = state.withLock { state -> CheckedContinuation<Bool, Never>? in
            guard !state.queue.isEmpty else {
                state.isTaken = false
                return nil
            }
            return state.queue.removeFirst().continuation
        }
        next?.resume(returning: true)
    }

    private func queue(_ continuation: CheckedContinuation<Bool, Never>, _ id: UInt64) {
        enum Action { case wait, go, stop }
        let action = state.withLock { state -> Action in
            // If the cancellation handler already ran, the task is cancelled. Otherwise, the handler finds the entry
            // later.
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
        case .go: continuation.resume(returning: true)
        case .stop: continuation.resume(returning: false)
        }
    }
}
