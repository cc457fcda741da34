internal import Foundation
internal import GRDB
package import Ledger

extension SQLiteStorage: RecoveryStorage {
    package func completenessMarks() async throws -> [CompletenessMark] {
        try await readAll("SELECT \(CompletenessTable.columns) FROM completeness", []) { CompletenessTable.mark($0) }
    }

    package func begin(_ plan: RecoveryPlan, at now: Milliseconds) async throws -> Int64 {
        try await write { db in
            try db.run(
                """
                INSERT INTO recoveries (scope, cause, from_date, until_date, kinds, moves_mark, state, created_at,
                    windows)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
                """,
                [
                    .integer(plan.scope), .text(plan.cause.rawValue), .integer(plan.from), .integer(plan.until),
                    .text(plan.filters.map(\.name).joined(separator: " ")), .init(plan.movesMark),
                    .text(RecoveryRun.State.open.rawValue), .integer(now), .init(plan.windows.count),
                ])
            let id = db.lastInsertedRowID
            for window in plan.windows {
                try db.run(
                    """
                    INSERT INTO recovery_windows (recovery, stage, from_date, until_date, kind, only_failures)
                    VALUES (?, ?, ?, ?, ?, ?)
                    """,
                    [
                        .integer(id), .init(window.stage), .integer(window.from), .integer(window.until),
                        .init(window.filter?.name), .init(window.onlyFailures),
                    ])
            }
            return id
        }
    }

    package func openRecoveries(in scopes: [Int64]) async throws -> [RecoveryRun] {
        try await read {
            try Self.recoveries(
                $0, "WHERE \(RecoveryTables.isOpen) AND scope IN (\(scopes.placeholders)) ORDER BY id",
                scopes.map { .integer($0) })
        }
    }

    package func openWindows(of recovery: Int64) async throws -> [RecoveryWindow] {
        try await read {
            try Self.windows($0, "WHERE recovery = ? AND is_done = 0 ORDER BY stage, id", [.integer(recovery)]).map(
                \.window)
        }
    }

    package func windows(
        of recovery: Int64, limit: Int
    ) async throws -> [(window: RecoveryWindow, isDone: Bool)] {
        try await read {
            try Self.windows($0, "WHERE recovery = ? ORDER BY stage, id LIMIT ?", [.integer(recovery), .init(limit)])
        }
    }

    /// The condition for a window, with the values of ``key(of:)``. SQLite reuses row identifiers of windows, so the
    /// recovery is compared too.
    private static let isWindow = "id = ? AND recovery = ?"
    private static func key(of window: RecoveryWindow) -> [SQLValue] {
        [.integer(window.id), .integer(window.recovery)]
    }

    private static func windows(
        _ db: Database, _ condition: String, _ values: [SQLValue]
    ) throws -> [(window: RecoveryWindow, isDone: Bool)] {
        try db.all(
            """
            SELECT id, stage, from_date, until_date, kind, only_failures, token, recovery, is_done
            FROM recovery_windows \(condition)
            """, values
        ) { row in
            var window = RecoveryWindow(
                stage: row.count(1), from: row.instant(2) ?? 0, until: row.instant(3) ?? 0,
                filter: row.text(4).flatMap(NotificationFilter.init(name:)), onlyFailures: row.number(5) == 1)
            (window.id, window.recovery, window.token) = (row.number(0) ?? 0, row.number(7) ?? 0, row.text(6))
            return (window, row.number(8) == 1)
        }
    }

    package func record(_ page: PageOutcome, of window: RecoveryWindow, at now: Milliseconds) async throws {
        try await write { db in
            try db.run(
                """
                UPDATE recovery_windows SET token = ?, is_done = ?, unverified = unverified + ?
                WHERE \(Self.isWindow) AND is_done = 0 AND token IS ?
                """,
                [.init(page.next), .init(page.isLast), .init(page.unverified.count)] + Self.key(of: window)
                    + [.init(window.token)])
            guard db.changesCount > 0 else { return }
            let counts = page.counts
            try db.run(
                """
                UPDATE recoveries SET pages = pages + ?, found = found + ?, new = new + ?,
                    duplicates = duplicates + ?, failed = failed + ?,
                    signed_until = max(coalesce(signed_until, ?), coalesce(?, signed_until)) WHERE id = ?
                """,
                [
                    .init(counts.pages), .init(counts.found), .init(counts.new), .init(counts.duplicates),
                    .init(counts.failed), .init(page.signedUntil), .init(page.signedUntil), .integer(window.recovery),
                ])
            guard !page.unverified.isEmpty else { return }
            let scope = try db.number("SELECT scope FROM recoveries WHERE id = ?", [.integer(window.recovery)])
            guard let scope else { return }
            try Self.add(page.unverified, in: scope, window, at: now, db)
        }
    }

