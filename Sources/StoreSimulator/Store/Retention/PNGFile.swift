/// A PNG file's validity, size in pixels and opacity, which the App Store checks.
///
/// Reads the chunk headers, not the compressed pixels. PNG specification, third edition (W3C, 2025).
package struct PNGFile: Sendable, Hashable {
    package let width: UInt32
    package let height: UInt32

    /// Parses a file. Throws the reason why it cannot be used.
    package init(_ bytes: some RandomAccessCollection<UInt8>) throws(Problem) {
        let reader = Reader(bytes: Array(bytes))
        guard reader.slice(0, 8)?.elementsEqual([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) == true else {
            throw .notPNG
        }
        // §11.2.1: IHDR has 13 bytes and is always first.
        guard reader.uint32(8) == 13, let header = reader.slice(12, 17), header.starts(with: "IHDR".utf8),
            reader.uint32(29) == Self.checksum(of: header), let width = reader.uint32(16),
            let height = reader.uint32(20), let depth = reader.byte(24), let colour = reader.byte(25)
        else { throw .badHeader }
        guard width > 0, height > 0, width <= Self.maximum, height <= Self.maximum,
            Self.depths[colour]?.contains(depth) == true, reader.byte(26) == 0, reader.byte(27) == 0,
            let interlace = reader.byte(28), interlace <= 1
        else { throw .badHeader }
        // Greyscale and colour with an alpha channel. The App Store refuses them even if all pixels are opaque.
        guard colour != 4, colour != 6 else { throw .transparent }
        self.width = width
        self.height = height
        try Self.checkChunks(reader, needsPalette: colour == 3)
    }

    package enum Problem: String, Error {
        case notPNG = "it is not PNG"
        case badHeader = "its header is damaged"
        case truncated = "it is not complete"
        case transparent = "it has transparency"
    }

    private static let maximum: UInt32 = 0x7FFF_FFFF

    // §11.2.1: the bit depths of each colour type.
    private static let depths: [UInt8: Set<UInt8>] = [
        0: [1, 2, 4, 8, 16], 2: [8, 16], 3: [1, 2, 4, 8], 4: [8, 16], 6: [8, 16],
    ]

    /// Walks from chunk to chunk up to IEND.
    private static func checkChunks(_ reader: Reader, needsPalette: Bool) throws(Problem) {
        var (offset, hasPalette, hasPixels) = (33, false, false)
        while let length = reader.uint32(offset), let type = reader.slice(offset + 4, 4) {
            // 12 is the size of length, type and checksum. The content must be complete as well.
            guard length <= maximum, reader.slice(offset + 8, Int(length) + 4) != nil else { break }
            switch String(decoding: type, as: UTF8.self) {
            case "tRNS": throw .transparent
            case "PLTE": hasPalette = true
            case "IDAT": hasPixels = true
            case "IEND":
                guard hasPixels, hasPalette || !needsPalette else { throw .truncated }
                return
            default: break
            }
            offset += Int(length) + 12
        }
        throw .truncated
    }

    /// Returns the CRC-32 (§5.5), computed bit by bit as the input is 17 bytes.
    static func checksum(of bytes: some Sequence<UInt8>) -> UInt32 {
        var remainder: UInt32 = 0xFFFF_FFFF
        for byte in bytes {
            remainder ^= UInt32(byte)
            for _ in 0..<8 { remainder = remainder >> 1 ^ (remainder & 1 == 1 ? 0xEDB8_8320 : 0) }
        }
        return ~remainder
    }

    private struct Reader {
        let bytes: [UInt8]

        /// Returns `count` bytes from `offset` on; nil if there are fewer. Both are sums of a few 31-bit numbers and
        /// cannot overflow.
        func slice(_ offset: Int, _ count: Int) -> ArraySlice<UInt8>? {
            guard offset >= 0, count >= 0, offset <= bytes.count, count <= bytes.count - offset else { return nil }
            return bytes[offset..<offset + count]
        }

        func byte(_ offset: Int) -> UInt8? { slice(offset, 1)?.first }

        func uint32(_ offset: Int) -> UInt32? {
            slice(offset, 4).map { $0.reduce(0) { $0 << 8 | UInt32($1) } }
        }
    }
}
