internal import Foundation
package import Ledger
package import Logging
internal import ServiceLifecycle

/// Deletes data whose retention has ended: webhook deliveries, the responses to requests with an idempotency key, and
/// entries of the audit log.
package struct RetentionService: Service {
    let storage: any RetentionStorage
    let clock: ServerClock
    let logger: Logger

    package init(storage: any RetentionStorage, clock: ServerClock, logger: Logger) {
        self.storage = storage
        self.clock = clock
        self.logger = logger
    }

    /// Deletes expired data at the start and every minute until the server shuts down, while the clock is steady.
    package func run() async throws {
        await FailureLog(logger, end: "expired data are deleted again").attempt(
            "expired data could not be deleted; trying again", every: .seconds(60), of: clock, beginsAtOnce: true,
            when: { clock.isSteady }
        ) { try await removeExpired() }
    }

    /// The number of rows that one transaction deletes. It is small, because incoming notifications wait for the
    /// transaction.
    package static let batch = 100

    /// Deletes all data that have expired by now.
    package func removeExpired() async throws {
        while try await storage.removeExpired(at: clock.now().milliseconds, limit: Self.batch) == Self.batch {}
    }
}
