import Ledger
import Testing

@Suite struct `The longest delay of scheduled work` {
    private static let all = [LongestDelay.delivery, .historyRequest, .inquiry]
    private static let now: Milliseconds = 1_780_000_000_000

    @Test(arguments: all) func `Work is due from its instant on, and if it is delayed for longer than its kind allows`(
        _ delay: LongestDelay
    ) {
        let (now, last) = (Self.now, Self.now + delay.milliseconds)
        func isDue(_ instant: Milliseconds) -> Bool { delay.dueTimes(at: now).contains { $0.contains(instant) } }
        #expect([Milliseconds.min, now - 1, now].allSatisfy(isDue))
        #expect(![now + 1, last].contains(where: isDue))
        #expect([last + 1, Milliseconds.max].allSatisfy(isDue))
    }

    @Test(arguments: all) func `Work that a clock ahead has scheduled is done last`(_ delay: LongestDelay) {
        let times = delay.dueTimes(at: Self.now)
        #expect(times.map(\.upperBound) == [Self.now, .max])
    }

    @Test(arguments: all) func `At the end of time all work is due, without overflow`(_ delay: LongestDelay) {
        let last = Milliseconds.max - delay.milliseconds
        for now in [last, last + 1, Milliseconds.max] {
            #expect(delay.dueTimes(at: now) == [Milliseconds.min...now])
        }
        #expect(delay.dueTimes(at: last - 1).last == Milliseconds.max...Milliseconds.max)
    }

    @Test func `The longest delay of every kind is between a minute and two days`() {
        #expect(Self.all.allSatisfy { (60_000...2 * 86_400_000).contains($0.milliseconds) })
    }
}
