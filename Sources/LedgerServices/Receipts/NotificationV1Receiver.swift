internal import AppStoreTrust
internal import Entitlements
internal import Foundation
package import Ledger
package import Logging
internal import Synchronization

/// Receives notifications of version 1, for apps that App Store Connect does not send version 2 yet.
package final class NotificationV1Receiver: Sendable {
    private let storage: any HistoryRequestStorage
    private let apps: Apps
    private let scopes: AppEnvironmentRegistry
    private let purchaseVerifier: PurchaseVerifier
    private let clock: ServerClock
    private let logger: Logger
    /// The apps for which the log contains a warning.
    private let warned = Mutex<Set<String>>([])
    /// Limits requests per sender. Only the receipt is signed, and checking its RSA signature takes a millisecond.
    private let meters = RateMeters(perSecond: 50)
    /// Limits requests for transactions that no receipt names. Everybody with an old client knows the shared secret and
    /// can make up any number of transactions; each is requested from the App Store.
    private let unsignedMeter: RateMeter

    /// - Parameter unsignedPerHour: The maximum number of notifications an hour whose receipt names no transaction.
    package init(
        storage: any HistoryRequestStorage, apps: Apps, scopes: AppEnvironmentRegistry,
        purchaseVerifier: PurchaseVerifier,
        clock: ServerClock, logger: Logger, unsignedPerHour: Int = 1000
    ) {
        self.storage = storage
        self.apps = apps
        self.scopes = scopes
        self.purchaseVerifier = purchaseVerifier
        self.clock = clock
        self.logger = logger
        unsignedMeter = RateMeter(perHour: unsignedPerHour)
    }

    /// Verifies the receipt of a notification and stores a request for its history. The request is on disk when this
    /// method returns.
    ///
    /// Does not log refusals: whoever sends many could fill the log. The caller logs a few per second.
    package func receive(_ notification: NotificationV1, from sender: String?) async throws {
        guard apps.acceptReceiptsFromOldClients else {
            throw ServiceFailure(
                .forbidden, "version_1_off",
                "The server accepts notifications of version 1 only for apps with shared_secrets in its configuration.")
        }
        try Self.take(from: meters[sender ?? ""])
        guard let text = notification.receipt else {
            throw ServiceFailure(
                .invalid, "no_receipt", "The notification of version 1 has no receipt, which is its only signed part.")
        }
        guard apps.all.contains(where: { $0.accepts(password: notification.password) }) else {
            throw Self.wrongSecret("The shared secret is not an app's.")
        }
        let receipt: VerifiedReceipt
        do { receipt = try purchaseVerifier.verifyReceipt(text) } catch {
            throw ServiceFailure(.invalid, "\(error.code)", error.message)
        }
        guard let app = apps[receipt.audience.bundleID],
            let appEnvironment = apps.served(app.bundleID, receipt.audience.environment, among: scopes)
        else {
            throw ServiceFailure(.invalid, "wrong_app", "The receipt belongs to an app that is not configured.")
        }
        guard app.accepts(password: notification.password) else {
            throw Self.wrongSecret("The shared secret is not that of \(app.bundleID).")
        }
        warn(about: app.bundleID)
        // One Apple account made all purchases of a receipt, so the App Store returns the whole history for any of
        // them. Receipts omit finished consumables, also refunded ones. For those, use the identifier in the
        // notification, whose sender knows the shared secret.
        let newest = receipt.facts.max { $0.purchaseDate < $1.purchaseDate }?.originalTransactionID
        guard let lead = newest ?? notification.originalTransactionID else { return }
        if newest == nil { try Self.take(from: unsignedMeter) }
        try await storage.add(
            requests: [lead], in: appEnvironment.id, because: newest == nil ? .unsignedNotificationV1 : .notificationV1,
            at: clock.now().milliseconds)
    }

    private static func take(from meter: RateMeter?) throws(ServiceFailure) {
        guard let backoff = meter?.take(at: RateMeter.now) else { return }
        throw ServiceFailure(
            .tooOften, "rate_limited", "Too many notifications of version 1.", isRetryable: true, backoff: backoff)
    }

    private static func wrongSecret(_ message: String) -> ServiceFailure {
        ServiceFailure(.unauthorized, "wrong_secret", message)
    }

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
    /// Whether an app has a shared secret, which old clients and notifications of version 1 authenticate with.
    package var acceptReceiptsFromOldClients: Bool { all.contains { !$0.sharedSecrets.isEmpty } }
}

extension AppSettings {
    /// Whether a password is one of the shared secrets. False for nil.
    package func accepts(password: String?) -> Bool {
        guard let password else { return false }
        // Compare with all secrets, so that the time does not depend on which one matches.
        return sharedSecrets.reduce(false) { $1.matches(password) || $0 }
    }
}
