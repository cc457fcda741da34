import Foundation
import FuzzSupport
import LedgerSQLite

/// Packs and unpacks signed texts. Any text must be restored exactly, and any bytes are a text or damaged.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzPackedTexts(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = input(start, count)
    let registry = HeaderRegistry()
    let text = String(decoding: bytes, as: UTF8.self)
    let packed = registry.pack(text)
    Property.require(exactly(registry.unpack(packed.bytes), text), "a packed text is restored exactly")
    Property.require(registry.pack(text) == packed, "packing a text is deterministic")
    // Unpack the input after packing: bytes can refer to the headers that the registry now has.
    if let found = registry.unpack(Data(bytes)) {
        Property.require(
            exactly(registry.unpack(registry.pack(found).bytes), found),
            "a text unpacked from any bytes can be packed again"
        )
    }
    return 0
}

/// Whether it is the same text, byte for byte.
private func exactly(_ text: String?, _ other: String) -> Bool { text?.utf8.elementsEqual(other.utf8) ?? false }