    package func restart(window: RecoveryWindow) async throws {
        try await write(
            "UPDATE recovery_windows SET token = NULL, unverified = 0 WHERE \(Self.isWindow) AND is_done = 0",
            Self.key(of: window))
    }

    package func clip(window: RecoveryWindow, to limit: Milliseconds) async throws {
        try await write { db in
            let known = try Self.windows(db, "WHERE \(Self.isWindow) AND is_done = 0", Self.key(of: window))
            guard var rest = known.first?.window else { return }
            let isLeft = rest.clip(to: limit)
            try db.run(
                "UPDATE recovery_windows SET token = ?, unverified = 0, from_date = ?, is_done = ? WHERE id = ?",
                [.init(rest.token), .integer(rest.from), .init(!isLeft), .integer(rest.id)])
            guard var recovery = try Self.recovery(rest.recovery, db) else { return }
            recovery.clip(to: limit)
            try db.run(
                "UPDATE recoveries SET from_date = ? WHERE id = ?", [.integer(recovery.from), .integer(recovery.id)])
        }
    }

    package func skip(window: RecoveryWindow) async throws {
        try await write("UPDATE recovery_windows SET is_done = 1 WHERE \(Self.isWindow)", Self.key(of: window))
    }

    package func finish(
        recovery id: Int64, until: Milliseconds, limit: Milliseconds, at now: Milliseconds
    ) async throws -> CompletenessMark? {
        try await write { db in
            let open = try db.number(
                "SELECT count(*) FROM recovery_windows WHERE recovery = ? AND is_done = 0", [.integer(id)])
            guard open == 0, let recovery = try Self.recovery(id, db) else {
                throw StorageError(.failed, "a recovery cannot end while windows are open")
            }
            // A recovery that was given up has no windows either, but its time was not read.
            guard recovery.state == .open else { return try CompletenessTable.mark(of: recovery.scope, db) }
            try db.run(
                "UPDATE recoveries SET state = ?, finished_at = ?, failure = NULL WHERE id = ?",
                [.text(RecoveryRun.State.done.rawValue), .integer(now), .integer(id)])
            let end = recovery.end(
                from: try CompletenessTable.mark(of: recovery.scope, db),
                try UnverifiedSpanTable.spans(in: recovery.scope, db),
                reading: try CompletenessTable.windows(of: id, db), until: until, limit: limit, at: now)
            if let mark = end.mark { try CompletenessTable.store(mark, db) }
            if let pass = end.pass { try CompletenessTable.store(pass, db) }
            try UnverifiedSpanTable.store(end.spans, in: recovery.scope, db)
            try Self.clear(id, in: recovery.scope, db)
            return end.mark
        }
    }

    package func unverifiedSpans(in scope: Int64) async throws -> UnverifiedSpans {
        try await read { try UnverifiedSpanTable.spans(in: scope, $0) }
    }

    package func record(failure: String, of recovery: Int64, isGivenUp: Bool, at now: Milliseconds) async throws {
        try await write { db in
            try db.run(
                "UPDATE recoveries SET failure = ? WHERE id = ? AND \(RecoveryTables.isOpen)",
                [.text(failure), .integer(recovery)])
            guard isGivenUp, db.changesCount > 0 else { return }
            try db.run(
                "UPDATE recoveries SET state = ?, finished_at = ? WHERE id = ?",
                [.text(RecoveryRun.State.failed.rawValue), .integer(now), .integer(recovery)])
            try db.run("DELETE FROM recovery_windows WHERE recovery = ?", [.integer(recovery)])
        }
    }

    package func recovery(_ id: Int64) async throws -> RecoveryRun? {
        try await read { try Self.recovery(id, $0) }
    }

    package func recoveries(in scopes: [Int64], before id: Int64?, limit: Int) async throws -> [RecoveryRun] {
        try await read { db in
            try Self.recoveries(
                db, "WHERE scope IN (\(scopes.placeholders)) AND id < ? ORDER BY id DESC LIMIT ?",
                scopes.map { .integer($0) } + [.integer(id ?? .max), .init(limit)])
        }
    }
}

