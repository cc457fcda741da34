import Ledger
import Testing

@Suite struct `The deliveries that an endpoint gets for events` {
    struct Event: DeliverableEvent, Sendable {
        var number: Int64
        var happenedAt: Milliseconds
        var type: EventType
        var isLate: Bool
        var createdAt: Milliseconds = 0
        var scope: Int64 { 1 }
        var originalTransactionID: String? { "o" }
        /// Each event has another customer.
        var lane: String { "lane \(number)" }

        init(
            _ number: Int64, at happenedAt: Milliseconds, _ type: EventType = .subscriptionRenewed,
            isLate: Bool = false
        ) {
            (self.number, self.happenedAt, self.type, self.isLate) = (number, happenedAt, type, isLate)
        }
    }

    /// Returns a target that accepts everything but tests.
    private static func target(_ variants: Int) -> FanOutTarget {
        FanOutTarget(endpoint: 1) { type, _ in type == .webhookTest ? 0 : variants }
    }

    private static func newer(than late: Event, in events: [Event]) -> [Event] {
        events.filter { $0.happenedAt > late.happenedAt }.sorted { $0.happenedAt < $1.happenedAt }
    }

    private static func numbers(_ plan: DeliveryPlan<Event>) -> [Int64] {
        plan.deliveries.map { $0.isRepeat ? -$0.event.number : $0.event.number }
    }

    struct FanOutCase: CustomTestStringConvertible, Sendable {
        var testDescription: String
        var candidates: [Event]
        /// Other events about the same purchase.
        var others: [Event] = []
        var limit = 9
        var variants = 1
        /// The first event that waits.
        var held: Int64 = .max
        /// The events with deliveries that were never due.
        var waiting: Set<Int64> = []
        /// The events of the deliveries, as numbers. A repeated one is negative.
        var numbers: [Int64]
        /// Where the cursor moves.
        var last: Int64?
        var progress: FanOutProgress = .done
    }

    /// The endpoint gets events from the instant 20 on.
    static let fanOutCases = [
        FanOutCase(testDescription: "none", candidates: [], numbers: [], last: nil),
        FanOutCase(
            testDescription: "in the order of the ledger", candidates: [Event(5, at: 30), Event(6, at: 20)],
            numbers: [5, 6], last: 6),
        FanOutCase(
            testDescription: "several for each event", candidates: [Event(5, at: 30)], variants: 2, numbers: [5, 5],
            last: 5),
        FanOutCase(
            testDescription: "none before the endpoint, and no repetitions, but the cursor moves",
            candidates: [Event(5, at: 30), Event(6, at: 19, isLate: true)], others: [Event(3, at: 40)], numbers: [5],
            last: 6),
        FanOutCase(
            testDescription: "none of a type that the endpoint does not accept, and no repetitions",
            candidates: [Event(5, at: 30, .webhookTest, isLate: true)], others: [Event(3, at: 40)], numbers: [],
            last: 5),
        FanOutCase(
            testDescription: "not one that waits, and none after it",
            candidates: [Event(5, at: 30), Event(6, at: 30), Event(7, at: 30)], held: 6, numbers: [5], last: 5,
            progress: .held),
        FanOutCase(
            testDescription: "a full batch has more, even without deliveries",
            candidates: [Event(5, at: 30, .webhookTest), Event(6, at: 30, .webhookTest)], limit: 2, numbers: [],
            last: 6, progress: .more),
        FanOutCase(
            testDescription: "the limit counts the deliveries of an event",
            candidates: [Event(5, at: 30), Event(6, at: 30), Event(7, at: 30)], limit: 4, variants: 2,
            numbers: [5, 5, 6, 6], last: 6, progress: .more),
        FanOutCase(
            testDescription: "the limit counts repetitions",
            candidates: [Event(5, at: 30, isLate: true), Event(6, at: 30)],
            others: [Event(3, at: 40), Event(4, at: 50)], limit: 3, numbers: [5, -3, -4], last: 5, progress: .more),
        FanOutCase(
            testDescription: "newer events again only after a late one", candidates: [Event(5, at: 30)],
            others: [Event(3, at: 40)], numbers: [5], last: 5),
        FanOutCase(
            testDescription: "newer events of this batch and later ones without a repetition",
            candidates: [Event(5, at: 30, isLate: true), Event(6, at: 50)],
            others: [Event(3, at: 40), Event(8, at: 60)], numbers: [5, -3, 6], last: 6),
        FanOutCase(
            testDescription: "once again after several late ones, which are not repeated themselves",
            candidates: [Event(5, at: 30, isLate: true), Event(6, at: 25, isLate: true)], others: [Event(3, at: 40)],
            numbers: [5, -3, 6], last: 6),
        FanOutCase(
            testDescription: "not again what waits", candidates: [Event(5, at: 30, isLate: true)],
            others: [Event(3, at: 40), Event(4, at: 50)], waiting: [3], numbers: [5, -4], last: 5),
    ]

