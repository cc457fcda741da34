internal import AppStoreModels
internal import GRDB
package import Ledger

extension SQLiteStorage: ConsumptionStorage {
    package func record(_ report: UsageReport, of customer: String, in scope: Int64) async throws {
        try await write { db in
            let erasure = try ErasureTable.lastErasure(of: customer, in: scope, db)
            var stored = report
            stored.reportedAt = Erasure.instant(ofChangeAt: report.reportedAt, afterErasure: erasure)
            for part in stored.parts {
                let known = try Self.usage(part.subject, customer, scope, db)
                try Self.store(part.merged(with: known), customer, scope, db)
            }
            try Self.useReports(of: customer, at: report.reportedAt, scope, db)
        }
    }

    /// Moves the usage reports of a customer to the one into whom that customer is merged.
    static func moveUsage(
        of from: String, to customer: String, at now: Milliseconds, in scope: Int64, _ db: Database
    ) throws {
        let values: [SQLValue] = [.integer(scope), .text(from)]
        let subjects = try db.all(
            "SELECT transaction_id, product_id FROM usage WHERE scope = ? AND customer = ?", values
        ) { UsageReport.Subject(transactionID: $0.text(0) ?? "", productID: $0.text(1) ?? "") }
        guard !subjects.isEmpty else { return }
        let reports = try subjects.compactMap { try usage($0, from, scope, db) }
        try db.run("DELETE FROM usage WHERE scope = ? AND customer = ?", values)
        for report in reports {
            let known = try usage(report.subject, customer, scope, db)
            try store(report.moved(to: known, at: now), customer, scope, db)
        }
        try useReports(of: customer, at: now, scope, db)
    }

    /// Deletes reports that are too many, and makes the customer's pending inquiries due.
    private static func useReports(
        of customer: String, at now: Milliseconds, _ scope: Int64, _ db: Database
    ) throws {
        try deleteOldestReports(of: customer, scope, db)
        // The present purchases, because a purchase may have been linked to the customer after the consumption request.
        let originals = try originals(of: customer, in: scope, db)
        try ConsumptionTables.makeDue(at: now, about: originals, in: scope, db)
    }

