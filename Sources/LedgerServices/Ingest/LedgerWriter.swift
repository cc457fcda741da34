internal import CoreMetrics
package import Ledger
internal import ServiceLifecycle
internal import Synchronization
internal import Tracing

/// Groups many changes into one commit. A caller waits until its notification is on disk, together with all that
/// arrived during the previous commit.
///
/// Every commit includes received notifications before processed ones, so that the App Store never waits for
/// processing.
package final class LedgerWriter: Service {
    /// The size of one commit. It is small, so that the next commit begins soon.
    package struct Limits: Sendable {
        package var received = 512
        package var processed = 128
        /// The maximum time in milliseconds that a commit waits for notifications whose verification is running.
        package var maximumWait = 5

        package init() {}
    }

    private struct PendingReceived {
        var notification: ReceivedNotification
        var continuation: CheckedContinuation<InsertionResult, any Error>
    }

    private struct PendingProcessed {
        var notifications: [ProcessedNotification]
        var continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var received: [PendingReceived] = []
        var processed: [PendingProcessed] = []
        /// The number of notifications whose verification is running.
        var expected = 0
        var isClosed = false
    }

    private let state = Mutex(State())
    private let storage: any LedgerStorage
    private let limits: Limits
    private let metrics: ServerMetrics
    private let onProcessed: @Sendable () -> Void
    private let wakeups = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))

    /// Creates a writer. It commits only while ``run()`` runs.
    ///
    /// - Parameter onProcessed: Called after every commit that may have created events.
    package init(
        _ storage: any LedgerStorage, limits: Limits = Limits(), metrics: ServerMetrics,
        onProcessed: @escaping @Sendable () -> Void = {}
    ) {
        self.storage = storage
        self.onProcessed = onProcessed
        self.limits = limits
        self.metrics = metrics
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
    package func receive(_ notification: ReceivedNotification) async throws -> InsertionResult {
        try await enqueue { $0.received.append(.init(notification: notification, continuation: $1)) }
    }

    /// Stores processed notifications. They are on disk when this method returns.
    package func commit(_ notifications: [ProcessedNotification]) async throws {
        try await enqueue { $0.processed.append(.init(notifications: notifications, continuation: $1)) }
    }

    /// Adds a change to the next commit and waits until it is on disk.
    private func enqueue<Value: Sendable>(
        _ append: (inout State, CheckedContinuation<Value, any Error>) -> Void
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            let isClosed = state.withLock { state in
                if !state.isClosed { append(&state, continuation) }
                return state.isClosed
            }
            if isClosed { continuation.resume(throwing: StorageError(.failed, "the server is shutting down")) }
            wakeups.continuation.yield()
        }
    }

    /// The number of received notifications that are not written yet.
    package var waiting: Int { state.withLock { $0.received.count } }

    /// Commits changes until ``close()``, then the remaining ones.
    package func run() async {
        await withTaskCancellationOrGracefulShutdownHandler {
            for await _ in wakeups.stream {
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
        wakeups.continuation.finish()
    }

    /// Waits briefly for notifications whose verification is running, so that they join this commit: a commit of one
    /// notification costs nearly as much as a commit of many.
    private func waitForVerifications() async {
        for _ in 0..<limits.maximumWait {
            let mayGrow = state.withLock { $0.expected > 0 && $0.received.count < limits.received }
            guard mayGrow else { return }
            do { try await Task.sleep(for: .milliseconds(1)) } catch { return }
        }
    }

    /// Commits the next batch. Returns false if there is nothing to write.
    private func commitNextBatch() async -> Bool {
        await waitForVerifications()
        let (received, processed) = takeNextBatch()
        guard !received.isEmpty || !processed.isEmpty else { return false }
        guard let failure = await write(received, processed) else { return true }
        for job in processed { job.continuation.resume(throwing: failure) }
        // A notification that cannot be processed, as with an unreadable disk sector, must not block received ones. But
        // received ones that may be stored already would count as duplicates, and not be processed.
        let isFinal = received.isEmpty || processed.isEmpty || (failure as? StorageError)?.code == .unconfirmed
        guard let last = isFinal ? failure : await write(received, []) else { return true }
        for entry in received { entry.continuation.resume(throwing: last) }
        return true
    }

    /// Commits changes and resumes their callers. On failure, returns the error and resumes none of them.
    private func write(_ received: [PendingReceived], _ processed: [PendingProcessed]) async -> (any Error)? {
        let start = ContinuousClock.now
        do {
            let notifications = processed.flatMap(\.notifications)
            let insertions = try await metrics.spans.measure(
                "commit",
                of: [
                    "counterfoil.received": .int64(Int64(received.count)),
                    "counterfoil.processed": .int64(Int64(notifications.count)),
                ]
            ) { try await storage.commit(received: received.map(\.notification), processed: notifications) }
            metrics.commit.record(since: start)
            if !received.isEmpty { metrics.batch.record(received.count) }
            for (entry, insertion) in zip(received, insertions) {
                entry.continuation.resume(returning: insertion)
            }
            for job in processed { job.continuation.resume() }
            if !processed.isEmpty { onProcessed() }
            return nil
        } catch {
            // The events may be stored. If so, their notifications are no longer in the inbox, and no commit follows.
            if !processed.isEmpty, (error as? StorageError)?.code == .unconfirmed { onProcessed() }
            return error
        }
    }

    private func takeNextBatch() -> (received: [PendingReceived], processed: [PendingProcessed]) {
        state.withLock { state in
            let received = Array(state.received.prefix(limits.received))
            state.received.removeFirst(received.count)
            var processed: [PendingProcessed] = []
            var count = 0
            while let job = state.processed.first,
                processed.isEmpty || count + job.notifications.count <= limits.processed
            {
                processed.append(job)
                count += job.notifications.count
                state.processed.removeFirst()
            }
            return (received, processed)
        }
    }
}
