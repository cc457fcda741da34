import Basics
import Testing

// The configuration's tests check networks in general. These are texts that the system's address parser would accept.
@Suite struct `IP addresses and networks` {
    @Test(arguments: ["10.1.2.3\u{0}", "10.1.2.3\u{0}.example.com", "::1\u{0}", "\u{0}"])
    func `A text with a NUL is not an address`(_ text: String) throws {
        #expect(Network(text) == nil)
        #expect(Network(text + "/32") == nil)
        let everywhere = try #require(Network("::/0"))
        #expect(!everywhere.contains(text))
        #expect(everywhere.contains("10.1.2.3"))
    }

    @Test(arguments: [
        ("localhost", true), ("LocalHost", true), ("127.8.9.1", true), ("::1", true), ("[::1]", true),
        ("::ffff:127.0.0.1", true), ("localhost.example.com", false), ("127.0.0.1.example.com", false),
        ("10.0.0.1", false), ("::", false), ("", false),
    ])
    func `A host is loopback in any notation`(_ host: String, _ isLoopback: Bool) {
        #expect(Network.isLoopback(host: host) == isLoopback)
    }
}

@Suite struct `The key of a network` {
    @Test(arguments: [("2001:db8::", "2001:DB8:0::/128"), ("10.0.0.0/8", "::ffff:10.0.0.0/104"), ("::/0", "0::/0")])
    func `Equal networks have equal keys in any notation`(_ one: String, _ other: String) throws {
        let (one, other) = (try #require(Network(one)), try #require(Network(other)))
        #expect(one.key == other.key)
    }

    @Test(arguments: [("2001:db8::", "2001:db8::/64"), ("10.0.0.0/8", "10.0.0.0"), ("::/0", "::/96")])
    func `Networks with different prefix lengths have different keys`(_ one: String, _ other: String) throws {
        let (one, other) = (try #require(Network(one)), try #require(Network(other)))
        #expect(one.key != other.key)
    }

    @Test func `A client counts as its address in IPv4, and as its network of 64 bits in IPv6`() throws {
        func key(_ address: String) throws -> String { try #require(Network.ofClient(at: address)).key }
        #expect(try key("192.0.2.1") == key("::ffff:192.0.2.1"))
        #expect(try key("192.0.2.1") != key("192.0.2.2"))
        #expect(try key("2001:db8::1") == key("2001:db8::ffff:192.0.2.1"))
        #expect(try key("2001:db8::1") != key("2001:db8:0:1::1"))
        #expect(try key("::1") != key("0.0.0.0"))
    }
}
