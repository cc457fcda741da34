import AppStoreReceipts
import AppStoreTrust
import Foundation
import FuzzSupport

private let properties = Property.success("the seeds can be read") {
    try ReceiptProperties(targets: ["unified-receipts", "legacy-receipts"])
}

/// Reads the transaction ID of a receipt, from text and from bytes; and the body of a `verifyReceipt` request.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzTransactionIDs(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let data = Data(input(start, count))
    properties.requestVerifyReceipt(data)
    let text = String(decoding: data, as: UTF8.self)
    let answer = transactionID { () throws(VerificationError) in try UnverifiedReceipt.transactionID(in: text) }
    if case .success(let identifier?) = answer { Property.require(!identifier.isEmpty, "an identifier is not empty") }
    let wrapped = wrappedLines(text)
    Property.require(
        transactionID { () throws(VerificationError) in try UnverifiedReceipt.transactionID(in: wrapped) } == answer,
        "line breaks do not change the result")
    // Bytes that begin like a receipt are read as a receipt and not as base64.
    if let first = text.utf8.first, first != 0x30, first != UInt8(ascii: "{") {
        let contents = Data(text.utf8)
        Property.require(
            transactionID { () throws(VerificationError) in
                try UnverifiedReceipt.transactionID(inContents: contents)
            } == answer, "a file and a text have the same result")
    }
    if let raw = try? UnverifiedReceipt.transactionID(inContents: data), data.first == 0x30 {
        Property.require(
            (try? UnverifiedReceipt.transactionID(in: data.base64EncodedString())) == raw,
            "bytes and base64 have the same result")
    }
    return 0
}

private func transactionID(
    _ body: () throws(VerificationError) -> String?
) -> Result<String?, VerificationError> {
    do throws(VerificationError) {
        return .success(try body())
    } catch {
        return .failure(error)
    }
}

private func wrappedLines(_ text: String) -> String {
    var (bytes, column): ([UInt8], Int) = ([], 0)
    for byte in text.utf8 {
        // Do not break within a UTF-8 sequence.
        if column >= 64, byte & 0xC0 != 0x80 {
            bytes += [0x0D, 0x0A]
            column = 0
        }
        bytes.append(byte)
        column += 1
    }
    return String(decoding: bytes, as: UTF8.self)
}
