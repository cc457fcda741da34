import Ledger
import Testing

@Suite struct `The lanes of deliveries` {
    /// A delivery in the lanes of two customers and two purchases.
    struct Delivery: Sendable {
        var id: Int64
        var customer: String
        var purchase: String?
        var happenedAt: Milliseconds = 0
        var isDue = false

        init(
            _ id: Int64, _ customer: String, _ purchase: String? = nil, at happenedAt: Milliseconds = 0,
            isDue: Bool = false
        ) {
            (self.id, self.customer, self.purchase) = (id, customer, purchase)
            (self.happenedAt, self.isDue) = (happenedAt, isDue)
        }

        func isIn(_ lane: DeliveryLane) -> Bool {
            switch lane {
            case .customer(let name): customer == name
            case .purchase(let name): purchase == name
            }
        }
    }

    private static func first(in lane: DeliveryLane, of deliveries: [Delivery]) -> WaitingDelivery? {
        deliveries.filter { $0.isIn(lane) && !$0.isDue }.map {
            WaitingDelivery(id: $0.id, lane: $0.customer, purchase: $0.purchase, happenedAt: $0.happenedAt)
        }.min()
    }

    struct Case: CustomTestStringConvertible, Sendable {
        var testDescription: String
        var deliveries: [Delivery]
        /// The delivery of anna that is sent next.
        var next: Int64?
    }

    static let cases = [
        Case(testDescription: "none", deliveries: [Delivery(1, "ben")], next: nil),
        Case(
            testDescription: "the first by the time of its event",
            deliveries: [Delivery(1, "anna", at: 7), Delivery(2, "anna", at: 5)], next: 2),
        Case(
            testDescription: "the first that was created, at the same time",
            deliveries: [Delivery(2, "anna", at: 5), Delivery(1, "anna", at: 5)], next: 1),
        Case(
            testDescription: "none while another one of the customer is due",
            deliveries: [Delivery(1, "anna", isDue: true), Delivery(2, "anna")], next: nil),
        Case(
            testDescription: "none while another one of the purchase is due",
            deliveries: [Delivery(1, "ben", "p", isDue: true), Delivery(2, "anna", "p")], next: nil),
        Case(
            testDescription: "none while an earlier one of the purchase waits in another lane",
            deliveries: [Delivery(1, "ben", "p", at: 4), Delivery(2, "anna", "p", at: 5)], next: nil),
        Case(
            testDescription: "the first, also before a later one of the purchase in another lane",
            deliveries: [Delivery(1, "ben", "p", at: 6), Delivery(2, "anna", "p", at: 5)], next: 2),
        Case(
            testDescription: "the first, while one of another purchase is due",
            deliveries: [Delivery(1, "ben", "q", isDue: true), Delivery(2, "anna", "p")], next: 2),
    ]

    @Test(arguments: cases) func `The next delivery of a lane is the first of both its lanes, if none of them is due`(
        _ testCase: Case
    ) {
        let next = DeliveryLane.next(
            of: "anna", hasDue: { lane in testCase.deliveries.contains { $0.isIn(lane) && $0.isDue } },
            first: { Self.first(in: $0, of: testCase.deliveries) })
        #expect(next?.id == testCase.next)
    }

    @Test(
        arguments: [
            (nil, ["anna"]), ("p", ["anna", "ben"]), ("q", ["anna"]), ("r", ["anna"]),
        ] as [(String?, [String])])
    func `After a delivery has ended, its lane and the next one of its purchase are released`(
        _ purchase: String?, _ released: [String]
    ) {
        let deliveries = [Delivery(1, "ben", "p"), Delivery(2, "anna", "q")]
        var lanes: [String] = []
        DeliveryLane.release(
            after: "anna", purchase, first: { Self.first(in: $0, of: deliveries) }, release: { lanes.append($0) })
        #expect(lanes == released)
    }

    @Test func `An event is in the lane of its customer, or else of its purchase, or else in its own`() {
        func name(_ customer: String?, _ purchase: String?) -> String {
            DeliveryLane.name(customer: customer, purchase: purchase, event: 5, in: 7)
        }
        #expect(name("anna", "o") == DeliveryLane.customer("anna", in: 7))
        #expect(name(nil, "o") == DeliveryLane.purchase("o", in: 7))
        #expect(name(nil, nil) == "event 5")
        let names = [
            DeliveryLane.customer("a", in: 7), DeliveryLane.customer("a", in: 8), DeliveryLane.purchase("a", in: 7),
        ]
        #expect(Set(names).count == 3)
    }

    @Test(
        arguments: [
            (.retry(at: 9, body: nil), false, nil, true), (.retry(at: 9, body: nil), true, nil, false),
            (.delivered, false, .delivered, true), (.failed, false, .failed, true),
            (.discarded, false, .discarded, false),
        ] as [(DeliveryOutcome.Result, Bool, WebhookDelivery.State?, Bool)])
    func `A delivery ends unless it is sent again, and what was not sent is no attempt`(
        _ result: DeliveryOutcome.Result, _ isPostponed: Bool, _ state: WebhookDelivery.State?, _ isAttempt: Bool
    ) {
        var outcome = DeliveryOutcome(delivery: 1, endpoint: 1, result: result)
        outcome.isPostponed = isPostponed
        #expect(outcome.endState == state)
        #expect(outcome.isAttempt == isAttempt)
    }

    @Test(
        arguments: [
            (nil, true, .recovered, false), (7, true, .recovered, true), (7, true, .delivered, false),
            (7, false, .recovered, false), (8, false, .delivered, true), (8, true, nil, false), (7, true, nil, false),
        ] as [(Int64?, Bool, Origin?, Bool)])
    func `Events wait after the limit, and those of recovered notifications if these are held`(
        _ notification: Int64?, _ holdsRecovered: Bool, _ origin: Origin?, _ isHeld: Bool
    ) {
        let limit = FanOutLimit(after: 7, holdsRecovered: holdsRecovered)
        #expect(limit.holds(eventOf: notification) { _ in origin } == isHeld)
    }
}
