import Ledger
import Testing

@Suite struct `Space limit for refused deliveries` {
    struct Case: CustomTestStringConvertible, Sendable {
        var testDescription: String
        /// Client and size. The identifiers are 1, 2, 3 …
        var sizes: [(String, Int)]
        var count = 100
        var bytes = 1000
        var exceeded: Set<Int64>
    }

    static let cases = [
        Case(testDescription: "within the limit", sizes: [("a", 1), ("a", 1)], count: 2, bytes: 2, exceeded: []),
        Case(
            testDescription: "a single client loses its oldest refusal", sizes: [("a", 1), ("a", 1), ("a", 1)],
            count: 2,
            exceeded: [1]),
        Case(
            testDescription: "the client with more refusals loses", sizes: [("a", 1), ("b", 1), ("a", 1), ("a", 1)],
            count: 2,
            exceeded: [1, 3]),
        Case(
            testDescription: "with one refusal each, the oldest is removed", sizes: [("a", 1), ("b", 1), ("c", 1)],
            count: 2,
            exceeded: [1]),
        Case(
            testDescription: "the client with more bytes loses", sizes: [("a", 10), ("b", 1), ("b", 1)], bytes: 5,
            exceeded: [1]),
        Case(
            testDescription: "the client with more bytes loses even its newest refusals",
            sizes: [("a", 1), ("b", 1), ("b", 10)], bytes: 5, exceeded: [2, 3]),
        Case(
            testDescription: "bytes are counted from each client's newest refusal",
            sizes: [("a", 3), ("a", 2), ("b", 3)], bytes: 5,
            exceeded: [1]),
        Case(
            testDescription: "either limit applies", sizes: [("a", 1), ("b", 9), ("c", 1)], count: 2, bytes: 5,
            exceeded: [1, 2]),
    ]

    @Test(arguments: cases)
    func `Refusals beyond the limit are removed from the clients with the most, the oldest first`(_ testCase: Case) {
        let sizes = testCase.sizes.enumerated().map { index, share in
            RefusalSize(id: Int64(index + 1), client: share.0, size: share.1)
        }
        let limit = RefusalStorageLimit(count: testCase.count, bytes: testCase.bytes)
        #expect(limit.exceeded(by: sizes) == testCase.exceeded)
        #expect(limit.exceeded(by: sizes.reversed()) == testCase.exceeded)
    }

    @Test func `A refusal's client is the network of an IPv6 address, because a client may use many addresses`() {
        let one = Refusal.client(ofSender: "2001:db8:1:2::3")
        #expect(one == Refusal.client(ofSender: "2001:db8:1:2:ffff::9"))
        #expect(one != Refusal.client(ofSender: "2001:db8:ffff:3::3"))
        #expect(Refusal.client(ofSender: "unix") == "unix")
        #expect(Refusal.client(ofSender: nil) == "")
    }
}
