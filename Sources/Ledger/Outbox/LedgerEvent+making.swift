internal import Basics
internal import Foundation

/// The events that no notification tells of.
extension LedgerEvent {
    /// A purchase is a customer's now.
    ///
    /// - Parameters:
    ///   - owners: Who had it before and has it no more.
    ///   - instant: Since when.
    package init(
        ofClaimTo customer: String, on original: String, from owners: [String], at instant: Milliseconds,
        learned now: Milliseconds, in scope: Int64
    ) {
        var data = JSONWriter()
        data.object { json in
            json.member("from", owners) { $0.string($1) }
            json.member("to", [customer]) { $0.string($1) }
        }
        self.init(
            id: Self.prefix + UUID().uuidString.lowercased(), scope: scope,
            type: owners.isEmpty ? .purchaseLinked : .purchaseTransferred, originalTransactionID: original,
            customer: customer, occurredAt: instant, createdAt: now, data: String(decoding: data.bytes, as: UTF8.self))
    }

    /// Something happened to a grant. Of each kind a grant has one event.
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

    /// What the event of a kind is called that a grant has.
    package static func identifier(_ type: EventType, ofGrant id: String) -> String {
        "\(prefix)\(id)_\(type.rawValue.replacing("grant.", with: ""))"
    }
}
