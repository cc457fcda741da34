import Ledger
import Testing

@Suite struct `Work that was put off` {
    private static let all = [LongestDelay.delivery, .historyRequest, .inquiry]
    private static let now: Milliseconds = 1_780_000_000_000

    @Test(arguments: all) func `is due from its instant on`(_ delay: LongestDelay) {
        #expect(delay.isOver(Self.now - 1, at: Self.now))
        #expect(delay.isOver(Self.now, at: Self.now))
        #expect(!delay.isOver(Self.now + 1, at: Self.now))
    }

    @Test(arguments: all) func `waits for as long as its kind may, by a clock that stands still too`(
        _ delay: LongestDelay
    ) {
        #expect(!delay.isOver(Self.now + delay.milliseconds, at: Self.now))
        #expect(delay.horizon(at: Self.now) == Self.now + delay.milliseconds)
    }

    @Test(arguments: all) func `is due where a clock that was ahead has put it off for longer`(_ delay: LongestDelay) {
        #expect(delay.isOver(Self.now + delay.milliseconds + 1, at: Self.now))
        #expect(delay.isOver(.max, at: Self.now))
    }

    @Test(arguments: all) func `is due at the end of time`(_ delay: LongestDelay) {
        #expect(delay.isOver(.max, at: .max))
        #expect(delay.horizon(at: .max) == .max)
    }

    @Test func `of no kind waits for more than two days`() {
        #expect(Self.all.allSatisfy { (60_000...2 * 86_400_000).contains($0.milliseconds) })
    }
}
