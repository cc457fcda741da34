import Entitlements
import Foundation
import Ledger
import LedgerSQLite
import TestSupport
import Testing

@Suite struct `Fuzzer seeds for packed ledger records` {
    @Test(arguments: [("empty", 0, 0), ("two-periods", 2, 0), ("with-a-notification", 2, 1)])
    func `A fuzz seed decodes to a record and encodes to the same bytes`(
        _ name: String, _ transactions: Int, _ mentions: Int
    ) throws {
        let bytes = try Data(
            contentsOf: Fixtures.package.appending(path: "Fuzz/Corpus/packed-records").appending(path: name))
        let record = bytes.withUnsafeBytes { PackedLineage.record("1", token: nil, account: nil, $0) }
        #expect(record?.sources.count == transactions && record?.mentions.count == mentions)
        #expect(record.map { PackedLineage.pack($0) } == bytes)
    }

    @Test func `A record of the first version decodes without prices`() throws {
        func transactions(_ name: String) throws -> [TransactionFact] {
            let folder = Fixtures.package.appending(path: "Fuzz/Corpus/packed-records")
            let bytes = try Data(contentsOf: folder.appending(path: name))
            return bytes.withUnsafeBytes { PackedLineage.lineage("1", $0) }?.transactions ?? []
        }
        var present = try transactions("two-periods")
        #expect(present.map(\.price) == [9_990, 9_990])
        for index in present.indices { (present[index].price, present[index].currency) = (nil, nil) }
        #expect(try transactions("first-version") == present)
    }
}
