package import AppStoreModels
package import AppStoreServer
internal import AppStoreTrust
internal import CoreMetrics
package import Foundation
package import Ledger
package import Logging
internal import ServiceLifecycle
internal import Synchronization
internal import Tracing

/// Verifies the signed parts of stored notifications and stores their facts in the ledger.
///
/// New notifications are queued in memory, up to `capacity`. When the queue is empty, the processor reads the rest from
/// the inbox, page by page: overflow, notifications left by the previous process, and failed writes.
package final class NotificationProcessor: Service {
    /// A stored notification that is not processed yet.
    package struct Job: Sendable {
        // Indirect, because jobs are copied several times and a payload is large.
        package indirect enum Content: Sendable {
            /// The verified payload.
            case verified(Verified<ResponseBodyV2DecodedPayload>)
            /// The stored text, not verified yet. Empty if the stored text is damaged.
            case text(String)

            init(_ notification: GenuineNotification) {
                switch notification.content {
                case .success(let verified): self = .verified(verified)
                case .failure: self = .text(notification.text)
                }
            }
        }

        package var id: Int64
        package var appEnvironment: AppEnvironment
        package var content: Content
        package var receivedAt: Milliseconds
    }

    private struct State {
        var queue: [Job] = []
        /// The identifiers of the jobs in the queue and of the jobs that a worker is processing.
        var claimedIDs: Set<Int64> = []
        /// Those of `claimedIDs` that were added again, or were in it at a rescan. A worker may have marked such a
        /// notification as failed just before it was received again or reprocessed; then it is pending, and only in the
        /// inbox.
        var addedAgain: Set<Int64> = []
        /// Whether the inbox may contain notifications that are not in `claimedIDs`.
        var hasUnreadInbox = true
        /// Whether notifications were left in the inbox during the current scan. They may be before `cursor`.
        var mustRescan = false
        /// The identifier after which the next page of the inbox begins.
        var cursor = Int64.min
        var processed = 0
        var isReading = false
        var isClosed = false
        var workWaiters: [CheckedContinuation<Void, Never>] = []
        var idleWaiters: [CheckedContinuation<Void, Never>] = []
        var hasWork: Bool { !queue.isEmpty || (hasUnreadInbox && !isReading) }
        /// Whether no work is left.
        var isIdle: Bool { claimedIDs.isEmpty && !hasUnreadInbox }
        /// Whether ``waitUntilIdle()`` returns at once.
        var isIdleOrClosed: Bool { isClosed || isIdle }

        mutating func enqueue(_ job: Job) {
            if claimedIDs.insert(job.id).inserted { queue.append(job) }
        }

        mutating func markInboxUnread() { (hasUnreadInbox, mustRescan) = (true, true) }

        /// Removes and returns the continuations to resume: all workers that wait for work and, if the processor is
        /// idle or closed, all callers of ``waitUntilIdle()``.
        mutating func removeResumableWaiters() -> [CheckedContinuation<Void, Never>] {
            var resumable = workWaiters
            workWaiters = []
            if isIdleOrClosed {
                resumable += idleWaiters
                idleWaiters = []
            }
            return resumable
        }
    }

    private static let capacity = 2048
    private static let workers = 2
    private static let batchSize = 64
    private static let inboxPage = 256

    private let state = Mutex(State())
    let storage: any LedgerStorage
    let writer: LedgerWriter
    private let verifier: SignedDataVerifier
    private let scopes: AppEnvironmentRegistry
    let now: @Sendable () -> Date
    let logger: Logger
    /// The failures since all stored notifications were processed.
    let failures: FailureLog
    private let metrics: ServerMetrics

    package init(
        storage: any LedgerStorage, writer: LedgerWriter, verifier: SignedDataVerifier, scopes: AppEnvironmentRegistry,
        now: @escaping @Sendable () -> Date, logger: Logger, metrics: ServerMetrics
    ) {
        self.storage = storage
        self.writer = writer
        self.verifier = verifier
        self.scopes = scopes
        self.now = now
        self.logger = logger
        failures = FailureLog(logger, end: "the waiting notifications are processed now")
        self.metrics = metrics
    }

    /// Queues a stored notification. If the queue is full, the notification is read from the inbox later.
    package func add(_ job: Job) {
        let waiter = state.withLock { state in
            if state.claimedIDs.contains(job.id) {
                state.addedAgain.insert(job.id)
            } else if state.queue.count < Self.capacity {
                state.enqueue(job)
            } else {
                state.markInboxUnread()
            }
            return state.workWaiters.popLast()
        }
        waiter?.resume()
    }

    /// The number of notifications processed or marked as failed since the start. Reprocessed notifications count
    /// again.
    package var processed: Int { state.withLock { $0.processed } }

    /// Reads the inbox again from its beginning. Notifications that workers have finished, but not yet removed from
    /// `claimedIDs`, may have become pending again, so it is read once more after those.
    package func rescan() {
        change { state in
            state.addedAgain.formUnion(state.claimedIDs)
            state.markInboxUnread()
        }
    }

    /// Waits until all stored notifications are processed, or until ``close()``.
    package func waitUntilIdle() async {
        await withCheckedContinuation { continuation in
            let isIdleOrClosed = state.withLock { state in
                if state.isIdleOrClosed { return true }
                state.idleWaiters.append(continuation)
                return false
            }
            if isIdleOrClosed { continuation.resume() }
        }
    }

    /// Processes notifications until ``close()``.
    package func run() async {
        await withTaskCancellationOrGracefulShutdownHandler {
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<Self.workers { group.addTask { await self.work() } }
            }
        } onCancelOrGracefulShutdown: {
            self.close()
        }
    }

    /// Stops the workers after their current batch. Unprocessed notifications stay in the inbox.
    package func close() { change { $0.isClosed = true } }

    /// Changes the state and resumes the waiting tasks.
    private func change(_ update: (inout State) -> Void) {
        let (waiters, isIdle) = state.withLock { state in
            update(&state)
            return (state.removeResumableWaiters(), state.isIdle)
        }
        if isIdle { failures.recordSuccess() }
        for waiter in waiters { waiter.resume() }
    }

    private enum Step { case process([Job]), readInbox(after: Int64), wait, end }

    private func work() async {
        while true {
            switch nextStep() {
            case .end: return
            case .wait: await waitForWork()
            case .readInbox(let cursor): await readInbox(after: cursor)
            case .process(let jobs):
                await metrics.spans.measure("process", of: ["counterfoil.notifications": .int64(Int64(jobs.count))]) {
                    await process(jobs)
                }
            }
        }
    }

    private func nextStep() -> Step {
        state.withLock { state in
            if state.isClosed { return .end }
            if !state.queue.isEmpty {
                let jobs = Array(state.queue.prefix(Self.batchSize))
                state.queue.removeFirst(jobs.count)
                return .process(jobs)
            }
            guard state.hasWork else { return .wait }
            state.isReading = true
            if state.cursor == .min { state.mustRescan = false }
            return .readInbox(after: state.cursor)
        }
    }

    private func waitForWork() async {
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            let mustWait = state.withLock { state in
                if state.hasWork || state.isClosed { return false }
                state.workWaiters.append(continuation)
                return true
            }
            if !mustWait { continuation.resume() }
        }
    }

    /// Queues the next page of the inbox. A notification that another worker processes meanwhile is processed again,
    /// which changes nothing.
    private func readInbox(after cursor: Int64) async {
        let pending: [StoredNotification]
        do { pending = try await storage.pending(after: cursor, limit: Self.inboxPage) } catch {
            // A server that could not start cancels the read.
            if !Task.isCancelled { failures.record("the inbox cannot be read", error) }
            await pause()
            return change { $0.isReading = false }
        }
        change { state in
            state.isReading = false
            guard let last = pending.last?.id else {
                (state.cursor, state.hasUnreadInbox) = (.min, state.mustRescan)
                return
            }
            state.cursor = last
            for notification in pending {
                guard let appEnvironment = scopes[id: notification.scope] else { continue }
                state.enqueue(
                    Job(
                        id: notification.id, appEnvironment: appEnvironment, content: .text(notification.text),
                        receivedAt: notification.receivedAt))
            }
        }
    }

    private func process(_ jobs: [Job]) async {
        let start = ContinuousClock.now
        var processed: [ProcessedNotification] = []
        var done = 0
        for job in jobs {
            // Let other tasks run first. The App Store waits for the response to a request, but no caller waits for
            // processing. Under load, all other tasks run once between two notifications.
            await Task.yield()
            do { processed.append(try await read(job)) } catch {
                if await markFailed(job.id, error) { done += 1 }
            }
        }
        done += await write(processed)
        let hasUnprocessed = done < jobs.count
        if hasUnprocessed { await pause() } else { recordMetrics(of: jobs, since: start) }
        change { state in
            let ids = jobs.map(\.id)
            state.claimedIDs.subtract(ids)
            state.processed += done
            if hasUnprocessed || !state.addedAgain.isDisjoint(with: ids) { state.markInboxUnread() }
            state.addedAgain.subtract(ids)
        }
    }

    private func read(_ job: Job) async throws -> ProcessedNotification {
        let payload: ResponseBodyV2DecodedPayload
        switch job.content {
        case .verified(let known): payload = known.payload
        case .text(let text):
            guard !text.isEmpty else { throw StorageError(.damaged, "its text is damaged") }
            payload = try await verifier.notification(text).payload
        }
        let parts = try await NotificationParts(inside: payload, in: job.appEnvironment, verifiedBy: verifier)
        return ProcessedNotification(parts, id: job.id, in: job.appEnvironment, at: now())
    }

    private func recordMetrics(of jobs: [Job], since start: ContinuousClock.Instant) {
        metrics.processing.record(since: start)
        let now = now().milliseconds
        for job in jobs {
            let (lag, overflow) = now.subtractingReportingOverflow(job.receivedAt)
            if !overflow { metrics.processingDelay.recordMilliseconds(max(0, lag)) }
        }
    }

    /// Waits a second before a failed operation is tried again.
    private func pause() async {
        // Cancellation also closes the processor.
        do { try await Task.sleep(for: .seconds(1)) } catch { return }
    }
}
