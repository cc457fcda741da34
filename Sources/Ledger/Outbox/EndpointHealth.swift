/// For how long attempts at an endpoint have failed, and whether it is switched off for that.
package struct EndpointHealth: Sendable, Hashable {
    /// When the first attempt failed since something arrived, put later by every time without attempts; nil while none
    /// has failed. From here to ``failedAt`` is the time with attempts, all of which failed. Between two failures there
    /// is a time without attempts if they are further apart than ``RetrySchedule/longestPause``.
    package var failingSince: Milliseconds?
    /// When an attempt failed last; nil where that was not written down yet. Then ``failingSince`` stands for it: an
    /// endpoint that has failed for longer than the longest pause begins anew at its first failure after an update.
    package var failedAt: Milliseconds?
    /// Why nothing is sent there; nil while something is.
    package var disabled: DisableReason?

    package init(
        failingSince: Milliseconds? = nil, failedAt: Milliseconds? = nil, disabled: DisableReason? = nil
    ) {
        (self.failingSince, self.failedAt, self.disabled) = (failingSince, failedAt, disabled)
    }

    /// The health after an attempt. An endpoint that says it is gone is switched off at once. One that fails is
    /// switched off when its time with attempts is `patience` or longer. What never came to sending says nothing about
    /// it.
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
