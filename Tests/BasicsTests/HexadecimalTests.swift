import Basics
import Testing

@Suite struct `Hexadecimal` {
    @Test func `Hexadecimal reads both cases and writes lower case`() {
        #expect([UInt8](hexadecimal: "00fFAb") == [0, 255, 171])
        #expect(([0, 255, 171] as [UInt8]).hexadecimal == "00ffab")
    }

    @Test func `Hexadecimal reads what it writes, for every byte`() {
        let all = [UInt8](0...255)
        #expect(all.hexadecimal.utf8.count == 512)
        #expect([UInt8](hexadecimal: all.hexadecimal) == all)
        #expect([UInt8](hexadecimal: all.dropFirst(7).lazy.reversed().hexadecimal) == all.dropFirst(7).reversed())
        #expect([UInt8]().hexadecimal.isEmpty)
    }

    @Test(arguments: ["0", "0g", "0x00", " 00", "é", "00 "])
    func `A text that is not pairs of hexadecimal digits is refused`(_ text: String) {
        #expect([UInt8](hexadecimal: text) == nil)
    }
}
