/// Base64 as RFC 4648 defines it, without the tolerance of Foundation's decoder: one text for one value.
package enum Base64 {
    /// Decodes base64url without padding (RFC 4648 §5, RFC 7515 §2). Refuses padding, white space, the standard
    /// alphabet, an impossible length and leftover bits that are not zero (RFC 4648 §3.5).
    package static func decodeURL(_ text: UnsafeRawBufferPointer) -> [UInt8]? {
        decode(text, urlTable)
    }

    /// Decodes standard base64 with its padding (RFC 4648 §4), as strictly.
    package static func decode(_ text: UnsafeRawBufferPointer) -> [UInt8]? {
        guard text.count.isMultiple(of: 4) else { return nil }
        var end = text.count
        for _ in 0..<2 where end > 0 && text[end - 1] == UInt8(ascii: "=") { end -= 1 }
        return decode(UnsafeRawBufferPointer(rebasing: text[..<end]), standardTable)
    }

    /// Decodes standard base64 with its padding; nil for anything else.
    package static func decode(_ text: some StringProtocol) -> [UInt8]? {
        Array(text.utf8).withUnsafeBytes { decode($0) }
    }

    /// Decodes base64url without padding; nil for anything else.
    package static func decodeURL(_ text: some StringProtocol) -> [UInt8]? {
        Array(text.utf8).withUnsafeBytes { decodeURL($0) }
    }

    /// Encodes as base64url without padding.
    package static func encodeURL(_ bytes: some Collection<UInt8>) -> String {
        bytes.withContiguousStorageIfAvailable { text(of: UnsafeRawBufferPointer($0)) }
            ?? Array(bytes).withUnsafeBytes { text(of: $0) }
    }

    private static func text(of bytes: UnsafeRawBufferPointer) -> String {
        let count = countURL(bytes.count)
        return String(unsafeUninitializedCapacity: count) { buffer in
            encodeURL(bytes, into: UnsafeMutableRawBufferPointer(buffer))
            return count
        }
    }

    /// How many letters so many bytes come to in base64url.
    package static func countURL(_ bytes: Int) -> Int { bytes / 3 * 4 + (bytes % 3 * 4 + 2) / 3 }

    /// Encodes as base64url into memory that is there already, with room for ``countURL(_:)`` letters.
    package static func encodeURL(_ bytes: [UInt8], into target: UnsafeMutableRawBufferPointer) {
        bytes.withUnsafeBytes { encodeURL($0, into: target) }
    }

    /// Encodes as base64url into memory that is there already, with room for ``countURL(_:)`` letters.
    package static func encodeURL(_ bytes: UnsafeRawBufferPointer, into target: UnsafeMutableRawBufferPointer) {
        precondition(target.count >= countURL(bytes.count), "no room")
        urlAlphabet.withUnsafeBufferPointer { alphabet in
            var (source, place) = (0, 0)
            func put(_ sextet: UInt32) {
                target[place] = alphabet[Int(sextet & 63)]
                place += 1
            }
            while bytes.count - source >= 3 {
                let group =
                    UInt32(bytes[source]) << 16 | UInt32(bytes[source + 1]) << 8 | UInt32(bytes[source + 2])
                put(group >> 18)
                put(group >> 12)
                put(group >> 6)
                put(group)
                source += 3
            }
            switch bytes.count - source {
            case 1:
                put(UInt32(bytes[source]) >> 2)
                put(UInt32(bytes[source]) << 4)
            case 2:
                let group = UInt32(bytes[source]) << 8 | UInt32(bytes[source + 1])
                put(group >> 10)
                put(group >> 4)
                put(group << 2)
            default: break
            }
        }
    }

    private static let common = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
    private static let urlAlphabet = Array((common + "-_").utf8)
    private static let urlTable = table(common + "-_")
    private static let standardTable = table(common + "+/")

    private static let invalid: UInt8 = 0xFF
    /// A bit that the value of no letter has: they have six.
    private static let noLetter: UInt8 = 0x80

    private static func table(_ alphabet: String) -> [UInt8] {
        var table = [UInt8](repeating: invalid, count: 256)
        for (value, letter) in alphabet.utf8.enumerated() { table[Int(letter)] = UInt8(truncatingIfNeeded: value) }
        return table
    }

    private static func decode(_ text: UnsafeRawBufferPointer, _ table: [UInt8]) -> [UInt8]? {
        let tail = text.count & 3
        guard tail != 1 else { return nil }
        let size = text.count / 4 * 3 + (tail == 0 ? 0 : tail - 1)
        return table.withUnsafeBufferPointer { table in
            // Of all letters together: looked at once, since a branch for each group costs more than the group.
            var seen: UInt8 = 0
            let bytes = [UInt8](unsafeUninitializedCapacity: size) { output, count in
                count = size
                // Every index below is within `text` and `output` by the way their sizes were computed.
                var (from, to) = (0, 0)
                while from &+ 4 <= text.count {
                    let (a, b) = (table[Int(text[from])], table[Int(text[from &+ 1])])
                    let (c, d) = (table[Int(text[from &+ 2])], table[Int(text[from &+ 3])])
                    seen |= a | b | c | d
                    output[to] = a << 2 | b >> 4 & 3
                    output[to &+ 1] = b << 4 | c >> 2 & 15
                    output[to &+ 2] = c << 6 | d
                    from &+= 4
                    to &+= 3
                }
                guard tail > 0 else { return }
                let (a, b) = (table[Int(text[from])], table[Int(text[from &+ 1])])
                let c = tail == 3 ? table[Int(text[from &+ 2])] : 0
                // Leftover bits that are not zero are as bad as what is no letter.
                seen |= a | b | c | ((tail == 3 ? c & 3 : b & 15) == 0 ? 0 : invalid)
                output[to] = a << 2 | b >> 4 & 3
                if tail == 3 { output[to &+ 1] = b << 4 | c >> 2 & 15 }
            }
            return seen & noLetter == 0 ? bytes : nil
        }
    }
}
