internal import AppStoreModels
internal import Foundation
internal import GRDB
internal import Ledger

/// The events that an erasure changes.
///
/// They have no index by customer or purchase, since people are rarely erased. All events are gone through in the order of
/// the file, which is many times faster than by an index that has part of them.
extension ErasureTable {
    /// The events of a customer and about the customer's purchases.
    struct NamedEvents: Sendable {
        /// The purchases that the customer had, and those of which an event says so: the App Store may have signed another
        /// account for one since.
        var originals: [String] = []
        /// The events by their numbers.
        var numbers: [Int64] = []
        /// The last event that there was.
        var last: Int64 = 0
    }

    /// Looks for the events of a customer.
    ///
    /// - Parameters:
    ///   - held: The purchases that the customer had.
    ///   - latest: What happened later is left out.
    ///   - before: What was found before. Only what came after it is looked through.
    static func events(
        of customer: String, about held: [String], in scope: Int64, until latest: Milliseconds,
        since before: NamedEvents? = nil, _ db: Database
    ) throws -> NamedEvents {
        var found = before ?? NamedEvents()
        let place: [SQLValue] = [.integer(found.last), .integer(scope), .integer(latest), .text(customer)]
        let named = try db.all(
            """
            SELECT DISTINCT original_id FROM events NOT INDEXED
            WHERE seq > ?1 AND scope = ?2 AND occurred_at <= ?3 AND customer = ?4 AND original_id IS NOT NULL
            """, place
        ) { $0.text(0) }
        found.originals = Set((found.originals + held + named).map { ExactText($0) }).sorted().map(\.text)
        let originals = String(decoding: try JSONEncoder().encode(found.originals), as: UTF8.self)
        found.numbers += try db.all(
            """
            SELECT seq FROM events NOT INDEXED
            WHERE seq > ?1 AND scope = ?2 AND occurred_at <= ?3 AND (
                customer = ?4 OR notification IS NULL AND original_id IN (SELECT value FROM json_each(?5)))
            """, place + [.text(originals)]
        ) { $0.number(0) }
        found.last = try db.first("SELECT max(seq) FROM events", []) { $0.number(0) } ?? 0
        return found
    }

    /// Takes the name from events. Those of the server's own say who had a purchase before and who has it since.
    static func rename(_ events: NamedEvents, of customer: String, _ erasure: Erasure, _ db: Database) throws {
        for number in events.numbers {
            try db.run(
                """
                UPDATE events SET customer = iif(customer = ?1, ?2, customer), data = iif(notification IS NULL, NULL, data)
                WHERE seq = ?3
                """, [.text(customer), .text(erasure.standIn), .integer(number)])
        }
    }
}
