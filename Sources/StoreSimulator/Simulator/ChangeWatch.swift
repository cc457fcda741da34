internal import Foundation
internal import Synchronization
internal import WebConsole

/// Wakes those who wait for something to change.
final class ChangeWatch: Sendable {
    private let waiting = Mutex<[UUID: AsyncStream<Void>.Continuation]>([:])

    private let pages: EventHub
    /// What the simulator's pages listen to.
    static let topic = "simulator"

    init(_ pages: EventHub) { self.pages = pages }

    /// Says that something may have changed.
    func signal() {
        pages.publish(Self.topic)
        for continuation in waiting.withLock({ Array($0.values) }) { continuation.yield() }
    }

    /// The changes from now on, for so many seconds.
    func changes(for seconds: Double) -> Changes {
        let id = UUID()
        // However many there were, one look is enough.
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        waiting.withLock { $0[id] = continuation }
        // Before anything can end it. Whoever waits ends the timer.
        continuation.onTermination = { [weak self] _ in
            _ = self?.waiting.withLock { $0.removeValue(forKey: id) }
        }
        let timer = Task {
            // Cancelled is over too.
            do { try await Task.sleep(for: .seconds(seconds)) } catch {}
            continuation.finish()
        }
        return Changes(stream: stream, timer: timer)
    }

    /// What one task waits for.
    final class Changes {
        private var iterator: AsyncStream<Void>.AsyncIterator
        private let timer: Task<Void, Never>

        fileprivate init(stream: AsyncStream<Void>, timer: Task<Void, Never>) {
            iterator = stream.makeAsyncIterator()
            self.timer = timer
        }

        deinit { timer.cancel() }

        /// Waits for a change.
        ///
        /// - Returns: Whether there was one; false when the time is over.
        func next() async -> Bool { await iterator.next(isolation: #isolation) != nil }
    }
}
