import Ledger
import Testing

@Suite struct `Fan-out gate of webhooks` {
    private let start = ContinuousClock.now

    @Test func `The gate holds events after an unprocessed notification, unless it is stuck for five seconds`() {
        var gate = FanOutGate()
        func limit(_ waiting: Int64?, _ seconds: Double) -> Int64 {
            gate.limit(.init(oldestWaiting: waiting, newest: 9, recoveries: []), at: start + .seconds(seconds)).after
        }
        // Events of notifications that arrive later wait for the next status.
        #expect(limit(nil, 0) == 9)
        #expect(limit(3, 1) == 3)
        #expect(limit(4, 5) == 4)
        #expect(limit(4, 9.9) == 4)
        #expect(limit(4, 10.1) == 9)
        #expect(limit(5, 11) == 5)
    }

    @Test func `The gate holds recovered events until the recovery is processed, for a minute at most`() {
        var gate = FanOutGate()
        func holds(_ recoveries: Set<Int64>, waiting: Int64?, newest: Int64 = 9, _ seconds: Double) -> Bool {
            gate.limit(
                .init(oldestWaiting: waiting, newest: newest, recoveries: recoveries), at: start + .seconds(seconds)
            ).holdsRecovered
        }
        #expect(!holds([], waiting: nil, 0))
        #expect(holds([1], waiting: nil, 1))
        #expect(holds([1], waiting: 5, newest: 20, 2))
        #expect(holds([], waiting: 7, newest: 30, 3))
        #expect(holds([], waiting: 20, newest: 30, 4))
        // Notifications that arrived after the recovery do not delay its events.
        #expect(!holds([], waiting: 21, newest: 30, 5))
        #expect(holds([2], waiting: nil, 10))
        #expect(holds([2], waiting: nil, 69))
        #expect(!holds([2], waiting: nil, 71))
    }

    @Test func `The gate suspends sending while events are sorted, for a minute at most`() {
        var gate = FanOutGate()
        #expect(!gate.isCatchingUp(at: start))
        gate.record(.more, at: start)
        gate.record(.more, at: start + .seconds(30))
        #expect(gate.isCatchingUp(at: start + .seconds(59)))
        #expect(!gate.isCatchingUp(at: start + .seconds(61)))
        gate.record(.done, at: start + .seconds(62))
        gate.record(.more, at: start + .seconds(63))
        #expect(gate.isCatchingUp(at: start + .seconds(64)))
    }
}
