internal import AppStoreTrust
internal import Basics
internal import Foundation

/// The bytes of a received receipt, in one of two formats.
struct ReceiptBytes: Sendable, Hashable {
    enum Format { case unified, legacy }

    /// The base64 text exactly as received, or the encoded bytes if the receipt was received as bytes.
    let text: String
    let bytes: [UInt8]
    let format: Format

    init(base64 text: String, limits: ReceiptLimits) throws(VerificationError) {
        guard text.utf8.count <= limits.bytes else { throw Self.tooLarge(limits) }
        try self.init(bytes: Self.decode(text.utf8), text: text)
    }

    /// Reads a receipt from a file's contents: bytes or base64.
    init(contents: Data, limits: ReceiptLimits) throws(VerificationError) {
        guard contents.count <= limits.bytes else { throw Self.tooLarge(limits) }
        // Base64 of a receipt starts with "M" or "e", never with "0" (0x30) or "{": the first byte decides.
        if Self.format(of: contents.first) != nil {
            try self.init(bytes: Array(contents), text: contents.base64EncodedString())
        } else {
            try self.init(bytes: Self.decode(contents), text: String(decoding: contents, as: UTF8.self))
        }
    }

    private init(bytes: [UInt8], text: String) throws(VerificationError) {
        guard let format = Self.format(of: bytes.first) else {
            throw .malformed("neither a unified receipt nor a transaction receipt")
        }
        (self.bytes, self.text, self.format) = (bytes, text, format)
    }

    private static func format(of first: UInt8?) -> Format? {
        switch first {
        case 0x30: .unified
        case UInt8(ascii: "{"): .legacy
        default: nil
        }
    }

    // Skip line breaks and tabs everywhere, but spaces only at the ends: a space inside was a "+" before a form decoder
    // replaced it, and skipping it would change the bytes.
    private static func decode(_ text: some Collection<UInt8>) throws(VerificationError) -> [UInt8] {
        var letters: [UInt8] = []
        letters.reserveCapacity(text.count)
        for byte in text where !isLineBreak(byte) { letters.append(byte) }
        let trimmed = letters.trimmingSpaces
        guard !trimmed.isEmpty else { throw .malformed("the text is empty") }
        guard let bytes = trimmed.withUnsafeBytes({ Base64.decode($0) }) else {
            throw VerificationError(.badBase64URL, "not base64 in the standard alphabet with padding")
        }
        return bytes
    }

    private static func isLineBreak(_ byte: UInt8) -> Bool { byte == 0x0A || byte == 0x0D || byte == 0x09 }

    private static func tooLarge(_ limits: ReceiptLimits) -> VerificationError {
        VerificationError(.tooLarge, "larger than \(limits.bytes) bytes")
    }
}

extension [UInt8] {
    fileprivate var trimmingSpaces: ArraySlice<UInt8> {
        let space = UInt8(ascii: " ")
        guard let first = firstIndex(where: { $0 != space }), let last = lastIndex(where: { $0 != space }) else {
            return []
        }
        return self[first...last]
    }
}

extension VerificationError {
    static func malformed(_ reason: String) -> VerificationError { VerificationError(.malformedReceipt, reason) }
}
