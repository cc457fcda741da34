internal import Ledger
internal import AppStoreReceipts
internal import AppStoreTrust
internal import Foundation
internal import HTTPTypes
internal import Logging
internal import Synchronization
internal import Entitlements

/// Takes the notifications of version 1 that apps still get which have not been switched over.
final class NotificationV1Receiver: Sendable {
    private let core: ServerCore
    /// The apps whose owners were told.
    private let told = Mutex<Set<String>>([])
    /// Nothing of these notifications is signed but the receipt, whose RSA signature takes a millisecond to check.
    private let meters = RateMeters(perSecond: 50)

    init(_ core: ServerCore) { self.core = core }

    /// Puts down what has to be asked for. It is on disk when this returns.
    func receive(_ notification: NotificationV1, from sender: String?) async throws {
        let apps = core.configuration.apps
        guard core.configuration.takesReceiptsOfStrangers else {
            throw APIFailure(
                .forbidden, "version_1_off",
                "Notifications of version 1 are taken only of apps with shared_secrets in the server's configuration.")
        }
        if let backoff = meters[sender ?? ""]?.take(at: RateMeter.now) {
            throw APIFailure(
                .tooManyRequests, "rate_limited", "Too many notifications of version 1 in a second.", isRetryable: true,
                backoff: backoff)
        }
        guard let text = notification.receipt else {
            throw APIFailure(.badRequest, "no_receipt", "A notification of version 1 without a receipt proves nothing.")
        }
        guard apps.contains(where: { $0.accepts(password: notification.password) }) else { throw Self.wrongSecret }
        let receipt: ProvenReceipt
        do { receipt = try core.proveReceipt(text) } catch {
            core.logger.warning("a version 1 notification was refused", metadata: ["code": "\(error.code)"])
            throw APIFailure(.badRequest, "\(error.code)", error.reason)
        }
        guard let app = core.configuration.app(receipt.audience.bundleId),
            let scope = core.scopes[receipt.audience.bundleId, receipt.audience.environment]
        else {
            throw APIFailure(.badRequest, "wrong_app", "The receipt is of an app that is not configured.")
        }
        guard app.accepts(password: notification.password) else {
            core.logger.warning(
                "a version 1 notification has the wrong shared secret", metadata: ["app": "\(app.bundleId)"])
            throw Self.wrongSecret
        }
        tell(app.bundleId)
        // One Apple account made all the purchases of a receipt, and any of them leads to the history of all.
        guard let newest = receipt.facts.max(by: { $0.purchaseDate < $1.purchaseDate }) else { return }
        try await core.storage.add(
            errands: [newest.originalTransactionId], in: scope.id, because: .notificationV1, at: core.now.milliseconds)
    }

    private static let wrongSecret = APIFailure(
        .unauthorized, "wrong_secret", "The shared secret is not the app's.")

    private func tell(_ bundleId: String) {
        guard told.withLock({ $0.insert(bundleId).inserted }) else { return }
        core.logger.warning(
            """
            This app gets notifications of version 1. They say little and are retired. In App Store Connect, under App \
            Information, App Store Server Notifications, choose Version 2 for the production and the sandbox URL; this \
            server takes both at the same path.
            """, metadata: ["app": "\(bundleId)"])
    }
}

extension ServerConfiguration {
    /// Whether there is an app whose old clients and notifications of version 1 can show who they are.
    var takesReceiptsOfStrangers: Bool { apps.contains { !$0.sharedSecrets.isEmpty } }
}

extension ServerConfiguration.App {
    /// Whether a password is one of the shared secrets. None is never.
    func accepts(password: String?) -> Bool {
        guard let password else { return false }
        // All are compared, so that the time it takes does not tell which.
        return sharedSecrets.reduce(false) { $1.matches(password) || $0 }
    }
}
