internal import Ledger
internal import AppStoreModels
internal import Entitlements
internal import Foundation
internal import GRDB

/// A row of `lineages`.
struct LineageRow {
    let scope: Int64
    let original: String
    let token: Data?
    let account: String?
    let facts: Data
    /// Its number, and where it would have to be.
    private let number: Int64
    private let places: LineagePlaces
    /// What it says; nil if it is damaged.
    let record: LineageRecord?

    init(_ row: SQLStatement) {
        scope = row.number(0) ?? 0
        original = row.text(1) ?? ""
        (token, account, facts) = (row.blob(2), row.text(3), row.blob(4) ?? Data())
        let (original, token, account) = (original, token.flatMap { UUID(bytes: $0) }, account)
        number = row.number(5) ?? 0
        places = LineagePlaces(token: token, original: original)
        record = facts.withUnsafeBytes { PackedLineage.record(original, token: token, account: account, $0) }
    }

    /// Whether it comes before another one, as SQLite orders them: texts by their bytes.
    func isAhead(of other: LineageRow) -> Bool {
        scope != other.scope ? scope < other.scope : original.utf8.lexicographicallyPrecedes(other.original.utf8)
    }

    /// Whether who asks for the customer finds it.
    private var isInPlace: Bool { places.contains(number) }

    func isExactly(_ other: LineageRow) -> Bool {
        token == other.token && account == other.account && facts == other.facts && isInPlace && other.isInPlace
    }
}

/// What is different in what was folded anew and what is there, by name.
struct LineageDifferences {
    /// How many facts there should be.
    let count: Int
    private(set) var names: [String] = []

    init(_ new: LineageRow?, _ old: LineageRow?, _ scopes: ScopeRegistry, _ db: Database) throws {
        count = new?.record?.count ?? 0
        guard let some = new ?? old else { return }
        if let new, let old, new.isExactly(old) { return }
        let place =
            (scopes[id: some.scope].map { "\($0.bundleID) \($0.environment.rawValue)" } ?? "scope \(some.scope)")
            + " \(some.original)"
        let (news, olds) = (try Self.parts(new?.record, db), try Self.parts(old?.record, db))
        for name in Set(news.keys).union(olds.keys).sorted() {
            switch (news[name], olds[name]) {
            case (let one?, let other?): if one != other { names.append("\(place): \(name)") }
            case (_?, nil): names.append("\(place): \(name) is missing")
            case (nil, _): names.append("\(place): \(name) follows from nothing that was signed")
            }
        }
        if names.isEmpty { names.append("\(place): the form in which it is stored") }
    }

    /// The parts of a record by name, such that different parts have different texts.
    private static func parts(_ record: LineageRecord?, _ db: Database) throws -> [String: String] {
        guard let record else { return [:] }
        var parts: [String: String] = [:]
        for (fact, source) in zip(record.lineage.transactions, record.sources) {
            parts["transaction \(fact.transactionID)"] = "\(fact) \(source)"
        }
        if let fact = record.lineage.renewal { parts["renewal info"] = "\(fact) \(record.renewalSource ?? 0)" }
        for mention in record.mentions {
            let uuid = try db.first(
                "SELECT uuid FROM notifications WHERE id = ?", [.integer(mention.notification)]
            ) { StoredUUID.text($0.value(0)) }
            parts["notification \(uuid ?? "number \(mention.notification)")"] = "\(mention.signedDate)"
        }
        let owner = (record.lineage.appAccountToken?.text, record.lineage.appTransactionID)
        if owner != (nil, nil) { parts["owner"] = "\(owner)" }
        return parts
    }
}
