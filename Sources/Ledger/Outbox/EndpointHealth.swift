/// How an endpoint does, and what an attempt makes of it.
package struct EndpointHealth: Sendable, Hashable {
    /// Since when nothing has arrived, while something was sent.
    package var failingSince: Milliseconds?
    /// Why nothing is sent there; nil while something is.
    package var disabled: DisableReason?

    package init(failingSince: Milliseconds? = nil, disabled: DisableReason? = nil) {
        self.failingSince = failingSince
        self.disabled = disabled
    }

    /// The health after an attempt: an endpoint that says it is gone is switched off at once, one that has failed for
    /// longer than `patience` too. What never came to sending says nothing about it.
    package func after(_ outcome: DeliveryOutcome, patience: Milliseconds, at now: Milliseconds) -> EndpointHealth {
        var health = self
        switch outcome.result {
        case .discarded: break
        case .delivered: health.failingSince = nil
        case .again, .failed:
            guard !outcome.isOurFault else { break }
            let since = failingSince ?? now
            health.failingSince = since
            if disabled == nil { health.disabled = outcome.isGone ? .gone : since <= now - patience ? .failing : nil }
        }
        return health
    }
}
