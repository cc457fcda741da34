internal import Foundation
package import Ledger
package import Logging
internal import ServiceLifecycle

/// Emits the event `grant.expired` for grants that have ended.
package struct GrantExpiryService: Service {
    let storage: any GrantStorage
    let clock: ServerClock
    let logger: Logger
    /// Called after new events were created.
    let wakeWebhooks: @Sendable () -> Void

    package init(
        storage: any GrantStorage, clock: ServerClock, logger: Logger, wakeWebhooks: @escaping @Sendable () -> Void
    ) {
        self.storage = storage
        self.clock = clock
        self.logger = logger
        self.wakeWebhooks = wakeWebhooks
    }

    /// Emits due events every second until the server shuts down.
    package func run() async throws {
        await FailureLog(logger, end: "events of expired grants are emitted again").attempt(
            "events of expired grants could not be emitted; trying again", every: .seconds(1), of: clock
        ) { try await emitDue() }
    }

    private static let batch = 100

    /// Emits the events of all grants that have ended by now.
    package func emitDue() async throws {
        while true {
            let expired = try await storage.emitExpiredGrants(at: clock.now().milliseconds, limit: Self.batch)
            if expired.count > expired.damaged.count { wakeWebhooks() }
            if !expired.damaged.isEmpty {
                logger.error(
                    "expired grants cannot be read",
                    metadata: ["ids": "\(expired.damaged)", "code": "\(StorageError.Code.damaged.rawValue)"])
            }
            guard expired.count == Self.batch else { return }
        }
    }
}
