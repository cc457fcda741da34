import Basics
import Testing

@Suite("Hexadecimal") struct HexadecimalTests {
    @Test("reads both cases and writes lower case")
    func roundTrip() {
        #expect([UInt8](hexadecimal: "00fFAb") == [0, 255, 171])
        #expect(([0, 255, 171] as [UInt8]).hexadecimal == "00ffab")
    }

    @Test("refuses what is not pairs of digits", arguments: ["0", "0g", "0x00", " 00", "é", "00 "])
    func refusal(_ text: String) {
        #expect([UInt8](hexadecimal: text) == nil)
    }
}
