package import Ledger
internal import Foundation
internal import GRDB

extension SQLiteStorage: RecoveryStorage {
    package func completenessMarks() async throws -> [CompletenessMark] {
        try await read { db in
            try Row.fetchAll(db, sql: "SELECT \(CompletenessTable.columns) FROM completeness").map(
                CompletenessTable.mark)
        }
    }

    package func begin(_ plan: RecoveryPlan, at now: Milliseconds) async throws -> Int64 {
        try await write { db in
            try db.execute(
                sql: """
                    INSERT INTO recoveries (scope, cause, from_date, until_date, kinds, moves_mark, state, created_at,
                        windows)
                    VALUES (?, ?, ?, ?, ?, ?, 'open', ?, ?)
                    """,
                arguments: [
                    plan.scope, plan.cause.rawValue, plan.from, plan.until,
                    plan.filters.map(\.name).joined(separator: " "), plan.movesMark, now, plan.windows.count,
                ])
            let id = db.lastInsertedRowID
            for window in plan.windows {
                try db.execute(
                    sql: """
                        INSERT INTO recovery_windows (recovery, stage, from_date, until_date, kind, only_failures)
                        VALUES (?, ?, ?, ?, ?, ?)
                        """,
                    arguments: [
                        id, window.stage, window.from, window.until, window.filter?.name, window.onlyFailures,
                    ])
            }
            return id
        }
    }

    package func openRecoveries(in scopes: [Int64]) async throws -> [RecoveryRun] {
        try await read {
            try Self.recoveries(
                $0, "WHERE state = 'open' AND scope IN (\(Self.places(scopes))) ORDER BY id",
                StatementArguments(scopes))
        }
    }

    private static func places(_ values: [Int64]) -> String { values.map { _ in "?" }.joined(separator: ", ") }

    package func openWindows(of recovery: Int64) async throws -> [RecoveryWindow] {
        try await read {
            try Self.windows($0, "WHERE recovery = ? AND is_done = 0 ORDER BY stage, id", [recovery]).map(\.window)
        }
    }

    package func windows(
        of recovery: Int64, limit: Int
    ) async throws -> [(window: RecoveryWindow, isDone: Bool)] {
        try await read { try Self.windows($0, "WHERE recovery = ? ORDER BY stage, id LIMIT ?", [recovery, limit]) }
    }

    private static func windows(
        _ db: Database, _ condition: String, _ arguments: StatementArguments
    ) throws -> [(window: RecoveryWindow, isDone: Bool)] {
        let rows = try Row.fetchAll(
            db,
            sql: """
                SELECT id, stage, from_date, until_date, kind, only_failures, token, recovery, is_done
                FROM recovery_windows \(condition)
                """, arguments: arguments)
        return rows.map { row in
            var window = RecoveryWindow(
                stage: Int(row.number(1) ?? 0), from: row.number(2) ?? 0, until: row.number(3) ?? 0,
                filter: row.text(4).flatMap(NotificationFilter.init(name:)), onlyFailures: row.number(5) == 1)
            (window.id, window.recovery, window.token) = (row.number(0) ?? 0, row.number(7) ?? 0, row.text(6))
            return (window, row.number(8) == 1)
        }
    }

    package func record(_ page: PageOutcome, of window: RecoveryWindow, at now: Milliseconds) async throws {
        try await write { db in
            try db.execute(
                sql: "UPDATE recovery_windows SET token = ?, is_done = ?, unverified = unverified + ? WHERE id = ?",
                arguments: [page.next, page.isLast, page.unverified.count, window.id])
            let counts = page.counts
            try db.execute(
                sql: """
                    UPDATE recoveries SET pages = pages + ?, found = found + ?, new = new + ?,
                        duplicates = duplicates + ?, failed = failed + ?,
                        signed_until = max(coalesce(signed_until, ?), coalesce(?, signed_until)) WHERE id = ?
                    """,
                arguments: [
                    counts.pages, counts.found, counts.new, counts.duplicates, counts.failed, page.signedUntil,
                    page.signedUntil, window.recovery,
                ])
            guard !page.unverified.isEmpty else { return }
            let scope = try Int64.fetchOne(
                db, sql: "SELECT scope FROM recoveries WHERE id = ?", arguments: [window.recovery])
            try Self.add(page.unverified, in: scope ?? 0, window, at: now, db)
        }
    }

