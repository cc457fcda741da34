import Basics
import Testing

@Suite("Escapes in JSON strings")
struct JSONEscapeTests {
    @Test(
        "are resolved",
        arguments: [(#"\u0041"#, "A"), (#"\uD83D\uDE00"#, "😀"), (#"\ud83d\ude00x\/"#, "😀x/"), (#"\u00e9\n"#, "é\n")])
    func resolved(_ escaped: String, _ text: String) throws {
        #expect(try StrictJSONDecoder.decode([String].self, from: Array("[\"\(escaped)\"]".utf8)) == [text])
    }

    @Test(
        "that RFC 8259 does not know are refused",
        arguments: [
            #"\u+041"#, #"\u-000"#, #"\u00g0"#, #"\u004"#, #"\x"#, #"\uD83D"#, #"\uDE00"#, #"\uD83Dx\uDE00"#,
            #"\uD83D\n\uDE00"#, #"\uDE00\uD83D"#,
        ])
    func refused(_ escaped: String) {
        #expect(throws: (any Error).self) {
            try StrictJSONDecoder.decode([String].self, from: Array("[\"\(escaped)\"]".utf8))
        }
    }
}
