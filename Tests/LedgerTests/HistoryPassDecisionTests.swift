import Ledger
import Testing

@Suite struct `The beginning of a pass over all purchases` {
    private static let day: Milliseconds = 86_400_000
    private static let hour: Milliseconds = 3_600_000
    private static let now = 100 * day

    private static func pass(
        cursor: String = "", staleBefore: Milliseconds? = nil, finishedAt: Milliseconds? = nil
    ) -> HistoryPass {
        HistoryPass(scope: 1, cursor: cursor, staleBefore: staleBefore, startedAt: 0, finishedAt: finishedAt)
    }

    @Test(
        arguments: [
            (nil, false), (now, false), (now - day + 1, false), (now - day, true), (now + 1, true),
        ] as [(Milliseconds?, Bool)])
    func `A pass is due a day after the last one, or if that one ended in the future`(
        finishedAt: Milliseconds?, isDue: Bool
    ) {
        #expect(Self.pass(finishedAt: finishedAt).isDueAgain(at: Self.now) == isDue)
    }

    @Test(
        arguments: [
            (pass(staleBefore: 5), 7, hour, 0...7), (pass(staleBefore: 5), nil, hour, 0...0),
            (pass(cursor: "1", staleBefore: 5), 7, hour, nil), (pass(), 7, hour, nil),
            // Nothing delays it for longer than an hour.
            (pass(staleBefore: 5), 7, hour + 7, 7...7), (pass(staleBefore: 5), 7, hour + 8, nil),
            // The clock was ahead when the history was read.
            (pass(staleBefore: 5), hour + 9, hour, 0...hour),
        ] as [(HistoryPass, Milliseconds?, Milliseconds, ClosedRange<Milliseconds>?)])
    func `Before its first purchase, a pass that fills a gap waits for what arrived until the history was read`(
        pass: HistoryPass, readAt: Milliseconds?, now: Milliseconds, expected: ClosedRange<Milliseconds>?
    ) {
        #expect(pass.awaitedArrivals(historyReadAt: readAt, at: now) == expected)
    }

    /// A stored pass, the beginning of what the ledger has read, and the pass that an import begins.
    struct Import: CustomTestStringConvertible, Sendable {
        var testDescription: String
        var known: HistoryPass?
        var since: Milliseconds?
        var staleBefore: Milliseconds?
        var limit: Milliseconds?
    }

    static let imports = [
        Import(testDescription: "nothing was read"),
        Import(testDescription: "a pass without a gap says nothing about the history", known: pass()),
        Import(testDescription: "the history was read", since: 10, staleBefore: 10, limit: 10),
        Import(testDescription: "the clock was ahead", since: now + 5, staleBefore: now, limit: now),
        Import(
            testDescription: "a pass fills a gap", known: pass(cursor: "1", staleBefore: 20), staleBefore: 20, limit: 20
        ),
        Import(testDescription: "an earlier part began the pass", known: pass(staleBefore: 10), since: 10),
        Import(
            testDescription: "the pass began for less", known: pass(staleBefore: 9), since: 10, staleBefore: 10,
            limit: 10),
        Import(
            testDescription: "the pass has progressed", known: pass(cursor: "1", staleBefore: 30), since: 10,
            staleBefore: 30, limit: 10),
        Import(
            testDescription: "the pass is finished", known: pass(staleBefore: 30, finishedAt: 40), since: 10,
            staleBefore: 10, limit: 10),
    ]

    @Test(arguments: imports) func `An import begins a pass over what the ledger has not read`(_ testCase: Import) {
        let begun = HistoryPass.overImported(
            in: 1, after: testCase.known, readSince: testCase.since, at: Self.now)
        #expect(begun?.limit == testCase.limit)
        let expected = testCase.staleBefore.map { HistoryPass(scope: 1, staleBefore: $0, startedAt: Self.now) }
        #expect(begun?.pass == expected)
    }
}
