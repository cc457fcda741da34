internal import Foundation
internal import GRDB
internal import Ledger

/// The range of row identifiers in `lineages` for the purchases of one customer. The rows are adjacent, so that a
/// customer query reads one place of the disk, without an index.
///
/// The app account token determines the range, as most apps set one. A purchase without a token has a range that
/// derives from its own identifier.
struct LineageRowRange {
    /// There are 2^32 ranges with room for 2^31 purchases each. Readers compare the token, because several tokens may
    /// share a range.
    private static let width: Int64 = 1 << 31

    let first: Int64
    /// The last range ends at the largest row identifier.
    var last: Int64 { first + (Self.width - 1) }

    private init(_ place: UInt32) { first = Int64(place) * Self.width }

    init(_ token: UUID) {
        // Hashes the token with an odd multiplier: not all tokens are random, and both halves of a token may be equal.
        self.init(withUnsafeBytes(of: token.uuid) { $0.reduce(0) { $0 &* 0x9E37_79B1 &+ UInt32($1) } })
    }

    init(token: UUID?, original: String) {
        if let token {
            self.init(token)
        } else {
            // Consecutive identifiers get adjacent ranges, since they are decimal numbers.
            self.init(original.utf8.reduce(0) { $0 &* 10 &+ UInt32($1 & 15) })
        }
    }

    func contains(_ row: Int64) -> Bool { first <= row && row <= last }

    /// Returns a free row identifier.
    ///
    /// - Throws: ``StorageError`` if a row was inserted by hand at the end of the range.
    func next(_ db: Database) throws -> Int64 {
        let lastUsed = try db.number(
            "SELECT max(id) FROM lineages NOT INDEXED WHERE id BETWEEN ? AND ?", [.integer(first), .integer(last)])
        guard let lastUsed else { return first }
        guard lastUsed < last else {
            throw StorageError(
                .damaged, "row \(lastUsed) of lineages is outside of its range; `counterfoil ledger rebuild` repairs it"
            )
        }
        return lastUsed + 1
    }

    /// Moves the rows that are outside of their range. Until this migration an index of tokens existed instead.
    static func moveRowsIntoRanges(_ db: Database) throws {
        try db.execute(sql: "DROP INDEX IF EXISTS lineages_by_token")
        var last: Int64 = .min
        while true {
            // Moved rows may be read again; they stay.
            let rows = try db.all(
                "SELECT id, original_id, token FROM lineages WHERE id > ? ORDER BY id LIMIT 1000", [.integer(last)]
            ) { row in
                (row: row.number(0) ?? 0, range: LineageRowRange(token: row.uuid(2), original: row.text(1) ?? ""))
            }
            guard let end = rows.last else { return }
            last = end.row
            for (row, range) in rows where !range.contains(row) {
                try db.run("UPDATE lineages SET id = ? WHERE id = ?", [.integer(try range.next(db)), .integer(row)])
            }
        }
    }
}
