import Foundation
import Ledger
import TestSupport
import Testing

@Suite struct `Retry schedule of deliveries` {
    private static let pauses = RetrySchedule.pauses

    @Test func `The pauses of a delivery last for days, and end before the endpoint is disabled`() {
        let total = Self.pauses.reduce(0, +)
        #expect(total > 3 * 86_400)
        #expect(total * 1.2 < Double(RetrySchedule.disableAfter) / 1000)
        #expect(Self.pauses == Self.pauses.sorted())
    }

    /// Returns the highest number every time.
    private struct Highest: RandomNumberGenerator {
        func next() -> UInt64 { .max }
    }

    @Test func `No pause exceeds the longest pause`() throws {
        var generator = Highest()
        for (index, planned) in Self.pauses.enumerated() {
            let pause = try #require(RetrySchedule.pause(after: index + 1, retryAfter: nil, using: &generator))
            #expect((planned...planned * 1.2).contains(pause))
            let requested = try #require(RetrySchedule.pause(after: index + 1, retryAfter: 1e9, using: &generator))
            #expect(max(pause, requested) * 1000 <= Double(RetrySchedule.longestPause))
        }
        #expect(RetrySchedule.longestPause == 28 * 3_600_000 + 48 * 60_000)
    }

    @Test func `Pauses vary randomly by a fifth around the plan`() {
        var generator = SeededGenerator(seed: 1)
        let pauses = (0..<100).compactMap { _ in RetrySchedule.pause(after: 3, retryAfter: nil, using: &generator) }
        #expect(pauses.allSatisfy { (96...144).contains($0) })
        #expect(Set(pauses).count > 50)
        #expect(RetrySchedule.pause(after: 0, retryAfter: nil, using: &generator) == nil)
        #expect(RetrySchedule.pause(after: Self.pauses.count + 1, retryAfter: nil, using: &generator) == nil)
    }

    @Test(arguments: [(nil as Double?, 96.0...144), (1000, 1000...1000), (1e9, 86_400...86_400), (1, 96...144)])
    func `A receiver may request a longer pause, up to a day`(
        _ retryAfter: Double?, _ expected: ClosedRange<Double>
    )
        throws
    {
        var generator = SeededGenerator(seed: 1)
        #expect(
            expected.contains(try #require(RetrySchedule.pause(after: 3, retryAfter: retryAfter, using: &generator))))
    }

    @Test(arguments: [(199, false), (200, true), (299, true), (300, false), (410, false), (500, false)])
    func `Every 2xx accepts a delivery, and 410 means that the endpoint is gone`(status: Int, accepts: Bool) {
        var outcome = DeliveryOutcome(delivery: 1, endpoint: 1, result: .discarded)
        let isAccepted = outcome.record(status: status)
        #expect(isAccepted == accepts && (outcome.result == .delivered) == accepts)
        #expect(outcome.error == (accepts ? nil : "status_\(status)"))
        #expect(outcome.status == status && outcome.isGone == (status == 410))
    }

    @Test func `A delivery fails after the last attempt, unless the endpoint is gone`() {
        func result(after attempts: Int, isGone: Bool) -> DeliveryOutcome.Result {
            var generator = SeededGenerator(seed: 1)
            var outcome = DeliveryOutcome(delivery: 1, endpoint: 1, result: .discarded, isGone: isGone)
            outcome.scheduleRetry(after: attempts, body: Data([1]), retryAfter: 1000, at: 5, using: &generator)
            return outcome.result
        }
        let last = Self.pauses.count
        #expect(result(after: 1, isGone: false) == .retry(at: 1_000_005, body: Data([1])))
        #expect(result(after: 1, isGone: true) == .retry(at: 1_000_005, body: Data([1])))
        #expect(result(after: last + 1, isGone: false) == .failed)
        #expect(result(after: last + 1, isGone: true) == .retry(at: 5, body: Data([1])))
    }
}
