import AppStoreModels
import Foundation
import Ledger
import Testing

@Suite struct `Recovery plan` {
    private static let now: Milliseconds = 1_780_000_000_000
    private static let hour: Milliseconds = 3_600_000
    private static let day = 24 * hour
    /// The oldest instant that the App Store returns: 180 days ago, plus ten minutes.
    private static let limit = now - 180 * day + 600_000

    private static func plan(
        _ mark: CompletenessMark?, unverified: [UnverifiedSpans.Span] = [], readsSpans: Bool = true
    ) -> RecoveryPlan {
        RecoveryPlan.catchUp(
            1, from: mark, spans: UnverifiedSpans(unverified), readsSpans: readsSpans, at: Date(milliseconds: now),
            because: .schedule, .init())
    }

    private static func mark(read: Milliseconds, signed: Milliseconds?) -> CompletenessMark {
        CompletenessMark(scope: 1, since: 0, until: read, checkedAt: now, signedUntil: signed)
    }

    @Test func `A recovery without a completeness mark reads the App Store's 180 days in windows of three days`() throws
    {
        let plan = Self.plan(nil)
        #expect(plan.from == Self.limit)
        #expect(plan.until == Self.now)
        #expect(plan.movesMark)
        #expect(plan.windows.count == 60)
        #expect(plan.windows.allSatisfy { $0.stage == 1 && $0.until - $0.from <= 3 * Self.day })
        #expect(plan.windows.first?.from == Self.limit)
        for (one, next) in zip(plan.windows, plan.windows.dropFirst()) { #expect(one.until == next.from) }
    }

    @Test func `A recovery begins no earlier than what the App Store keeps`() {
        let old = Self.limit - 10 * Self.day
        #expect(Self.plan(Self.mark(read: old, signed: old)).from == Self.limit)
    }

    @Test func `A recovery with a mark in the future still reads the overlap`() {
        let plan = Self.plan(Self.mark(read: Self.now + Self.day, signed: Self.now))
        #expect(plan.from == Self.now - 60_000 - Self.hour)
    }

    @Test func `A recovery goes back to the newest seen notification if the mark is later`() {
        let read = Self.now - Self.hour
        let seen = Self.now - 5 * Self.hour
        let plan = Self.plan(Self.mark(read: read, signed: seen))
        let earlier = plan.windows.filter { $0.stage == 2 }
        #expect(earlier.map(\.from) == [seen - Self.hour])
        #expect(earlier.map(\.until) == [read - Self.hour])
    }

    @Test(arguments: [true, false])
    func `A recovery reads unverified spans again when requested, and nothing twice`(_ readsSpans: Bool) {
        let recent = Self.now - 900_000
        let unverified = [
            UnverifiedSpans.Span(from: Self.now - 3 * Self.day, until: Self.now - 3 * Self.day + 10),
            UnverifiedSpans.Span(from: Self.now - 600_000, until: Self.now - 500_000),
            UnverifiedSpans.Span(from: Self.limit - Self.day, until: Self.limit - 1000),
            UnverifiedSpans.Span(from: Self.limit - 5, until: Self.limit + 5),
        ]
        let plan = Self.plan(Self.mark(read: recent, signed: recent), unverified: unverified, readsSpans: readsSpans)
        let again = plan.windows.filter { $0.stage == 2 }
        #expect(again.map(\.from) == (readsSpans ? [Self.limit, unverified[0].from] : []))
        #expect(again.map(\.until) == (readsSpans ? [Self.limit + 5, unverified[0].until] : []))
    }

    @Test func `A requested recovery reads the given range and filters, and does not move the mark`() {
        let filters = NotificationFilter.named("EXPIRED")
        // A filter that is included in another one is not read again.
        let named = filters + NotificationFilter.named("EXPIRED.VOLUNTARY")
        let plan = RecoveryPlan.requested(1, from: 0, until: Self.hour, filters: named, .init())
        #expect(plan.filters == filters)
        #expect(!plan.movesMark)
        #expect(plan.windows.compactMap(\.filter) == filters)
        #expect(plan.windows.allSatisfy { $0.from == 0 && $0.until == Self.hour && !$0.onlyFailures })
        let all = RecoveryPlan.requested(1, from: 0, until: Self.hour, filters: [], .init())
        #expect(all.windows == [RecoveryWindow(stage: 0, from: 0, until: Self.hour)])
    }

    @Test func `A requested recovery of an empty range has one window`() {
        let plan = RecoveryPlan.requested(1, from: 5, until: 5, filters: [], .init())
        #expect(plan.windows == [RecoveryWindow(stage: 0, from: 5, until: 5)])
    }

    @Test func `After a long outage, notification types that change access are read first`() {
        let now = Date(milliseconds: 1_780_000_000_000)
        let until = now.milliseconds - 3 * 86_400_000
        let mark = CompletenessMark(scope: 1, since: 0, until: until, checkedAt: now.milliseconds, signedUntil: until)
        let plan = RecoveryPlan.catchUp(1, from: mark, at: now, because: .start, .init())
        let first = plan.windows.filter { $0.stage == 0 }
        #expect(first.contains { $0.filter?.name == "DID_RENEW.BILLING_RECOVERY" })
        #expect(
            Set(first.compactMap { $0.filter?.type.rawValue })
                == ["DID_RENEW", "EXPIRED", "REFUND", "REVOKE", "SUBSCRIBED"])
        #expect(first.allSatisfy { $0.onlyFailures && $0.from == plan.from && $0.until == plan.until })
        let rest = plan.windows.filter { $0.stage == 1 }
        #expect(rest.count == 4)
        #expect(rest.allSatisfy { $0.filter == nil && !$0.onlyFailures })
        #expect(rest.first?.from == mark.until - 3_600_000)
        #expect(rest.last?.until == now.milliseconds)
        for (one, next) in zip(rest, rest.dropFirst()) { #expect(one.until == next.from) }
        let recent = now.milliseconds - 900_000
        let short = RecoveryPlan.catchUp(
            1, from: .init(scope: 1, since: 0, until: recent, checkedAt: 0, signedUntil: recent), at: now,
            because: .schedule, .init())
        #expect(short.windows.count == 1)
    }

    @Test func `A recovery overlaps the mark by a minute even if no overlap is configured`() {
        var settings = RecoverySettings()
        settings.overlap = .zero
        let now = Self.now
        let mark = CompletenessMark(scope: 1, since: 0, until: now - 60_000, checkedAt: now, signedUntil: now - 60_000)
        let plan = RecoveryPlan.catchUp(1, from: mark, at: Date(milliseconds: now), because: .schedule, settings)
        #expect(plan.from == now - 120_000)
    }

    @Test func `A recovery without a limit for the age of notifications begins a century ago`() {
        var settings = RecoverySettings()
        settings.retentionDays = .max
        let plan = RecoveryPlan.catchUp(1, from: nil, at: Date(milliseconds: Self.now), because: .start, settings)
        #expect(plan.from == Self.now - 36_500 * 86_400_000 + 600_000)
        #expect(plan.windows.first?.from == plan.from && plan.windows.last?.until == Self.now)
    }

    private static func run(_ from: Milliseconds, _ until: Milliseconds, movesMark: Bool = true) -> RecoveryRun {
        RecoveryRun(
            id: 7, scope: 1, cause: .schedule, from: from, until: until, filters: [], movesMark: movesMark,
            state: .open,
            createdAt: 0, counts: RecoveryCounts(), windows: 1, openWindows: 1)
    }

    @Test func `A recovery that ends in the future was planned with the clock ahead, unless a user requested it`() {
        #expect(!Self.run(0, Self.now).isAhead(of: Self.now))
        #expect(!Self.run(0, Self.now + RecoveryPlan.historyDelay).isAhead(of: Self.now))
        #expect(Self.run(0, Self.now + RecoveryPlan.historyDelay + 1).isAhead(of: Self.now))
        #expect(!Self.run(0, Self.now + Self.day, movesMark: false).isAhead(of: Self.now))
    }

    @Test func `A recovery of more than six hours follows a long outage, unless a user requested it`() {
        #expect(!Self.run(Self.now - 6 * Self.hour, Self.now).followsLongOutage)
        #expect(Self.run(Self.now - 6 * Self.hour - 1, Self.now).followsLongOutage)
        #expect(!Self.run(Self.now - Self.day, Self.now, movesMark: false).followsLongOutage)
    }
}
