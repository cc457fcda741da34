internal import AppStoreModels
internal import GRDB
internal import Ledger

/// The deliveries to one endpoint in their order, in whatever order their events became known.
///
/// ``DeliveryLane`` decides which delivery of a lane is sent next. While more events are being read, that one is only
/// *provisional* (``provisional``), and an earlier event can replace it; then it becomes due. A delivery that was never
/// due has not been sent; one that was due may have arrived, even if no result is known.
struct DeliveryLanes {
    let endpoint: Int64
    let now: Milliseconds
    let db: Database
    private var changedLanes: Set<ExactText> = []
    private var changedPurchases: Set<ExactText> = []

    init(to endpoint: Int64, at now: Milliseconds, _ db: Database) {
        (self.endpoint, self.now, self.db) = (endpoint, now, db)
    }

    // MARK: - Creating deliveries

    /// Creates a delivery; returns its row identifier. It is not due before ``release(isLast:)``.
    @discardableResult
    mutating func add(_ delivery: DeliveryPlan<WebhookTables.Candidate>.Delivery) throws -> Int64 {
        let event = delivery.event
        try db.run(
            """
            INSERT INTO deliveries
                (endpoint, event, variant, lane, purchase, happened_at, is_repeat, state, attempts, created_at)
            VALUES (?, ?, ?, ?, ?, ?, ?, \(WebhookTables.pending), 0, ?)
            """,
            [
                .integer(endpoint), .integer(event.number), .init(delivery.variant), .text(delivery.lane),
                .init(event.purchase), .integer(event.happenedAt), .init(delivery.isRepeat), .integer(now),
            ])
        changedLanes.insert(ExactText(delivery.lane))
        if let purchase = event.purchase { changedPurchases.insert(ExactText(purchase)) }
        return db.lastInsertedRowID
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

    /// Whether an event has a delivery that was never sent.
    func isWaiting(_ candidate: WebhookTables.Candidate) throws -> Bool {
        try db.exists(
            """
            SELECT 1 FROM deliveries INDEXED BY deliveries_by_purchase
            WHERE endpoint = ? AND purchase = ? AND \(WebhookTables.isPending) AND (due IS NULL OR due = ?) AND happened_at = ?
                AND event = ? AND variant = 0
            """,
            [
                .integer(endpoint), .init(candidate.purchase), .integer(Self.provisional),
                .integer(candidate.happenedAt), .integer(candidate.number),
            ])
    }

    // MARK: - Releasing deliveries

    /// Chooses the next delivery of each lane that was changed.
    ///
    /// - Parameter isLast: Whether no earlier event can follow, so that the delivery becomes due.
    mutating func release(isLast: Bool) throws {
        for lane in changedLanes.sorted() {
            try release(lane.text, due: isLast ? now : Self.provisional)
        }
        (changedLanes, changedPurchases) = ([], [])
    }

    /// Makes the failed deliveries in all changed lanes due, of customers and of purchases, which otherwise wait for
    /// their next attempt. A replay indicates that the endpoint works again; its deliveries would wait behind the failed
    /// ones for up to a day.
    func retryNow() throws {
        let lanes =
            changedLanes.map { DeliveryLane.customer($0.text) } + changedPurchases.map { .purchase($0.text) }
        for lane in lanes {
            let rows = lane.rows
            try db.run(
                "UPDATE deliveries SET due = ? WHERE id IN (SELECT id FROM \(rows.sql) AND due > ?)",
                [.integer(now), .integer(endpoint), rows.name, .integer(now)])
        }
    }

    /// Makes the deliveries that waited for an ended one due.
    func release(after lane: String, _ purchase: String?) throws {
        try DeliveryLane.release(
            after: lane, purchase, first: { try first(in: $0) }, release: { try release($0, due: now) })
    }

    /// Makes a batch of provisional deliveries due; returns their number.
    func makeProvisionalDue(limit: Int) throws -> Int {
        try db.run(
            """
            UPDATE deliveries SET due = ? WHERE id IN (
                SELECT id FROM deliveries INDEXED BY deliveries_by_due WHERE endpoint = ? AND due = ? LIMIT ?)
            """, [.integer(now), .integer(endpoint), .integer(Self.provisional), .init(limit)])
        return db.changesCount
    }

    /// The value of `due` for the next delivery of a lane while an earlier event can still replace it. No clock shows
    /// this instant.
    static let provisional = Milliseconds.min

    // MARK: - Names

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
        // Most endpoints have none, and the customer may have many purchases.
        let endpointsWithPending = """
            SELECT id FROM webhook_endpoints WHERE EXISTS (
                SELECT 1 FROM deliveries INDEXED BY deliveries_by_state
                WHERE endpoint = webhook_endpoints.id AND \(WebhookTables.isPending))
            """
        for endpoint in try db.numbers(endpointsWithPending, []) {
            try db.run(
                """
                UPDATE deliveries SET lane = ?, body = NULL WHERE id IN (
                    SELECT id FROM \(DeliveryLane.customerRows) AND happened_at <= ?)
                """,
                [
                    .text(DeliveryLane.customer(name, in: scope)), .integer(endpoint),
                    .text(DeliveryLane.customer(customer, in: scope)), until,
                ])
            for original in originals {
                try db.run(
                    """
                    UPDATE deliveries SET body = NULL WHERE id IN (
                        SELECT id FROM \(DeliveryLane.purchaseRows) AND happened_at <= ?)
                    """, [.integer(endpoint), .text(DeliveryLane.purchase(original, in: scope)), until])
            }
        }
    }

