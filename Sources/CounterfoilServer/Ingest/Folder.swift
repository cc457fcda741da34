package import AppStoreModels
package import AppStoreServer
package import AppStoreTrust
internal import Entitlements
package import Foundation
package import Logging
internal import Synchronization

/// Verifies what is inside the notifications that were kept, and has it folded into the ledger.
///
/// What was just received comes through memory, up to a limit. What did not fit, what was left from the last time and what
/// could not be written is read from the inbox.
package final class Folder: Sendable {
    /// A notification that is on disk and waits to be folded.
    package struct Job: Sendable {
        package var id: Int64
        package var scope: Scope
        package var notification: Verified<ResponseBodyV2DecodedPayload>
        package var receivedAt: Milliseconds
    }

    private struct State {
        var queue: [Job] = []
        /// The numbers of those that a worker has.
        var underWay: Set<Int64> = []
        /// Whether the inbox may hold some that the queue does not.
        var hasLeftovers = true
        var isClosed = false
        var waiters: [CheckedContinuation<Void, Never>] = []
        var idle: [CheckedContinuation<Void, Never>] = []
        var isIdle: Bool { queue.isEmpty && underWay.isEmpty && !hasLeftovers }
    }

    private static let capacity = 2048
    private static let batch = 64

    private let state = Mutex(State())
    private let storage: any LedgerStorage
    private let writer: LedgerWriter
    private let verifier: SignedDataVerifier
    private let scopes: ScopeBook
    private let now: @Sendable () -> Date
    private let logger: Logger
    private let metrics: ServerMetrics

    package init(
        storage: any LedgerStorage, writer: LedgerWriter, verifier: SignedDataVerifier, scopes: ScopeBook,
        now: @escaping @Sendable () -> Date, logger: Logger, metrics: ServerMetrics = ServerMetrics()
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
            if state.queue.count < Self.capacity { state.queue.append(job) } else { state.hasLeftovers = true }
            return state.waiters.popLast()
        }
        waiter?.resume()
    }

    /// Has the inbox looked through again.
    package func lookAgain() {
        let waiter = state.withLock { state in
            state.hasLeftovers = true
            return state.waiters.popLast()
        }
        waiter?.resume()
    }

    /// Waits until everything that is on disk now is folded.
    package func settle() async {
        await withCheckedContinuation { continuation in
            let isIdle = state.withLock { state in
                if state.isIdle { return true }
                state.idle.append(continuation)
                return false
            }
            if isIdle { continuation.resume() }
        }
    }

    /// Works until ``close()``.
    package func run(workers: Int = 2) async {
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<workers { group.addTask { await self.work() } }
        }
    }

    /// Ends the work after what is under way. What is left stays in the inbox.
    package func close() {
        let waiters = state.withLock { state in
            state.isClosed = true
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
    }

    private enum Task { case fold([Job]), readInbox, wait, end }

    private func work() async {
        while true {
            switch next() {
            case .end: return
            case .wait: await waitForWork()
            case .readInbox: await readInbox()
            case .fold(let jobs): await fold(jobs)
            }
        }
    }

    private func next() -> Task {
        state.withLock { state in
            if state.isClosed { return .end }
            if !state.queue.isEmpty {
                let jobs = Array(state.queue.prefix(Self.batch))
                state.queue.removeFirst(jobs.count)
                state.underWay.formUnion(jobs.map(\.id))
                return .fold(jobs)
            }
            guard state.hasLeftovers else { return .wait }
            // What the other worker has is still in the inbox: whoever reads now would take it again.
            guard state.underWay.isEmpty else { return .wait }
            state.hasLeftovers = false
            state.underWay.insert(-1)
            return .readInbox
        }
    }

    private func waitForWork() async {
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            let mustWait = state.withLock { state in
                let hasWork = !state.queue.isEmpty || (state.hasLeftovers && state.underWay.isEmpty)
                if hasWork || state.isClosed { return false }
                state.waiters.append(continuation)
                return true
            }
            if !mustWait { continuation.resume() }
        }
    }

    /// Notes that work is over, and wakes who waits for that.
    private func finish(_ ids: some Sequence<Int64>, leavingSome: Bool = false) {
        let (waiters, idle) = state.withLock { state in
            state.underWay.subtract(ids)
            if leavingSome { state.hasLeftovers = true }
            let waiters = state.waiters
            state.waiters = []
            guard state.isIdle else { return (waiters, [CheckedContinuation<Void, Never>]()) }
            defer { state.idle = [] }
            return (waiters, state.idle)
        }
        for continuation in waiters + idle { continuation.resume() }
    }

    private func fold(_ jobs: [Job]) async {
        let start = ContinuousClock.now
        var folded: [FoldedNotification] = []
        var leavesSome = false
        for job in jobs {
            do {
                folded.append(
                    try await .read(job.notification, id: job.id, scope: job.scope, by: verifier, at: now()))
            } catch {
                if await !fail(job.id, error) { leavesSome = true }
            }
        }
        do { try await writer.fold(folded) } catch {
            leavesSome = true
            logger.error(
                "notifications could not be folded", metadata: ["count": "\(folded.count)", "reason": "\(error)"])
        }
        if !leavesSome { note(jobs, since: start) }
        if leavesSome { await pause() }
        finish(jobs.map(\.id), leavingSome: leavesSome)
    }

    private func note(_ jobs: [Job], since start: ContinuousClock.Instant) {
        metrics.fold.note(since: start)
        let now = now().milliseconds
        for job in jobs {
            let (lag, overflow) = now.subtractingReportingOverflow(job.receivedAt)
            if !overflow { metrics.foldLag.note(Int(clamping: max(0, min(lag, 1 << 40)) * 1_000_000)) }
        }
    }

    /// Before something that failed is tried again.
    private func pause() async {
        // Cancelled is closed.
        do { try await Swift.Task.sleep(for: .seconds(1)) } catch { return }
    }

    /// Gives up a notification whose inside cannot be believed; false when it may be believed later.
    private func fail(_ id: Int64, _ error: any Error) async -> Bool {
        guard let error = error as? VerificationError, !error.isRetryable else {
            logger.warning("a notification waits", metadata: ["id": "\(id)", "reason": "\(error)"])
            return false
        }
        logger.error(
            "a notification holds what cannot be believed", metadata: ["id": "\(id)", "code": "\(error.code)"])
        do {
            try await storage.fail(id, code: "\(error.code)", message: error.reason, at: now().milliseconds)
            return true
        } catch {
            return false
        }
    }

    private func readInbox() async {
        defer { finish(CollectionOfOne(-1)) }
        var last = Int64.min
        var leavesSome = false
        do {
            while true {
                let kept = try await storage.pending(after: last, limit: Self.batch)
                guard let end = kept.last else { break }
                last = end.id
                let read = await reverify(kept)
                leavesSome = leavesSome || read.leavesSome
                await fold(read.jobs)
                if state.withLock({ $0.isClosed }) { return }
            }
            guard leavesSome else { return }
            await pause()
            finish(CollectionOfOne(-1), leavingSome: true)
        } catch {
            logger.error("the inbox cannot be read", metadata: ["reason": "\(error)"])
            await pause()
            finish(CollectionOfOne(-1), leavingSome: true)
        }
    }

    private func reverify(_ kept: [KeptNotification]) async -> (jobs: [Job], leavesSome: Bool) {
        var jobs: [Job] = []
        var leavesSome = false
        for notification in kept {
            guard let scope = scopes[id: notification.scope] else { continue }
            do {
                let verified = try await verifier.notification(notification.text)
                jobs.append(
                    Job(
                        id: notification.id, scope: scope, notification: verified, receivedAt: notification.receivedAt))
            } catch {
                if await !fail(notification.id, error) { leavesSome = true }
            }
        }
        return (jobs, leavesSome)
    }
}

