internal import AppStoreTrust

/// The three segments of a JWS in compact serialization (RFC 7515 §7.1), as positions in the received bytes.
struct CompactForm {
    let header: Range<Int>
    let payload: Range<Int>
    let signature: Range<Int>

    /// Splits at the dots; nothing is decoded.
    init(_ text: UnsafeRawBufferPointer) throws(VerificationError) {
        let dot = UInt8(ascii: ".")
        guard let first = text.firstIndex(of: dot),
            let second = text[(first + 1)...].firstIndex(of: dot),
            text[(second + 1)...].firstIndex(of: dot) == nil
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

    /// Decodes one segment, strictly.
    static func decode(
        _ segment: Range<Int>, of text: UnsafeRawBufferPointer, _ name: String
    ) throws(VerificationError) -> [UInt8] {
        guard let bytes = Base64.decodeURL(UnsafeRawBufferPointer(rebasing: text[segment])) else {
            throw VerificationError(.badBase64URL, "the \(name) is not base64url without padding")
        }
        return bytes
    }
}
