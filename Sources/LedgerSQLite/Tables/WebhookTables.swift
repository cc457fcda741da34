internal import AppStoreModels
internal import Foundation
internal import GRDB
internal import Ledger

/// The tables of webhook endpoints and deliveries.
enum WebhookTables {
    /// The state of a pending delivery.
    static let pending = WebhookDelivery.State.pending.rawValue
    /// The condition of the partial indices. SQLite uses them only if the query has the same literal.
    static let isPending = "state = \(pending)"

    static let schema = [
        // The definition contains the secrets of an endpoint that was created by the API; it is null for endpoints of
        // the configuration.
        """
        CREATE TABLE webhook_endpoints (
            id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE, is_configured INTEGER NOT NULL,
            definition TEXT, disabled_reason TEXT, disabled_since INTEGER, failing_since INTEGER,
            cursor INTEGER NOT NULL, created_at INTEGER NOT NULL)
        """,
        // Of the pending deliveries in one lane, only the first is due: see DeliveryLanes.
        """
        CREATE TABLE deliveries (
            id INTEGER PRIMARY KEY, endpoint INTEGER NOT NULL, event INTEGER NOT NULL, variant INTEGER NOT NULL,
            lane TEXT NOT NULL, state INTEGER NOT NULL, attempts INTEGER NOT NULL, due INTEGER, last_status INTEGER,
            last_error TEXT, created_at INTEGER NOT NULL, ended_at INTEGER, body BLOB)
        """,
        "CREATE INDEX deliveries_by_lane ON deliveries (endpoint, lane, id) WHERE \(isPending)",
        "CREATE INDEX deliveries_by_due ON deliveries (endpoint, due) WHERE due IS NOT NULL",
        "CREATE INDEX deliveries_by_state ON deliveries (endpoint, state, id)",
        "CREATE INDEX deliveries_by_end ON deliveries (ended_at) WHERE ended_at IS NOT NULL",
    ]

    /// Orders pending deliveries by the time of their events, and gives endpoints a beginning.
    static let order = [
        "ALTER TABLE events ADD COLUMN is_late INTEGER",
        // Earlier events are not for the endpoint.
        "ALTER TABLE webhook_endpoints ADD COLUMN begins_at INTEGER NOT NULL DEFAULT 0",
        "UPDATE webhook_endpoints SET begins_at = created_at",
        "ALTER TABLE deliveries ADD COLUMN purchase TEXT",
        "ALTER TABLE deliveries ADD COLUMN happened_at INTEGER NOT NULL DEFAULT 0",
        "ALTER TABLE deliveries ADD COLUMN is_repeat INTEGER NOT NULL DEFAULT 0",
        """
        UPDATE deliveries SET (happened_at, purchase) = (
            SELECT occurred_at, scope || ' purchase ' || original_id FROM events WHERE seq = event)
        WHERE \(isPending) AND EXISTS (SELECT 1 FROM events WHERE seq = event)
        """,
        "DROP INDEX deliveries_by_lane",
        """
        CREATE INDEX deliveries_by_lane ON deliveries (endpoint, lane, due, happened_at, id) WHERE \(isPending)
        """,
        """
        CREATE INDEX deliveries_by_purchase ON deliveries (endpoint, purchase, due, happened_at, id)
        WHERE \(isPending) AND purchase IS NOT NULL
        """,
    ]

    /// An index for counting ended deliveries of each endpoint and for deleting them.
    static let endings = [
        "DROP INDEX deliveries_by_end",
        "CREATE INDEX deliveries_by_end ON deliveries (endpoint, state, ended_at) WHERE ended_at IS NOT NULL",
    ]

    /// Adds the last failure, because time without attempts does not count: see ``EndpointHealth``.
    static let lastFailures = ["ALTER TABLE webhook_endpoints ADD COLUMN failed_at INTEGER"]

    /// The tables and columns for ``delivery(_:)``.
    static let reading = "\(columns) FROM deliveries JOIN events ON events.seq = deliveries.event"

    /// The columns for ``delivery(_:)``; there are ``columnCount``.
    static let columns = """
        deliveries.id, endpoint, event, variant, state, attempts, due, last_status, last_error, deliveries.created_at,
        ended_at, body, events.id, events.type, is_repeat
        """
    static let columnCount: Int32 = 15

