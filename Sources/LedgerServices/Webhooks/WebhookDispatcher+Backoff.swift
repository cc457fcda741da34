internal import Ledger
internal import Synchronization

extension WebhookDispatcher {
    /// Starts or ends the pauses of an endpoint after an attempt: see ``EndpointBackoff``. Pauses are not stored: after
    /// a restart the backoff begins anew.
    ///
    /// - Returns: Whether this is the endpoint's first pause.
    func updateBackoff(after outcome: DeliveryOutcome, _ state: inout State) -> Bool {
        let endpoint = outcome.endpoint
        let last = state.pauses[endpoint]
        let isPausing = last.map { !clock.isOver($0) } ?? false
        switch state.backoffs[endpoint, default: EndpointBackoff()].record(outcome, isPausing: isPausing) {
        case .nothing: return false
        case .pause(let length):
            state.pauses[endpoint] = clock.pause(of: length)
            return last == nil
        case .resume:
            Self.clearBackoff(of: endpoint, &state)
            return false
        }
    }

    /// Returns the end of an endpoint's current pause; nil if the endpoint does not pause.
    func pausedUntil(_ endpoint: WebhookEndpoint) -> Milliseconds? {
        guard endpoint.disabled == nil, let pause = state.withLock({ $0.pauses[endpoint.id] }), !clock.isOver(pause)
        else { return nil }
        return pause.until
    }

    /// Ends the pauses of an endpoint, because a user who requests a delivery expects that the endpoint works.
    func clearBackoff(of endpoint: Int64) {
        state.withLock { Self.clearBackoff(of: endpoint, &$0) }
        wake()
    }

    private static func clearBackoff(of endpoint: Int64, _ state: inout State) {
        state.backoffs[endpoint] = nil
        state.pauses[endpoint] = nil
    }
}
