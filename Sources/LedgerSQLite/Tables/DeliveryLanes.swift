internal import Ledger
internal import AppStoreModels
internal import GRDB

/// The order in which deliveries go to one endpoint.
///
/// A delivery stands in two lanes: in that of its customer and in that of its purchase, which may go from one customer to
/// another. In both, what happened first goes first, in whatever order it became known. The first of both lanes goes next
/// when nothing in them is due. As long as more events are being read it is only named, and gives way to what happened
/// before it; then it becomes due. What was never due has not been sent; what has been due may have arrived, even if nothing
/// is known of it.
///
/// What turns up late can no longer be put before what has gone out. A receiver that believes the last message would be left
/// with the older state. So everything newer about the purchase is said again after it, under new identifiers.
struct DeliveryLanes {
    let target: FanOutTarget
    /// What happened before is not for this endpoint.
    let begin: Milliseconds
    let now: Milliseconds
    let db: Database
    /// How many deliveries were made.
    private(set) var count = 0
    private var touched: Set<ExactText> = []

    init(_ target: FanOutTarget, begin: Milliseconds, at now: Milliseconds, _ db: Database) {
        (self.target, self.begin, self.now, self.db) = (target, begin, now, db)
    }

    // MARK: - Making deliveries

    /// Makes the deliveries of an event; nothing goes before ``release(isLast:)``.
    ///
    /// - Parameter isRepeat: Whether it is said again, to be the last word.
    /// - Returns: How many there are.
    @discardableResult
    mutating func add(_ candidate: WebhookTables.Candidate, isRepeat: Bool = false) throws -> Int {
        let variants = max(0, target.deliveries(candidate.type, candidate.scope))
        for variant in 0..<variants { try add(candidate, variant: variant, isRepeat: isRepeat) }
        return variants
    }

    /// Makes one delivery, whatever the endpoint wants; gives its number.
    @discardableResult
    mutating func add(
        _ candidate: WebhookTables.Candidate, variant: Int, isRepeat: Bool = false
    ) throws -> Int64 {
        try db.run(
            """
            INSERT INTO deliveries
                (endpoint, event, variant, lane, purchase, happened_at, is_repeat, state, attempts, created_at)
            VALUES (?, ?, ?, ?, ?, ?, ?, \(WebhookTables.pending), 0, ?)
            """,
            [
                .integer(target.endpoint), .integer(candidate.number), .init(variant),
                .text(candidate.lane), .init(candidate.purchase), .integer(candidate.happenedAt),
                .init(isRepeat), .integer(now),
            ])
        count += 1
        touched.insert(ExactText(candidate.lane))
        return db.lastInsertedRowID
    }

    /// Says again what is newer than an event about the same purchase.
    ///
    /// - Parameter hasGoneOut: Whether an event was told before, as far as it does not wait in its lanes.
    mutating func addRepeats(
        after late: WebhookTables.Candidate, where hasGoneOut: (WebhookTables.Candidate) -> Bool
    ) throws {
        for var newer in try Self.newer(than: late, db) where newer.happenedAt >= begin && hasGoneOut(newer) {
            guard try !isWaiting(newer) else { continue }
            // The purchase may be somebody else's by now.
            newer.lane = late.lane
            try add(newer, isRepeat: true)
        }
    }

    /// The events that are sent again after one, by ``EventRepeats``.
    static func newer(than late: WebhookTables.Candidate, _ db: Database) throws -> [WebhookTables.Candidate] {
        guard let original = late.original,
            let record = try StorageError.unlessDamaged({ try LineageTable.record(original, in: late.scope, db) })
        else { return [] }
        return try EventRepeats.after(late.happenedAt, in: record) { notification in
            try db.first(
                "SELECT \(WebhookTables.Candidate.reading) WHERE notification = ?", [.integer(notification)]
            ) { WebhookTables.Candidate($0) }
        }
    }

    /// Whether an event waits and nothing of it was ever sent, so that it comes after everything older by itself.
    private func isWaiting(_ candidate: WebhookTables.Candidate) throws -> Bool {
        try db.exists(
            """
            SELECT 1 FROM deliveries INDEXED BY deliveries_by_purchase
            WHERE endpoint = ? AND purchase = ? AND \(WebhookTables.isPending) AND (due IS NULL OR due = ?) AND happened_at = ?
                AND event = ? AND variant = 0
            """,
            [
                .integer(target.endpoint), .init(candidate.purchase), .integer(Self.named),
                .integer(candidate.happenedAt), .integer(candidate.number),
            ])
    }

    // MARK: - Letting them go

    /// Chooses what goes next of all lanes in which something was put.
    ///
    /// - Parameter isLast: Whether no more events come that could be put before it, so that it is due.
    mutating func release(isLast: Bool) throws {
        for lane in touched.sorted() {
            try Self.release(lane.text, to: target.endpoint, due: isLast ? now : Self.named, db)
        }
        touched = []
    }

    /// Makes due what failed before and waits for its next attempt, in all lanes in which something was put. Who has something
    /// sent again believes that the endpoint works; it would wait behind that for up to a day.
    func retryNow() throws {
        for lane in touched {
            try db.run(
                """
                UPDATE deliveries SET due = ? WHERE id IN (
                    SELECT id FROM \(Kind.customer.rows) AND due > ?)
                """, [.integer(now), .integer(target.endpoint), .text(lane.text), .integer(now)])
        }
    }