    static func delivery(_ row: SQLStatement) -> WebhookDelivery {
        WebhookDelivery(
            id: row.number(0) ?? 0, endpoint: row.number(1) ?? 0, event: row.number(2) ?? 0,
            variant: Int(row.int32(3) ?? 0), state: row.number(4).flatMap(WebhookDelivery.State.init) ?? .discarded,
            attempts: Int(row.int32(5) ?? 0), due: row.number(6).flatMap { $0 == DeliveryLanes.provisional ? nil : $0 },
            lastStatus: row.int32(7).map { Int($0) },
            lastError: row.text(8), createdAt: row.number(9) ?? 0, endedAt: row.number(10), body: row.blob(11),
            eventID: row.text(12) ?? "", eventType: EventType(rawValue: row.text(13) ?? ""),
            isRepeat: row.number(14) == 1)
    }

    static func endpoint(_ row: SQLStatement) -> WebhookEndpoint {
        let name = row.text(1) ?? ""
        let reason = row.text(4).map { DisableReason(rawValue: $0) ?? .requested }
        return WebhookEndpoint(
            id: row.number(0) ?? 0, name: name,
            definition: row.text(3).flatMap { StoredWebhook.read($0, name: name) },
            isConfigured: row.number(2) == 1, disabled: reason.map { .init(reason: $0, since: row.number(5) ?? 0) },
            failingSince: row.number(6), createdAt: row.number(8) ?? 0)
    }

    /// Removes an endpoint. A job deletes its deliveries.
    static func remove(_ id: Int64, _ db: Database) throws {
        try db.run("DELETE FROM webhook_endpoints WHERE id = ?", [.integer(id)])
        try db.run("DELETE FROM webhook_chores WHERE endpoint = ?", [.integer(id)])
        try WebhookJobs.add(.remove, to: id, db)
    }

    /// An event that may have to be delivered.
    struct Candidate: Sendable, DeliverableEvent {
        let number: Int64
        let type: EventType
        let scope: Int64
        let originalTransactionID: String?
        /// The lane that is sent in order: that of the customer, or else of the purchase, or else of the event itself.
        let lane: String
        let createdAt: Milliseconds
        let happenedAt: Milliseconds
        /// Whether a newer event of the same purchase was known before.
        let isLate: Bool
        let notification: Int64?

        /// The second lane that is sent in order, whoever owns the purchase.
        var purchase: String? { originalTransactionID.map { DeliveryLane.purchase($0, in: scope) } }

        /// Creates a candidate from a row of ``reading``.
        init?(_ row: SQLStatement) {
            guard let number = row.number(0), let type = row.text(1), let scope = row.number(2) else { return nil }
            (self.number, self.type, self.scope) = (number, EventType(rawValue: type), scope)
            originalTransactionID = row.text(4)
            lane = DeliveryLane.name(customer: row.text(3), purchase: row.text(4), event: number, in: scope)
            (createdAt, happenedAt) = (row.number(5) ?? 0, row.number(6) ?? 0)
            (isLate, notification) = (row.number(7) == 1, row.number(8))
        }

        static let reading =
            "seq, type, scope, customer, original_id, created_at, occurred_at, is_late, notification FROM events"
    }

    /// The states of ended deliveries.
    private static let endStates = WebhookDelivery.State.allCases.filter { $0 != .pending }.map(\.rawValue).sqlList

    /// Selects the deliveries that ended before an instant. ``WebhookJobs`` deletes those of removed endpoints.
    private static let ended = """
        SELECT deliveries.id FROM webhook_endpoints CROSS JOIN deliveries INDEXED BY deliveries_by_end
        WHERE endpoint = webhook_endpoints.id AND state IN (\(endStates)) AND ended_at < ? LIMIT ?
        """

    /// Returns the values of ``ended`` for expired deliveries.
    private static func expired(at now: Milliseconds, limit: Int) -> [SQLValue] {
        [.integer(now - WebhookDelivery.retention), .init(limit)]
    }

    /// Whether a delivery ended more than ``WebhookDelivery/retention`` ago.
    static func hasExpired(at now: Milliseconds, _ db: Database) throws -> Bool {
        try db.exists(ended, expired(at: now, limit: 1))
    }

