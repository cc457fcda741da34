import Ledger
import Testing

@Suite struct `The window of a recovery` {
    @Test(arguments: [
        (50 as Milliseconds, 100 as Milliseconds, true), (100, 100, true), (150, 150, true),
        (199, 199, true), (200, 200, false), (300, 300, false),
    ])
    func `loses what the App Store no longer keeps, and is read anew`(
        _ limit: Milliseconds, _ from: Milliseconds, _ isLeft: Bool
    ) {
        var window = RecoveryWindow(stage: 1, from: 100, until: 200)
        window.token = "next"
        #expect(window.clip(to: limit) == isLeft)
        #expect(window.from == from && window.until == 200)
        #expect(window.token == nil)
        var recovery = RecoveryRun(
            id: 1, scope: 1, cause: .start, from: 100, until: 200, filters: [], movesMark: true, state: .open,
            createdAt: 0, counts: .init(), windows: 1, openWindows: 1)
        recovery.clip(to: limit)
        #expect(recovery.from == from && recovery.until == 200)
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
        Case(testDescription: "its time was read again and believed", isMissing: false),
        Case(testDescription: "its time holds something", spans: [.init(from: 0, until: 500)], isMissing: true),
        Case(testDescription: "its time ends with something", spans: [.init(from: 200, until: 500)], isMissing: true),
        Case(testDescription: "its time begins with something", spans: [.init(from: 0, until: 100)], isMissing: true),
        Case(
            testDescription: "other times hold something",
            spans: [.init(from: 0, until: 99), .init(from: 201, until: 500)], isMissing: false),
        Case(
            testDescription: "it came after all", hasArrived: true, spans: [.init(from: 0, until: 500)],
            isMissing: false),
        Case(testDescription: "a history held it", history: "t", span: nil, isMissing: true),
        Case(testDescription: "a history held it, and it came", hasArrived: true, history: "t", isMissing: false),
        Case(testDescription: "nobody knows when it was", span: nil, isMissing: false),
    ]

    @Test(arguments: cases) func `says of each item whether it is still missing`(_ it: Case) {
        #expect(
            UnverifiedItem.isMissing(
                hasArrived: it.hasArrived, history: it.history, span: it.span, in: UnverifiedSpans(it.spans))
                == it.isMissing)
    }

    @Test func `has room for so many items`() {
        #expect([0, 9_999, 10_000, 10_001].map { UnverifiedItem.room(beside: $0) } == [10_000, 1, 0, 0])
    }
}
