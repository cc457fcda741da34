package import Ledger
internal import AppStoreTrust
internal import Foundation
package import Logging
internal import Synchronization
internal import Entitlements

/// Takes the notifications of version 1 that apps still get which have not been switched over.
package final class NotificationV1Receiver: Sendable {
    private let storage: any HistoryRequestStorage
    private let apps: Apps
    private let scopes: ScopeRegistry
    private let prover: PurchaseProver
    private let clock: ServerClock
    private let logger: Logger
    /// The apps whose owners were warned.
    private let warned = Mutex<Set<String>>([])
    /// Nothing of these notifications is signed but the receipt, whose RSA signature takes a millisecond to check.
    private let meters = RateMeters(perSecond: 50)

    package init(
        storage: any HistoryRequestStorage, apps: Apps, scopes: ScopeRegistry, prover: PurchaseProver,
        clock: ServerClock,
        logger: Logger
    ) {
        self.storage = storage
        self.apps = apps
        self.scopes = scopes
        self.prover = prover
        self.clock = clock
        self.logger = logger
    }

    /// Puts down what has to be asked for. It is on disk when this returns.
    package func receive(_ notification: NotificationV1, from sender: String?) async throws {
        guard apps.takeReceiptsOfStrangers else {
            throw ServiceFailure(
                .forbidden, "version_1_off",
                "Notifications of version 1 are taken only of apps with shared_secrets in the server's configuration.")
        }
        if let backoff = meters[sender ?? ""]?.take(at: RateMeter.now) {
            throw ServiceFailure(
                .tooOften, "rate_limited", "Too many notifications of version 1 in a second.", isRetryable: true,
                backoff: backoff)
        }
        guard let text = notification.receipt else {
            throw ServiceFailure(
                .invalid, "no_receipt", "A notification of version 1 without a receipt proves nothing.")
        }
        guard apps.all.contains(where: { $0.accepts(password: notification.password) }) else { throw Self.wrongSecret }
        let receipt: ProvenReceipt
        do { receipt = try prover.proveReceipt(text) } catch {
            logger.warning("a version 1 notification was refused", metadata: ["code": "\(error.code)"])
            throw ServiceFailure(.invalid, "\(error.code)", error.message)
        }
        guard let app = apps[receipt.audience.bundleID],
            let scope = apps.served(app.bundleID, receipt.audience.environment, among: scopes)
        else {
            throw ServiceFailure(.invalid, "wrong_app", "The receipt is of an app that is not configured.")
        }
        guard app.accepts(password: notification.password) else {
            logger.warning(
                "a version 1 notification has the wrong shared secret", metadata: ["app": "\(app.bundleID)"])
            throw Self.wrongSecret
        }
        warn(about: app.bundleID)
        // One Apple account made all the purchases of a receipt, and any of them leads to the history of all. A receipt lists
        // no consumables that the app has finished, such as one that was refunded; the sender, who has the secret, names it.
        let newest = receipt.facts.max { $0.purchaseDate < $1.purchaseDate }?.originalTransactionID
        guard let lead = newest ?? notification.originalTransactionID else { return }
        try await storage.add(
            requests: [lead], in: scope.id, because: .notificationV1, at: clock.now().milliseconds)
    }

    private static let wrongSecret = ServiceFailure(
        .unauthorized, "wrong_secret", "The shared secret is not the app's.")

    private func warn(about bundleID: String) {
        guard warned.withLock({ $0.insert(bundleID).inserted }) else { return }
        logger.warning(
            """
            This app gets notifications of version 1. They say little and are retired. In App Store Connect, under App \
            Information, App Store Server Notifications, choose Version 2 for the production and the sandbox URL; this \
            server takes both at the same path.
            """, metadata: ["app": "\(bundleID)"])
    }
}

extension Apps {
    /// Whether there is an app whose old clients and notifications of version 1 can show who they are.
    package var takeReceiptsOfStrangers: Bool { all.contains { !$0.sharedSecrets.isEmpty } }
}

extension AppSettings {
    /// Whether a password is one of the shared secrets. None is never.
    package func accepts(password: String?) -> Bool {
        guard let password else { return false }
        // All are compared, so that the time it takes does not tell which.
        return sharedSecrets.reduce(false) { $1.matches(password) || $0 }
    }
}
