package import AppStoreModels
internal import Entitlements

/// The App Store's decision on a refund.
package struct RefundDecision: Sendable, Hashable {
    package var decision: ConsumptionInquiry.Decision
    package var decidedAt: Milliseconds
    /// The UUID of the notification that announced the decision.
    package var notification: String

    package init(decision: ConsumptionInquiry.Decision, decidedAt: Milliseconds, notification: String) {
        self.decision = decision
        self.decidedAt = decidedAt
        self.notification = notification
    }
}

extension ConsumptionInquiry {
    /// Returns how long the App Store waits for an answer: 12 hours, in the sandbox five minutes.
    package static func window(in environment: AppStoreEnvironment) -> Milliseconds {
        environment == .production ? 12 * 3_600_000 : 5 * 60_000
    }

    /// Creates the inquiry from a `CONSUMPTION_REQUEST` notification; nil for other notifications. The other parameters
    /// are evaluated only for such a notification.
    package init?(
        requestedBy notification: ProcessedNotification, in environment: @autoclosure () throws -> AppStoreEnvironment,
        customer: @autoclosure () throws -> String?
    ) rethrows {
        guard notification.type == .consumptionRequest, let transaction = notification.transaction,
            let original = notification.originalTransactionID
        else { return nil }
        try self.init(
            id: 0, scope: notification.scope, transactionID: transaction.transactionID,
            originalTransactionID: original, customer: customer(), requestedAt: notification.signedDate,
            deadline: notification.signedDate + Self.window(in: environment()), state: .pending, attempts: 0,
            // Due at once, even if the App Store's clock is ahead of the server's.
            nextAttemptAt: min(notification.signedDate, notification.processedAt))
    }

    /// Schedules the next attempt after a pause, but not after half of the time until the deadline, so that a long pause
    /// does not use up the rest of that time. In the last seconds the next attempt is at the deadline.
    package mutating func postpone(by pause: Milliseconds, at now: Milliseconds) {
        let pause = min(pause, max((deadline - now) / 2, Self.shortestPause))
        nextAttemptAt = min(now + pause, deadline)
    }

    /// The shortest pause because of an approaching deadline.
    private static let shortestPause: Milliseconds = 5000

    /// Ends the inquiry at its deadline, without an answer.
    ///
    /// - Parameter obstacle: Why nothing could be sent at the deadline; nil if something could.
    package mutating func miss(because obstacle: String?) {
        state = .missed
        answer = obstacle ?? answer ?? "too_late"
    }

    /// Waits beyond the deadline, because the clock may be ahead. Once it is corrected, the inquiry is due at once: see
    /// ``LongestDelay``.
    package mutating func hold(at now: Milliseconds) { nextAttemptAt = now + LongestDelay.inquiry.milliseconds }

    /// Tries again later, because nothing can be sent at present: the app may report the customer's consent, or the
    /// configuration or a damaged record may be fixed.
    package mutating func wait(because obstacle: String?, at now: Milliseconds) {
        answer = obstacle
        postpone(by: LongestDelay.inquiry.milliseconds, at: now)
    }

    /// Records that the App Store accepted an answer.
    package mutating func recordSuccess(_ json: String, at now: Milliseconds) {
        (state, sent, sentAt, answer) = (.sent, json, now, "accepted")
    }

    /// Records that the App Store did not accept an answer. After each attempt the pause before the next one doubles,
    /// from 10 seconds to 640.
    ///
    /// - Parameter isFinal: Whether the App Store itself refused it. A refusal by a proxy is not final.
    package mutating func recordFailure(_ code: String, isFinal: Bool, at now: Milliseconds) {
        answer = code
        if isFinal {
            state = .refused
        } else {
            postpone(by: 5000 << Milliseconds(min(attempts, 7)), at: now)
        }
    }

    /// Assigns the first decision that was made after the request, in whatever order they arrived. Without one the
    /// inquiry does not change.
    package mutating func decide(by decisions: [RefundDecision]) {
        let first = decisions.filter { $0.decidedAt >= requestedAt }.min {
            ($0.decidedAt, $0.notification) < ($1.decidedAt, $1.notification)
        }
        guard let first else { return }
        (decision, decidedAt) = (first.decision, first.decidedAt)
        if state == .pending { state = .overtaken }
    }

    /// Records the result of an attempt to answer whose lease ended at `leaseEnds`. Returns false, and changes nothing,
    /// if the state is already final: a decision that arrived meanwhile stays unless the answer was sent after all.
    package mutating func recordOutcome(_ outcome: ConsumptionInquiry, leaseEnds: Milliseconds) -> Bool {
        switch state {
        case .pending: break
        case .overtaken where outcome.state != .pending: break
        case .overtaken, .sent, .refused, .missed: return false
        }
        (state, attempts) = (outcome.state, outcome.attempts)
        // Keeps an earlier time that was set during the attempt because of new information.
        if nextAttemptAt >= leaseEnds { nextAttemptAt = outcome.nextAttemptAt }
        (sentAt, sent, answer) = (outcome.sentAt, outcome.sent, outcome.answer)
        return true
    }
}

extension RefundDecision {
    /// Creates the decision that a notification announces; nil for other notifications.
    package init?(announcedBy notification: ProcessedNotification) {
        switch notification.type {
        case .refund: decision = .refunded
        case .refundDeclined: decision = .declined
        default: return nil
        }
        (decidedAt, self.notification) = (notification.signedDate, notification.uuid)
    }
}