    package func restart(window: Int64) async throws {
        try await write { db in
            try db.execute(
                sql: "UPDATE recovery_windows SET token = NULL, unverified = 0 WHERE id = ?", arguments: [window])
        }
    }

    package func clip(window: RecoveryWindow, to limit: Milliseconds) async throws {
        try await write { db in
            guard var window = try Self.windows(db, "WHERE id = ?", [window.id]).first?.window else { return }
            let isLeft = window.clip(to: limit)
            try db.execute(
                sql: """
                    UPDATE recovery_windows SET token = ?, unverified = 0, from_date = ?, is_done = ? WHERE id = ?
                    """, arguments: [window.token, window.from, !isLeft, window.id])
            guard var recovery = try Self.recoveries(db, "WHERE id = ?", [window.recovery]).first else { return }
            recovery.clip(to: limit)
            try db.execute(
                sql: "UPDATE recoveries SET from_date = ? WHERE id = ?", arguments: [recovery.from, recovery.id])
        }
    }

    package func skip(window: Int64) async throws {
        try await write { db in
            try db.execute(sql: "UPDATE recovery_windows SET is_done = 1 WHERE id = ?", arguments: [window])
        }
    }

    package func finish(
        recovery id: Int64, until: Milliseconds, limit: Milliseconds, at now: Milliseconds
    ) async throws -> CompletenessMark? {
        try await write { db in
            let open = try Int.fetchOne(
                db, sql: "SELECT count(*) FROM recovery_windows WHERE recovery = ? AND is_done = 0", arguments: [id])
            guard open == 0, let recovery = try Self.recoveries(db, "WHERE id = ?", [id]).first else {
                throw StorageError(.failed, "a recovery cannot end while windows are open")
            }
            try db.execute(
                sql: "UPDATE recoveries SET state = 'done', finished_at = ?, failure = NULL WHERE id = ?",
                arguments: [now, id])
            var spans = try UnverifiedSpanTable.spans(in: recovery.scope, db)
            spans.apply(try CompletenessTable.windows(of: id, db))
            var mark = try CompletenessTable.mark(of: recovery.scope, db)
            if recovery.movesMark {
                let move = CompletenessMark.moved(
                    from: mark, by: recovery, until: until, limit: limit, spans: spans, at: now)
                (mark, spans) = (move.mark, move.spans)
                if move.leavesGap { try CompletenessTable.beginHistoryPass(recovery.scope, at: now, db) }
            }
            mark = mark?.ending(before: spans)
            if let mark { try CompletenessTable.keep(mark, db) }
            try UnverifiedSpanTable.keep(spans, in: recovery.scope, db)
            try Self.clear(id, in: recovery.scope, db)
            return mark
        }
    }

    package func unverifiedSpans(in scope: Int64) async throws -> UnverifiedSpans {
        try await read { try UnverifiedSpanTable.spans(in: scope, $0) }
    }

    package func record(failure: String, of recovery: Int64, isGivenUp: Bool, at now: Milliseconds) async throws {
        try await write { db in
            try db.execute(
                sql: "UPDATE recoveries SET failure = ? WHERE id = ?", arguments: [failure, recovery])
            guard isGivenUp else { return }
            try db.execute(
                sql: "UPDATE recoveries SET state = 'failed', finished_at = ? WHERE id = ?", arguments: [now, recovery])
            try db.execute(sql: "DELETE FROM recovery_windows WHERE recovery = ?", arguments: [recovery])
        }
    }