    /// Deletes some deliveries that ended more than ``WebhookDelivery/retention`` ago; returns their number.
    static func removeExpired(at now: Milliseconds, limit: Int, _ db: Database) throws -> Int {
        try db.run("DELETE FROM deliveries WHERE id IN (\(ended))", expired(at: now, limit: limit))
        return db.changesCount
    }

    /// Records the result of an attempt, and makes the next delivery of the lane due.
    static func record(_ outcome: DeliveryOutcome, at now: Milliseconds, _ db: Database) throws {
        // The endpoint may have been removed meanwhile, and another endpoint's delivery may have the row identifier.
        let known = try db.first(
            """
            SELECT lane, purchase, event, body IS NOT NULL, attempts FROM deliveries
            WHERE id = ? AND endpoint = ? AND \(isPending)
            """, [.integer(outcome.delivery), .integer(outcome.endpoint)]
        ) { row in
            row.text(0).map {
                (
                    lane: $0, purchase: row.text(1), event: row.number(2) ?? 0, hasBody: row.number(3) == 1,
                    attempts: Int(row.int32(4) ?? 0)
                )
            }
        }
        guard let known, !outcome.isRecorded(in: known.attempts) else { return }
        if let attempt = outcome.attempt { try AttemptTable.insert(attempt, of: outcome.delivery, db) }
        let attempts = SQLValue(outcome.isAttempt)
        if case .retry(let due, _) = outcome.result {
            let event = try db.first("SELECT \(OutboxTable.columns) FROM events WHERE seq = ?", [.integer(known.event)])
            {
                OutboxTable.event($0)
            }
            return try db.run(
                """
                UPDATE deliveries SET attempts = attempts + ?, due = ?, body = coalesce(?, body), last_status = ?,
                    last_error = ? WHERE id = ?
                """,
                [
                    attempts, .integer(due),
                    .init(outcome.bodyToStore(isStored: known.hasBody, event: event)), .init(outcome.status),
                    .init(outcome.error), .integer(outcome.delivery),
                ])
        }
        guard let state = outcome.endState else { return }
        try db.run(
            """
            UPDATE deliveries SET state = ?, attempts = attempts + ?, due = NULL, body = NULL, last_status = ?,
                last_error = ?, ended_at = ? WHERE id = ?
            """,
            [
                .integer(state.rawValue), attempts, .init(outcome.status), .init(outcome.error), .integer(now),
                .integer(outcome.delivery),
            ])
        try DeliveryLanes(to: outcome.endpoint, at: now, db).release(after: known.lane, known.purchase)
    }
}

/// The JSON of a stored definition.
private struct StoredWebhook: Codable {
    var url: String
    var secrets: [String]
    var events: [String]?
    var payload: String
    var apps: [String]?
    var environments: [String]?
    var allowsPrivateNetworks: Bool

    /// Returns nil for corrupt JSON: nothing can be sent to this endpoint, but the others must not be blocked.
    static func read(_ text: String, name: String) -> WebhookDefinition? {
        let stored: StoredWebhook
        do { stored = try JSONDecoder().decode(StoredWebhook.self, from: Data(text.utf8)) } catch { return nil }
        var webhook = WebhookDefinition(
            name: name, url: stored.url, secrets: stored.secrets.map { Secret($0) })
        webhook.events = stored.events
        webhook.payload = .init(rawValue: stored.payload) ?? .counterfoil
        webhook.apps = stored.apps.map { Set($0) }
        webhook.environments = stored.environments.map { Set($0.map { .init(rawValue: $0) }) }
        webhook.allowsPrivateNetworks = stored.allowsPrivateNetworks
        return webhook
    }
}

extension WebhookDefinition {
    /// Returns the JSON of the definition, including the secrets.
    func stored() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let stored = StoredWebhook(
            url: url, secrets: secrets.map(\.revealed), events: events, payload: payload.rawValue,
            apps: apps?.sorted(), environments: environments?.map(\.rawValue).sorted(),
            allowsPrivateNetworks: allowsPrivateNetworks)
        return String(decoding: try encoder.encode(stored), as: UTF8.self)
    }
}
