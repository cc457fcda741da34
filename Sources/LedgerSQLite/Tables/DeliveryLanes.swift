internal import Ledger
internal import AppStoreModels
internal import GRDB

/// The order of the deliveries to one endpoint.
///
/// A delivery is in two lanes: that of its customer, and that of its purchase, which may move between customers. In
/// both, deliveries are sent in the order in which their events occurred, in whatever order these became known. The
/// first delivery of both lanes is sent next, if no other delivery in them is due. While more events are being read, it
/// is only *provisional* (``provisional``), and an earlier event can replace it; then it becomes due. A delivery that
/// was never due has not been sent; one that was due may have arrived, even if no result is known.
///
/// A late event cannot be put before deliveries that were sent. A receiver that trusts the last message would keep the
/// older state. So all newer events about the purchase are sent again after the late one, with new identifiers.
struct DeliveryLanes {
    let target: FanOutTarget
    /// Earlier events are not for this endpoint.
    let begin: Milliseconds
    let now: Milliseconds
    let db: Database
    /// The number of created deliveries.
    private(set) var count = 0
    private var changedLanes: Set<ExactText> = []

    init(_ target: FanOutTarget, begin: Milliseconds, at now: Milliseconds, _ db: Database) {
        (self.target, self.begin, self.now, self.db) = (target, begin, now, db)
    }

    // MARK: - Creating deliveries

    /// Creates the deliveries of an event. None is due before ``release(isLast:)``.
    ///
    /// - Parameter isRepeat: Whether the event is sent again after a late one.
    /// - Returns: The number of deliveries.
    @discardableResult
    mutating func add(_ candidate: WebhookTables.Candidate, isRepeat: Bool = false) throws -> Int {
        let variants = max(0, target.deliveries(candidate.type, candidate.scope))
        for variant in 0..<variants { try add(candidate, variant: variant, isRepeat: isRepeat) }
        return variants
    }

