internal import Synchronization

/// Renders a page once for several concurrent requests.
///
/// When something changes, every open page requests its live parts at once: twenty people who watch an outage would
/// cost twenty pages a second. The first request waits a moment for the others and then renders for all of them. A
/// request that arrives during rendering waits for the next rendering. So no request receives a page whose rendering
/// began before the request, and nothing is cached. If a rendering fails, all waiting requests render separately, so
/// that they do not fail one after the other.
final class SharedRendering<Key: Hashable & Sendable>: Sendable {
    private enum Turn: Sendable {
        /// Another request has rendered the page.
        case rendered(String)
        /// Render the page for all waiting requests.
        case render
        /// Render the page for this request only, because another request failed.
        case renderAlone
        case cancelled
    }

    private struct Waiting {
        var id: Int
        var continuation: CheckedContinuation<Turn, Never>
    }

    private struct Queue {
        /// The requests that receive the current rendering.
        var current: [Waiting] = []
        /// The requests that arrived after the current rendering began.
        var next: [Waiting] = []
        /// Whether rendering has begun.
        var isBegun = false
    }

    private struct State {
        var queues: [Key: Queue] = [:]
        var lastID = 0
    }

    private let state = Mutex(State())
    private let gather: @Sendable () async -> Void

    /// - Parameter gather: Waits for further requests; rendering begins when it returns.
    init(gather: @escaping @Sendable () async -> Void = { await waitForOthers() }) { self.gather = gather }

    /// Waits 20 milliseconds: long enough for requests caused by the same change, too short to be noticed.
    private static func waitForOthers() async {
        // Ignore cancellation here; `make` detects it.
        do { try await Task.sleep(for: .milliseconds(20)) } catch { return }
    }

    /// The number of waiting requests.
    var waiting: Int {
        state.withLock { state in state.queues.values.reduce(0) { $0 + $1.current.count + $1.next.count } }
    }

    /// Returns the result of `make`, called by this request, or by another request after this one arrived.
    ///
    /// An error is thrown only to the request whose `make` threw it.
    func shared(_ key: Key, make: () async throws -> String) async throws -> String {
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        switch await turn(id, key) {
        case .rendered(let text): return text
        case .cancelled: throw CancellationError()
        case .renderAlone: return try await make()
        case .render: break
        }
        await gather()
        state.withLock { $0.queues[key]?.isBegun = true }
        do {
            let text = try await make()
            finish(key, text)
            return text
        } catch {
            fail(key)
            throw error
        }
    }

    private func turn(_ id: Int, _ key: Key) async -> Turn {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let turn: Turn? = state.withLock { state in
                    // `onCancel` ran before this request was added, so it could not remove it.
                    if Task.isCancelled { return .cancelled }
                    guard state.queues[key] != nil else {
                        state.queues[key] = Queue()
                        return .render
                    }
                    let waiting = Waiting(id: id, continuation: continuation)
                    if state.queues[key]?.isBegun == true {
                        state.queues[key]?.next.append(waiting)
                    } else {
                        state.queues[key]?.current.append(waiting)
                    }
                    return nil
                }
                if let turn { continuation.resume(returning: turn) }
            }
        } onCancel: {
            cancel(id, key)
        }
    }

    private func cancel(_ id: Int, _ key: Key) {
        let waiting = state.withLock { state -> Waiting? in
            if let index = state.queues[key]?.next.firstIndex(where: { $0.id == id }) {
                return state.queues[key]?.next.remove(at: index)
            }
            if let index = state.queues[key]?.current.firstIndex(where: { $0.id == id }) {
                return state.queues[key]?.current.remove(at: index)
            }
            return nil
        }
        waiting?.continuation.resume(returning: .cancelled)
    }

    /// Resumes the requests that waited for the text, and lets the next request render.
    private func finish(_ key: Key, _ text: String) {
        let (served, next) = state.withLock { state -> ([Waiting], Waiting?) in
            guard var queue = state.queues[key] else { return ([], nil) }
            let served = queue.current
            guard !queue.next.isEmpty else {
                state.queues[key] = nil
                return (served, nil)
            }
            let next = queue.next.removeFirst()
            state.queues[key] = Queue(current: queue.next)
            return (served, next)
        }
        for waiting in served { waiting.continuation.resume(returning: .rendered(text)) }
        next?.continuation.resume(returning: .render)
    }

    private func fail(_ key: Key) {
        let waiting = state.withLock { state in
            state.queues.removeValue(forKey: key).map { $0.current + $0.next } ?? []
        }
        for one in waiting { one.continuation.resume(returning: .renderAlone) }
    }
}
