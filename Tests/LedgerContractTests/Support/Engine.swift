import Foundation
import Ledger
import MemoryLedger
import TestSupport
import Testing

@testable import LedgerSQLite

/// The engines that the contract suite tests. A new engine needs a case here, and nothing else.
enum Engine: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case memory
    case sqlite

    var testDescription: String { rawValue }

    /// Opens a new ledger. Its files, if any, are in the folder.
    func open(in folder: URL) throws -> any LedgerEngine {
        switch self {
        // SQLite numbers its rows without gaps, so no test can rely on gaps or on their absence.
        case .memory: return MemoryLedger(step: 3)
        case .sqlite:
            return try SQLiteStorage(path: folder.appending(path: UUID().uuidString).path, options: Self.options)
        }
    }

    private static var options: SQLiteStorage.Options {
        var options = SQLiteStorage.Options()
        options.isSynchronous = false
        return options
    }

    /// Closes a ledger and opens it again, like the next server.
    func reopen(_ ledger: any LedgerEngine) async throws -> any LedgerEngine {
        try await ledger.close()
        switch self {
        case .memory: return ledger
        case .sqlite:
            let storage = try #require(ledger as? SQLiteStorage)
            return try SQLiteStorage(path: storage.path, options: Self.options)
        }
    }

    /// Calls `body` with a new ledger that has only its scopes, and with the first scope.
    func withLedger(_ body: (any LedgerEngine, AppEnvironment) async throws -> Void) async throws {
        try await Tool.inTemporaryFolder { folder in
            let walk = try await Walk(try open(in: folder))
            try await body(walk.ledger, try #require(walk.scopes.first))
        }
    }

    /// Calls `body` while the record of a purchase is damaged, and restores the record afterwards.
    func damaging(
        record original: String, in scope: Int64, of ledger: any LedgerEngine, _ body: () async throws -> Void
    ) async throws {
        switch self {
        case .memory:
            let memory = try #require(ledger as? MemoryLedger)
            try memory.setDamaged(true, record: original, in: scope)
            try await body()
            try memory.setDamaged(false, record: original, in: scope)
        case .sqlite:
            let storage = try #require(ledger as? SQLiteStorage)
            let key: [SQLValue] = [.integer(scope), .text(original)]
            let select = "SELECT facts FROM lineages WHERE scope = ? AND original_id = ?"
            let update = "UPDATE lineages SET facts = ? WHERE scope = ? AND original_id = ?"
            let facts = try #require(try await storage.read { db in try db.first(select, key) { $0.blob(0) } })
            try await storage.write { db in try db.run(update, [.blob(Data([1, 0xFF]))] + key) }
            try await body()
            try await storage.write { db in try db.run(update, [.blob(facts)] + key) }
        }
    }

    /// Damages the stored text of a notification.
    func damage(text notification: Int64, of ledger: any LedgerEngine) async throws {
        switch self {
        case .memory:
            let memory = try #require(ledger as? MemoryLedger)
            try memory.damage(text: notification)
        case .sqlite:
            let storage = try #require(ledger as? SQLiteStorage)
            let table = notification < 0 ? "other_texts" : "notifications"
            try await storage.write { db in
                try db.run("UPDATE \(table) SET text = x'01' WHERE id = ?", [.integer(abs(notification))])
            }
        }
    }

    /// The names of the lanes of pending deliveries. They contain customers, and no protocol returns them.
    func lanesOfPendingDeliveries(in ledger: any LedgerEngine) async throws -> [String] {
        switch self {
        case .memory: return try #require(ledger as? MemoryLedger).lanesOfPendingDeliveries
        case .sqlite:
            let storage = try #require(ledger as? SQLiteStorage)
            return try await storage.read { db in
                try db.texts("SELECT lane FROM deliveries WHERE state = 0", [])
            }
        }
    }
}

extension LedgerEngine {
    /// Adds a webhook endpoint unless another one has the name, whether by the API or in the configuration.
    func addWebhook(_ definition: WebhookDefinition, at now: Milliseconds) async throws -> WebhookEndpoint? {
        try await addWebhook(definition, replacesConfigured: false, at: now)
    }

    /// Enables or disables a webhook endpoint without another change.
    func switchWebhook(
        _ id: Int64, _ disabled: WebhookEndpoint.Disabled?, discardingBacklog: Bool, at now: Milliseconds
    ) async throws {
        try await switchWebhook(id, disabled, discardingBacklog: discardingBacklog, changingTo: nil, at: now)
    }

    /// Leases the due inquiries of all scopes.
    func leaseInquiries(
        at now: Milliseconds, leaseEnds: Milliseconds, limit: Int
    ) async throws -> [ConsumptionInquiry] {
        try await leaseInquiries(at: now, leaseEnds: leaseEnds, limit: limit, except: [])
    }

    /// Adds a webhook endpoint. No other may have the name.
    func addEndpoint(_ name: String = "crm", at now: Milliseconds = 0) async throws -> WebhookEndpoint {
        let definition = WebhookDefinition(name: name, url: "https://example.com", secrets: [])
        return try #require(try await addWebhook(definition, at: now))
    }

    /// Creates the deliveries to targets that do not depend on the stored endpoints.
    func fanOut(
        to targets: [FanOutTarget], within gate: FanOutLimit, limit: Int, at now: Milliseconds
    ) async throws -> FanOutProgress {
        try await fanOut(
            to: targets.map(\.endpoint), by: { stored in targets.first { $0.endpoint == stored.id } }, within: gate,
            limit: limit, at: now)
    }

    /// The first events with their row identifiers, which may have gaps.
    func firstEvents(_ limit: Int = .max) async throws -> [(number: Int64, event: LedgerEvent)] {
        let last = try await lastEvent()
        var (found, number): ([(number: Int64, event: LedgerEvent)], Int64) = ([], 1)
        while number <= last, found.count < limit {
            if let event = try await self.event(number)?.event { found.append((number: number, event: event)) }
            number += 1
        }
        return found
    }

    /// The number of events.
    func eventCount() async throws -> Int { try await firstEvents().count }

    /// The number of events that come from notifications.
    func notificationEventCount() async throws -> Int {
        try await firstEvents().count { $0.event.notification != nil }
    }
}
