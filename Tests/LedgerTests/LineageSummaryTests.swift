import Ledger
import Testing

@Suite struct `Subscriptions that look out of date` {
    private static let hour: Milliseconds = 3_600_000
    private static let day = 24 * hour

    private func summary(_ change: (inout LineageSummary) -> Void = { _ in }) -> LineageSummary {
        var summary = LineageSummary("1")
        (summary.end, summary.renewalSigned, summary.willRenew) = (1000 * Self.day, 970 * Self.day, true)
        change(&summary)
        return summary
    }

    @Test func `are those whose period ended and nothing followed`() {
        let end = 1000 * Self.day
        #expect(!summary().isOutOfDate(at: end))
        #expect(!summary().isOutOfDate(at: end + Self.hour))
        #expect(summary().isOutOfDate(at: end + Self.hour + 1))
        #expect(summary { $0.willRenew = false }.isOutOfDate(at: end + 2 * Self.hour))
        #expect(!summary { ($0.willRenew, $0.renewalSigned) = (false, end + 1) }.isOutOfDate(at: end + 2 * Self.hour))
        #expect(!summary { $0.isRevoked = true }.isOutOfDate(at: end + 2 * Self.hour))
        #expect(!summary { $0.end = nil }.isOutOfDate(at: end + 2 * Self.hour))
    }

    @Test func `wait for the end of the billing retry and of the grace period`() {
        let end = 1000 * Self.day
        let retry = summary { ($0.isInRetry, $0.renewalSigned) = (true, end + 1) }
        #expect(!retry.isOutOfDate(at: end + 60 * Self.day))
        #expect(retry.isOutOfDate(at: end + 61 * Self.day))
        let grace = summary { ($0.isInRetry, $0.renewalSigned, $0.graceDate) = (true, end + 1, end + 6 * Self.day) }
        #expect(!grace.isOutOfDate(at: end + 6 * Self.day))
        #expect(grace.isOutOfDate(at: end + 7 * Self.day))
    }

    @Test func `are asked about once a day, and not for ever`() {
        let end = 1000 * Self.day
        #expect(!summary { $0.askedAt = end + 5 * Self.day }.isOutOfDate(at: end + 5 * Self.day + Self.hour))
        #expect(summary { $0.askedAt = end + 5 * Self.day }.isOutOfDate(at: end + 6 * Self.day))
        #expect(!summary { $0.askedAt = end + 70 * Self.day }.isOutOfDate(at: end + 90 * Self.day))
        #expect(summary { $0.end = nil }.isOutOfDate(at: end, everyoneSince: end - 1))
        #expect(!summary { $0.askedAt = end }.isOutOfDate(at: end, everyoneSince: end - 1))
    }

    @Test func `are asked about again where the clock was ahead the last time`() {
        let now = 1000 * Self.day + 2 * Self.hour
        let asked = summary { $0.askedAt = now + 400 * Self.day }
        #expect(asked.isOutOfDate(at: now))
        #expect(asked.isOutOfDate(at: now, everyoneSince: now - 1))
        // Asked a moment ago, and by a clock that stands still.
        let justAsked = summary { $0.askedAt = now }
        #expect(!justAsked.isOutOfDate(at: now))
        #expect(!justAsked.isOutOfDate(at: now, everyoneSince: now))
    }

    @Test func `are those whose record is damaged`() {
        #expect(LineageSummary(damaged: "1").isOutOfDate(at: 0))
        #expect(!LineageSummary("1").isOutOfDate(at: 0))
    }
}