    @Test(arguments: fanOutCases)
    func `A batch creates the deliveries of its events, and moves the cursor to the last one`(_ testCase: FanOutCase) {
        let (plan, progress) = DeliveryPlan.fanOut(
            testCase.candidates, to: Self.target(testCase.variants), from: 20, limit: testCase.limit,
            holds: { $0.number >= testCase.held },
            newer: { Self.newer(than: $0, in: testCase.candidates + testCase.others) },
            isWaiting: { testCase.waiting.contains($0.number) })
        #expect(Self.numbers(plan) == testCase.numbers)
        #expect(plan.last == testCase.last)
        #expect(progress == testCase.progress)
    }

    @Test func `A repetition follows the late event in its lane, with all variants`() {
        let (plan, _) = DeliveryPlan.fanOut(
            [Event(5, at: 30, isLate: true)], to: Self.target(2), from: 20, limit: 9, holds: { _ in false },
            newer: { _ in [Event(3, at: 40)] }, isWaiting: { _ in false })
        #expect(Self.numbers(plan) == [5, 5, -3, -3])
        #expect(plan.deliveries.map(\.variant) == [0, 1, 0, 1])
        #expect(plan.deliveries.map(\.lane) == ["lane 5", "lane 5", "lane 5", "lane 5"])
    }

    struct ReplayCase: CustomTestStringConvertible, Sendable {
        var testDescription: String
        /// Events between 2 and 5.
        var candidates: [Event]
        var others: [Event] = []
        var maximum = 9
        var variants = 1
        var waiting: Set<Int64> = []
        var numbers: [Int64]
        /// The number of deliveries without repetitions.
        var made: Int
        var last: Int64?
    }

    /// The endpoint got events from the instant 20 on, up to event 8.
    static let replayCases = [
        ReplayCase(testDescription: "none", candidates: [], numbers: [], made: 0, last: nil),
        ReplayCase(
            testDescription: "all of the range, also from before the endpoint",
            candidates: [Event(3, at: 10), Event(4, at: 30)], numbers: [3, 4], made: 2, last: 4),
        ReplayCase(
            testDescription: "newer published events again, once",
            candidates: [Event(3, at: 30), Event(4, at: 40)],
            others: [Event(2, at: 25), Event(8, at: 50), Event(9, at: 60)], numbers: [3, -8, 4], made: 2, last: 4),
        ReplayCase(
            testDescription: "newer events of the range without a repetition",
            candidates: [Event(3, at: 30)], others: [Event(4, at: 40), Event(5, at: 50)], numbers: [3], made: 1,
            last: 3),
        ReplayCase(
            testDescription: "no newer events from before the endpoint", candidates: [Event(3, at: 10)],
            others: [Event(7, at: 19), Event(8, at: 20)], numbers: [3, -8], made: 1, last: 3),
        ReplayCase(
            testDescription: "not again what waits", candidates: [Event(3, at: 30)],
            others: [Event(7, at: 40), Event(8, at: 50)], waiting: [7], numbers: [3, -8], made: 1, last: 3),
        ReplayCase(
            testDescription: "up to the maximum, for which repetitions do not count",
            candidates: [Event(3, at: 30), Event(4, at: 30), Event(5, at: 30)], others: [Event(8, at: 50)], maximum: 2,
            numbers: [3, -8, 4], made: 2, last: 4),
        ReplayCase(
            testDescription: "all variants of the last event",
            candidates: [Event(3, at: 30), Event(4, at: 30), Event(5, at: 30)], maximum: 3, variants: 2,
            numbers: [3, 3, 4, 4], made: 4, last: 4),
    ]

    @Test(arguments: replayCases)
    func `A replay sends events of a range again, and after them newer ones that the endpoint has`(
        _ testCase: ReplayCase
    ) {
        let range = ReplayRange(from: 0, to: .max, after: 2, through: 5, limit: 9)
        let target = Self.target(testCase.variants)
        let plan = DeliveryPlan.replay(
            testCase.candidates, of: range, making: testCase.maximum, to: target, from: 20, through: 8,
            newer: { Self.newer(than: $0, in: testCase.candidates + testCase.others) },
            isWaiting: { testCase.waiting.contains($0.number) })
        #expect(Self.numbers(plan) == testCase.numbers)
        #expect(plan.made == testCase.made)
        #expect(plan.last == testCase.last)
        let count = DeliveryPlan.count(testCase.candidates, of: range, making: testCase.maximum, to: target)
        #expect(count.made == testCase.made)
        #expect(count.last == testCase.last)
    }

    @Test(
        arguments: [
            (3, 50, false), (4, 50, true), (6, 50, true), (7, 50, false), (5, 9, false), (5, 10, true), (5, 99, true),
            (5, 100, false),
        ] as [(Int64, Milliseconds, Bool)])
    func `A replay contains the events between two others and two instants, the last instant excluded`(
        _ number: Int64, _ createdAt: Milliseconds, _ isContained: Bool
    ) {
        var event = Event(number, at: 0)
        event.createdAt = createdAt
        let range = ReplayRange(from: 10, to: 100, after: 3, through: 6, limit: 9)
        #expect(range.contains(event) == isContained)
        #expect(range.contains(event, for: Self.target(1)) == isContained)
        #expect(!range.contains(event, for: Self.target(0)))
        event.createdAt = .max
        #expect(ReplayRange.event(number).contains(event))
    }
}
