import AppStoreModels
import Entitlements
import Foundation
import Ledger
import Testing

@Suite struct `Consumption inquiries` {
    private static func notification(
        _ type: NotificationTypeV2, signed: Milliseconds = 1000, processed: Milliseconds = 1500
    )
        -> ProcessedNotification
    {
        ProcessedNotification(
            id: 1, scope: 3, uuid: "u", type: type, signedDate: signed,
            transaction: TransactionFact(
                transactionID: "t", originalTransactionID: "o", productID: "coins", type: .consumable,
                purchaseDate: Date(milliseconds: 0), signedDate: Date(milliseconds: signed)),
            processedAt: processed)
    }

    private static func inquiry(_ state: ConsumptionInquiry.State = .pending) -> ConsumptionInquiry? {
        var inquiry = ConsumptionInquiry(
            requestedBy: notification(.consumptionRequest), in: .production, customer: "anna")
        inquiry?.state = state
        return inquiry
    }

    @Test(arguments: [
        (AppStoreEnvironment.production, Milliseconds(12 * 3_600_000)), (.sandbox, 5 * 60_000),
        (.localTesting, 5 * 60_000),
    ])
    func `A consumption inquiry can be answered for 12 hours in production and 5 minutes in test environments`(
        _ environment: AppStoreEnvironment, _ window: Milliseconds
    )
        throws
    {
        let inquiry = try #require(
            ConsumptionInquiry(requestedBy: Self.notification(.consumptionRequest), in: environment, customer: "anna"))
        #expect(inquiry.deadline == 1000 + window)
        #expect(inquiry.requestedAt == 1000)
        #expect(inquiry.state == .pending)
        #expect(inquiry.customer == "anna")
        #expect(inquiry.scope == 3)
        #expect((inquiry.transactionID, inquiry.originalTransactionID) == ("t", "o"))
    }

    @Test(arguments: [(Milliseconds(1000), Milliseconds(1500)), (2000, 1500)])
    func `A consumption inquiry is due at once, even if the App Store's or the server's clock is ahead`(
        _ signed: Milliseconds, _ processed: Milliseconds
    ) throws {
        let notification = Self.notification(.consumptionRequest, signed: signed, processed: processed)
        let inquiry = try #require(ConsumptionInquiry(requestedBy: notification, in: .production, customer: nil))
        #expect(inquiry.nextAttemptAt == min(signed, processed))
    }

    @Test(arguments: [NotificationTypeV2.refund, .refundDeclined, .didRenew])
    func `Only a CONSUMPTION_REQUEST creates a consumption inquiry`(_ type: NotificationTypeV2) {
        #expect(ConsumptionInquiry(requestedBy: Self.notification(type), in: .production, customer: nil) == nil)
    }

    @Test func `A consumption inquiry is decided by the first decision after it`() throws {
        var inquiry = try #require(Self.inquiry())
        inquiry.decide(by: [
            .init(decision: .refunded, decidedAt: 999, notification: "a"),
            .init(decision: .refunded, decidedAt: 3000, notification: "b"),
            .init(decision: .declined, decidedAt: 1000, notification: "c"),
        ])
        #expect(inquiry.decision == .declined)
        #expect(inquiry.decidedAt == 1000)
        #expect(inquiry.state == .overtaken)
    }

    @Test func `Of two decisions at one instant, the same one applies in any order`() throws {
        let both = [
            RefundDecision(decision: .refunded, decidedAt: 2000, notification: "b"),
            RefundDecision(decision: .declined, decidedAt: 2000, notification: "a"),
        ]
        for decisions in [both, both.reversed()] {
            var inquiry = try #require(Self.inquiry())
            inquiry.decide(by: decisions)
            #expect(inquiry.decision == .declined)
        }
    }

    @Test(arguments: [ConsumptionInquiry.State.sent, .refused, .missed])
    func `An inquiry in a final state keeps it when the decision arrives`(_ state: ConsumptionInquiry.State) throws {
        var inquiry = try #require(Self.inquiry(state))
        inquiry.decide(by: [.init(decision: .refunded, decidedAt: 2000, notification: "b")])
        #expect(inquiry.state == state)
        #expect(inquiry.decision == .refunded)
    }

    @Test func `A postponed inquiry is due after the delay, but not after its deadline`() throws {
        var inquiry = try #require(Self.inquiry())
        inquiry.postpone(by: 500, at: 2000)
        #expect(inquiry.nextAttemptAt == 2500)
        inquiry.postpone(by: 500, at: inquiry.deadline - 499)
        #expect(inquiry.nextAttemptAt == inquiry.deadline)
    }

    @Test(arguments: [
        // The pause, the time until the deadline, and the time until the next attempt.
        (Milliseconds(160_000), Milliseconds(150_000), Milliseconds(75_000)), (160_000, 320_000, 160_000),
        (160_000, 8000, 5000), (160_000, 10_002, 5001), (160_000, 4000, 4000), (3_600_000, 43_200_000, 3_600_000),
    ])
    func `A long pause leaves time for another attempt before the deadline`(
        _ pause: Milliseconds, _ rest: Milliseconds, _ expected: Milliseconds
    ) throws {
        var inquiry = try #require(Self.inquiry())
        let now = inquiry.deadline - rest
        inquiry.postpone(by: pause, at: now)
        #expect(inquiry.nextAttemptAt - now == expected)
    }

    @Test(arguments: [
        ("no_consent" as String?, "timeout" as String?, "no_consent"), (nil, "timeout", "timeout"),
        (nil, nil, "too_late"),
    ])
    func `An inquiry that is missed names the obstacle, or else the last failure`(
        _ obstacle: String?, _ failure: String?, _ answer: String
    ) throws {
        var inquiry = try #require(Self.inquiry())
        inquiry.answer = failure
        inquiry.miss(because: obstacle)
        #expect(inquiry.state == .missed && inquiry.answer == answer)
    }

    @Test func `An inquiry with an obstacle waits for an hour`() throws {
        var inquiry = try #require(Self.inquiry())
        inquiry.wait(because: "no_consent", at: 2000)
        #expect(inquiry.state == .pending && inquiry.answer == "no_consent")
        #expect(inquiry.nextAttemptAt == 2000 + 3_600_000)
    }

    @Test(arguments: [(1, Milliseconds(10_000)), (2, 20_000), (6, 320_000), (7, 640_000), (8, 640_000), (100, 640_000)])
    func `The pauses after failed attempts double up to a limit`(_ attempts: Int, _ pause: Milliseconds) throws {
        var inquiry = try #require(Self.inquiry())
        inquiry.attempts = attempts
        inquiry.recordFailure("timeout", isFinal: false, at: 2000)
        #expect(inquiry.state == .pending && inquiry.answer == "timeout")
        #expect(inquiry.nextAttemptAt == 2000 + pause)
    }

    @Test func `An accepted answer ends an inquiry`() throws {
        var inquiry = try #require(Self.inquiry())
        inquiry.recordSuccess("{}", at: 2000)
        #expect(inquiry.state == .sent && inquiry.answer == "accepted")
        #expect(inquiry.sent == "{}" && inquiry.sentAt == 2000)
    }

    @Test func `A final refusal ends an inquiry`() throws {
        var inquiry = try #require(Self.inquiry())
        inquiry.recordFailure("4000006", isFinal: true, at: 2000)
        #expect(inquiry.state == .refused && inquiry.answer == "4000006")
    }

    @Test func `An inquiry without a decision stays unchanged`() throws {
        var inquiry = try #require(Self.inquiry())
        inquiry.decide(by: [])
        #expect(inquiry == Self.inquiry())
    }

    @Test(arguments: [
        (NotificationTypeV2.refund, ConsumptionInquiry.Decision.refunded as ConsumptionInquiry.Decision?),
        (.refundDeclined, .declined), (.refundReversed, nil), (.consumptionRequest, nil),
    ])
    func `Only REFUND and REFUND_DECLINED announce a refund decision`(
        _ type: NotificationTypeV2, _ decision: ConsumptionInquiry.Decision?
    ) {
        let decided = RefundDecision(announcedBy: Self.notification(type))
        #expect(decided?.decision == decision)
        #expect(decided.map { $0.decidedAt == 1000 && $0.notification == "u" } ?? (decision == nil))
    }

    struct OutcomeCase: CustomTestStringConvertible, Sendable {
        var known: ConsumptionInquiry.State
        var outcome: ConsumptionInquiry.State
        var isRecorded: Bool

        var testDescription: String { "\(known.rawValue) becomes \(outcome.rawValue): \(isRecorded)" }
    }

    /// Every known state with every outcome of an attempt.
    static let outcomeCases = ConsumptionInquiry.State.allCases.flatMap { known in
        ConsumptionInquiry.State.allCases.map { outcome in
            let isRecorded =
                switch known {
                case .pending: true
                case .overtaken: outcome != .pending
                case .sent, .refused, .missed: false
                }
            return OutcomeCase(known: known, outcome: outcome, isRecorded: isRecorded)
        }
    }

    @Test(arguments: outcomeCases) func `The outcome of an attempt is recorded unless the state was final before`(
        _ testCase: OutcomeCase
    ) throws {
        var inquiry = try #require(Self.inquiry(testCase.known))
        inquiry.nextAttemptAt = 5000
        let before = inquiry
        var outcome = inquiry
        (outcome.state, outcome.attempts, outcome.nextAttemptAt) = (testCase.outcome, 3, 7000)
        (outcome.sentAt, outcome.sent, outcome.answer) = (6000, "{}", "202")
        #expect(inquiry.recordOutcome(outcome, leaseEnds: 5000) == testCase.isRecorded)
        #expect(inquiry == (testCase.isRecorded ? outcome : before))
    }

    @Test func `An attempt does not postpone an inquiry that was rescheduled during the attempt`() throws {
        var inquiry = try #require(Self.inquiry())
        var outcome = inquiry
        inquiry.nextAttemptAt = 4999
        (outcome.attempts, outcome.nextAttemptAt) = (1, 7000)
        let isRecorded = inquiry.recordOutcome(outcome, leaseEnds: 5000)
        #expect(isRecorded)
        #expect(inquiry.nextAttemptAt == 4999 && inquiry.attempts == 1)
    }
}