    private static func store(_ report: UsageReport, _ customer: String, _ scope: Int64, _ db: Database) throws {
        let subject = report.subject
        try db.run(
            """
            INSERT OR REPLACE INTO usage (scope, customer, transaction_id, product_id, consented, percentage, delivery,
                sample, reported_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                .integer(scope), .text(customer), .text(subject.transactionID), .text(subject.productID),
                .init(report.customerConsented), .init(report.consumptionPercentage),
                .init(report.deliveryStatus?.rawValue), .init(report.sampleContentProvided),
                .integer(report.reportedAt),
            ])
    }

    private static func usage(
        _ subject: UsageReport.Subject, _ customer: String, _ scope: Int64, _ db: Database
    ) throws -> UsageReport? {
        try db.first(
            """
            SELECT consented, percentage, delivery, sample, reported_at FROM usage
            WHERE scope = ? AND customer = ? AND transaction_id = ? AND product_id = ?
            """, [.integer(scope), .text(customer), .text(subject.transactionID), .text(subject.productID)]
        ) { row in
            UsageReport(
                transactionID: subject.transactionID.isEmpty ? nil : subject.transactionID,
                productID: subject.productID.isEmpty ? nil : subject.productID,
                customerConsented: row.number(0).map { $0 == 1 }, consumptionPercentage: row.int32(1),
                deliveryStatus: row.text(2).map { DeliveryStatus(rawValue: $0) },
                sampleContentProvided: row.number(3).map { $0 == 1 }, reportedAt: row.number(4) ?? 0)
        }
    }

    private static func deleteOldestReports(of customer: String, _ scope: Int64, _ db: Database) throws {
        let reports = "FROM usage WHERE scope = ? AND customer = ? AND transaction_id || product_id <> ''"
        let values: [SQLValue] = [.integer(scope), .text(customer)]
        let instants = try db.numbers("SELECT reported_at \(reports)", values)
        guard let oldest = UsageReport.oldestKept(of: instants) else { return }
        try db.run("DELETE \(reports) AND reported_at < ?", values + [.integer(oldest)])
    }

    package func usage(
        of customer: String, transactionID: String, productID: String, in scope: Int64
    ) async throws -> [UsageReport] {
        let subjects = UsageReport.Subject.byPrecedence(transactionID: transactionID, productID: productID)
        return try await read { db in try subjects.compactMap { try Self.usage($0, customer, scope, db) } }
    }

    package func leaseInquiries(
        at now: Milliseconds, leaseEnds: Milliseconds, limit: Int, except scopes: Set<Int64>
    ) async throws -> [ConsumptionInquiry] {
        let (due, values) = ConsumptionTables.due(at: now, except: scopes)
        guard try await read({ try $0.exists("\(due) LIMIT 1", values) }) else { return [] }
        return try await write { db in
            let inquiries = try ConsumptionTables.inquiries(
                "WHERE id IN (\(due)) ORDER BY deadline, id LIMIT ?", values + [.init(limit)], db)
            for inquiry in inquiries {
                try db.run(
                    "UPDATE consumption_requests SET next_attempt_at = ? WHERE id = ?",
                    [.integer(leaseEnds), .integer(inquiry.id)])
            }
            return inquiries
        }
    }

    package func recordOutcome(of inquiry: ConsumptionInquiry, leaseEnds: Milliseconds) async throws {
        try await write { db in
            let known = try ConsumptionTables.inquiries("WHERE id = ?", [.integer(inquiry.id)], db).first
            guard var known, known.recordOutcome(inquiry, leaseEnds: leaseEnds) else { return }
            try db.run(
                """
                UPDATE consumption_requests SET state = ?, attempts = ?, next_attempt_at = ?, sent_at = ?, sent = ?,
                    answer = ? WHERE id = ?
                """,
                [
                    .text(known.state.rawValue), .init(known.attempts), .integer(known.nextAttemptAt),
                    .init(known.sentAt), .init(known.sent), .init(known.answer), .integer(known.id),
                ])
        }
    }

    package func inquiries(
        about originalTransactionIDs: [String], transactionID: String?, in scope: Int64, limit: Int
    ) async throws -> [ConsumptionInquiry] {
        try await read { db in
            var all: [ConsumptionInquiry] = []
            for original in Set(originalTransactionIDs.map { ExactText($0) }) {
                all += try ConsumptionTables.inquiries(
                    """
                    WHERE scope = ?1 AND original_id = ?2 AND (?3 IS NULL OR transaction_id = ?3)
                    ORDER BY requested_at DESC, id DESC LIMIT ?4
                    """, [.integer(scope), .text(original.text), .init(transactionID), .init(limit)], db)
            }
            return Array(all.sorted { ($0.requestedAt, $0.id) > ($1.requestedAt, $1.id) }.prefix(limit))
        }
    }

    package func pendingInquiries(
        in scope: Int64, after position: InquiryPosition?, limit: Int
    ) async throws -> [ConsumptionInquiry] {
        try await read { db in
            // There is an index of pending inquiries, and they are few: each waits for at most twelve hours. The unary
            // plus prevents SQLite from using the index of all inquiries of the scope.
            try ConsumptionTables.inquiries(
                """
                WHERE \(ConsumptionTables.isPending) AND +scope = ? AND (deadline, id) > (?, ?)
                ORDER BY deadline, id LIMIT ?
                """,
                [
                    .integer(scope), .integer(position?.deadline ?? .min), .integer(position?.id ?? .min), .init(limit),
                ], db)
        }
    }

    package func inquiryBacklogs(
        in scopes: [Int64], dueBefore end: Milliseconds, without answers: [String]
    ) async throws -> [Int64: InquiryBacklog] {
        guard !scopes.isEmpty else { return [:] }
        let values = scopes.map { SQLValue.integer($0) } + [.integer(end)] + answers.map { SQLValue.text($0) }
        return try await read { db in
            // The index of pending inquiries: that of the scopes has all that were ever received.
            try db.dictionary(
                """
                SELECT scope, count(*), min(requested_at), min(deadline)
                FROM consumption_requests INDEXED BY consumption_requests_by_time
                WHERE \(ConsumptionTables.isPending) AND scope IN (\(scopes.placeholders))
                    AND deadline < ? AND coalesce(answer, '') NOT IN (\(answers.placeholders))
                GROUP BY scope
                """, values
            ) { row in
                (
                    row.number(0) ?? 0,
                    InquiryBacklog(count: row.count(1), oldest: row.number(2), firstDeadline: row.number(3))
                )
            }
        }
    }

    package func inquiries(in scope: Int64, before id: Int64, limit: Int) async throws -> [ConsumptionInquiry] {
        try await read { db in
            try ConsumptionTables.inquiries(
                "WHERE scope = ? AND id < ? ORDER BY id DESC LIMIT ?",
                [.integer(scope), .integer(id), .init(limit)], db)
        }
    }
}
