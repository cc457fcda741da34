package import Entitlements
internal import GRDB
package import Ledger

extension SQLiteStorage: SegmentStorage {
    /// The number of rows that are read for a page.
    private static let window = 2000

    /// The query for a page of a segment. A test checks that it uses the index.
    static let segmentPage = """
        SELECT original_id, segment, begins, ends, place, since, reason FROM segments INDEXED BY segments_by_place
        WHERE scope = ?1 AND segment = ?2 AND (place, original_id) > (?3, ?4) AND place <= ?5
        ORDER BY place, original_id LIMIT ?6
        """

    /// The query for the number of members at an instant. Ended memberships come before the range that is read.
    static let segmentCount = """
        SELECT count(*) FROM (
            SELECT 1 FROM segments INDEXED BY segments_by_place
            WHERE scope = ?1 AND segment = ?2 AND place > ?3 AND begins <= ?4 AND ends > ?4 LIMIT ?5)
        """

    package func members(_ query: SegmentQuery) async throws -> (items: [SegmentMember], next: SegmentPosition?) {
        try await read { db in
            let (after, last) = query.range
            let rows = try db.all(
                Self.segmentPage,
                [
                    .integer(query.scope), .init(query.segment.rawValue), .integer(after.number),
                    .text(after.originalTransactionID), .integer(last), .init(Self.window),
                ]
            ) { row in row.text(0).flatMap { original in SegmentTable.row(of: row, from: 1).map { (original, $0) } } }
            var items: [SegmentMember] = []
            var seen = 0
            for (original, row) in rows where items.count < query.limit {
                seen += 1
                // A corrupt record must not block the following ones.
                if query.matches(row),
                    let member = try StorageError.unlessDamaged({ try Self.member(original, row, in: query.scope, db) })
                {
                    items.append(member)
                }
            }
            let isOver = rows.count < Self.window && seen == rows.count
            let next = rows.prefix(seen).last.map {
                SegmentPosition(number: $1.positionNumber, originalTransactionID: $0)
            }
            return (items, isOver ? nil : next)
        }
    }

    package func count(
        of segment: Segment, in scope: Int64, at now: Milliseconds, limit: Int
    ) async throws -> Int {
        let first = SegmentQuery(segment, in: scope, at: now, limit: limit).range.after
        return try await read { db in
            let count = try db.number(
                Self.segmentCount,
                [
                    .integer(scope), .init(segment.rawValue),
                    .integer(first.number == .min ? first.number : first.number - 1), .integer(now),
                    .init(limit),
                ])
            return Int(count ?? 0)
        }
    }

    private static func member(
        _ original: String, _ row: SegmentRow, in scope: Int64, _ db: Database
    ) throws -> SegmentMember? {
        guard let lineage = try lineage(original, in: scope, db) else { return nil }
        return SegmentMember(
            lineage: lineage, owners: try owners(of: lineage, in: scope, db),
            reason: row.reason.map { StateDetail(rawValue: $0) }, until: row.ends == .max ? nil : row.ends,
            since: row.since)
    }
}
