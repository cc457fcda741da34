import Basics
import Testing

@Suite struct `A comparison of secrets` {
    @Test(arguments: [
        ("secret", "secret", true), ("", "", true), ("secret", "Secret", false), ("secret", "secreT", false),
        ("secret", "seCret", false), ("secret", "secre", false), ("secret", "secrets", false), ("", "s", false),
        // Equal as Unicode, but not the same bytes.
        ("\u{E9}", "e\u{301}", false),
    ])
    func `Two secrets are the same if all their bytes are`(one: String, other: String, isSame: Bool) {
        #expect(one.isSameSecret(as: other) == isSame)
        #expect(other.isSameSecret(as: one) == isSame)
    }
}
