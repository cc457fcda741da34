/// Strict base64 (RFC 4648). Unlike with Foundation's decoder, each value has exactly one valid encoding.
package enum Base64 {
    /// Decodes base64url without padding (RFC 4648 §5, RFC 7515 §2). Refuses padding, white space, the standard
    /// alphabet, an impossible length and leftover bits that are not zero (RFC 4648 §3.5).
    package static func decodeURL(_ text: UnsafeRawBufferPointer) -> [UInt8]? {
        decode(text, urlTable)
    }

    /// Decodes standard base64 with padding (RFC 4648 §4), as strictly.
    package static func decode(_ text: UnsafeRawBufferPointer) -> [UInt8]? {
        guard text.count.isMultiple(of: 4) else { return nil }
        var end = text.count
        for _ in 0..<2 where end > 0 && text[end - 1] == UInt8(ascii: "=") { end -= 1 }
        return decode(UnsafeRawBufferPointer(rebasing: text[..<end]), standardTable)
    }

    /// Decodes standard base64 with padding. Returns nil if the text is invalid.
    package static func decode(_ text: some StringProtocol) -> [UInt8]? {
        Array(text.utf8).withUnsafeBytes { decode($0) }
    }

    /// Decodes base64url without padding. Returns nil if the text is invalid.
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

    /// Returns the number of characters that encode a number of bytes in base64url without padding.
    package static func countURL(_ bytes: Int) -> Int { bytes / 3 * 4 + (bytes % 3 * 4 + 2) / 3 }

    /// Encodes as base64url into a buffer with space for at least ``countURL(_:)`` characters.
    package static func encodeURL(_ bytes: [UInt8], into target: UnsafeMutableRawBufferPointer) {
        bytes.withUnsafeBytes { encodeURL($0, into: target) }
    }

    /// Encodes as base64url into a buffer with space for at least ``countURL(_:)`` characters.
    package static func encodeURL(_ bytes: UnsafeRawBufferPointer, into target: UnsafeMutableRawBufferPointer) {
        precondition(target.count >= countURL(bytes.count), "the target buffer is too small")
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

    /// Marks an invalid character, in the byte above the three decoded bytes.
    private static let invalidMark: UInt32 = 0xFF00_0000

    /// Returns the decoding table: for each of the four positions in a group, 256 entries with the bits that a
    /// character contributes to the three decoded bytes, as a little-endian number.
    private static func table(_ alphabet: String) -> [UInt32] {
        var table = [UInt32](repeating: invalidMark, count: 4 * 256)
        for (value, letter) in zip(UInt32(0)..., alphabet.utf8) {
            let parts = [
                value << 2, value >> 4 | (value & 15) << 12, (value & 0x3C) << 6 | (value & 3) << 22, value << 16,
            ]
            for (place, part) in parts.enumerated() { table[place * 256 + Int(letter)] = part }
        }
        return table
    }

    private static func decode(_ text: UnsafeRawBufferPointer, _ table: [UInt32]) -> [UInt8]? {
        let tail = text.count & 3
        guard tail != 1 else { return nil }
        let size = text.count / 4 * 3 + (tail == 0 ? 0 : tail - 1)
        return table.withUnsafeBufferPointer { table in
            // All entries combined. Checked once at the end, because a branch per group costs more than the group
            // itself.
            var seen: UInt32 = 0
            // A group is written as four bytes. The next group overwrites the fourth one.
            let bytes = [UInt8](unsafeUninitializedCapacity: size + 1) { output, count in
                count = size
                let output = UnsafeMutableRawBufferPointer(output)
                // The sizes above guarantee that every index below is within `text` and `output`.
                var (from, to) = (0, 0)
                while from &+ 4 <= text.count {
                    let group =
                        table[Int(text[from])] | table[256 &+ Int(text[from &+ 1])]
                        | table[512 &+ Int(text[from &+ 2])] | table[768 &+ Int(text[from &+ 3])]
                    seen |= group
                    output.storeBytes(of: group.littleEndian, toByteOffset: to, as: UInt32.self)
                    from &+= 4
                    to &+= 3
                }
                guard tail > 0 else { return }
                let group =
                    table[Int(text[from])] | table[256 &+ Int(text[from &+ 1])]
                    | (tail == 3 ? table[512 &+ Int(text[from &+ 2])] : 0)
                // Nonzero leftover bits are invalid too.
                seen |= group | (group >> (8 * UInt32(tail - 1)) == 0 ? 0 : invalidMark)
                output[to] = UInt8(truncatingIfNeeded: group)
                if tail == 3 { output[to &+ 1] = UInt8(truncatingIfNeeded: group >> 8) }
            }
            return seen & invalidMark == 0 ? bytes : nil
        }
    }
}
