import Entitlements
import Foundation
import Ledger
import LedgerSQLite
import TestSupport
import Testing

@Suite struct `The fuzzers' seeds of what a ledger keeps` {
    @Test(arguments: [("empty", 0, 0), ("two-periods", 2, 0), ("with-a-notification", 2, 1)])
    func `are records`(_ name: String, _ transactions: Int, _ mentions: Int) throws {
        let bytes = try Data(
            contentsOf: Fixtures.package.appending(path: "Fuzz/Corpus/packed-records").appending(path: name))
        let record = bytes.withUnsafeBytes { PackedLineage.record("1", token: nil, account: nil, $0) }
        #expect(record?.sources.count == transactions && record?.mentions.count == mentions)
        #expect(record.map { PackedLineage.pack($0) } == bytes)
    }

    @Test func `are records of the first version, without prices, too`() throws {
        func transactions(_ name: String) throws -> [TransactionFact] {
            let folder = Fixtures.package.appending(path: "Fuzz/Corpus/packed-records")
            let bytes = try Data(contentsOf: folder.appending(path: name))
            return bytes.withUnsafeBytes { PackedLineage.lineage("1", $0) }?.transactions ?? []
        }
        var present = try transactions("two-periods")
        #expect(present.map(\.price) == [9_990, 9_990])
        for place in present.indices { (present[place].price, present[place].currency) = (nil, nil) }
        #expect(try transactions("first-version") == present)
    }
}
