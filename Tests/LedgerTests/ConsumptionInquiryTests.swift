import AppStoreModels
import Entitlements
import Foundation
import Ledger
import Testing

@Suite struct `A question before a refund` {
    private static func notification(
        _ type: NotificationTypeV2, signed: Milliseconds = 1000, folded: Milliseconds = 1500
    )
        -> FoldedNotification
    {
        FoldedNotification(
            id: 1, scope: 3, uuid: "u", type: type, signedDate: signed,
            transaction: TransactionFact(
                transactionID: "t", originalTransactionID: "o", productID: "coins", type: .consumable,
                purchaseDate: Date(milliseconds: 0), signedDate: Date(milliseconds: signed)),
            foldedAt: folded)
    }

    private static func inquiry(_ state: ConsumptionInquiry.State = .pending) -> ConsumptionInquiry? {
        var inquiry = ConsumptionInquiry(askedBy: notification(.consumptionRequest), in: .production, customer: "anna")
        inquiry?.state = state
        return inquiry
    }

    @Test(arguments: [
        (AppStoreEnvironment.production, Milliseconds(12 * 3_600_000)), (.sandbox, 5 * 60_000),
        (.localTesting, 5 * 60_000),
    ])
    func `can be answered for hours, in the sandbox for minutes`(
        _ environment: AppStoreEnvironment, _ window: Milliseconds
    )
        throws
    {
        let inquiry = try #require(
            ConsumptionInquiry(askedBy: Self.notification(.consumptionRequest), in: environment, customer: "anna"))
        #expect(inquiry.deadline == 1000 + window)
        #expect(inquiry.requestedAt == 1000)
        #expect(inquiry.state == .pending)
        #expect(inquiry.customer == "anna")
        #expect(inquiry.scope == 3)
        #expect((inquiry.transactionID, inquiry.originalTransactionID) == ("t", "o"))
    }

    @Test(arguments: [(Milliseconds(1000), Milliseconds(1500)), (2000, 1500)])
    func `is answered at once, whosever clock is ahead`(_ signed: Milliseconds, _ folded: Milliseconds) throws {
        let notification = Self.notification(.consumptionRequest, signed: signed, folded: folded)
        let inquiry = try #require(ConsumptionInquiry(askedBy: notification, in: .production, customer: nil))
        #expect(inquiry.nextAttemptAt == min(signed, folded))
    }

    @Test(arguments: [NotificationTypeV2.refund, .refundDeclined, .didRenew])
    func `is asked by one kind of notification`(_ type: NotificationTypeV2) {
        #expect(ConsumptionInquiry(askedBy: Self.notification(type), in: .production, customer: nil) == nil)
    }

    @Test func `is decided by the first decision after it`() throws {
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

    @Test func `of two decisions at one instant takes the same one in any order`() throws {
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
    func `that was settled keeps how`(_ state: ConsumptionInquiry.State) throws {
        var inquiry = try #require(Self.inquiry(state))
        inquiry.decide(by: [.init(decision: .refunded, decidedAt: 2000, notification: "b")])
        #expect(inquiry.state == state)
        #expect(inquiry.decision == .refunded)
    }

    @Test func `is put off for a while, and not beyond its deadline`() throws {
        var inquiry = try #require(Self.inquiry())
        inquiry.putOff(by: 500, at: 2000)
        #expect(inquiry.nextAttemptAt == 2500)
        inquiry.putOff(by: 500, at: inquiry.deadline - 499)
        #expect(inquiry.nextAttemptAt == inquiry.deadline)
    }

    @Test func `waits while there is no decision`() throws {
        var inquiry = try #require(Self.inquiry())
        inquiry.decide(by: [])
        #expect(inquiry == Self.inquiry())
    }

    @Test(arguments: [
        (NotificationTypeV2.refund, ConsumptionInquiry.Decision.refunded as ConsumptionInquiry.Decision?),
        (.refundDeclined, .declined), (.refundReversed, nil), (.consumptionRequest, nil),
    ])
    func `is decided by two kinds of notification`(
        _ type: NotificationTypeV2, _ decision: ConsumptionInquiry.Decision?
    ) {
        let told = RefundDecision(announcedBy: Self.notification(type))
        #expect(told?.decision == decision)
        #expect(told.map { $0.decidedAt == 1000 && $0.notification == "u" } ?? (decision == nil))
    }

    struct Settling: CustomTestStringConvertible, Sendable {
        var known: ConsumptionInquiry.State
        var outcome: ConsumptionInquiry.State
        var isRecorded: Bool

        var testDescription: String { "\(known.rawValue) becomes \(outcome.rawValue): \(isRecorded)" }
    }

    /// Every state with every outcome of an attempt.
    static let settlings = ConsumptionInquiry.State.allCases.flatMap { known in
        ConsumptionInquiry.State.allCases.map { outcome in
            let isRecorded =
                switch known {
                case .pending: true
                case .overtaken: outcome != .pending
                case .sent, .refused, .missed: false
                }
            return Settling(known: known, outcome: outcome, isRecorded: isRecorded)
        }
    }

    @Test(arguments: settlings) func `records what became of an attempt until it is settled`(_ it: Settling) throws {
        var inquiry = try #require(Self.inquiry(it.known))
        inquiry.nextAttemptAt = 5000
        let before = inquiry
        var outcome = inquiry
        (outcome.state, outcome.attempts, outcome.nextAttemptAt) = (it.outcome, 3, 7000)
        (outcome.sentAt, outcome.sent, outcome.answer) = (6000, "{}", "202")
        #expect(inquiry.settle(as: outcome, leaseEnds: 5000) == it.isRecorded)
        #expect(inquiry == (it.isRecorded ? outcome : before))
    }

    @Test func `is not put off where something asked to look at it again meanwhile`() throws {
        var inquiry = try #require(Self.inquiry())
        var outcome = inquiry
        inquiry.nextAttemptAt = 4999
        (outcome.attempts, outcome.nextAttemptAt) = (1, 7000)
        let isRecorded = inquiry.settle(as: outcome, leaseEnds: 5000)
        #expect(isRecorded)
        #expect(inquiry.nextAttemptAt == 4999 && inquiry.attempts == 1)
    }
}
