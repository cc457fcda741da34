package import Ledger
internal import AppStoreModels
package import AppStoreServer
internal import AppStoreTrust
package import Foundation
internal import Entitlements
package import Logging

/// Writes the bodies of messages: the event, and what the App Store signed about it.
package struct EventRenderer: Sendable {
    let storage: any CustomerStorage
    let scopes: ScopeRegistry
    /// Who proves again what was kept.
    let verifier: SignedDataVerifier
    let apps: Apps
    let logger: Logger

    package init(
        storage: any CustomerStorage, scopes: ScopeRegistry, verifier: SignedDataVerifier, apps: Apps, logger: Logger
    ) {
        self.storage = storage
        self.scopes = scopes
        self.verifier = verifier
        self.apps = apps
        self.logger = logger
    }

    /// The notification is being read anew at the moment.
    struct NotYet: Error {}

    /// Writes the body of a message. Nil when there is nothing to say in this vocabulary.
    ///
    /// - Parameter delivery: What it is for: it says which of the vocabulary's words for the event it is.
    /// - Throws: ``NotYet``; `VerificationError` where a text can be judged only later.
    package func body(
        _ event: LedgerEvent, _ notification: KeptNotification?, as delivery: WebhookDelivery,
        payload: WebhookPayload
    ) async throws -> Data? {
        if notification?.state == .pending { throw NotYet() }
        var context = EventContext(event: event, delivery: delivery, scope: scopes[id: event.scope])
        if let notification, let scope = scopes[id: notification.scope] {
            context.parts = try await parts(of: notification, in: scope, for: event)
        }
        switch payload {
        case .counterfoil: return Data(EventJSON.body(context))
        case .compatible:
            let events = CompatibleEvent.events(of: event.type)
            guard events.indices.contains(delivery.variant) else { return nil }
            context.previous = try await previous(of: context)
            context.entitlements = context.scope.flatMap { apps[$0.bundleID] }?.catalogue.entitlements ?? [:]
            return CompatibleJSON.body(context, as: events[delivery.variant]).map { Data($0) }
        }
    }

    /// What was signed; nil where it does not verify any more. That something happened stays true, and trying again would
    /// only hold up what comes after it.
    private func parts(
        of notification: KeptNotification, in scope: Scope, for event: LedgerEvent
    ) async throws -> NotificationParts? {
        do { return try await NotificationParts(of: notification, in: scope, verifiedBy: verifier) } catch {
            guard !error.isRetryable else { throw error }
            logger.error(
                "a text of the ledger does not verify any more; its event is told without what it says",
                metadata: ["event": "\(event.id)", "reason": "\(error.logReason)"])
            return nil
        }
    }

    /// The purchase or renewal before the one that an event is about.
    private func previous(of context: EventContext) async throws -> PreviousPurchase? {
        guard let transaction = context.parts?.transaction, let scope = context.scope else { return nil }
        let lineage = try await storage.lineage(transaction.originalTransactionId, in: scope.id)
        let before = lineage?.transactions
            .filter { $0.transactionID != transaction.transactionId && $0.purchaseDate < transaction.purchaseDate }
            .max { ($0.purchaseDate, $0.transactionID) < ($1.purchaseDate, $1.transactionID) }
        return before.map { PreviousPurchase(productID: $0.productID, wasTrial: $0.offerDiscountType == .freeTrial) }
    }
}

/// An event with all that a payload says of it.
struct EventContext {
    let event: LedgerEvent
    let delivery: WebhookDelivery
    let scope: Scope?
    var parts: NotificationParts?
    var previous: PreviousPurchase?
    var entitlements: [String: Set<String>] = [:]
}

/// What was bought before.
struct PreviousPurchase {
    var productID: String
    var wasTrial: Bool
}
