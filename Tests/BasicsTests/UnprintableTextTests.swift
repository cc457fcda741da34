import Basics
import Testing

@Suite struct `Unprintable text` {
    @Test(arguments: [
        ("plain, é, 日本, 👍", "plain, é, 日本, 👍"), ("a\nb", "a\\u{a}b"), ("\u{1B}[31m", "\\u{1b}[31m"),
        ("a\u{202E}b", "a\\u{202e}b"), ("\u{2028}\u{2029}", "\\u{2028}\\u{2029}"), ("\u{200B}", "\\u{200b}"),
        ("\u{E000}", "\\u{e000}"), ("", ""),
    ])
    func `Unprintable characters are escaped by code point`(_ text: String, _ escaped: String) {
        #expect(text.escapingUnprintable == escaped)
    }
}
