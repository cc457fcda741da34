import Basics
import Testing

// What networks are is tested where they are configured; here what the system's reader of addresses would let pass.
@Suite struct `An address` {
    @Test(arguments: ["10.1.2.3\u{0}", "10.1.2.3\u{0}.example.com", "::1\u{0}", "\u{0}"])
    func `does not end at a zero`(_ text: String) throws {
        #expect(Network(text) == nil)
        #expect(Network(text + "/32") == nil)
        let everywhere = try #require(Network("::/0"))
        #expect(!everywhere.contains(text))
        #expect(everywhere.contains("10.1.2.3"))
    }
}
