import AppStoreModels
import Testing

@Suite struct `Exact text` {
    /// Pairs of texts that are equal as `String`.
    static let equivalent = [
        ("jos\u{E9}", "jose\u{301}"), ("com.example.K", "com.example.\u{212A}"), ("a;b", "a\u{37E}b"),
        ("\u{1112}\u{1161}", "\u{D558}"), ("a\u{323}\u{302}", "a\u{302}\u{323}"),
    ]

    @Test(arguments: equivalent)
    func `Canonically equivalent texts are different exact texts`(_ one: String, _ other: String) {
        #expect(one == other)
        #expect(!one.isExactly(other))
        #expect(ExactText(one) != ExactText(other))
        #expect(Set([ExactText(one), ExactText(other)]).count == 2)
        #expect(![one].containsExactly(other))
    }

    @Test(arguments: ["", "a", "com.example.app", "jos\u{E9}", "\u{1F600}"])
    func `Texts with the same bytes are equal exact texts`(_ text: String) {
        let copy = String(decoding: Array(text.utf8), as: UTF8.self)
        #expect(copy.isExactly(text))
        #expect(Set([ExactText(text), ExactText(copy)]).count == 1)
        #expect(["other", copy].containsExactly(text))
        #expect(!text.isExactly(text + "\u{0}"))
    }

    @Test func `Exact texts are sorted by bytes`() {
        #expect(ExactText("Z") < ExactText("a"))
        #expect(ExactText("") < ExactText("a"))
        #expect(!(ExactText("a") < ExactText("a")))
        #expect(ExactText("jose\u{301}") < ExactText("jos\u{E9}"))
    }
}
