internal import Foundation
internal import Synchronization
internal import WebConsole

/// Notifies waiting tasks and open pages when the simulator's state changes.
final class ChangeWatch: Sendable {
    private let waiting = Mutex<[UUID: AsyncStream<Void>.Continuation]>([:])

    private let pages: EventHub
    /// The event hub topic that the simulator's pages subscribe to.
    static let topic = "simulator"

    init(_ pages: EventHub) { self.pages = pages }

    /// Notifies all subscribers that the state may have changed.
    func signal() {
        pages.publish(Self.topic)
        for continuation in waiting.withLock({ Array($0.values) }) { continuation.yield() }
    }

    /// Returns the changes from now on; the sequence ends after `seconds`.
    func changes(for seconds: Double) -> Changes {
        let id = UUID()
        // Subscribers read the whole state again, so one buffered signal stands for several changes.
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        waiting.withLock { $0[id] = continuation }
        // Set the handler before anything can finish the stream. `Changes` cancels the timer.
        continuation.onTermination = { [weak self] _ in
            _ = self?.waiting.withLock { $0.removeValue(forKey: id) }
        }
        let timer = Task {
            // A cancelled sleep also finishes the stream.
            do { try await Task.sleep(for: .seconds(seconds)) } catch {}
            continuation.finish()
        }
        return Changes(stream: stream, timer: timer)
    }

    /// The changes that one task waits for.
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
        /// - Returns: Whether there was a change; false when the time is over.
        func next() async -> Bool { await iterator.next(isolation: #isolation) != nil }
    }
}
