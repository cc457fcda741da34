import Basics
import TestSupport
import Testing

struct `Texts for other programs` {
    @Test(arguments: [
        ("plain-1.2_3/4:5@6%7+8=9,0", "plain-1.2_3/4:5@6%7+8=9,0"), ("", "''"), ("two words", "'two words'"),
        ("$(id)", "'$(id)'"), ("it's", #"'it'\''s'"#), ("a\nb", "'a\nb'"), ("é", "'é'"),
        // To Swift, the quotation mark and the accent after it are one character.
        ("'\u{301};id #", "''\\''\u{301};id #'"),
    ])
    func `A text is quoted as one word of a shell`(text: String, word: String) {
        #expect(text.shellWord.unicodeScalars.elementsEqual(word.unicodeScalars))
    }

    @Test(arguments: ["'\u{301}; echo stolen #", "it's", "\r\n'", "-n", "a b"])
    func `A quoted text reaches a program unchanged`(text: String) async throws {
        let printed = try await Tool.run("sh", ["-c", "printf %s \(text.shellWord)"]).output
        #expect(printed.utf8.elementsEqual(text.utf8))
    }

    @Test(arguments: [
        ("O'Brien", #""O'Brien""#), ("a \"b\" \\c", #""a \"b\" \\c""#), ("a\nb\u{1b}", #""a\nb\u{1B}""#), ("", "\"\""),
        ("é'\u{301}", "\"é'\u{301}\""),
    ])
    func `A quoted text keeps its apostrophes`(text: String, quoted: String) {
        #expect(text.quoted.unicodeScalars.elementsEqual(quoted.unicodeScalars))
    }

    @Test func `Text is escaped by code point, not by character`() {
        let escaped = "\r\n\"\u{301}".escaping { $0 == "\n" ? "\\n" : $0 == "\"" ? "\\\"" : nil }
        #expect(escaped.unicodeScalars.elementsEqual("\r\\n\\\"\u{301}".unicodeScalars))
    }
}
