import Testing

@testable import Ledger

@Suite struct `Movement of the completeness mark` {
    /// A recovery from one instant, and the expected mark. Everything was read up to 100, the clock shows 110, and the
    /// App Store keeps notifications from 10 on.
    struct Case: CustomTestStringConvertible, Sendable {
        var testDescription: String
        var known: CompletenessMark?
        var from: Milliseconds
        var signed: Milliseconds?
        var unverified: [UnverifiedSpans.Span] = []
        var since: Milliseconds
        var until: Milliseconds = 100
        var signedUntil: Milliseconds?
        var leavesGap = false
    }

    private static func mark(
        _ since: Milliseconds, _ until: Milliseconds, read: Milliseconds? = nil, signed: Milliseconds? = nil
    ) -> CompletenessMark {
        CompletenessMark(
            scope: 1, since: since, until: until, checkedAt: until, readUntil: read, signedUntil: signed)
    }

    static let cases = [
        Case(testDescription: "the first recovery starts the mark", from: 20, since: 20),
        Case(testDescription: "an overlapping recovery extends the mark", known: mark(20, 60), from: 50, since: 20),
        Case(
            testDescription: "a recovery from before the mark extends it backward", known: mark(40, 60), from: 20,
            since: 20),
        Case(
            testDescription: "a recovery from the end of the mark extends it", known: mark(20, 60), from: 60, since: 20),
        Case(
            testDescription: "a recovery from one instant later leaves a gap", known: mark(20, 60), from: 61, since: 61,
            leavesGap: true),
        Case(
            testDescription: "read but unverified notifications leave no gap", known: mark(20, 30, read: 60),
            from: 50, since: 20),
        Case(
            testDescription: "the mark ends before the first unverified span", known: mark(20, 60), from: 50,
            unverified: [.init(from: 80, until: 90), .init(from: 95, until: 96)], since: 20, until: 79),
        Case(
            testDescription: "an unverified span that the App Store no longer keeps restarts the mark",
            known: mark(2, 60), from: 50,
            unverified: [.init(from: 5, until: 9)], since: 10, leavesGap: true),
        Case(
            testDescription: "an unverified span that can still be read ends the mark", known: mark(2, 60), from: 50,
            unverified: [.init(from: 5, until: 10)], since: 2, until: 4),
        Case(
            testDescription: "the newest signing date stays", known: mark(20, 60, signed: 58), from: 50, signed: 57,
            since: 20, signedUntil: 58),
        Case(
            testDescription: "a signing date after the recovery is limited to its end",
            known: mark(20, 60, signed: 500), from: 50, signed: 57, since: 20, signedUntil: 105),
    ]

    @Test(arguments: cases) func `The completeness mark moves by what a recovery has read`(_ testCase: Case) throws {
        let run = RecoveryRun(
            id: 7, scope: 1, cause: .schedule, from: testCase.from, until: 105, filters: [], movesMark: true,
            state: .done,
            createdAt: 0, counts: RecoveryCounts(), windows: 1, openWindows: 0, signedUntil: testCase.signed)
        let end = run.end(
            from: testCase.known, UnverifiedSpans(testCase.unverified), reading: [], until: 100, limit: 10, at: 110)
        let mark = try #require(end.mark)
        #expect(mark.since == testCase.since)
        #expect(mark.until == testCase.until)
        #expect(mark.readUntil == 100)
        #expect(mark.checkedAt == 110)
        #expect(mark.signedUntil == testCase.signedUntil ?? testCase.signed)
        #expect((end.pass != nil) == testCase.leavesGap)
        #expect(mark.scope == 1)
    }

