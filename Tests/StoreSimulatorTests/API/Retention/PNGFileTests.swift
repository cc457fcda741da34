import Testing

@testable import StoreSimulator

@Suite struct `PNG files` {
    func problem(_ bytes: [UInt8]) -> PNGFile.Problem? {
        do throws(PNGFile.Problem) {
            _ = try PNGFile(bytes)
            return nil
        } catch { return error }
    }

    @Test func `Opaque PNG files of every colour type are accepted`() throws {
        // RFC 1952 §8 and PNG §5.5 use one checksum; its check value is for these nine digits.
        #expect(PNGFile.checksum(of: "123456789".utf8) == 0xCBF4_3926)
        for (colour, depth) in [(0, 1), (0, 16), (2, 8), (2, 16)] as [(UInt8, UInt8)] {
            let file = try PNGFile(PNGWriter(width: 7, height: 9, depth: depth, colour: colour).file)
            #expect(file.width == 7 && file.height == 9)
        }
        let palette = PNGWriter(
            depth: 4, colour: 3, chunks: [("PLTE", [0, 0, 0]), ("tEXt", [65, 0, 66])], interlace: 1)
        #expect(problem(palette.file) == nil)
        // A slice whose indices do not start at 0, like that of a network buffer.
        #expect(throws: Never.self) { try PNGFile(([0, 0] + PNGWriter().file)[2...]) }
    }

    @Test func `A PNG file with an alpha channel or a transparent colour is refused`() {
        #expect(problem(PNGWriter(colour: 4).file) == .transparent)
        #expect(problem(PNGWriter(colour: 6).file) == .transparent)
        #expect(problem(PNGWriter(chunks: [("tRNS", [0, 0, 0, 0, 0, 0])]).file) == .transparent)
    }

    @Test func `A PNG file with an invalid header is refused`() {
        var flipped = PNGWriter().file
        flipped[16] ^= 1
        let damaged: [[UInt8]] = [
            flipped, PNGWriter(width: 0).file, PNGWriter(height: 0).file, PNGWriter(width: 0x8000_0000).file,
            PNGWriter(depth: 3).file, PNGWriter(depth: 1, colour: 2).file, PNGWriter(colour: 1).file,
            PNGWriter(colour: 7).file, PNGWriter(interlace: 2).file,
            PNGWriter.signature + PNGWriter.chunk("IDAT", [1]) + PNGWriter.chunk("IEND", []),
            PNGWriter.signature + PNGWriter.chunk("IHDR", PNGWriter().header + [0]),
        ]
        for file in damaged { #expect(problem(file) == .badHeader) }
    }

    @Test func `A file that is not PNG, or is truncated at any byte, is refused`() {
        #expect(problem([0xFF, 0xD8, 0xFF, 0xE0]) == .notPNG)
        #expect(problem([]) == .notPNG)
        let file = PNGWriter().file
        for count in 0..<file.count { #expect(problem(Array(file.prefix(count))) != nil) }
        let header = PNGWriter.signature + PNGWriter.chunk("IHDR", PNGWriter().header)
        #expect(problem(header + PNGWriter.chunk("IEND", [])) == .truncated)
        #expect(problem(header + [0xFF, 0xFF, 0xFF, 0xFF] + Array("IDAT".utf8)) == .truncated)
        #expect(problem(header + [0x7F, 0xFF, 0xFF, 0xFF] + Array("IDAT".utf8)) == .truncated)
        #expect(problem(PNGWriter(depth: 8, colour: 3).file) == .truncated)
    }
}
