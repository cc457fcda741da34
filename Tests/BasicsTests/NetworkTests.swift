import Basics
import Testing

// The configuration's tests check networks in general. These are texts that the system's address parser would accept.
@Suite struct `An address` {
    @Test(arguments: ["10.1.2.3\u{0}", "10.1.2.3\u{0}.example.com", "::1\u{0}", "\u{0}"])
    func `A text with a NUL is not an address`(_ text: String) throws {
        #expect(Network(text) == nil)
        #expect(Network(text + "/32") == nil)
        let everywhere = try #require(Network("::/0"))
        #expect(!everywhere.contains(text))
        #expect(everywhere.contains("10.1.2.3"))
    }
}