    package func recovery(_ id: Int64) async throws -> RecoveryRun? {
        try await read { try Self.recoveries($0, "WHERE id = ?", [id]).first }
    }

    package func recoveries(in scopes: [Int64], before id: Int64?, limit: Int) async throws -> [RecoveryRun] {
        let arguments = StatementArguments(scopes) + [id ?? .max, limit]
        return try await read { db in
            try Self.recoveries(
                db, "WHERE scope IN (\(Self.places(scopes))) AND id < ? ORDER BY id DESC LIMIT ?", arguments)
        }
    }

    package func missing(in scopes: [Int64]) async throws -> [Int64: MissingCounts] {
        guard !scopes.isEmpty else { return [:] }
        let wanted = repeatElement("(?)", count: scopes.count).joined(separator: ", ")
        return try await read { db in
            let rows = try Row.fetchAll(
                db.cachedStatement(
                    sql: """
                        WITH wanted (place) AS (VALUES \(wanted)) SELECT
                            (SELECT count(*) FROM recoveries JOIN recovery_windows ON recovery = recoveries.id
                                WHERE state = 'open' AND scope = place AND is_done = 0),
                            (SELECT count(*) FROM recovery_failures WHERE scope = place),
                            (SELECT count(*) FROM \(Self.withNotification("failures")) WHERE scope = place),
                            (SELECT count(*) FROM \(Self.withNotification("inbox")) WHERE scope = place),
                            (SELECT count(*) FROM unverified_spans WHERE scope = place),
                            (SELECT count(*) FROM errands WHERE scope = place AND failed_at IS NULL),
                            (SELECT count(*) FROM errands
                                WHERE scope = place AND failed_at IS NULL AND failure IS NOT NULL),
                            (SELECT count(*) FROM errands WHERE scope = place AND failed_at IS NOT NULL),
                            place
                        FROM wanted
                        """), arguments: StatementArguments(scopes))
            return Dictionary(rows.map { ($0.number(8) ?? 0, Self.missing($0)) }) { first, _ in first }
        }
    }

    private static func missing(_ row: Row) -> MissingCounts {
        func count(_ index: Int) -> Int { Int(row.number(index) ?? 0) }
        var missing = MissingCounts()
        missing.openWindows = count(0)
        missing.unverified = count(1)
        missing.failedNotifications = count(2)
        missing.backlog = count(3)
        missing.unverifiedSpans = count(4)
        missing.historyRequests = count(5)
        missing.putAside = count(6)
        missing.failedHistoryRequests = count(7)
        return missing
    }

    package func missingNames(in scope: Int64) async throws -> MissingNames {
        try await read { db in
            var names = MissingNames()
            names.items = try Row.fetchAll(
                db,
                sql: """
                    SELECT claimed_uuid, history, code, message, noticed_at FROM recovery_failures
                    WHERE scope = ? ORDER BY id DESC LIMIT ?
                    """, arguments: [scope, MissingNames.most]
            ).map { row in
                MissingItem(
                    claimedUUID: row.hasNull(atIndex: 0) ? nil : StoredUUID.text(row[0]), history: row.text(1),
                    code: row.text(2) ?? "", message: row.text(3) ?? "", noticedAt: row.number(4) ?? 0)
            }
            names.spans = Array(try UnverifiedSpanTable.spans(in: scope, db).spans.prefix(MissingNames.most))
            names.histories = try Row.fetchAll(
                db,
                sql: """
                    SELECT \(HistoryRequestTable.columns) FROM errands WHERE scope = ? AND failure IS NOT NULL
                    ORDER BY failed_at IS NOT NULL, id DESC LIMIT ?
                    """, arguments: [scope, MissingNames.most]
            ).map(HistoryRequestTable.request)
            return names
        }
    }
}

