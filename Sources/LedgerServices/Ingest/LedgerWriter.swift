internal import Tracing
internal import ServiceLifecycle
package import Ledger
internal import CoreMetrics
internal import Foundation
internal import Synchronization

/// Puts many changes into one commit. Whoever hands over a notification waits until it is on disk, together with all who
/// came while the disk was busy with those before.
///
/// What is received goes first, whatever there is to fold, so that the App Store never waits for our work.
package final class LedgerWriter: Service {
    /// How much one commit holds. Small enough that the next one is never far away.
    package struct Limits: Sendable {
        package var receiving = 512
        package var folding = 128
        /// How many milliseconds a commit waits for notifications that are being verified, at most.
        package var patience = 5

        package init() {}
    }

    private struct Reservation {
        var notification: ReceivedNotification
        var continuation: CheckedContinuation<Reception, any Error>
    }

    private struct FoldJob {
        var notifications: [FoldedNotification]
        var continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var receiving: [Reservation] = []
        var folding: [FoldJob] = []
        /// How many notifications are being verified.
        var expected = 0
        var isClosed = false
    }

    private let state = Mutex(State())
    private let storage: any LedgerStorage
    private let limits: Limits
    private let metrics: ServerMetrics
    private let folded: @Sendable () -> Void
    private let wakeups: AsyncStream<Void>
    private let bell: AsyncStream<Void>.Continuation

    /// Writes to a storage.
    ///
    /// - Parameter folded: Called after every commit that may have made events.
    package init(
        _ storage: any LedgerStorage, limits: Limits = Limits(), metrics: ServerMetrics,
        folded: @escaping @Sendable () -> Void = {}
    ) {
        self.storage = storage
        self.folded = folded
        self.limits = limits
        self.metrics = metrics
        (wakeups, bell) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    }

    /// Verifies a notification that will be handed over if it is genuine, so that a commit can wait for it.
    package func expecting<Notification>(
        _ verify: () async throws -> Notification
    ) async rethrows -> Notification {
        state.withLock { $0.expected += 1 }
        defer { state.withLock { $0.expected -= 1 } }
        return try await verify()
    }

    /// Keeps a notification. It is on disk when this returns.
    package func receive(_ notification: ReceivedNotification) async throws -> Reception {
        try await withCheckedThrowingContinuation { continuation in
            let isClosed = state.withLock { state in
                if !state.isClosed {
                    state.receiving.append(.init(notification: notification, continuation: continuation))
                }
                return state.isClosed
            }
            if isClosed { continuation.resume(throwing: StorageError(.failed, "the server is shutting down")) }
            bell.yield()
        }
    }

    /// Folds notifications. It is on disk when this returns.
    package func fold(_ notifications: [FoldedNotification]) async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            let isClosed = state.withLock { state in
                if !state.isClosed {
                    state.folding.append(.init(notifications: notifications, continuation: continuation))
                }
                return state.isClosed
            }
            if isClosed { continuation.resume(throwing: StorageError(.failed, "the server is shutting down")) }
            bell.yield()
        }
    }

    /// How many wait to be written.
    package var waiting: Int { state.withLock { $0.receiving.count } }

    /// Writes until ``close()``, then what is left.
    package func run() async {
        await withTaskCancellationOrGracefulShutdownHandler {
            for await _ in wakeups {
                while await writeSome() {}
            }
            // A cancelled task finds the end of the bell before its handler has closed anything.
            close()
            while await writeSome() {}
        } onCancelOrGracefulShutdown: {
            self.close()
        }
    }

    /// Takes no more; ``run()`` ends when what is there is written.
    package func close() {
        state.withLock { $0.isClosed = true }
        bell.finish()
    }

    /// Notifications that are being verified right now come into the same commit, if they are soon ready: a commit costs nearly
    /// as much for one as for many. Nobody waits for what has not arrived yet.
    private func waitForExpected() async {
        for _ in 0..<limits.patience {
            let mayGrow = state.withLock { $0.expected > 0 && $0.receiving.count < limits.receiving }
            guard mayGrow else { return }
            do { try await Task.sleep(for: .milliseconds(1)) } catch { return }
        }
    }

    /// One commit; false when there is nothing to write.
    private func writeSome() async -> Bool {
        await waitForExpected()
        let (receiving, folding) = take()
        guard !receiving.isEmpty || !folding.isEmpty else { return false }
        guard let failure = await write(receiving, folding) else { return true }
        for job in folding { job.continuation.resume(throwing: failure) }
        // What cannot be folded, as where a sector of the disk cannot be read, keeps nothing out that was received.
        let isAlone = receiving.isEmpty || folding.isEmpty
        guard let last = isAlone ? failure : await write(receiving, []) else { return true }
        for reservation in receiving { reservation.continuation.resume(throwing: last) }
        return true
    }

    /// One commit. Whoever waits for it is told, unless it fails.
    private func write(_ receiving: [Reservation], _ folding: [FoldJob]) async -> (any Error)? {
        let start = ContinuousClock.now
        do {
            let toFold = folding.flatMap(\.notifications)
            let receptions = try await metrics.spans.measure(
                "commit",
                of: [
                    "counterfoil.received": .int64(Int64(receiving.count)),
                    "counterfoil.folded": .int64(Int64(toFold.count)),
                ]
            ) { try await storage.commit(receiving: receiving.map(\.notification), folding: toFold) }
            metrics.commit.record(since: start)
            if !receiving.isEmpty { metrics.batch.record(receiving.count) }
            for (reservation, reception) in zip(receiving, receptions) {
                reservation.continuation.resume(returning: reception)
            }
            for job in folding { job.continuation.resume() }
            if !folding.isEmpty { folded() }
            return nil
        } catch { return error }
    }

    private func take() -> (receiving: [Reservation], folding: [FoldJob]) {
        state.withLock { state in
            let receiving = Array(state.receiving.prefix(limits.receiving))
            state.receiving.removeFirst(receiving.count)
            var folding: [FoldJob] = []
            var count = 0
            while let job = state.folding.first, folding.isEmpty || count + job.notifications.count <= limits.folding {
                folding.append(job)
                count += job.notifications.count
                state.folding.removeFirst()
            }
            return (receiving, folding)
        }
    }
}
