import Ledger
import Testing

@Suite struct `Refusals for which there is no room` {
    struct Case: CustomTestStringConvertible, Sendable {
        var testDescription: String
        /// Client and size; the numbers are 1, 2, 3 …
        var shares: [(String, Int)]
        var count = 100
        var bytes = 1000
        var exceeded: Set<Int64>
    }

    static let cases = [
        Case(testDescription: "there is room for all", shares: [("a", 1), ("a", 1)], count: 2, bytes: 2, exceeded: []),
        Case(
            testDescription: "one client loses the oldest", shares: [("a", 1), ("a", 1), ("a", 1)], count: 2,
            exceeded: [1]),
        Case(
            testDescription: "who has more loses", shares: [("a", 1), ("b", 1), ("a", 1), ("a", 1)], count: 2,
            exceeded: [1, 3]),
        Case(
            testDescription: "of everybody's first the oldest goes", shares: [("a", 1), ("b", 1), ("c", 1)], count: 2,
            exceeded: [1]),
        Case(
            testDescription: "who has more bytes loses", shares: [("a", 10), ("b", 1), ("b", 1)], bytes: 5,
            exceeded: [1]),
        Case(
            testDescription: "who has more bytes loses, though they are the newest",
            shares: [("a", 1), ("b", 1), ("b", 10)], bytes: 5, exceeded: [2, 3]),
        Case(
            testDescription: "bytes count from each client's newest", shares: [("a", 3), ("a", 2), ("b", 3)], bytes: 5,
            exceeded: [1]),
        Case(
            testDescription: "either limit is enough", shares: [("a", 1), ("b", 9), ("c", 1)], count: 2, bytes: 5,
            exceeded: [1, 2]),
    ]

    @Test(arguments: cases) func `are what those have who have more than others, the oldest first`(_ it: Case) {
        let shares = it.shares.enumerated().map { index, share in
            RefusalShare(id: Int64(index + 1), client: share.0, size: share.1)
        }
        let limit = RefusalStorageLimit(count: it.count, bytes: it.bytes)
        #expect(limit.exceeded(by: shares) == it.exceeded)
        #expect(limit.exceeded(by: shares.reversed()) == it.exceeded)
    }

    @Test func `are counted for a network, since one client may have many addresses of it`() {
        let one = Refusal.client(ofSender: "2001:db8:1:2::3")
        #expect(one == Refusal.client(ofSender: "2001:db8:1:2:ffff::9"))
        #expect(one != Refusal.client(ofSender: "2001:db8:ffff:3::3"))
        #expect(Refusal.client(ofSender: "unix") == "unix")
        #expect(Refusal.client(ofSender: nil) == "")
    }
}
