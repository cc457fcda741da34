internal import Entitlements
package import AppStoreModels

/// What the App Store decided about a refund.
package struct RefundDecision: Sendable, Hashable {
    package var decision: ConsumptionInquiry.Decision
    package var decidedAt: Milliseconds
    /// The notification that told of it.
    package var notification: String

    package init(decision: ConsumptionInquiry.Decision, decidedAt: Milliseconds, notification: String) {
        self.decision = decision
        self.decidedAt = decidedAt
        self.notification = notification
    }
}

extension ConsumptionInquiry {
    /// How long the App Store waits for an answer. The sandbox waits for five minutes.
    package static func window(in environment: AppStoreEnvironment) -> Milliseconds {
        environment == .production ? 12 * 3_600_000 : 5 * 60_000
    }

    /// The question that a notification asks; nil if it asks none.
    package init?(askedBy notification: FoldedNotification, in environment: AppStoreEnvironment, customer: String?) {
        guard notification.type == .consumptionRequest, let transaction = notification.transaction,
            let original = notification.originalTransactionID
        else { return nil }
        self.init(
            id: 0, scope: notification.scope, transactionID: transaction.transactionID,
            originalTransactionID: original, customer: customer, requestedAt: notification.signedDate,
            deadline: notification.signedDate + Self.window(in: environment), state: .pending, attempts: 0,
            // It is answered at once, also where the App Store's clock is ahead of this machine's.
            nextAttemptAt: min(notification.signedDate, notification.foldedAt))
    }

    /// Has the question looked at again after a pause, but not later than when it can no longer be answered.
    package mutating func putOff(by pause: Milliseconds, at now: Milliseconds) {
        nextAttemptAt = min(now + pause, deadline)
    }

    /// Gives the question the first decision after it, whichever of the two arrived first. Without any it stays as it is.
    package mutating func decide(by decisions: [RefundDecision]) {
        let first = decisions.filter { $0.decidedAt >= requestedAt }.min {
            ($0.decidedAt, $0.notification) < ($1.decidedAt, $1.notification)
        }
        guard let first else { return }
        (decision, decidedAt) = (first.decision, first.decidedAt)
        if state == .pending { state = .overtaken }
    }

    /// Records what became of an attempt to answer, which began before `leaseEnds`. False, and nothing changes, when the
    /// question is settled already: a decision that came meanwhile stays unless the answer has arrived after all.
    package mutating func settle(as outcome: ConsumptionInquiry, leaseEnds: Milliseconds) -> Bool {
        switch state {
        case .pending: break
        case .overtaken where outcome.state != .pending: break
        case .overtaken, .sent, .refused, .missed: return false
        }
        (state, attempts) = (outcome.state, outcome.attempts)
        // What asked meanwhile to look at it again is not put off.
        if nextAttemptAt >= leaseEnds { nextAttemptAt = outcome.nextAttemptAt }
        (sentAt, sent, answer) = (outcome.sentAt, outcome.sent, outcome.answer)
        return true
    }
}

extension RefundDecision {
    /// The decision that a notification tells; nil if it tells none.
    package init?(announcedBy notification: FoldedNotification) {
        switch notification.type {
        case .refund: decision = .refunded
        case .refundDeclined: decision = .declined
        default: return nil
        }
        (decidedAt, self.notification) = (notification.signedDate, notification.uuid)
    }
}
