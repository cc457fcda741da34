import CounterfoilServer
import LedgerServices
import StoreSimulator
import TestSupport
import Testing

@testable import Ledger

extension World {
    /// Returns the stored refusals, the newest first, once there are so many. Requests do not wait for theirs.
    func refusals(_ count: Int = 1) async throws -> [Refusal] {
        let core = try server.core
        var stored: [Refusal] = []
        try await waitUntil("\(count) refused notifications are stored") {
            await core.refusals.flush()
            stored = try await core.storage.refusals(before: .max, limit: 100).map(\.refusal)
            return stored.count >= count
        }
        return stored
    }

    /// The types of the stored events of the app in production, at most 100, the oldest first.
    func eventTypes() async throws -> [String] {
        let query = FeedQuery(after: 0, scopes: [try appEnvironment().id], limit: 100)
        return try await server.core.storage.events(query, within: .none).items.map(\.event.type.rawValue)
    }

    /// Deletes the stored requests, as if the server had crashed before it stored an answer.
    func deleteStoredRequests() async throws {
        let expired = simulator.now.milliseconds + IdempotencyDecision.retention + 1
        try #require(try await server.core.storage.removeExpired(at: expired, limit: 100) > 0)
    }
}

extension LedgerEngine {
    /// Makes a processed notification pending and marks it as failed. Nothing wakes the processor in between.
    func failProcessed(
        _ notification: Int64, code: String, message: String, at now: Milliseconds = 0
    ) async throws {
        try await reprocess([notification], at: now)
        try await fail(notification, code: code, message: message, at: now)
    }
}