    /// Creates one delivery, whatever the endpoint subscribes to; returns its row identifier.
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
        changedLanes.insert(ExactText(candidate.lane))
        return db.lastInsertedRowID
    }

    /// Sends the newer events about the same purchase again.
    ///
    /// - Parameter wasPublished: Whether an event was published before, apart from pending deliveries.
    mutating func addResentEvents(
        after late: WebhookTables.Candidate, where wasPublished: (WebhookTables.Candidate) -> Bool
    ) throws {
        for var newer in try Self.newer(than: late, db) where newer.happenedAt >= begin && wasPublished(newer) {
            guard try !isWaiting(newer) else { continue }
            // The purchase may have another owner now.
            newer.lane = late.lane
            try add(newer, isRepeat: true)
        }
    }

    /// Returns the events that are sent again after a late one, according to ``ResendDecision``.
    static func newer(than late: WebhookTables.Candidate, _ db: Database) throws -> [WebhookTables.Candidate] {
        guard let original = late.originalTransactionID,
            let record = try StorageError.unlessDamaged({ try LineageTable.record(original, in: late.scope, db) })
        else { return [] }
        return try ResendDecision.after(late.happenedAt, in: record) { notification in
            try db.first(
                "SELECT \(WebhookTables.Candidate.reading) WHERE notification = ?", [.integer(notification)]
            ) { WebhookTables.Candidate($0) }
        }
    }

    /// Whether an event has a delivery that was never sent, so that it follows the older events without a repetition.
    private func isWaiting(_ candidate: WebhookTables.Candidate) throws -> Bool {
        try db.exists(
            """
            SELECT 1 FROM deliveries INDEXED BY deliveries_by_purchase
            WHERE endpoint = ? AND purchase = ? AND \(WebhookTables.isPending) AND (due IS NULL OR due = ?) AND happened_at = ?
                AND event = ? AND variant = 0
            """,
            [
                .integer(target.endpoint), .init(candidate.purchase), .integer(Self.provisional),
                .integer(candidate.happenedAt), .integer(candidate.number),
            ])
    }

    // MARK: - Releasing deliveries

    /// Chooses the next delivery of each lane that was changed.
    ///
    /// - Parameter isLast: Whether no earlier event can follow, so that the delivery becomes due.
    mutating func release(isLast: Bool) throws {
        for lane in changedLanes.sorted() {
            try Self.release(lane.text, to: target.endpoint, due: isLast ? now : Self.provisional, db)
        }
        changedLanes = []
    }

    /// Makes the failed deliveries in all changed lanes due, which otherwise wait for their next attempt. A replay
    /// indicates that the endpoint works again; its deliveries would wait behind the failed ones for up to a day.
    func retryNow() throws {
        for lane in changedLanes {
            try db.run(
                """
                UPDATE deliveries SET due = ? WHERE id IN (
                    SELECT id FROM \(Kind.customer.rows) AND due > ?)
                """, [.integer(now), .integer(target.endpoint), .text(lane.text), .integer(now)])
        }
    }

    /// Makes the deliveries that waited for an ended one due.
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

    /// Makes a batch of provisional deliveries due; returns their number.
    static func makeProvisionalDue(to endpoint: Int64, limit: Int, at now: Milliseconds, _ db: Database) throws -> Int {
        try db.run(
            """
            UPDATE deliveries SET due = ? WHERE id IN (
                SELECT id FROM deliveries INDEXED BY deliveries_by_due WHERE endpoint = ? AND due = ? LIMIT ?)
            """, [.integer(now), .integer(endpoint), .integer(provisional), .init(limit)])
        return db.changesCount
    }

    /// The value of `due` for the next delivery of a lane while an earlier event can still replace it.
    static let provisional: Milliseconds = -1

    // MARK: - Lanes and their names

    static func lane(ofCustomer customer: String, in scope: Int64) -> String { "\(scope) customer \(customer)" }
    static func lane(ofPurchase original: String, in scope: Int64) -> String { "\(scope) purchase \(original)" }

    /// Removes a customer's name from pending deliveries. Stored bodies, which may contain the name, are deleted and
    /// built again.
    ///
    /// - Parameters:
    ///   - originals: The purchases that the customer owned. Bodies about them may name their owners.
    ///   - latest: Deliveries of later events do not change.
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

    // MARK: - Choosing the next delivery

    private static func release(_ lane: String, to endpoint: Int64, due: Milliseconds, _ db: Database) throws {
        guard try !hasDue(.customer, lane, to: endpoint, db), let next = try next(.customer, lane, to: endpoint, db)
        else { return }
        if let purchase = next.purchase {
            guard try !hasDue(.purchase, purchase, to: endpoint, db),
                try Self.next(.purchase, purchase, to: endpoint, db)?.id == next.id
            else { return }
            try resetProvisional(.purchase, purchase, but: next.id, to: endpoint, db)
        }
        try resetProvisional(.customer, lane, but: next.id, to: endpoint, db)
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
        try db.exists("SELECT 1 FROM \(kind.rows) AND due > \(provisional) LIMIT 1", [.integer(endpoint), .text(lane)])
    }

    /// Returns the first delivery of a lane that is waiting or provisional.
    private static func next(
        _ kind: Kind, _ lane: String, to endpoint: Int64, _ db: Database
    ) throws -> (id: Int64, lane: String, purchase: String?)? {
        let values: [SQLValue] = [.integer(endpoint), .text(lane)]
        let found = try ["IS NULL", "= \(provisional)"].compactMap { due in
            try db.first(
                """
                SELECT id, lane, purchase, happened_at FROM \(kind.rows) AND due \(due)
                ORDER BY happened_at, id LIMIT 1
                """, values
            ) { (id: $0.number(0) ?? 0, lane: $0.text(1) ?? "", purchase: $0.text(2), happenedAt: $0.number(3) ?? 0) }
        }
        return found.min { ($0.happenedAt, $0.id) < ($1.happenedAt, $1.id) }.map { ($0.id, $0.lane, $0.purchase) }
    }

    /// Resets provisional deliveries to waiting.
    private static func resetProvisional(
        _ kind: Kind, _ lane: String, but id: Int64, to endpoint: Int64, _ db: Database
    ) throws {
        try db.run(
            """
            UPDATE deliveries SET due = NULL WHERE id IN (
                SELECT id FROM \(kind.rows) AND due = \(provisional) AND id <> ?)
            """, [.integer(endpoint), .text(lane), .integer(id)])
    }
}
