package import Ledger
package import Foundation
package import Logging
internal import ServiceLifecycle
internal import Synchronization

/// Stores the audit log. Entries are queued and written in batches, without delaying the requests that they record.
package final class AuditLog: Service {
    /// The retention of entries: 400 days.
    private static let retention: Milliseconds = 400 * 86_400_000
    /// The maximum number of queued entries.
    private static let capacity = 10_000

    private let storage: any AuditStorage
    private let now: @Sendable () -> Date
    private let logger: Logger
    private let waiting = Mutex<[AuditEntry]>([])
    /// The commit that was started last.
    private let lastCommit = Mutex<Task<Void, Never>?>(nil)
    /// Limits entries about refused anonymous requests. Anybody can cause them, and each is kept for ``retention``: five
    /// a second would be half a gigabyte a day. The metrics count all.
    private let anonymousLimit = RateMeter(perHour: 100)
    /// Limits entries about refused sign-ins, for the same reason. A separate limit: requests with a revoked key must
    /// not hide that somebody guesses keys in the console.
    private let signInLimit = RateMeter(perHour: 100)
    /// The time for the limits: nanoseconds of a monotonic clock.
    private let monotonicNow: @Sendable () -> Int64
    private let wakeups: AsyncStream<Void>
    private let wakeup: AsyncStream<Void>.Continuation

    package init(
        _ storage: any AuditStorage, now: @escaping @Sendable () -> Date,
        monotonicNow: @escaping @Sendable () -> Int64 = { RateMeter.now }, logger: Logger
    ) {
        (self.storage, self.now, self.monotonicNow, self.logger) = (storage, now, monotonicNow, logger)
        (wakeups, wakeup) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    }

    /// The number of queued entries.
    package var waitingCount: Int { waiting.withLock(\.count) }

    /// Queues an entry. Logs an error and drops the entry if the queue is full.
    package func add(_ entry: AuditEntry) {
        let isQueued = waiting.withLock { waiting in
            guard waiting.count < Self.capacity else { return false }
            waiting.append(entry)
            return true
        }
        if !isQueued { logger.error("an entry of the audit log was lost: the ledger cannot be written") }
        wakeup.yield()
    }

    /// Queues an entry about a refused anonymous request, at most a hundred an hour.
    package func addAnonymous(_ entry: @autoclosure () -> AuditEntry) { add(entry(), within: anonymousLimit) }

    /// Queues an entry about a refused sign-in, at most a hundred an hour.
    package func addRefusedSignIn(_ entry: @autoclosure () -> AuditEntry) { add(entry(), within: signInLimit) }

    private func add(_ entry: @autoclosure () -> AuditEntry, within limit: RateMeter) {
        if limit.take(at: monotonicNow()) == nil { add(entry()) }
    }

    /// Writes entries until the server shuts down, then the remaining ones.
    package func run() async {
        await withGracefulShutdownHandler {
            for await _ in wakeups {
                await flush()
                // Collect entries for the next commit.
                do { try await Task.sleep(for: .milliseconds(200)) } catch { break }
            }
            await flush()
        } onGracefulShutdown: {
            self.wakeup.finish()
        }
    }

    /// Writes the queued entries. Commits run one after the other, so when this method returns, all entries added
    /// before the call are written or, after a failure, queued again.
    package func flush() async {
        let commit = lastCommit.withLock { last in
            let commit = Task { [last] in
                await last?.value
                await commitWaiting()
            }
            last = commit
            return commit
        }
        await commit.value
    }

    private func commitWaiting() async {
        let entries = waiting.withLock { waiting in
            defer { waiting = [] }
            return waiting
        }
        guard !entries.isEmpty else { return }
        do { try await storage.appendAudit(entries, dropping: now().milliseconds - Self.retention) } catch {
            logger.error("the audit log cannot be written", metadata: ["reason": "\(error.logReason)"])
            // Queue them again, before newer entries.
            waiting.withLock { $0.insert(contentsOf: entries.prefix(Self.capacity - $0.count), at: 0) }
        }
    }
}
