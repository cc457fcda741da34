import Foundation
import FuzzSupport
import Ledger
import LedgerSQLite

/// Decodes a packed record of a purchase. Any bytes are a record or damaged, and encoding a record is deterministic.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzPackedRecords(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = input(start, count)
    let lineage = bytes.withUnsafeBytes { PackedLineage.lineage("1", $0) }
    guard let record = bytes.withUnsafeBytes({ PackedLineage.record("1", token: nil, account: nil, $0) }) else {
        return 0
    }
    Property.require(lineage != nil, "the facts of a readable record can be read alone")
    let packed = PackedLineage.pack(record)
    let again = packed.withUnsafeBytes { PackedLineage.record("1", token: nil, account: nil, $0) }
    Property.require(again.map { PackedLineage.pack($0) } == packed, "a decoded record is encoded to the same bytes")
    return 0
}
