import Basics
import Testing

@Suite struct `Hexadecimal` {
    @Test func `reads both cases and writes lower case`() {
        #expect([UInt8](hexadecimal: "00fFAb") == [0, 255, 171])
        #expect(([0, 255, 171] as [UInt8]).hexadecimal == "00ffab")
    }

    @Test(arguments: ["0", "0g", "0x00", " 00", "é", "00 "])
    func `refuses what is not pairs of digits`(_ text: String) {
        #expect([UInt8](hexadecimal: text) == nil)
    }
}
