import Ledger
import Testing

@Suite struct `Recovery windows` {
    @Test(arguments: [
        (50 as Milliseconds, 100 as Milliseconds, true), (100, 100, true), (150, 150, true),
        (199, 199, true), (200, 200, false), (300, 300, false),
    ])
    func `A window is clipped to what the App Store keeps, and read from its beginning`(
        _ limit: Milliseconds, _ from: Milliseconds, _ remains: Bool
    ) {
        var window = RecoveryWindow(stage: 1, from: 100, until: 200)
        window.token = "next"
        #expect(window.clip(to: limit) == remains)
        #expect(window.from == from && window.until == 200)
        #expect(window.token == nil)
        var recovery = RecoveryRun(
            id: 1, scope: 1, cause: .start, from: 100, until: 200, filters: [], movesMark: true, state: .open,
            createdAt: 0, counts: .init(), windows: 1, openWindows: 1)
        recovery.clip(to: limit)
        #expect(recovery.from == from && recovery.until == 200)
    }

    private static let hour: Milliseconds = 3_600_000
    private static let day: Milliseconds = 86_400_000

    /// The limit by the server's clock, the number of earlier restarts, and the new start.
    private static let starts: [(Milliseconds, Int, Milliseconds)] = [
        // The clocks agree: the start is the limit.
        (5 * hour, 0, 5 * hour), (2000 * day, 0, 2000 * day),
        // The server's clock is slow: the start moves in steps, or to the limit if that is later.
        (0, 0, hour), (0, 1, day), (-day, 0, hour), (hour, 1, day), (2 * day, 1, 2 * day),
        // After that the window ends.
        (0, 2, 180 * day), (0, 3, 180 * day), (40 * day, 2, 180 * day), (200 * day, 2, 200 * day),
    ]

    @Test(arguments: starts)
    func `A window that the App Store refuses as too old begins later, also if the server's clock is slow`(
        _ limit: Milliseconds, _ restarts: Int, _ start: Milliseconds
    ) {
        let window = RecoveryWindow(stage: 1, from: 0, until: 180 * Self.day)
        #expect(window.start(refusedWith: limit, restarts: restarts) == start)
    }

    @Test func `The start of a refused window does not move beyond its end`() {
        let window = RecoveryWindow(stage: 1, from: 0, until: Self.hour / 2)
        let starts = (0...3).map { window.start(refusedWith: 0, restarts: $0) }
        #expect(starts == Array(repeating: Self.hour / 2, count: 4))
    }

    struct Case: CustomTestStringConvertible, Sendable {
        var testDescription: String
        var hasArrived = false
        var history: String?
        var span: UnverifiedSpans.Span? = .init(from: 100, until: 200)
        var spans: [UnverifiedSpans.Span] = []
        var isMissing: Bool
    }

    static let cases = [
        Case(testDescription: "its span was read again and verified", isMissing: false),
        Case(testDescription: "an unverified span contains it", spans: [.init(from: 0, until: 500)], isMissing: true),
        Case(
            testDescription: "an unverified span begins at its end", spans: [.init(from: 200, until: 500)],
            isMissing: true),
        Case(
            testDescription: "an unverified span ends at its beginning", spans: [.init(from: 0, until: 100)],
            isMissing: true),
        Case(
            testDescription: "only other spans are unverified",
            spans: [.init(from: 0, until: 99), .init(from: 201, until: 500)], isMissing: false),
        Case(
            testDescription: "it has arrived", hasArrived: true, spans: [.init(from: 0, until: 500)],
            isMissing: false),
        Case(testDescription: "it came from a history", history: "t", span: nil, isMissing: true),
        Case(
            testDescription: "it came from a history and has arrived", hasArrived: true, history: "t", isMissing: false),
        Case(testDescription: "its span is unknown", span: nil, isMissing: false),
    ]

    @Test(arguments: cases) func `An unverified item is missing until it has arrived or its span was verified`(
        _ testCase: Case
    ) {
        #expect(
            UnverifiedItem.isMissing(
                hasArrived: testCase.hasArrived, history: testCase.history, span: testCase.span,
                in: UnverifiedSpans(testCase.spans))
                == testCase.isMissing)
    }

    @Test func `A finished recovery is deleted after 1000 others, but not an open one or because of later ones`() {
        #expect(RecoveryRun.maximumCount == 1000)
        // Number 2 is open. Those that began after the one that finishes do not count.
        let runs = (1...1005).map { (id: Int64($0), isOpen: $0 == 2) }
        for runs in [runs, runs.reversed()] {
            #expect(RecoveryRun.expired(runs, atEndOf: 1000).isEmpty)
            #expect(RecoveryRun.expired(runs, atEndOf: 1001) == [1])
            #expect(RecoveryRun.expired(runs, atEndOf: 1003) == [3, 1])
        }
    }

    @Test func `At most 10 000 unverified items are stored`() {
        #expect([0, 9_999, 10_000, 10_001].map { UnverifiedItem.room(beside: $0) } == [10_000, 1, 0, 0])
    }
}
