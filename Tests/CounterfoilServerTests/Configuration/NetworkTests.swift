import Basics
import CounterfoilServer
import Testing

@Suite struct `A network` {
    @Test(arguments: [
        ("17.0.0.0/8", "17.253.1.2", true), ("17.0.0.0/8", "18.0.0.1", false),
        ("17.0.0.0/8", "::ffff:17.1.2.3", true), ("17.0.0.0/8", "::ffff:1101:203", true),
        ("10.32.0.0/11", "10.63.255.255", true), ("10.32.0.0/11", "10.64.0.0", false),
        ("192.0.2.1", "192.0.2.1", true), ("192.0.2.1", "192.0.2.2", false), ("0.0.0.0/0", "8.8.8.8", true),
        ("0.0.0.0/0", "2001:db8::1", false), ("::/0", "8.8.8.8", true), ("2001:db8::/33", "2001:db8:7fff::1", true),
        ("2001:db8::/33", "2001:db8:8000::1", false), ("fe80::/10", "fe80::1%eth0", true),
        ("::ffff:10.0.0.0/104", "10.1.2.3", true), ("17.0.0.0/8", "17.0.0", false), ("17.0.0.0/8", "", false),
        ("17.0.0.0/8", "apple.com", false),
    ])
    func `A network contains the addresses with its prefix, in every notation`(
        _ network: String, _ address: String, _ expected: Bool
    ) throws {
        #expect(try #require(Network(network)).contains(address) == expected)
    }

    @Test(arguments: [
        "", "/", "17.0.0.0/", "17.0.0.0/33", "17.0.0.0/-1", "17.0.0.0/+8", "17.0.0.0/8/8", "17.0.0.1/8", "17/8",
        "017.0.0.0/8", "2001:db8::1/32", "2001:db8::/129", "example.com/8", "17.0.0.0 /8",
    ])
    func `A text with an invalid address or prefix, or with bits after the prefix, is no network`(_ text: String) {
        #expect(Network(text) == nil)
    }

    @Test func `Networks are equal whatever their notation`() throws {
        #expect(Network("2001:db8::/32") == Network("2001:0DB8:0::/32"))
        #expect(Network("17.0.0.0/8") != Network("17.0.0.0/9"))
        #expect(try #require(Network("2001:0DB8:0::/32")).description == "2001:0DB8:0::/32")
    }

    @Test(arguments: [
        ("127.0.0.1", true), ("10.1.2.3", true), ("172.31.0.1", true), ("192.168.1.1", true),
        ("169.254.169.254", true), ("0.0.0.0", true), ("224.0.0.1", true), ("255.255.255.255", true), ("::1", true),
        ("::", true), ("fd00::1", true), ("fe80::1", true), ("fec0::1", true), ("feff::1", true),
        ("::ffff:10.0.0.1", true), ("64:ff9b::a00:1", true), ("::ffff:0:10.0.0.1", true), ("5f00::1", true),
        ("3fff:fff::1", true), ("100:0:0:1::1", true), ("3ffe::1", false),
        ("17.0.0.1", false), ("8.8.8.8", false), ("172.32.0.1", false), ("2606:4700::1", false),
    ])
    func `Private, local and reserved addresses are not public`(
        _ address: String, _ expected: Bool
    ) {
        #expect(Network.notPublic.contains { $0.contains(address) } == expected)
    }
}
