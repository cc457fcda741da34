import Ledger
import Testing

@Suite struct `The longest delay of scheduled work` {
    private static let all = [LongestDelay.delivery, .historyRequest, .inquiry]
    private static let now: Milliseconds = 1_780_000_000_000

    @Test(arguments: all) func `Delayed work is due from its instant on`(_ delay: LongestDelay) {
        #expect(delay.isDue(Self.now - 1, at: Self.now))
        #expect(delay.isDue(Self.now, at: Self.now))
        #expect(!delay.isDue(Self.now + 1, at: Self.now))
    }

    @Test(arguments: all) func `Delayed work waits for the longest delay of its kind`(
        _ delay: LongestDelay
    ) {
        #expect(!delay.isDue(Self.now + delay.milliseconds, at: Self.now))
        #expect(delay.horizon(at: Self.now) == Self.now + delay.milliseconds)
    }

    @Test(arguments: all) func `Work that is delayed for longer than its kind allows is due`(_ delay: LongestDelay) {
        #expect(delay.isDue(Self.now + delay.milliseconds + 1, at: Self.now))
        #expect(delay.isDue(.max, at: Self.now))
    }

    @Test(arguments: all) func `Work is due at the end of time without overflow`(_ delay: LongestDelay) {
        #expect(delay.isDue(.max, at: .max))
        #expect(delay.horizon(at: .max) == .max)
    }

    @Test func `The longest delay of every kind is between a minute and two days`() {
        #expect(Self.all.allSatisfy { (60_000...2 * 86_400_000).contains($0.milliseconds) })
    }
}