    /// A recovery from 50 to 100, while the span from 60 to 70 is unverified and the mark ends before it.
    @Test(arguments: [(true, 0, 100), (true, 1, 59), (false, 0, 80), (false, 1, 59)] as [(Bool, Int64, Milliseconds)])
    func `A finished recovery moves the end of the mark only if it is for that, or where it verified notifications`(
        _ movesMark: Bool, _ unverified: Int64, _ until: Milliseconds
    ) throws {
        let run = RecoveryRun(
            id: 7, scope: 1, cause: .request, from: 50, until: 100, filters: [], movesMark: movesMark, state: .done,
            createdAt: 0, counts: RecoveryCounts(), windows: 1, openWindows: 0)
        let window = try #require(
            UnverifiedSpans.ReadWindow(from: 60, until: 70, unverified: unverified, isWhole: true, onlyFailures: false))
        let end = run.end(
            from: Self.mark(20, 59, read: 80), UnverifiedSpans([.init(from: 60, until: 70)]), reading: [window],
            until: 100, limit: 10, at: 110)
        #expect(end.mark?.until == until)
        #expect(end.spans.isEmpty == (unverified == 0))
        #expect(end.pass == nil)
    }

    @Test(arguments: [(60, false), (61, true)] as [(Milliseconds, Bool)])
    func `A gap begins a pass over all purchases`(_ from: Milliseconds, _ isGap: Bool) {
        let run = RecoveryRun(
            id: 7, scope: 1, cause: .schedule, from: from, until: 100, filters: [], movesMark: true, state: .done,
            createdAt: 0, counts: RecoveryCounts(), windows: 1, openWindows: 0)
        let end = run.end(from: Self.mark(20, 60), UnverifiedSpans(), reading: [], until: 100, limit: 10, at: 110)
        #expect(end.pass == (isGap ? HistoryPass(scope: 1, staleBefore: 110, startedAt: 110) : nil))
    }

    @Test(
        arguments: [(20, 40, false, true), (20, 40, true, false), (40, 40, false, false), (41, 40, false, false)]
            as [(Milliseconds, Milliseconds, Bool, Bool)])
    func `A window proves nothing if only undelivered notifications were read, or if nothing is left of it`(
        _ from: Milliseconds, _ until: Milliseconds, _ onlyFailures: Bool, _ proves: Bool
    ) {
        let window = UnverifiedSpans.ReadWindow(
            from: from, until: until, unverified: 0, isWhole: true, onlyFailures: onlyFailures)
        #expect((window != nil) == proves)
    }

    @Test func `A recovery that was refused as too old does not move a later mark back`() throws {
        let known = Self.mark(200, 600, signed: 580)
        let run = RecoveryRun(
            id: 7, scope: 1, cause: .schedule, from: 105, until: 105, filters: [], movesMark: true, state: .done,
            createdAt: 0, counts: RecoveryCounts(), windows: 1, openWindows: 0, signedUntil: nil)
        let spans = UnverifiedSpans([.init(from: 300, until: 310)])
        let end = run.end(from: known, spans, reading: [], until: 100, limit: 10, at: 110)
        let mark = try #require(end.mark)
        #expect(mark == known.ending(before: spans) && end.spans == spans && end.pass == nil)
        #expect(mark.until == 299 && mark.readUntil == 600)
    }

    @Test func `The mark ends before an unverified span, and moves forward when the span is cleared`() {
        let shortened = Self.mark(20, 60).ending(before: UnverifiedSpans([.init(from: 30, until: 40)]))
        #expect(shortened.until == 29)
        #expect(shortened.ending(before: UnverifiedSpans()).until == 60)
    }

    /// A window from 20 to 40, read while the span from 10 to 30 is unverified.
    @Test(arguments: [
        (true, true, [UnverifiedSpans.Span(from: 10, until: 20)]),
        (true, false, [UnverifiedSpans.Span(from: 10, until: 30)]),
        (false, true, [UnverifiedSpans.Span(from: 10, until: 40)]),
        (false, false, [UnverifiedSpans.Span(from: 10, until: 40)]),
    ])
    func `Only a clean window for all notification types clears unverified spans`(
        _ isClean: Bool, _ isWhole: Bool, _ remaining: [UnverifiedSpans.Span]
    ) {
        var spans = UnverifiedSpans([.init(from: 10, until: 30)])
        spans.apply([.init(span: .init(from: 20, until: 40), isClean: isClean, isWhole: isWhole)])
        #expect(spans.spans == remaining)
    }

    @Test func `A clean window does not clear a span that another window of the same recovery marks as unverified`() {
        let span = UnverifiedSpans.Span(from: 20, until: 40)
        var spans = UnverifiedSpans()
        spans.apply([
            .init(span: span, isClean: false, isWhole: true), .init(span: span, isClean: true, isWhole: true),
        ])
        #expect(spans.spans == [span])
    }

    /// The mark begins at 200. The history was read up to 600, with the clock at 100,000.
    @Test(
        arguments: [
            (40_000, 580, 600), (39_999, 580, 580), (39_999, 700, 600), (39_999, nil, 199), (100_001, nil, 600),
        ] as [(Milliseconds, Milliseconds?, Milliseconds)])
    func `A mark that was made with the clock ahead ends at the newest signing date`(
        _ now: Milliseconds, _ signed: Milliseconds?, _ read: Milliseconds
    ) {
        let mark = CompletenessMark(
            scope: 1, since: 200, until: 590, checkedAt: 100_000, readUntil: 600, signedUntil: signed)
        let valid = mark.validPart(at: now)
        #expect(valid.readUntil == read && valid.until == min(read, 590))
        #expect(valid.isEmpty == (read < 200))
    }
}
