import Ledger
import Testing

@Suite struct `A refused delivery` {
    @Test func `A refusal's client is the network of an IPv6 address, because a client may use many addresses`() {
        let one = Refusal.client(ofSender: "2001:db8:1:2::3")
        #expect(one == Refusal.client(ofSender: "2001:db8:1:2:ffff::9"))
        #expect(one != Refusal.client(ofSender: "2001:db8:ffff:3::3"))
        #expect(Refusal.client(ofSender: "unix") == "unix")
        #expect(Refusal.client(ofSender: nil) == "")
    }
}
