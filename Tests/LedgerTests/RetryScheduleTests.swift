import Ledger
import Testing

@Suite struct `When a delivery is tried again` {
    private static let pauses = RetrySchedule.pauses

    @Test func `the pauses last for days, and end before an endpoint is given up`() {
        let total = Self.pauses.reduce(0, +)
        #expect(total > 3 * 86_400)
        #expect(total * 1.2 < Double(RetrySchedule.patience) / 1000)
        #expect(Self.pauses == Self.pauses.sorted())
    }

    /// The highest number, each time.
    private struct Highest: RandomNumberGenerator {
        func next() -> UInt64 { .max }
    }

    @Test func `no pause is longer than the longest`() throws {
        var generator = Highest()
        for (index, planned) in Self.pauses.enumerated() {
            let pause = try #require(RetrySchedule.pause(after: index + 1, retryAfter: nil, using: &generator))
            #expect((planned...planned * 1.2).contains(pause))
            let asked = try #require(RetrySchedule.pause(after: index + 1, retryAfter: 1e9, using: &generator))
            #expect(max(pause, asked) * 1000 <= Double(RetrySchedule.longestPause))
        }
        #expect(RetrySchedule.longestPause == 28 * 3_600_000 + 48 * 60_000)
    }

    @Test func `no two pauses are alike, and none is far from the plan`() {
        var generator = SystemRandomNumberGenerator()
        let pauses = (0..<100).compactMap { _ in RetrySchedule.pause(after: 3, retryAfter: nil, using: &generator) }
        #expect(pauses.allSatisfy { (96...144).contains($0) })
        #expect(Set(pauses).count > 50)
        #expect(RetrySchedule.pause(after: 0, retryAfter: nil, using: &generator) == nil)
        #expect(RetrySchedule.pause(after: Self.pauses.count + 1, retryAfter: nil, using: &generator) == nil)
    }

    @Test(arguments: [(nil as Double?, 96.0...144), (1000, 1000...1000), (1e9, 86_400...86_400), (1, 96...144)])
    func `a receiver may ask for a longer pause, of a day at most`(
        _ retryAfter: Double?, _ expected: ClosedRange<Double>
    )
        throws
    {
        var generator = SystemRandomNumberGenerator()
        #expect(
            expected.contains(try #require(RetrySchedule.pause(after: 3, retryAfter: retryAfter, using: &generator))))
    }
}
