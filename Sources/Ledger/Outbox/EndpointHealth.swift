/// How long attempts at an endpoint have failed, and whether the endpoint is disabled for that.
package struct EndpointHealth: Sendable, Hashable {
    /// The beginning of the failures since the last success, moved forward by every period without attempts; nil if no
    /// attempt has failed. So the time from here to ``failedAt`` is the time with attempts, all of which failed. Two
    /// failures that are further apart than ``RetrySchedule/longestPause`` have a period without attempts between them.
    package var failingSince: Milliseconds?
    /// The last failed attempt; nil if an older version stored the health. Then ``failingSince`` is used: for an
    /// endpoint that has failed for longer than the longest pause, counting starts over at the first failure after the
    /// update.
    package var failedAt: Milliseconds?
    /// Why the endpoint is disabled; nil if it is enabled.
    package var disabled: DisableReason?

    package init(
        failingSince: Milliseconds? = nil, failedAt: Milliseconds? = nil, disabled: DisableReason? = nil
    ) {
        (self.failingSince, self.failedAt, self.disabled) = (failingSince, failedAt, disabled)
    }

    /// Returns the health after an attempt. An endpoint that answers 410 Gone is disabled at once. A failing one is
    /// disabled when its time with attempts reaches `disableAfter`. An attempt that failed before it sent anything says
    /// nothing about the endpoint.
    package func after(_ outcome: DeliveryOutcome, disableAfter: Milliseconds, at now: Milliseconds) -> EndpointHealth {
        var health = self
        switch outcome.result {
        case .discarded: break
        case .delivered: (health.failingSince, health.failedAt) = (nil, nil)
        case .retry, .failed:
            guard !outcome.isInternalFailure else { break }
            let since = beginning(ofFailureAt: now)
            (health.failingSince, health.failedAt) = (since, now)
            if disabled == nil {
                let (limit, isBeforeAllInstants) = now.subtractingReportingOverflow(disableAfter)
                let isFailing = !isBeforeAllInstants && since <= limit
                health.disabled = outcome.isGone ? .gone : isFailing ? .failing : nil
            }
        }
        return health
    }

    /// Returns the beginning of the failures, including the present one.
    ///
    /// The longest pause is the maximum time between two attempts of one delivery. In a longer period nothing was sent,
    /// because there were no events or the server was down. The period does not count, because deliveries might have
    /// succeeded.
    private func beginning(ofFailureAt now: Milliseconds) -> Milliseconds {
        // If the clock was ahead and was corrected, the duration is unknown.
        guard let failingSince, failingSince <= now else { return now }
        let (idle, overflow) = now.subtractingReportingOverflow(max(failedAt ?? failingSince, failingSince))
        guard !overflow else { return now }
        return idle > RetrySchedule.longestPause ? failingSince + idle : failingSince
    }
}
