/// How an endpoint does, and what an attempt makes of it.
package struct EndpointHealth: Sendable, Hashable {
    /// Since when nothing has arrived, while something was sent. It moves on with time in which nothing was tried.
    package var failingSince: Milliseconds?
    /// When an attempt failed last; nil where that was not written down yet. All time since ``failingSince`` counts as idle then:
    /// an endpoint begins anew at its first failure after an update.
    package var failedAt: Milliseconds?
    /// Why nothing is sent there; nil while something is.
    package var disabled: DisableReason?

    package init(
        failingSince: Milliseconds? = nil, failedAt: Milliseconds? = nil, disabled: DisableReason? = nil
    ) {
        (self.failingSince, self.failedAt, self.disabled) = (failingSince, failedAt, disabled)
    }

    /// The health after an attempt: an endpoint that says it is gone is switched off at once, one that has failed for
    /// longer than `patience` too. What never came to sending says nothing about it.
    package func after(_ outcome: DeliveryOutcome, patience: Milliseconds, at now: Milliseconds) -> EndpointHealth {
        var health = self
        switch outcome.result {
        case .discarded: break
        case .delivered: (health.failingSince, health.failedAt) = (nil, nil)
        case .again, .failed:
            guard !outcome.isOurFault else { break }
            let since = beginning(ofFailureAt: now)
            (health.failingSince, health.failedAt) = (since, now)
            if disabled == nil { health.disabled = outcome.isGone ? .gone : since <= now - patience ? .failing : nil }
        }
        return health
    }

    /// Since when the endpoint has failed, now that it has failed again.
    ///
    /// Between two attempts of one delivery lies the longest pause at most. In a longer time nothing was tried, since nothing
    /// happened or the server was down, and nobody knows whether anything would have arrived: it does not count.
    private func beginning(ofFailureAt now: Milliseconds) -> Milliseconds {
        // Nor does a clock that was ahead and is right again say how long it has been.
        guard let failingSince, failingSince <= now else { return now }
        let (idle, overflow) = now.subtractingReportingOverflow(max(failedAt ?? failingSince, failingSince))
        guard !overflow else { return now }
        return idle > RetrySchedule.longestPause ? failingSince + idle : failingSince
    }
}
