internal import Synchronization

/// Has what several ask for at the same moment made once for all of them.
///
/// When something changes, every open page asks for its live parts at once: twenty people who watch an outage would cost twenty
/// pages a second. Whoever asks first waits a moment for the others, who were told at the same time; whoever asks while a page
/// is being made waits for the next one, which is made for all who wait then. So nobody gets what was begun before they asked,
/// and nothing is kept afterwards. Where one cannot make it, all who wait try at once, each for itself: nobody waits for one
/// failure after the other.
final class SharedRendering<Key: Hashable & Sendable>: Sendable {
    private enum Turn: Sendable {
        /// Another request has made it.
        case made(String)
        /// Make it, for all who wait now.
        case make
        /// Make it for yourself: another request could not.
        case makeAlone
        case cancelled
    }

    private struct Waiting {
        var id: Int
        var continuation: CheckedContinuation<Turn, Never>
    }

    private struct Line {
        /// Those who get what is being made.
        var riders: [Waiting] = []
        /// Those who came after it was begun.
        var later: [Waiting] = []
        /// Whether it is being made; until then all who come get it.
        var isBegun = false
    }

    private struct State {
        var lines: [Key: Line] = [:]
        var lastID = 0
    }

    private let state = Mutex(State())
    private let gather: @Sendable () async -> Void

    /// - Parameter gather: Ends when no more others are waited for.
    init(gather: @escaping @Sendable () async -> Void = { await waitForOthers() }) { self.gather = gather }

    /// Twenty milliseconds: long enough for who was told at the same time, too short to be noticed.
    private static func waitForOthers() async {
        // Who gives up meanwhile is noticed by what is made.
        do { try await Task.sleep(for: .milliseconds(20)) } catch { return }
    }

    /// How many wait for a turn or for another's.
    var waiting: Int {
        state.withLock { state in state.lines.values.reduce(0) { $0 + $1.riders.count + $1.later.count } }
    }

    /// Gives what `make` gives, made by this request or by another that began it after this one had asked.
    ///
    /// An error is told to the request in which it happened.
    func shared(_ key: Key, make: () async throws -> String) async throws -> String {
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        switch await turn(id, key) {
        case .made(let text): return text
        case .cancelled: throw CancellationError()
        case .makeAlone: return try await make()
        case .make: break
        }
        await gather()
        state.withLock { $0.lines[key]?.isBegun = true }
        do {
            let text = try await make()
            end(key, text)
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
                    // Given up before it stands in the line, where nobody would find it.
                    if Task.isCancelled { return .cancelled }
                    guard state.lines[key] != nil else {
                        state.lines[key] = Line()
                        return .make
                    }
                    let waiting = Waiting(id: id, continuation: continuation)
                    if state.lines[key]?.isBegun == true {
                        state.lines[key]?.later.append(waiting)
                    } else {
                        state.lines[key]?.riders.append(waiting)
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
            if let index = state.lines[key]?.later.firstIndex(where: { $0.id == id }) {
                return state.lines[key]?.later.remove(at: index)
            }
            if let index = state.lines[key]?.riders.firstIndex(where: { $0.id == id }) {
                return state.lines[key]?.riders.remove(at: index)
            }
            return nil
        }
        waiting?.continuation.resume(returning: .cancelled)
    }

    /// Hands over what was made, and the turn to the next.
    private func end(_ key: Key, _ text: String) {
        let (served, next) = state.withLock { state -> ([Waiting], Waiting?) in
            guard var line = state.lines[key] else { return ([], nil) }
            let served = line.riders
            guard !line.later.isEmpty else {
                state.lines[key] = nil
                return (served, nil)
            }
            let next = line.later.removeFirst()
            state.lines[key] = Line(riders: line.later)
            return (served, next)
        }
        for waiting in served { waiting.continuation.resume(returning: .made(text)) }
        next?.continuation.resume(returning: .make)
    }

    private func fail(_ key: Key) {
        let waiting = state.withLock { state in
            state.lines.removeValue(forKey: key).map { $0.riders + $0.later } ?? []
        }
        for one in waiting { one.continuation.resume(returning: .makeAlone) }
    }
}
