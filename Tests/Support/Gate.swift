internal import Synchronization

/// A gate that blocks tasks until it is opened.
package final class Gate: Sendable {
    private struct State {
        var isOpen = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    package init() {}

    package func open() {
        let waiting = state.withLock { state in
            state.isOpen = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }

    /// Waits until the gate is open, even if the task is cancelled. After ten minutes it opens by itself, so that a test
    /// that fails before it opens the gate ends.
    package func pass() async {
        let limit = Task {
            do { try await Task.sleep(for: .seconds(600)) } catch { return }
            open()
        }
        defer { limit.cancel() }
        await withCheckedContinuation { continuation in
            let isOpen = state.withLock { state in
                if !state.isOpen { state.waiting.append(continuation) }
                return state.isOpen
            }
            if isOpen { continuation.resume() }
        }
    }
}
