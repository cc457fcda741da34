import Foundation
import FuzzSupport
import LedgerSQLite

/// What the ledger keeps of a signed text: any text comes back exactly, and any bytes are a text or damage.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzPackedTexts(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = input(start, count)
    let book = HeaderRegistry()
    let text = String(decoding: bytes, as: UTF8.self)
    let packed = book.pack(text)
    Property.require(exactly(book.unpack(packed.bytes), text), "a text that was packed comes back exactly")
    Property.require(book.pack(text) == packed, "one text is always the same bytes")
    // The headers are known by now, so that bytes can refer to them.
    if let found = book.unpack(Data(bytes)) {
        Property.require(
            exactly(book.unpack(book.pack(found).bytes), found), "what damaged bytes say can be kept like anything else"
        )
    }
    return 0
}

/// Whether it is the same text, byte for byte.
private func exactly(_ text: String?, _ other: String) -> Bool { text?.utf8.elementsEqual(other.utf8) ?? false }
