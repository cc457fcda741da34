internal import Foundation
internal import Synchronization

/// Keeps what was refused, away from the way that good requests take: a few at a time, and no more a second than there is
/// time for. Whoever sends rubbish by the thousand loses some of it.
package final class RefusalLog: Sendable {
    private struct State {
        var waiting: [Refusal] = []
        var bytes = 0
        var dropped = 0
    }

    private static let capacity = 32
    private static let byteCapacity = 256 << 10

    private let storage: any RefusalStorage
    private let keeping: Int
    private let state = Mutex(State())
    private let wakeups: AsyncStream<Void>
    private let bell: AsyncStream<Void>.Continuation

    package init(_ storage: any RefusalStorage, keeping: Int) {
        self.storage = storage
        self.keeping = keeping
        (wakeups, bell) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    }

    /// How many were not kept, since the server was started.
    package var dropped: Int { state.withLock { $0.dropped } }

    /// Hands over a refusal. Nobody waits for it to be kept.
    package func add(_ refusal: @autoclosure () -> Refusal) {
        guard keeping > 0 else { return }
        let hasRoom = state.withLock { state in
            if state.waiting.count < Self.capacity, state.bytes < Self.byteCapacity { return true }
            state.dropped &+= 1
            return false
        }
        guard hasRoom else { return }
        let refusal = refusal()
        state.withLock { state in
            state.waiting.append(refusal)
            state.bytes += refusal.body.count
        }
        bell.yield()
    }

    /// Keeps what is handed over, until ``close()``; then what is left.
    package func run() async {
        for await _ in wakeups {
            await keep()
            // What comes until then is one commit.
            do { try await Task.sleep(for: .milliseconds(500)) } catch { break }
        }
        await keep()
    }

    /// Ends ``run()``.
    package func close() { bell.finish() }

    /// Keeps what waits now.
    package func keep() async {
        let refusals = state.withLock { state in
            defer { (state.waiting, state.bytes) = ([], 0) }
            return state.waiting
        }
        guard !refusals.isEmpty else { return }
        do { try await storage.commit(refusals, keeping: keeping) } catch {
            state.withLock { $0.dropped += refusals.count }
        }
    }
}
