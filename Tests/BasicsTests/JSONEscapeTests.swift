import Basics
import Testing

@Suite struct `Escapes in JSON strings` {
    @Test(arguments: [
        (#"\u0041"#, "A"), (#"\uD83D\uDE00"#, "😀"), (#"\ud83d\ude00x\/"#, "😀x/"), (#"\u00e9\n"#, "é\n"),
        (#"\"\\\/\b\f\n\r\t"#, "\"\\/\u{8}\u{C}\n\r\t"), (#"é\u0000\uFFFF€\uDBFF\uDFFF"#, "é\u{0}\u{FFFF}€\u{10FFFF}"),
    ])
    func `An escape in a JSON string is decoded`(_ escaped: String, _ text: String) throws {
        #expect(try StrictJSONDecoder.decode([String].self, from: Array("[\"\(escaped)\"]".utf8)) == [text])
    }

    @Test(arguments: [
        #"\u+041"#, #"\u-000"#, #"\u00g0"#, #"\u004"#, #"\x"#, #"\uD83D"#, #"\uDE00"#, #"\uD83Dx\uDE00"#,
        #"\uD83D\n\uDE00"#, #"\uDE00\uD83D"#, #"\uD83D\uD83D"#, #"\uD83D\uD83D\uDE00"#, #"\uD83D\u"#,
    ])
    func `An escape that RFC 8259 does not define is refused`(_ escaped: String) {
        #expect(throws: (any Error).self) {
            try StrictJSONDecoder.decode([String].self, from: Array("[\"\(escaped)\"]".utf8))
        }
    }
}
