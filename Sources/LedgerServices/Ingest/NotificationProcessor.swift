internal import Entitlements
internal import Tracing
internal import ServiceLifecycle
package import Ledger
package import AppStoreModels
package import AppStoreServer
internal import AppStoreTrust
internal import CoreMetrics
package import Foundation
package import Logging
internal import Synchronization

/// Verifies what is inside the notifications that were kept, and has it folded into the ledger.
///
/// What was just received comes through memory, up to a limit. What did not fit, what was left from the last time and what
/// could not be written is read from the inbox, a part at a time, whenever there is nothing else to do.
package final class NotificationProcessor: Service {
    /// A notification that is on disk and waits to be folded.
    package struct Job: Sendable {
        // Indirect: a job is handed on several times, and a payload has many parts.
        package indirect enum Content: Sendable {
            /// What it says, proven.
            case verified(Verified<ResponseBodyV2DecodedPayload>)
            /// The text as it is kept; empty where it is damaged.
            case text(String)
        }

        package var id: Int64
        package var scope: Scope
        package var content: Content
        package var receivedAt: Milliseconds
    }

    private struct State {
        var queue: [Job] = []
        /// The numbers of those in the queue and of those that a worker has.
        var inHand: Set<Int64> = []
        /// Whether the inbox may hold some that are not in hand.
        var hasLeftovers = true
        /// Whether some were left while the inbox was read, perhaps where it had been read already.
        var hasMore = false
        /// How far the inbox is read.
        var cursor = Int64.min
        var processed = 0
        var isReading = false
        var isClosed = false
        var waiters: [CheckedContinuation<Void, Never>] = []
        var idle: [CheckedContinuation<Void, Never>] = []
        var hasWork: Bool { !queue.isEmpty || (hasLeftovers && !isReading) }
        /// Whether nobody has to wait for work to be done. After the end nothing more is.
        var isSettled: Bool { isClosed || (inHand.isEmpty && !hasLeftovers) }

        mutating func take(_ job: Job) {
            if inHand.insert(job.id).inserted { queue.append(job) }
        }

        mutating func leaveSome() { (hasLeftovers, hasMore) = (true, true) }

        /// Those who wait until there is work, and those who wait until there is none.
        mutating func takeWaiters() -> [CheckedContinuation<Void, Never>] {
            var taken = waiters
            waiters = []
            if isSettled {
                taken += idle
                idle = []
            }
            return taken
        }
    }

    private static let capacity = 2048
    private static let workers = 2
    private static let batch = 64
    private static let part = 256

    private let state = Mutex(State())
    private let storage: any LedgerStorage
    let writer: LedgerWriter
    private let verifier: SignedDataVerifier
    private let scopes: ScopeRegistry
    private let now: @Sendable () -> Date
    let logger: Logger
    private let metrics: ServerMetrics

    package init(
        storage: any LedgerStorage, writer: LedgerWriter, verifier: SignedDataVerifier, scopes: ScopeRegistry,
        now: @escaping @Sendable () -> Date, logger: Logger, metrics: ServerMetrics
    ) {
        self.storage = storage
        self.writer = writer
        self.verifier = verifier
        self.scopes = scopes
        self.now = now
        self.logger = logger
        self.metrics = metrics
    }

    /// Hands over a notification that is on disk.
    package func add(_ job: Job) {
        let waiter = state.withLock { state in
            if state.queue.count < Self.capacity { state.take(job) } else { state.leaveSome() }
            return state.waiters.popLast()
        }
        waiter?.resume()
    }

    /// How many notifications were processed or given up since the start; one that is reprocessed counts again.
    package var processed: Int { state.withLock { $0.processed } }

    /// Has the inbox looked through again.
    package func lookAgain() { change { $0.leaveSome() } }

    /// Waits until everything that is on disk now is folded, or until ``close()``.
    package func settle() async {
        await withCheckedContinuation { continuation in
            let isSettled = state.withLock { state in
                if state.isSettled { return true }
                state.idle.append(continuation)
                return false
            }
            if isSettled { continuation.resume() }
        }
    }

    /// Works until ``close()``.
    package func run() async {
        await withTaskCancellationOrGracefulShutdownHandler {
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<Self.workers { group.addTask { await self.work() } }
            }
        } onCancelOrGracefulShutdown: {
            self.close()
        }
    }

    /// Ends the work after what is under way. What is left stays in the inbox.
    package func close() { change { $0.isClosed = true } }

    /// Changes something that somebody may wait for.
    private func change(_ update: (inout State) -> Void) {
        let waiters = state.withLock { state in
            update(&state)
            return state.takeWaiters()
        }
        for waiter in waiters { waiter.resume() }
    }

    private enum Task { case fold([Job]), read(after: Int64), wait, end }

    private func work() async {
        while true {
            switch next() {
            case .end: return
            case .wait: await waitForWork()
            case .read(let cursor): await readInbox(after: cursor)
            case .fold(let jobs):
                await metrics.spans.measure("fold", of: ["counterfoil.notifications": .int64(Int64(jobs.count))]) {
                    await fold(jobs)
                }
            }
        }
    }

    private func next() -> Task {
        state.withLock { state in
            if state.isClosed { return .end }
            if !state.queue.isEmpty {
                let jobs = Array(state.queue.prefix(Self.batch))
                state.queue.removeFirst(jobs.count)
                return .fold(jobs)
            }
            guard state.hasWork else { return .wait }
            state.isReading = true
            if state.cursor == .min { state.hasMore = false }
            return .read(after: state.cursor)
        }
    }

    private func waitForWork() async {
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            let mustWait = state.withLock { state in
                if state.hasWork || state.isClosed { return false }
                state.waiters.append(continuation)
                return true
            }
            if !mustWait { continuation.resume() }
        }
    }

    /// Takes the next part of the inbox in hand. What another worker has folded meanwhile is folded again, which changes
    /// nothing.
    private func readInbox(after cursor: Int64) async {
        let kept: [KeptNotification]
        do { kept = try await storage.pending(after: cursor, limit: Self.part) } catch {
            logger.error("the inbox cannot be read", metadata: ["reason": "\(error.logReason)"])
            await pause()
            return change { $0.isReading = false }
        }
        change { state in
            state.isReading = false
            guard let last = kept.last?.id else {
                (state.cursor, state.hasLeftovers) = (.min, state.hasMore)
                return
            }
            state.cursor = last
            for notification in kept {
                guard let scope = scopes[id: notification.scope] else { continue }
                state.take(
                    Job(
                        id: notification.id, scope: scope, content: .text(notification.text),
                        receivedAt: notification.receivedAt))
            }
        }
    }

    private func fold(_ jobs: [Job]) async {
        let start = ContinuousClock.now
        var folded: [FoldedNotification] = []
        var done = 0
        for job in jobs {
            await giveWay()
            do { folded.append(try await read(job)) } catch {
                if await fail(job.id, error) { done += 1 }
            }
        }
        done += await write(folded)
        let leavesSome = done < jobs.count
        if leavesSome { await pause() } else { note(jobs, since: start) }
        change { state in
            state.inHand.subtract(jobs.map(\.id))
            state.processed += done
            if leavesSome { state.leaveSome() }
        }
    }

    /// Goes to the end of the line for a processor. The App Store waits for an answer, and nobody for this: while there is
    /// much to receive, one notification is folded for each time that everything else had its turn.
    private func giveWay() async { await Swift.Task.yield() }

    private func read(_ job: Job) async throws -> FoldedNotification {
        let payload: ResponseBodyV2DecodedPayload
        switch job.content {
        case .verified(let known): payload = known.payload
        case .text(let text):
            guard !text.isEmpty else { throw StorageError(.damaged, "its text is damaged") }
            payload = try await verifier.notification(text).payload
        }
        let parts = try await NotificationParts(inside: payload, in: job.scope, verifiedBy: verifier)
        return FoldedNotification(parts, id: job.id, scope: job.scope, at: now())
    }

    private func note(_ jobs: [Job], since start: ContinuousClock.Instant) {
        metrics.fold.record(since: start)
        let now = now().milliseconds
        for job in jobs {
            let (lag, overflow) = now.subtractingReportingOverflow(job.receivedAt)
            if !overflow { metrics.foldLag.recordMilliseconds(max(0, lag)) }
        }
    }

    /// Before something that failed is tried again.
    private func pause() async {
        // Cancelled is closed.
        do { try await Swift.Task.sleep(for: .seconds(1)) } catch { return }
    }

    /// Gives up a notification whose inside cannot be believed, or that cannot be read; false when that may be different later.
    private func fail(_ id: Int64, _ error: any Error) async -> Bool {
        do {
            switch error {
            case let error as VerificationError where !error.isRetryable:
                let code = "\(error.code)"
                logger.error(
                    "data in a notification failed verification", metadata: ["id": "\(id)", "code": "\(code)"])
                try await storage.fail(id, code: code, message: error.message, at: now().milliseconds)
                return true
            case let error as StorageError where error.code == .damaged:
                logger.error(
                    "a notification cannot be read", metadata: ["id": "\(id)", "code": "\(error.code.rawValue)"])
                return try await storage.failDamaged(id, message: error.message, at: now().milliseconds)
            default:
                logger.warning("a notification waits", metadata: ["id": "\(id)", "reason": "\(error.logReason)"])
                return false
            }
        } catch {
            logger.error(
                "a notification could not be given up", metadata: ["id": "\(id)", "reason": "\(error.logReason)"])
            return false
        }
    }
}
