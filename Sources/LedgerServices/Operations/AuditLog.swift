internal import Foundation
package import Ledger
package import Logging
internal import ServiceLifecycle
internal import Synchronization

/// Stores the audit log. Entries are queued and written in batches, without delaying the requests that they record.
package final class AuditLog: Service {
    private struct State {
        /// The queued entries.
        var waiting: [AuditEntry] = []
        /// The number of entries since the last commit for which there was no room.
        var lost = 0

        /// Counts lost entries. Returns whether they are the first since the last commit.
        mutating func lose(_ count: Int) -> Bool {
            defer { lost += count }
            return lost == 0 && count > 0
        }
    }

    /// The maximum number of queued entries.
    private static let capacity = 10_000

    private let storage: any AuditStorage
    private let logger: Logger
    private let failures: FailureLog
    private let state = Mutex(State())
    /// The commit that was started last.
    private let lastCommit = Mutex<Task<Void, Never>?>(nil)
    /// Limits entries about refused anonymous requests. Anybody can cause them, and each is kept for
    /// ``AuditEntry/retention``: five a second would be half a gigabyte a day. The metrics count all.
    private let anonymousLimit = RateMeter(perHour: 100)
    /// Limits entries about refused sign-ins, for the same reason. A separate limit: requests with a revoked key must
    /// not hide that somebody guesses keys in the console.
    private let signInLimit = RateMeter(perHour: 100)
    /// The time for the limits: nanoseconds of a monotonic clock.
    private let monotonicNow: @Sendable () -> Int64
    private let wakeups = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))

    package init(
        _ storage: any AuditStorage, monotonicNow: @escaping @Sendable () -> Int64 = { RateMeter.now }, logger: Logger
    ) {
        (self.storage, self.monotonicNow, self.logger) = (storage, monotonicNow, logger)
        failures = FailureLog(logger, end: "the audit log is written again")
    }

    /// The number of queued entries.
    package var waitingCount: Int { state.withLock(\.waiting.count) }

    /// Queues an entry. Drops the entry if the queue is full; the log has the first one and their number.
    package func add(_ entry: AuditEntry) {
        let isFirstLost = state.withLock { state in
            guard state.waiting.count < Self.capacity else { return state.lose(1) }
            state.waiting.append(entry)
            return false
        }
        if isFirstLost { logFirstLost() }
        wakeups.continuation.yield()
    }

    /// Queues an entry about a refused anonymous request, at most a hundred an hour.
    package func addAnonymous(_ entry: @autoclosure () -> AuditEntry) { add(entry(), within: anonymousLimit) }

    /// Queues an entry about a refused sign-in, at most a hundred an hour.
    package func addRefusedSignIn(_ entry: @autoclosure () -> AuditEntry) { add(entry(), within: signInLimit) }

    private func add(_ entry: @autoclosure () -> AuditEntry, within limit: RateMeter) {
        if limit.take(at: monotonicNow()) == nil { add(entry()) }
    }

    /// Writes entries until the server shuts down, then the remaining ones. After a failure tries again every second.
    package func run() async {
        await withGracefulShutdownHandler {
            for await _ in wakeups.stream {
                await flush()
                let mustRetry = failures.isFailing
                // Collect entries for the next commit.
                let pause: Duration = mustRetry ? .seconds(1) : .milliseconds(200)
                do { try await Task.sleep(for: pause) } catch { break }
                if mustRetry { wakeups.continuation.yield() }
            }
            await flush()
            // Entries that cannot be written now are lost.
            logLost(waitingCount)
        } onGracefulShutdown: {
            self.wakeups.continuation.finish()
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
        let entries = state.withLock { state in
            defer { state.waiting = [] }
            return state.waiting
        }
        guard !entries.isEmpty else { return }
        do { try await storage.appendAudit(entries) } catch {
            failures.record("the audit log cannot be written; trying again", error)
            let isFirstLost = state.withLock { state in
                // Queue them again, before newer entries.
                let kept = entries.prefix(max(Self.capacity - state.waiting.count, 0))
                state.waiting.insert(contentsOf: kept, at: 0)
                return state.lose(entries.count - kept.count)
            }
            if isFirstLost { logFirstLost() }
            return
        }
        failures.recordSuccess()
        logLost()
    }

    private func logFirstLost() {
        logger.error("new entries of the audit log are lost until the ledger can be written")
    }

    /// Logs the number of lost entries, with that of the ones that are lost now.
    private func logLost(_ more: Int = 0) {
        let lost = state.withLock { state in
            defer { state.lost = 0 }
            return state.lost
        }
        guard lost + more > 0 else { return }
        logger.error(
            "entries of the audit log were lost while the ledger could not be written",
            metadata: ["count": "\(lost + more)"])
    }
}