extension SQLiteStorage {
    /// Forgets what is no longer needed: the windows, recoveries of long ago, failures of what came after all.
    private static func clear(_ recovery: Int64, in scope: Int64, _ db: Database) throws {
        try db.execute(sql: "DELETE FROM recovery_windows WHERE recovery = ?", arguments: [recovery])
        try db.execute(
            sql: "DELETE FROM recoveries WHERE id <= ? AND state <> 'open'",
            arguments: [recovery - Int64(RecoveryRun.maximumCount)])
        let spans = try UnverifiedSpanTable.spans(in: scope, db)
        let failures = try Row.fetchAll(
            db,
            sql: """
                SELECT id, history, from_date, until_date, EXISTS (
                    SELECT 1 FROM notifications WHERE uuid = claimed_uuid AND notifications.scope = recovery_failures.scope)
                FROM recovery_failures WHERE scope = ?
                """, arguments: [scope])
        let arrived = failures.filter { row in
            let span = row.number(2).flatMap { from in
                row.number(3).map { UnverifiedSpans.Span(from: from, until: $0) }
            }
            return !UnverifiedItem.isMissing(
                hasArrived: row.number(4) == 1, history: row.text(1), span: span, in: spans)
        }
        for row in arrived {
            try db.execute(sql: "DELETE FROM recovery_failures WHERE id = ?", arguments: [row.number(0)])
        }
    }

    static func add(
        _ items: [UnverifiedItem], in scope: Int64, _ window: RecoveryWindow?, history: String? = nil,
        at now: Milliseconds, _ db: Database
    ) throws {
        let kept =
            try Int.fetchOne(db, sql: "SELECT count(*) FROM recovery_failures WHERE scope = ?", arguments: [scope]) ?? 0
        for item in items.prefix(UnverifiedItem.room(beside: kept)) {
            try db.execute(
                sql: """
                    INSERT INTO recovery_failures (scope, digest, claimed_uuid, code, message, recovery, from_date,
                        until_date, noticed_at, history)
                    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (scope, digest) DO UPDATE SET
                        code = excluded.code, message = excluded.message, recovery = excluded.recovery,
                        from_date = excluded.from_date, until_date = excluded.until_date, history = excluded.history
                    """,
                arguments: [
                    scope, item.digest, item.claimedUUID.map(StoredUUID.value), item.code, item.message,
                    window?.recovery, window?.from, window?.until, now, history,
                ])
        }
    }

    private static func recoveries(
        _ db: Database, _ condition: String, _ arguments: StatementArguments
    ) throws -> [RecoveryRun] {
        let rows = try Row.fetchAll(
            db,
            sql: """
                SELECT id, scope, cause, from_date, until_date, kinds, moves_mark, state, created_at, finished_at,
                    failure, pages, found, new, duplicates, failed, windows,
                    (SELECT count(*) FROM recovery_windows WHERE recovery = recoveries.id AND is_done = 0), signed_until
                FROM recoveries \(condition)
                """, arguments: arguments)
        return rows.map { row in
            func count(_ index: Int) -> Int { Int(row.number(index) ?? 0) }
            return RecoveryRun(
                id: row.number(0) ?? 0, scope: row.number(1) ?? 0,
                cause: row.text(2).flatMap(RecoveryRun.Cause.init) ?? .request, from: row.number(3) ?? 0,
                until: row.number(4) ?? 0,
                filters: (row.text(5) ?? "").split(separator: " ").compactMap { NotificationFilter(name: String($0)) },
                movesMark: row.number(6) == 1, state: row.text(7).flatMap(RecoveryRun.State.init) ?? .failed,
                createdAt: row.number(8) ?? 0, finishedAt: row.number(9), failure: row.text(10),
                counts: RecoveryCounts(
                    pages: count(11), found: count(12), new: count(13), duplicates: count(14), failed: count(15)),
                windows: count(16), openWindows: count(17), signedUntil: row.number(18))
        }
    }
}
