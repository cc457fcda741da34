package import Ledger
package import Foundation
package import Logging
internal import ServiceLifecycle
internal import Synchronization

/// Keeps who did what: many entries in one commit, beside the way of the requests that they are about.
package final class AuditLog: Service {
    /// How long an entry is kept.
    private static let keeping: Milliseconds = 400 * 86_400_000
    /// How many may wait to be kept.
    private static let capacity = 10_000

    private let storage: any AuditStorage
    private let now: @Sendable () -> Date
    private let logger: Logger
    private let waiting = Mutex<[AuditEntry]>([])
    /// The last commit that was begun.
    private let lastCommit = Mutex<Task<Void, Never>?>(nil)
    /// Strangers can make any number of refusals: a few a second are kept, and the metrics count all.
    private let strangers = RateMeter(perSecond: 5)
    private let wakeups: AsyncStream<Void>
    private let bell: AsyncStream<Void>.Continuation

    package init(_ storage: any AuditStorage, now: @escaping @Sendable () -> Date, logger: Logger) {
        (self.storage, self.now, self.logger) = (storage, now, logger)
        (wakeups, bell) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    }

    /// How many entries wait to be written.
    package var waitingCount: Int { waiting.withLock(\.count) }

    /// Hands over an entry.
    package func add(_ entry: AuditEntry) {
        let isKept = waiting.withLock { waiting in
            guard waiting.count < Self.capacity else { return false }
            waiting.append(entry)
            return true
        }
        if !isKept { logger.error("an entry of the audit log was lost: the ledger takes no more") }
        bell.yield()
    }

    /// Hands over what somebody was refused whom nobody knows.
    package func addAnonymous(_ entry: @autoclosure () -> AuditEntry) {
        if strangers.take(at: RateMeter.now) == nil { add(entry()) }
    }

    /// Keeps what is handed over until the server ends; then what is left.
    package func run() async {
        await withGracefulShutdownHandler {
            for await _ in wakeups {
                await keep()
                // What comes until then is one commit.
                do { try await Task.sleep(for: .milliseconds(200)) } catch { break }
            }
            await keep()
        } onGracefulShutdown: {
            self.bell.finish()
        }
    }

    /// Keeps what waits now. One commit after the other: what is being written when this is called is kept when it returns.
    package func keep() async {
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
        do { try await storage.appendAudit(entries, dropping: now().milliseconds - Self.keeping) } catch {
            logger.error("the audit log cannot be written", metadata: ["reason": "\(error.logReason)"])
            // They are kept later, before what came meanwhile.
            waiting.withLock { $0.insert(contentsOf: entries.prefix(Self.capacity - $0.count), at: 0) }
        }
    }
}
