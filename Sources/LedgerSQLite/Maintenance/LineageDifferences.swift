internal import AppStoreModels
internal import Entitlements
internal import Foundation
internal import GRDB
internal import Ledger

/// A row of `lineages` with its decoded record.
struct LineageRow {
    let scope: Int64
    let original: String
    let token: Data?
    let account: String?
    let facts: Data
    /// Whether the row identifier is in the range where customer queries find the row.
    private let isInRange: Bool
    /// The decoded record; nil if it is corrupt.
    let record: LineageRecord?

    init(_ row: SQLStatement) {
        let (original, uuid, account) = (row.text(1) ?? "", row.uuid(2), row.text(3))
        scope = row.number(0) ?? 0
        (self.original, token, self.account, facts) = (original, row.blob(2), account, row.blob(4) ?? Data())
        isInRange = LineageRowRange(token: uuid, original: original).contains(row.number(5) ?? 0)
        record = row.withBlob(4) { PackedLineage.record(original, token: uuid, account: account, $0) }
    }

    /// Whether the row precedes another one in SQLite's order: by scope, then by the bytes of the identifier.
    func precedes(_ other: LineageRow) -> Bool {
        scope != other.scope ? scope < other.scope : original.precedesExactly(other.original)
    }

    func isExactly(_ other: LineageRow) -> Bool {
        token == other.token && account == other.account && facts == other.facts && isInRange && other.isInRange
    }
}

/// The differences between the record that was built again and the stored one, by name.
struct LineageDifferences {
    /// The number of facts that there should be.
    let count: Int
    private(set) var names: [String] = []

    init(_ new: LineageRow?, _ old: LineageRow?, _ scopes: AppEnvironmentRegistry, _ db: Database) throws {
        count = new?.record?.count ?? 0
        guard let some = new ?? old else { return }
        if let new, let old, new.isExactly(old) { return }
        let place = "\(scopes.name(of: some.scope)) \(some.original)"
        let (newParts, oldParts) = (try Self.parts(new?.record, db), try Self.parts(old?.record, db))
        for name in Set(newParts.keys).union(oldParts.keys).sorted() {
            switch (newParts[name], oldParts[name]) {
            case (let one?, let other?): if one != other { names.append("\(place): \(name)") }
            case (_?, nil): names.append("\(place): \(name) is missing")
            case (nil, _): names.append("\(place): \(name) is in no signed text")
            }
        }
        if names.isEmpty { names.append("\(place): the stored form") }
    }

    /// Returns the parts of a record by name. Different parts have different texts.
    private static func parts(_ record: LineageRecord?, _ db: Database) throws -> [String: String] {
        guard let record else { return [:] }
        var parts: [String: String] = [:]
        for (fact, source) in zip(record.lineage.transactions, record.sources) {
            parts["transaction \(fact.transactionID)"] = "\(fact) \(source)"
        }
        if let fact = record.lineage.renewal { parts["renewal info"] = "\(fact) \(record.renewalSource ?? 0)" }
        if let grace = record.lineage.gracePeriod { parts["grace period"] = "\(grace)" }
        for mention in record.mentions {
            let uuid = try StoredUUID.ofNotification(mention.notification, db)
            parts["notification \(uuid ?? "number \(mention.notification)")"] = "\(mention.signedDate)"
        }
        let owner = (record.lineage.appAccountToken?.text, record.lineage.appTransactionID)
        if owner != (nil, nil) { parts["owner"] = "\(owner)" }
        return parts
    }
}
