internal import Tracing
internal import ServiceLifecycle
package import Ledger
internal import CoreMetrics
internal import Synchronization

/// Groups many changes into one commit. A caller waits until its notification is on disk, together with all that
/// arrived during the previous commit.
///
/// Every commit includes received notifications before folded ones, so that the App Store never waits for folding.
package final class LedgerWriter: Service {
    /// The size of one commit. It is small, so that the next commit begins soon.
    package struct Limits: Sendable {
        package var receiving = 512
        package var folding = 128
        /// The maximum time in milliseconds that a commit waits for notifications whose verification is running.
        package var maximumWait = 5

        package init() {}
    }

    private struct PendingReception {
        var notification: ReceivedNotification
        var continuation: CheckedContinuation<Reception, any Error>
    }

    private struct PendingFold {
        var notifications: [ProcessedNotification]
        var continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var receiving: [PendingReception] = []
        var folding: [PendingFold] = []
        /// The number of notifications whose verification is running.
        var expected = 0
        var isClosed = false
    }

    private let state = Mutex(State())
    private let storage: any LedgerStorage
    private let limits: Limits
    private let metrics: ServerMetrics
    private let onFold: @Sendable () -> Void
    private let wakeups: AsyncStream<Void>
    private let wakeup: AsyncStream<Void>.Continuation

    /// Creates a writer. It commits only while ``run()`` runs.
    ///
    /// - Parameter onFold: Called after every commit that may have created events.
    package init(
        _ storage: any LedgerStorage, limits: Limits = Limits(), metrics: ServerMetrics,
        onFold: @escaping @Sendable () -> Void = {}
    ) {
        self.storage = storage
        self.onFold = onFold
        self.limits = limits
        self.metrics = metrics
        (wakeups, wakeup) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    }

    /// Runs the verification of a notification that is received next if it is genuine. The next commit waits for it.
    package func expecting<Notification>(
        _ verify: () async throws -> Notification
    ) async rethrows -> Notification {
        state.withLock { $0.expected += 1 }
        defer { state.withLock { $0.expected -= 1 } }
        return try await verify()
    }

    /// Stores a notification. It is on disk when this method returns.
    package func receive(_ notification: ReceivedNotification) async throws -> Reception {
        try await withCheckedThrowingContinuation { continuation in
            let isClosed = state.withLock { state in
                if !state.isClosed {
                    state.receiving.append(.init(notification: notification, continuation: continuation))
                }
                return state.isClosed
            }
            if isClosed { continuation.resume(throwing: StorageError(.failed, "the server is shutting down")) }
            wakeup.yield()
        }
    }

    /// Folds notifications. The result is on disk when this method returns.
    package func fold(_ notifications: [ProcessedNotification]) async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            let isClosed = state.withLock { state in
                if !state.isClosed {
                    state.folding.append(.init(notifications: notifications, continuation: continuation))
                }
                return state.isClosed
            }
            if isClosed { continuation.resume(throwing: StorageError(.failed, "the server is shutting down")) }
            wakeup.yield()
        }
    }

    /// The number of received notifications that are not written yet.
    package var waiting: Int { state.withLock { $0.receiving.count } }

    /// Commits changes until ``close()``, then the remaining ones.
    package func run() async {
        await withTaskCancellationOrGracefulShutdownHandler {
            for await _ in wakeups {
                while await commitNextBatch() {}
            }
            // In a cancelled task the stream ends before the cancellation handler has closed the writer.
            close()
            while await commitNextBatch() {}
        } onCancelOrGracefulShutdown: {
            self.close()
        }
    }

    /// Rejects new changes. ``run()`` returns after it has written the queued ones.
    package func close() {
        state.withLock { $0.isClosed = true }
        wakeup.finish()
    }

    /// Waits briefly for notifications whose verification is running, so that they join this commit: a commit of one
    /// notification costs nearly as much as a commit of many.
    private func waitForVerifications() async {
        for _ in 0..<limits.maximumWait {
            let mayGrow = state.withLock { $0.expected > 0 && $0.receiving.count < limits.receiving }
            guard mayGrow else { return }
            do { try await Task.sleep(for: .milliseconds(1)) } catch { return }
        }
    }

    /// Commits the next batch. Returns false if there is nothing to write.
    private func commitNextBatch() async -> Bool {
        await waitForVerifications()
        let (receiving, folding) = takeNextBatch()
        guard !receiving.isEmpty || !folding.isEmpty else { return false }
        guard let failure = await write(receiving, folding) else { return true }
        for job in folding { job.continuation.resume(throwing: failure) }
        // A notification that cannot be folded, as with an unreadable disk sector, must not block received ones.
        let isAlone = receiving.isEmpty || folding.isEmpty
        guard let last = isAlone ? failure : await write(receiving, []) else { return true }
        for reservation in receiving { reservation.continuation.resume(throwing: last) }
        return true
    }

    /// Commits changes and resumes their callers. On failure, returns the error and resumes none of them.
    private func write(_ receiving: [PendingReception], _ folding: [PendingFold]) async -> (any Error)? {
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
            if !folding.isEmpty { onFold() }
            return nil
        } catch { return error }
    }

    private func takeNextBatch() -> (receiving: [PendingReception], folding: [PendingFold]) {
        state.withLock { state in
            let receiving = Array(state.receiving.prefix(limits.receiving))
            state.receiving.removeFirst(receiving.count)
            var folding: [PendingFold] = []
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
