import Foundation
import FuzzSupport
import Ledger
import LedgerSQLite

/// What the ledger keeps of a purchase: any bytes are a record or damage, and a record is always the same bytes.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzPackedRecords(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = input(start, count)
    let lineage = bytes.withUnsafeBytes { PackedLineage.lineage("1", $0) }
    guard let record = bytes.withUnsafeBytes({ PackedLineage.record("1", token: nil, account: nil, $0) }) else {
        return 0
    }
    Property.require(lineage != nil, "who reads the facts alone can read what can be read in whole")
    let packed = PackedLineage.pack(record)
    let again = packed.withUnsafeBytes { PackedLineage.record("1", token: nil, account: nil, $0) }
    Property.require(again.map { PackedLineage.pack($0) } == packed, "a record that was read is kept as the same bytes")
    return 0
}
