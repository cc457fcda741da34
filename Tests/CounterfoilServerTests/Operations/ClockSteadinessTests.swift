import Foundation
import LedgerServices
import TestSupport
import Testing

@Suite struct `The steadiness of a clock` {
    private static let start = Date(timeIntervalSince1970: 1_780_000_000)

    @Test func `A clock is steady an hour after it was last wrong`() {
        let (elapsed, begun) = (TestClock(Self.start), ContinuousClock.now)
        let steadiness = ClockSteadiness(showing: Self.start) {
            begun + .seconds(elapsed.now.timeIntervalSince(Self.start))
        }
        func isSteady(after seconds: TimeInterval, showing shown: TimeInterval) -> Bool {
            elapsed.advance(by: seconds)
            return steadiness.isSteady(showing: Self.start + shown)
        }
        #expect(!isSteady(after: 3599, showing: 3599))
        #expect(isSteady(after: 1, showing: 3600))
        // A small correction.
        #expect(isSteady(after: 0, showing: 3570))
        // Ahead by a year, and corrected ten minutes later.
        #expect(!isSteady(after: 0, showing: 366 * 86_400))
        #expect(!isSteady(after: 600, showing: 4200))
        #expect(!isSteady(after: 3599, showing: 7799))
        #expect(isSteady(after: 1, showing: 7800))
        // The machine was suspended for two days.
        #expect(isSteady(after: 172_800, showing: 180_600))
        // Behind by an hour.
        #expect(!isSteady(after: 0, showing: 177_000))
    }
}
