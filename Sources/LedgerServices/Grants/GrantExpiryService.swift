package import Ledger
internal import Foundation
package import Logging
internal import ServiceLifecycle

/// Emits the event `grant.expired` of grants that have ended.
package struct GrantExpiryService: Service {
    let storage: any GrantStorage
    let clock: ServerClock
    let logger: Logger
    /// Is called after there are new events.
    let wakeWebhooks: @Sendable () -> Void

    package init(
        storage: any GrantStorage, clock: ServerClock, logger: Logger, wakeWebhooks: @escaping @Sendable () -> Void
    ) {
        self.storage = storage
        self.clock = clock
        self.logger = logger
        self.wakeWebhooks = wakeWebhooks
    }

    /// Looks every second, until the server ends.
    package func run() async throws { await cancelWhenGracefulShutdown { await work() } }

    private func work() async {
        while !Task.isCancelled {
            // Cancelled is stopped.
            do { try await clock.wait(for: .seconds(1)) } catch { return }
            do { try await emitDue() } catch {
                logger.error("the ends of grants wait", metadata: ["reason": "\(error.logReason)"])
            }
        }
    }

    private static let batch = 100

    /// Emits it of all that have ended by now.
    package func emitDue() async throws {
        while true {
            let expired = try await storage.emitExpiredGrants(at: clock.now().milliseconds, limit: Self.batch)
            if expired.count > expired.damaged.count { wakeWebhooks() }
            if !expired.damaged.isEmpty {
                logger.error(
                    "grants that have ended cannot be read",
                    metadata: ["ids": "\(expired.damaged)", "code": "\(StorageError.Code.damaged.rawValue)"])
            }
            guard expired.count == Self.batch else { return }
        }
    }
}
