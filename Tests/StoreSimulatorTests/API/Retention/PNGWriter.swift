@testable import StoreSimulator

/// Writes PNG files with valid chunks and without pixels.
struct PNGWriter {
    var width: UInt32 = 3840
    var height: UInt32 = 160
    var depth: UInt8 = 8
    var colour: UInt8 = 2
    /// The chunks between IHDR and IDAT.
    var chunks: [(String, [UInt8])] = []
    var interlace: UInt8 = 0

    static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

    var header: [UInt8] { Self.bytes(width) + Self.bytes(height) + [depth, colour, 0, 0, interlace] }

    var file: [UInt8] {
        let all = [("IHDR", header)] + chunks + [("IDAT", [1, 2, 3]), ("IEND", [])]
        return all.reduce(Self.signature) { $0 + Self.chunk($1.0, $1.1) }
    }

    static func chunk(_ type: String, _ content: [UInt8]) -> [UInt8] {
        let checked = Array(type.utf8) + content
        return bytes(UInt32(content.count)) + checked + bytes(PNGFile.checksum(of: checked))
    }

    private static func bytes(_ number: UInt32) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
    }
}
