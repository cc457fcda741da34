import Ledger
import Testing

@Suite struct `The events of a page of the feed` {
    struct Event: FeedEvent, Sendable {
        var number: Int64
        var happenedAt: Milliseconds
        var type: EventType = .subscriptionRenewed
        var scope: Int64 = 1
        var isLate = false
        var originalTransactionID: String? { "o" }

        init(
            _ number: Int64, at happenedAt: Milliseconds, _ type: EventType = .subscriptionRenewed, in scope: Int64 = 1,
            isLate: Bool = false
        ) {
            (self.number, self.happenedAt, self.type) = (number, happenedAt, type)
            (self.scope, self.isLate) = (scope, isLate)
        }
    }

    struct Case: CustomTestStringConvertible, Sendable {
        var testDescription: String
        var candidates: [Event]
        var limit = 9
        /// The first event that waits.
        var held: Int64 = .max
        /// The events of the page, as numbers. A repeated one is negative.
        var numbers: [Int64]
        var cursor: Int64
    }

    static let cases = [
        Case(testDescription: "none", candidates: [], numbers: [], cursor: 4),
        Case(
            testDescription: "in the order in which they happened", candidates: [Event(5, at: 30), Event(6, at: 20)],
            numbers: [6, 5], cursor: 6),
        Case(
            testDescription: "up to the limit", candidates: [Event(5, at: 30), Event(6, at: 20)], limit: 1,
            numbers: [5], cursor: 5),
        Case(
            testDescription: "not those of other apps, and not tests",
            candidates: [Event(5, at: 30, in: 2), Event(6, at: 20, .webhookTest)], numbers: [], cursor: 6),
        Case(
            testDescription: "not one that waits, and none after it",
            candidates: [Event(5, at: 30), Event(6, at: 20), Event(7, at: 10)], held: 6, numbers: [5], cursor: 5),
        Case(
            testDescription: "newer ones of earlier pages again after a late one",
            candidates: [Event(5, at: 30, isLate: true), Event(6, at: 40)], numbers: [5, -3, 6], cursor: 6),
    ]

    @Test(arguments: cases)
    func `A page has the events of the query in chronological order, late ones with repetitions`(
        _ testCase: Case
    ) {
        let query = FeedQuery(after: 4, scopes: [1], limit: testCase.limit)
        let page = query.page(
            of: testCase.candidates, holds: { $0.number >= testCase.held },
            newer: { _ in [Event(3, at: 50), Event(6, at: 40)] })
        #expect(page.events.map { $0.late == nil ? $0.event.number : -$0.event.number } == testCase.numbers)
        #expect(page.cursor == testCase.cursor)
        #expect(page.isHeld == (testCase.held != .max))
    }
}
