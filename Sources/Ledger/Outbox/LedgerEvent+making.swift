internal import AppStoreModels
internal import Basics
internal import Entitlements
internal import Foundation

extension LedgerEvent {
    /// Creates the event of a notification when it is processed; nil if it has one already, because it was processed
    /// before.
    ///
    /// - Parameters:
    ///   - number: The row identifier of the notification, also for a different text with its UUID.
    ///   - waited: Whether it was pending or had failed.
    ///   - isNew: Whether the record of its purchase did not contain it.
    ///   - isLate: Whether that record contained a newer notification.
    ///   - customer: Returns the customer of an Apple account, for a notification about an account.
    package init?(
        of notification: ProcessedNotification, number: Int64, waited: Bool, isNew: Bool, isLate: Bool,
        customer: (_ account: String) throws -> String?
    ) rethrows {
        guard waited, isNew else { return nil }
        self.init(
            id: Self.prefix + notification.uuid, scope: notification.scope,
            type: EventType(notification.type, notification.subtype),
            originalTransactionID: notification.originalTransactionID, notification: number,
            occurredAt: notification.signedDate, createdAt: notification.processedAt)
        self.isLate = isLate
        productID = notification.transaction?.productID ?? notification.renewal?.productID
        if let account = notification.account { self.customer = try customer(account) }
    }
}

extension EventType {
    /// Returns the type of a change of ownership. A purchase of an erased customer has no owner, so it is linked.
    package static func ofChange(from owners: [String]) -> EventType {
        Erasure.withoutStandIns(owners).isEmpty ? .purchaseLinked : .purchaseTransferred
    }
}

// The events that do not come from a notification.
extension LedgerEvent {
    /// Creates the event of a change of ownership. It occurs at the instant of the claims.
    ///
    /// - Parameters:
    ///   - claims: The new claims, which have one instant.
    ///   - owners: The customers who lost the purchase.
    package init(
        of claims: [ClaimEvent], to customer: String, on original: String, from owners: [String],
        learned now: Milliseconds, in scope: Int64
    ) {
        self.init(
            on: original, from: owners, to: customer, occurredAt: claims.first?.instant ?? now, learned: now, in: scope)
    }

    /// Creates the event of a change of ownership without a claim: the App Store signed another account for a purchase
    /// that nobody claimed. Nil if the purchase had no owner, has none, or has the same one.
    ///
    /// It occurs when the server learns of it, because the signed data do not say when the account changed. Whether there
    /// is an event depends on the order in which facts arrive: it reports that the answer of this ledger changed.
    ///
    /// - Parameters:
    ///   - former: The purchase before the new facts.
    ///   - present: The purchase with the new facts.
    ///   - owners: Returns the owners, without erased customers, that follow from the present claims.
    package init?(
        from former: Lineage, to present: Lineage, learned now: Milliseconds, in scope: Int64,
        owners: (Lineage) throws -> [String]
    ) rethrows {
        // Most purchases are new. Without an account only claims name owners, before and after the new facts.
        guard former.namesAccount, !present.hasSameAccount(as: former) else { return nil }
        let lost = try owners(former)
        guard !lost.isEmpty, let owner = try owners(present).first, !lost.containsExactly(owner) else { return nil }
        self.init(
            on: present.originalTransactionID, from: lost, to: owner, occurredAt: now, learned: now, in: scope)
    }

    private init(
        on original: String, from owners: [String], to customer: String, occurredAt instant: Milliseconds,
        learned now: Milliseconds, in scope: Int64
    ) {
        var data = JSONWriter()
        data.object { json in
            json.member("from", owners) { $0.string($1) }
            json.member("to", [customer]) { $0.string($1) }
        }
        self.init(
            id: Self.prefix + UUID().text, scope: scope,
            type: .ofChange(from: owners), originalTransactionID: original,
            customer: customer, occurredAt: instant, createdAt: now,
            data: String(decoding: data.bytes, as: UTF8.self))
    }

    /// Creates the event of a change of a grant. A grant has one event of each type.
    package init(
        _ type: EventType, of grant: Grant, at instant: Milliseconds, learned now: Milliseconds, in scope: Int64
    ) {
        var data = JSONWriter()
        data.object { json in
            json.member("grant", grant.id)
            json.member("entitlement", grant.entitlement)
            json.member("until", grant.until)
            json.member("reason", grant.revocation?.reason ?? grant.reason)
            json.member("actor", grant.revocation?.actor ?? grant.actor)
        }
        self.init(
            id: Self.identifier(type, ofGrant: grant.id), scope: scope, type: type, customer: grant.customer,
            occurredAt: instant, createdAt: now, data: String(decoding: data.bytes, as: UTF8.self))
    }

    /// Returns the identifier of a grant's event.
    package static func identifier(_ type: EventType, ofGrant id: String) -> String {
        "\(prefix)\(id)_\(type.rawValue.replacing("grant.", with: ""))"
    }
}
