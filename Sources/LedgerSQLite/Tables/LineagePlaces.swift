internal import Ledger
internal import Foundation
internal import GRDB

/// The numbers of the rows in `lineages` where the purchases of one customer lie: beside each other, so that who asks for
/// them finds all at one place of the disk, with no index between.
///
/// It is the app account token that says whose they are, as it does for most purchases of most apps. What comes without
/// one has a place by its own number.
struct LineagePlaces {
    /// Four thousand million places, each with room for half as many purchases. Tokens that share one are told apart by
    /// who reads.
    private static let width: Int64 = 1 << 31

    let first: Int64
    /// The last place ends where the numbers do.
    var last: Int64 { first + (Self.width - 1) }

    private init(_ place: UInt32) { first = Int64(place) * Self.width }

    init(_ token: UUID) {
        // Any odd number would do: not all tokens are random, and one may say the same in both halves.
        self.init(withUnsafeBytes(of: token.uuid) { $0.reduce(0) { $0 &* 0x9E37_79B1 &+ UInt32($1) } })
    }

    init(token: UUID?, original: String) {
        if let token {
            self.init(token)
        } else {
            // Those that come one after the other lie beside each other: their names are decimal numbers.
            self.init(original.utf8.reduce(0) { $0 &* 10 &+ UInt32($1 & 15) })
        }
    }

    func contains(_ row: Int64) -> Bool { first <= row && row <= last }

    /// A free one.
    ///
    /// - Throws: ``StorageError`` when somebody has put a row at the end by hand.
    func next(_ db: Database) throws -> Int64 {
        let taken = try db.number(
            "SELECT max(id) FROM lineages NOT INDEXED WHERE id BETWEEN ? AND ?", [.integer(first), .integer(last)])
        guard let taken else { return first }
        guard taken < last else {
            throw StorageError(
                .damaged, "row \(taken) of lineages lies where none can be; `counterfoil ledger rebuild` puts it right")
        }
        return taken + 1
    }

    /// Moves all that lie elsewhere, as they did while there was an index of tokens.
    static func putInPlace(_ db: Database) throws {
        try db.execute(sql: "DROP INDEX IF EXISTS lineages_by_token")
        var last: Int64 = .min
        while true {
            // Those that were moved come again, and stay.
            let rows = try db.all(
                "SELECT id, original_id, token FROM lineages WHERE id > ? ORDER BY id LIMIT 1000", [.integer(last)]
            ) { row in
                (row: row.number(0) ?? 0, places: LineagePlaces(token: row.uuid(2), original: row.text(1) ?? ""))
            }
            guard let end = rows.last else { return }
            last = end.row
            for (row, places) in rows where !places.contains(row) {
                try db.run("UPDATE lineages SET id = ? WHERE id = ?", [.integer(try places.next(db)), .integer(row)])
            }
        }
    }
}