    /// Lets go what waited for a delivery that has ended.
    static func release(
        after lane: String, _ purchase: String?, to endpoint: Int64, at now: Milliseconds, _ db: Database
    ) throws {
        try release(lane, to: endpoint, due: now, db)
        guard let purchase, let next = try next(.purchase, purchase, to: endpoint, db), !next.lane.isExactly(lane)
        else {
            return
        }
        try release(next.lane, to: endpoint, due: now, db)
    }

    /// Makes due what is only named, a piece of it; gives how many there were.
    static func letGo(to endpoint: Int64, limit: Int, at now: Milliseconds, _ db: Database) throws -> Int {
        try db.run(
            """
            UPDATE deliveries SET due = ? WHERE id IN (
                SELECT id FROM deliveries INDEXED BY deliveries_by_due WHERE endpoint = ? AND due = ? LIMIT ?)
            """, [.integer(now), .integer(endpoint), .integer(named), .init(limit)])
        return db.changesCount
    }

    /// What `due` is of what goes next, unless something is put before it.
    static let named: Milliseconds = -1

    // MARK: - Lanes and their names

    static func lane(ofCustomer customer: String, in scope: Int64) -> String { "\(scope) customer \(customer)" }
    static func lane(ofPurchase original: String, in scope: Int64) -> String { "\(scope) purchase \(original)" }

    /// Takes a customer's name from what waits. What was to be sent once more, and may have the name, is written anew.
    ///
    /// - Parameters:
    ///   - originals: The purchases that the customer had. What is about them may name who had them.
    ///   - latest: What happened later is left alone.
    static func rename(
        _ customer: String, to name: String, about originals: [String], in scope: Int64, until latest: Milliseconds,
        _ db: Database
    ) throws {
        let until = SQLValue.integer(latest)
        for endpoint in try db.numbers("SELECT id FROM webhook_endpoints", []) {
            try db.run(
                """
                UPDATE deliveries SET lane = ?, body = NULL WHERE id IN (
                    SELECT id FROM \(Kind.customer.rows) AND happened_at <= ?)
                """,
                [
                    .text(lane(ofCustomer: name, in: scope)), .integer(endpoint),
                    .text(lane(ofCustomer: customer, in: scope)), until,
                ])
            for original in originals {
                try db.run(
                    """
                    UPDATE deliveries SET body = NULL WHERE id IN (
                        SELECT id FROM \(Kind.purchase.rows) AND happened_at <= ?)
                    """, [.integer(endpoint), .text(lane(ofPurchase: original, in: scope)), until])
            }
        }
    }

    // MARK: - What goes next

    private static func release(_ lane: String, to endpoint: Int64, due: Milliseconds, _ db: Database) throws {
        guard try !hasDue(.customer, lane, to: endpoint, db), let next = try next(.customer, lane, to: endpoint, db)
        else { return }
        if let purchase = next.purchase {
            guard try !hasDue(.purchase, purchase, to: endpoint, db),
                try Self.next(.purchase, purchase, to: endpoint, db)?.id == next.id
            else { return }
            try takeBack(.purchase, purchase, but: next.id, to: endpoint, db)
        }
        try takeBack(.customer, lane, but: next.id, to: endpoint, db)
        try db.run("UPDATE deliveries SET due = ? WHERE id = ?", [.integer(due), .integer(next.id)])
    }

    private enum Kind {
        case customer, purchase

        var rows: String {
            switch self {
            case .customer:
                "deliveries INDEXED BY deliveries_by_lane WHERE endpoint = ? AND lane = ? AND \(WebhookTables.isPending)"
            case .purchase:
                "deliveries INDEXED BY deliveries_by_purchase WHERE endpoint = ? AND purchase = ? AND \(WebhookTables.isPending)"
            }
        }
    }

    private static func hasDue(_ kind: Kind, _ lane: String, to endpoint: Int64, _ db: Database) throws -> Bool {
        try db.exists("SELECT 1 FROM \(kind.rows) AND due > \(named) LIMIT 1", [.integer(endpoint), .text(lane)])
    }

    /// The first in a lane, of what waits and what is only named.
    private static func next(
        _ kind: Kind, _ lane: String, to endpoint: Int64, _ db: Database
    ) throws -> (id: Int64, lane: String, purchase: String?)? {
        let values: [SQLValue] = [.integer(endpoint), .text(lane)]
        let found = try ["IS NULL", "= \(named)"].compactMap { due in
            try db.first(
                """
                SELECT id, lane, purchase, happened_at FROM \(kind.rows) AND due \(due)
                ORDER BY happened_at, id LIMIT 1
                """, values
            ) { (id: $0.number(0) ?? 0, lane: $0.text(1) ?? "", purchase: $0.text(2), happenedAt: $0.number(3) ?? 0) }
        }
        return found.min { ($0.happenedAt, $0.id) < ($1.happenedAt, $1.id) }.map { ($0.id, $0.lane, $0.purchase) }
    }

    /// What was named waits again.
    private static func takeBack(
        _ kind: Kind, _ lane: String, but id: Int64, to endpoint: Int64, _ db: Database
    ) throws {
        try db.run(
            """
            UPDATE deliveries SET due = NULL WHERE id IN (
                SELECT id FROM \(kind.rows) AND due = \(named) AND id <> ?)
            """, [.integer(endpoint), .text(lane), .integer(id)])
    }
}
