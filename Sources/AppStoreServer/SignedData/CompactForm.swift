internal import AppStoreTrust
internal import Basics
internal import Foundation

/// The three segments of a JWS in compact serialization (RFC 7515 §7.1), as ranges of the received bytes.
struct CompactForm {
    let header: Range<Int>
    let payload: Range<Int>
    let signature: Range<Int>

    /// Splits the text at the dots, without decoding.
    init(_ text: UnsafeRawBufferPointer) throws(VerificationError) {
        guard let first = Self.dot(in: text, from: 0), let second = Self.dot(in: text, from: first + 1),
            Self.dot(in: text, from: second + 1) == nil
        else {
            throw VerificationError(.malformedCompactForm, "not three segments joined by dots")
        }
        header = 0..<first
        payload = first + 1..<second
        signature = second + 1..<text.count
        guard !header.isEmpty, !payload.isEmpty, !signature.isEmpty else {
            throw VerificationError(.malformedCompactForm, "a segment is empty")
        }
    }

    // `firstIndex(of:)` compares byte by byte. Most of a JWS is certificates, and `memchr` takes a tenth of the time.
    private static func dot(in text: UnsafeRawBufferPointer, from start: Int) -> Int? {
        guard start < text.count, let base = text.baseAddress,
            let found = memchr(base + start, CInt(UInt8(ascii: ".")), text.count - start)
        else { return nil }
        return UnsafeRawPointer(found) - base
    }

    /// Decodes one segment. Accepts only base64url without padding.
    static func decode(
        _ segment: Range<Int>, of text: UnsafeRawBufferPointer, _ name: String
    ) throws(VerificationError) -> [UInt8] {
        guard let bytes = Base64.decodeURL(UnsafeRawBufferPointer(rebasing: text[segment])) else {
            throw VerificationError(.badBase64URL, "the \(name) is not base64url without padding")
        }
        return bytes
    }
}