    // MARK: - Choosing the next delivery

    private func release(_ lane: String, due: Milliseconds) throws {
        let next = try DeliveryLane.next(of: lane, hasDue: { try hasDue(in: $0) }, first: { try first(in: $0) })
        guard let next else { return }
        if let purchase = next.purchase { try resetProvisional(in: .purchase(purchase), but: next.id) }
        try resetProvisional(in: .customer(lane), but: next.id)
        try db.run("UPDATE deliveries SET due = ? WHERE id = ?", [.integer(due), .integer(next.id)])
    }

    private func hasDue(in lane: DeliveryLane) throws -> Bool {
        let (rows, name) = lane.rows
        return try db.exists("SELECT 1 FROM \(rows) AND due > \(Self.provisional) LIMIT 1", [.integer(endpoint), name])
    }

    /// Returns the first delivery of a lane that is waiting or provisional.
    private func first(in lane: DeliveryLane) throws -> WaitingDelivery? {
        let (rows, name) = lane.rows
        return try ["IS NULL", "= \(Self.provisional)"].compactMap { due in
            try db.first(
                """
                SELECT id, lane, purchase, happened_at FROM \(rows) AND due \(due)
                ORDER BY happened_at, id LIMIT 1
                """, [.integer(endpoint), name]
            ) { row in
                WaitingDelivery(
                    id: row.number(0) ?? 0, lane: row.text(1) ?? "", purchase: row.text(2),
                    happenedAt: row.number(3) ?? 0)
            }
        }.min()
    }

    /// Resets provisional deliveries to waiting.
    private func resetProvisional(in lane: DeliveryLane, but id: Int64) throws {
        let (rows, name) = lane.rows
        try db.run(
            """
            UPDATE deliveries SET due = NULL WHERE id IN (
                SELECT id FROM \(rows) AND due = \(Self.provisional) AND id <> ?)
            """, [.integer(endpoint), name, .integer(id)])
    }
}

extension DeliveryLane {
    /// The pending deliveries of a lane, as a part of a query with two values: the endpoint and the name.
    fileprivate static let customerRows =
        "deliveries INDEXED BY deliveries_by_lane WHERE endpoint = ? AND lane = ? AND \(WebhookTables.isPending)"
    fileprivate static let purchaseRows =
        """
        deliveries INDEXED BY deliveries_by_purchase WHERE endpoint = ? AND purchase = ?
            AND \(WebhookTables.isPending)
        """

    fileprivate var rows: (sql: String, name: SQLValue) {
        switch self {
        case .customer(let name): (Self.customerRows, .text(name))
        case .purchase(let name): (Self.purchaseRows, .text(name))
        }
    }
}
