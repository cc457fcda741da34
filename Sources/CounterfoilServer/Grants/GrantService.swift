internal import Ledger
internal import Foundation
internal import Logging
internal import ServiceLifecycle

/// Says of grants that have ended that they have.
package struct GrantExpiry: Sendable {
    let storage: any GrantStorage
    let clock: ServerClock
    let logger: Logger
    /// Is called after there are new events.
    let told: @Sendable () -> Void

    package init(_ core: ServerCore) {
        (storage, clock, logger) = (core.storage, core.clock, core.logger)
        told = core.webhooks.wake
    }

    private static let batch = 100

    /// Tells of all that have ended by now.
    package func tellDue() async throws {
        while true {
            let count = try await storage.tellExpiredGrants(at: clock.now().milliseconds, limit: Self.batch)
            if count > 0 { told() }
            guard count == Self.batch else { return }
        }
    }
}

/// Looks for grants that have ended, every second.
struct GrantService: Service {
    let expiry: GrantExpiry

    func run() async throws { await cancelWhenGracefulShutdown { await work() } }

    private func work() async {
        while !Task.isCancelled {
            // Cancelled is stopped.
            do { try await expiry.clock.wait(for: .seconds(1)) } catch { return }
            do { try await expiry.tellDue() } catch {
                expiry.logger.error("the ends of grants wait", metadata: ["reason": "\(error.logReason)"])
            }
        }
    }
}