extension SQLiteStorage {
    /// Deletes what a finished recovery no longer needs: its windows, old recoveries, and items that are no longer
    /// missing.
    private static func clear(_ recovery: Int64, in scope: Int64, _ db: Database) throws {
        try db.run("DELETE FROM recovery_windows WHERE recovery = ?", [.integer(recovery)])
        let runs = try db.all(
            "SELECT id, \(RecoveryTables.isOpen) FROM recoveries WHERE scope = ?", [.integer(scope)]
        ) { (id: $0.number(0) ?? 0, isOpen: $0.number(1) == 1) }
        for id in RecoveryRun.expired(runs, atEndOf: recovery) {
            try db.run("DELETE FROM recoveries WHERE id = ?", [.integer(id)])
        }
        let spans = try UnverifiedSpanTable.spans(in: scope, db)
        let arrived = try db.all(
            """
            SELECT id, history, from_date, until_date, EXISTS (
                SELECT 1 FROM notifications WHERE uuid = claimed_uuid AND notifications.scope = recovery_failures.scope)
            FROM recovery_failures WHERE scope = ?
            """, [.integer(scope)]
        ) { row in
            let span = row.number(2).flatMap { from in
                row.number(3).map { UnverifiedSpans.Span(from: from, until: $0) }
            }
            let isMissing = UnverifiedItem.isMissing(
                hasArrived: row.number(4) == 1, history: row.text(1), span: span, in: spans)
            return isMissing ? nil : row.number(0)
        }
        for id in arrived { try db.run("DELETE FROM recovery_failures WHERE id = ?", [.integer(id)]) }
    }

    static func add(
        _ items: [UnverifiedItem], in scope: Int64, _ window: RecoveryWindow?, history: String? = nil,
        at now: Milliseconds, _ db: Database
    ) throws {
        let count = try db.number("SELECT count(*) FROM recovery_failures WHERE scope = ?", [.integer(scope)]) ?? 0
        for item in items.prefix(UnverifiedItem.room(beside: Int(count))) {
            try db.run(
                """
                INSERT INTO recovery_failures (scope, digest, claimed_uuid, code, message, recovery, from_date,
                    until_date, noticed_at, history)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (scope, digest) DO UPDATE SET
                    code = excluded.code, message = excluded.message, recovery = excluded.recovery,
                    from_date = excluded.from_date, until_date = excluded.until_date, history = excluded.history
                """,
                [
                    .integer(scope), .blob(item.digest), item.claimedUUID.map(StoredUUID.value) ?? .null,
                    .text(item.code), .text(item.message), .init(window?.recovery), .init(window?.from),
                    .init(window?.until), .integer(now), .init(history),
                ])
        }
    }

    private static func recovery(_ id: Int64, _ db: Database) throws -> RecoveryRun? {
        try recoveries(db, "WHERE id = ?", [.integer(id)]).first
    }

    private static func recoveries(
        _ db: Database, _ condition: String, _ values: [SQLValue]
    ) throws -> [RecoveryRun] {
        try db.all(
            """
            SELECT id, scope, cause, from_date, until_date, kinds, moves_mark, state, created_at, finished_at,
                failure, pages, found, new, duplicates, failed, windows,
                (SELECT count(*) FROM recovery_windows WHERE recovery = recoveries.id AND is_done = 0), signed_until
            FROM recoveries \(condition)
            """, values
        ) { row in
            let counts = RecoveryCounts(
                pages: row.count(11), found: row.count(12), new: row.count(13), duplicates: row.count(14),
                failed: row.count(15))
            return RecoveryRun(
                id: row.number(0) ?? 0, scope: row.number(1) ?? 0,
                cause: row.text(2).flatMap(RecoveryRun.Cause.init) ?? .request, from: row.instant(3) ?? 0,
                until: row.instant(4) ?? 0,
                filters: (row.text(5) ?? "").split(separator: " ").compactMap { NotificationFilter(name: String($0)) },
                movesMark: row.number(6) == 1, state: row.text(7).flatMap(RecoveryRun.State.init) ?? .failed,
                createdAt: row.instant(8) ?? 0, finishedAt: row.instant(9), failure: row.text(10), counts: counts,
                windows: row.count(16), openWindows: row.count(17), signedUntil: row.instant(18))
        }
    }
}
