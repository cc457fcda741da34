internal import AppStoreModels
package import AppStoreServer
internal import AppStoreTrust
internal import Entitlements
package import Foundation
package import Ledger
package import Logging

/// Renders the bodies of webhook messages from an event and the notification that caused it.
package struct EventRenderer: Sendable {
    package typealias Storage = CustomerStorage & ErasureStorage

    let storage: any Storage
    let scopes: AppEnvironmentRegistry
    /// Verifies the stored notifications again.
    let verifier: SignedDataVerifier
    let apps: Apps
    let logger: Logger

    package init(
        storage: any Storage, scopes: AppEnvironmentRegistry, verifier: SignedDataVerifier, apps: Apps,
        logger: Logger
    ) {
        self.storage = storage
        self.scopes = scopes
        self.verifier = verifier
        self.apps = apps
        self.logger = logger
    }

    /// The notification is being reprocessed and has no result yet.
    struct NotificationPending: Error {}

    /// Returns the body of a message; nil if the event has no representation in this format.
    ///
    /// - Parameter delivery: The delivery. Its `variant` selects one of the event's representations in the format.
    /// - Throws: ``NotificationPending``; `VerificationError` if the notification cannot be verified now, but maybe
    ///   later.
    package func body(
        _ event: LedgerEvent, _ notification: StoredNotification?, as delivery: WebhookDelivery,
        payload: WebhookPayload
    ) async throws -> Data? {
        if notification?.state == .pending { throw NotificationPending() }
        var context = EventContext(event: event, delivery: delivery, appEnvironment: scopes[id: event.scope])
        if let notification, let appEnvironment = scopes[id: notification.scope] {
            context.parts = try await parts(of: notification, in: appEnvironment, for: event)
        }
        switch payload {
        case .counterfoil:
            // The endpoint had the other format when the deliveries were created. The first one contains everything.
            guard delivery.variant == 0 else { return nil }
            context.hidesAccountToken = try await hidesAccountToken(context)
            return Data(EventJSON.body(context))
        case .compatible:
            let events = CompatibleEvent.events(of: event.type)
            guard events.indices.contains(delivery.variant) else { return nil }
            context.previous = try await previousPurchase(before: context)
            if let app = context.appEnvironment.flatMap({ apps[$0.bundleID] }) { context.catalogue = app.catalogue }
            return CompatibleJSON.body(context, as: events[delivery.variant]).map { Data($0) }
        }
    }

    /// Whether a body has this format. A stored body has the format that the endpoint had then.
    static func isBody(_ body: Data, in payload: WebhookPayload) -> Bool {
        body.starts(with: #"{"api_version""#.utf8) == (payload == .compatible)
    }

    /// Returns the signed parts of a notification; nil if they no longer verify. The event is then sent without them:
    /// it still happened, and retries would only block later events.
    private func parts(
        of notification: StoredNotification, in appEnvironment: AppEnvironment, for event: LedgerEvent
    ) async throws -> NotificationParts? {
        do { return try await NotificationParts(of: notification, in: appEnvironment, verifiedBy: verifier) } catch {
            guard !error.isRetryable else { throw error }
            logger.error(
                "a stored notification no longer verifies; its event is sent without the signed data",
                metadata: ["event": "\(event.id)", "reason": "\(error.logReason)"])
            return nil
        }
    }

    /// Whether the account token of the transaction may be the name of an erased customer.
    private func hidesAccountToken(_ context: EventContext) async throws -> Bool {
        // A purchase with a token has no customer only if the customer was erased.
        guard let customer = context.event.namedCustomer else { return true }
        guard let token = context.parts?.transaction?.appAccountToken?.text, !token.isExactly(customer),
            let appEnvironment = context.appEnvironment
        else { return false }
        // Another customer has the purchase.
        return try await storage.lastErasure(of: token, in: appEnvironment) != nil
    }

    /// Returns the purchase or renewal of the lineage before the one of the event; after a migration, the last one of
    /// the subscription that was migrated.
    private func previousPurchase(before context: EventContext) async throws -> TransactionFact? {
        guard let transaction = context.parts?.transaction, let appEnvironment = context.appEnvironment else {
            return nil
        }
        let original = context.migratedFrom ?? transaction.originalTransactionId
        let lineage = try await storage.lineage(original, in: appEnvironment.id)
        let fact = TransactionFact(transaction)
        return lineage?.transactions.periodsThatBegan.last {
            !$0.transactionID.isExactly(fact.transactionID) && $0.wasPurchased(before: fact)
        }
    }
}

/// An event with all data that a body may include.
struct EventContext {
    let event: LedgerEvent
    let delivery: WebhookDelivery
    let appEnvironment: AppEnvironment?
    var parts: NotificationParts?
    /// Whether the body leaves out the account token of the transaction.
    var hidesAccountToken = false
    /// The purchase before the one of the event.
    var previous: TransactionFact?
    var catalogue = ProductCatalogue()

    /// The original transaction of the subscription that this migration replaces; nil for other events.
    var migratedFrom: String? {
        event.type.rawValue == "subscription.migrated" ? parts?.transaction?.previousOriginalTransactionId : nil
    }
}