extension FoldedNotification {
    /// What a notification says, every signature in it verified.
    package static func read(
        _ notification: Verified<ResponseBodyV2DecodedPayload>, id: Int64, scope: Scope,
        by verifier: SignedDataVerifier, at now: Date
    ) async throws -> FoldedNotification {
        let payload = notification.payload
        var folded = FoldedNotification(
            id: id, scope: scope.id, uuid: payload.notificationUUID, type: payload.notificationType,
            subtype: payload.subtype, signedDate: payload.signedDate.milliseconds, foldedAt: now.milliseconds)
        if let text = payload.data?.signedTransactionInfo {
            let transaction = try await verifier.transaction(text).payload
            try scope.requireMatch(transaction.bundleId, transaction.environment)
            folded.transaction = TransactionFact(transaction)
        }
        if let text = payload.data?.signedRenewalInfo {
            let renewal = try await verifier.renewalInfo(text).payload
            try scope.requireMatch(scope.bundleId, renewal.environment)
            folded.renewal = RenewalFact(renewal)
        }
        return folded
    }
}

extension Scope {
    /// Refuses what is signed for another app or environment than what it came with.
    func requireMatch(_ bundleId: String, _ environment: AppStoreEnvironment) throws(VerificationError) {
        guard bundleId == self.bundleId else {
            throw VerificationError(.wrongApp, "a part is signed for another app than the whole")
        }
        guard environment == self.environment else {
            throw VerificationError(.wrongEnvironment, "a part is signed for another environment than the whole")
        }
    }
}
