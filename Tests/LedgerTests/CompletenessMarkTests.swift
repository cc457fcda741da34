import Ledger
import Testing

@Suite struct `How far the completeness mark moves` {
    /// A recovery from one instant, and what the mark is afterwards. All of it was read up to 100; the clock says 110, and
    /// the App Store keeps what is after 10.
    struct Case: CustomTestStringConvertible, Sendable {
        var testDescription: String
        var known: CompletenessMark?
        var from: Milliseconds
        var signed: Milliseconds?
        var doubtful: [UnverifiedSpans.Span] = []
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
        Case(testDescription: "the first reading begins the stretch", from: 20, since: 20),
        Case(testDescription: "it goes on where it ended", known: mark(20, 60), from: 50, since: 20),
        Case(testDescription: "an earlier beginning lengthens it", known: mark(40, 60), from: 20, since: 20),
        Case(
            testDescription: "it goes on at the very instant where it ended", known: mark(20, 60), from: 60, since: 20),
        Case(
            testDescription: "what begins an instant later leaves a gap", known: mark(20, 60), from: 61, since: 61,
            leavesGap: true),
        Case(
            testDescription: "what was read and not believed is no gap in what was read", known: mark(20, 30, read: 60),
            from: 50, since: 20),
        Case(
            testDescription: "it ends before the first that cannot be believed", known: mark(20, 60), from: 50,
            doubtful: [.init(from: 80, until: 90), .init(from: 95, until: 96)], since: 20, until: 79),
        Case(
            testDescription: "what nobody can read any more begins it anew", known: mark(2, 60), from: 50,
            doubtful: [.init(from: 5, until: 9)], since: 10, leavesGap: true),
        Case(
            testDescription: "what can still be read ends it", known: mark(2, 60), from: 50,
            doubtful: [.init(from: 5, until: 10)], since: 2, until: 4),
        Case(
            testDescription: "the newest signature stays", known: mark(20, 60, signed: 58), from: 50, signed: 57,
            since: 20, signedUntil: 58),
        Case(
            testDescription: "a signature ahead of what was read proves no more than that",
            known: mark(20, 60, signed: 500), from: 50, signed: 57, since: 20, signedUntil: 105),
    ]

    @Test(arguments: cases) func `follows from what was read`(_ it: Case) {
        let run = RecoveryRun(
            id: 7, scope: 1, cause: .schedule, from: it.from, until: 105, filters: [], movesMark: true, state: .done,
            createdAt: 0, counts: RecoveryCounts(), windows: 1, openWindows: 0, signedUntil: it.signed)
        let move = CompletenessMark.moved(
            from: it.known, by: run, until: 100, limit: 10, spans: UnverifiedSpans(it.doubtful), at: 110)
        #expect(move.mark.since == it.since)
        #expect(move.mark.until == it.until)
        #expect(move.mark.readUntil == 100)
        #expect(move.mark.checkedAt == 110)
        #expect(move.mark.signedUntil == it.signedUntil ?? it.signed)
        #expect(move.leavesGap == it.leavesGap)
        #expect(move.mark.scope == 1)
    }

    @Test func `goes back to before what turned out to be unbelievable, and forward again`() {
        let doubted = Self.mark(20, 60).ending(before: UnverifiedSpans([.init(from: 30, until: 40)]))
        #expect(doubted.until == 29)
        #expect(doubted.ending(before: UnverifiedSpans()).until == 60)
    }

    /// A window from 20 to 40, read while 10 to 30 is in doubt.
    @Test(arguments: [
        (true, true, [UnverifiedSpans.Span(from: 10, until: 20)]),
        (true, false, [UnverifiedSpans.Span(from: 10, until: 30)]),
        (false, true, [UnverifiedSpans.Span(from: 10, until: 40)]),
        (false, false, [UnverifiedSpans.Span(from: 10, until: 40)]),
    ])
    func `a window that was for some kinds clears no doubt`(
        _ isClean: Bool, _ isWhole: Bool, _ left: [UnverifiedSpans.Span]
    ) {
        var spans = UnverifiedSpans([.init(from: 10, until: 30)])
        spans.apply([.init(span: .init(from: 20, until: 40), isClean: isClean, isWhole: isWhole)])
        #expect(spans.spans == left)
    }

    @Test func `what one window doubts, a clean one beside it does not clear`() {
        let span = UnverifiedSpans.Span(from: 20, until: 40)
        var spans = UnverifiedSpans()
        spans.apply([
            .init(span: span, isClean: false, isWhole: true), .init(span: span, isClean: true, isWhole: true),
        ])
        #expect(spans.spans == [span])
    }
}
