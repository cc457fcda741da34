package import Ledger
internal import AppStoreModels
internal import Foundation
internal import GRDB

extension SQLiteStorage: ConsumptionStorage {
    package func record(_ report: UsageReport, of customer: String, in scope: Int64) async throws {
        try await write { db in
            for part in report.parts { try Self.put(part, customer, scope, db) }
            try Self.forgetOldest(of: customer, scope, db)
            // By what is theirs now: a purchase may have been linked after the App Store asked about it.
            let originals = try Self.originals(of: customer, in: scope, db)
            try ConsumptionTables.lookAgain(at: report.reportedAt, about: originals, in: scope, db)
        }
    }

    private static func put(_ report: UsageReport, _ customer: String, _ scope: Int64, _ db: Database) throws {
        let subject = report.subject
        let report = try report.completed(by: usage(subject, customer, scope, db))
        try db.execute(
            sql: """
                INSERT OR REPLACE INTO usage (scope, customer, transaction_id, product_id, consented, percentage, delivery,
                    sample, reported_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
                """,
            arguments: [
                scope, customer, subject.transactionID, subject.productID,
                report.customerConsented.map { $0 ? 1 : 0 }, report.consumptionPercentage,
                report.deliveryStatus?.rawValue, report.sampleContentProvided.map { $0 ? 1 : 0 }, report.reportedAt,
            ])
    }

    private static func usage(
        _ subject: UsageReport.Subject, _ customer: String, _ scope: Int64, _ db: Database
    ) throws -> UsageReport? {
        try Row.fetchOne(
            db,
            sql: """
                SELECT consented, percentage, delivery, sample, reported_at FROM usage
                WHERE scope = ? AND customer = ? AND transaction_id = ? AND product_id = ?
                """, arguments: [scope, customer, subject.transactionID, subject.productID]
        ).map { row in
            UsageReport(
                transactionID: subject.transactionID.isEmpty ? nil : subject.transactionID,
                productID: subject.productID.isEmpty ? nil : subject.productID,
                customerConsented: row.number(0).map { $0 == 1 }, consumptionPercentage: row.small(1),
                deliveryStatus: row.text(2).map { DeliveryStatus(rawValue: $0) },
                sampleContentProvided: row.number(3).map { $0 == 1 }, reportedAt: row.number(4) ?? 0)
        }
    }

    private static func forgetOldest(of customer: String, _ scope: Int64, _ db: Database) throws {
        try db.execute(
            sql: """
                DELETE FROM usage WHERE scope = ?1 AND customer = ?2 AND transaction_id || product_id <> ''
                    AND reported_at < (SELECT reported_at FROM usage WHERE scope = ?1 AND customer = ?2
                        ORDER BY reported_at DESC LIMIT 1 OFFSET ?3)
                """, arguments: [scope, customer, UsageReport.maximumCount])
    }

    package func usage(
        of customer: String, transactionID: String, productID: String, in scope: Int64
    ) async throws -> [UsageReport] {
        let subjects = UsageReport.Subject.inOrder(transactionID: transactionID, productID: productID)
        return try await read { db in try subjects.compactMap { try Self.usage($0, customer, scope, db) } }
    }

    package func takeInquiries(
        at now: Milliseconds, leaseEnds: Milliseconds, limit: Int
    ) async throws -> [ConsumptionInquiry] {
        let isAny = try await read { db in
            try Bool.fetchOne(
                db,
                sql: """
                    SELECT EXISTS (SELECT 1 FROM consumption_requests WHERE state = 'pending' AND next_attempt_at <= ?)
                    """, arguments: [now]) ?? false
        }
        guard isAny else { return [] }
        return try await write { db in
            let rows = try Row.fetchAll(
                db,
                sql: """
                    SELECT \(ConsumptionTables.columns) FROM consumption_requests
                    WHERE state = 'pending' AND next_attempt_at <= ? ORDER BY deadline, id LIMIT ?
                    """, arguments: [now, limit])
            let inquiries = rows.map(ConsumptionTables.inquiry)
            for inquiry in inquiries {
                try db.execute(
                    sql: "UPDATE consumption_requests SET next_attempt_at = ? WHERE id = ?",
                    arguments: [leaseEnds, inquiry.id])
            }
            return inquiries
        }
    }

    package func settle(_ inquiry: ConsumptionInquiry, leaseEnds: Milliseconds) async throws {
        try await write { db in
            let row = try Row.fetchOne(
                db, sql: "SELECT \(ConsumptionTables.columns) FROM consumption_requests WHERE id = ?",
                arguments: [inquiry.id])
            guard var known = row.map(ConsumptionTables.inquiry), known.settle(as: inquiry, leaseEnds: leaseEnds) else {
                return
            }
            try db.execute(
                sql: """
                    UPDATE consumption_requests SET state = ?, attempts = ?, next_attempt_at = ?, sent_at = ?, sent = ?,
                        answer = ? WHERE id = ?
                    """,
                arguments: [
                    known.state.rawValue, known.attempts, known.nextAttemptAt, known.sentAt, known.sent, known.answer,
                    known.id,
                ])
        }
    }

    package func inquiries(
        about originalTransactionIDs: [String], in scope: Int64, limit: Int
    ) async throws -> [ConsumptionInquiry] {
        try await read { db in
            var all: [ConsumptionInquiry] = []
            for original in originalTransactionIDs {
                all += try Row.fetchAll(
                    db,
                    sql: """
                        SELECT \(ConsumptionTables.columns) FROM consumption_requests
                        WHERE scope = ? AND original_id = ? ORDER BY requested_at DESC, id DESC LIMIT ?
                        """, arguments: [scope, original, limit]
                ).map(ConsumptionTables.inquiry)
            }
            return Array(all.sorted { ($0.requestedAt, $0.id) > ($1.requestedAt, $1.id) }.prefix(limit))
        }
    }

    package func pendingInquiries(in scope: Int64, limit: Int) async throws -> [ConsumptionInquiry] {
        try await read { db in
            // Those that wait have an index, and are few: each waits for twelve hours at most. The plus keeps SQLite from
            // going through all that were ever asked instead.
            try Row.fetchAll(
                db,
                sql: """
                    SELECT \(ConsumptionTables.columns) FROM consumption_requests
                    WHERE state = 'pending' AND +scope = ? ORDER BY deadline, id LIMIT ?
                    """, arguments: [scope, limit]
            ).map(ConsumptionTables.inquiry)
        }
    }

    package func inquiries(in scope: Int64, before id: Int64, limit: Int) async throws -> [ConsumptionInquiry] {
        try await read { db in
            try Row.fetchAll(
                db,
                sql: """
                    SELECT \(ConsumptionTables.columns) FROM consumption_requests
                    WHERE scope = ? AND id < ? ORDER BY id DESC LIMIT ?
                    """, arguments: [scope, id, limit]
            ).map(ConsumptionTables.inquiry)
        }
    }
}
