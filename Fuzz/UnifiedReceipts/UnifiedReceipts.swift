import Foundation
import FuzzSupport

private let properties = Property.success("the seeds can be read") {
    try ReceiptProperties(targets: ["unified-receipts"])
}

/// Reads a unified receipt, as bytes or as base64.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzUnifiedReceipts(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    properties.check(Data(input(start, count)))
    return 0
}
