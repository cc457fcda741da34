internal import Ledger
internal import Synchronization

extension WebhookDispatcher {
    /// Has an endpoint pause after an attempt, or ends its pauses: see ``EndpointBackoff``. They end with the
    /// process, and the next one finds out anew.
    ///
    /// - Returns: Whether this is the first pause.
    func slowDown(after outcome: DeliveryOutcome, _ state: inout State) -> Bool {
        let endpoint = outcome.endpoint
        let last = state.pauses[endpoint]
        let isPausing = last.map { !clock.isOver($0) } ?? false
        switch state.backoffs[endpoint, default: EndpointBackoff()].record(outcome, isPausing: isPausing) {
        case .nothing: return false
        case .pause(let length):
            state.pauses[endpoint] = clock.pause(of: length)
            return last == nil
        case .resume:
            Self.resume(endpoint, &state)
            return false
        }
    }

    /// Until when nothing is sent to an endpoint; nil while it does not pause.
    func pausedUntil(_ endpoint: WebhookEndpoint) -> Milliseconds? {
        guard endpoint.disabled == nil, let pause = state.withLock({ $0.pauses[endpoint.id] }), !clock.isOver(pause)
        else { return nil }
        return pause.until
    }

    /// Ends the pauses of an endpoint: whoever has something sent there believes that it works.
    func resume(_ endpoint: Int64) {
        state.withLock { Self.resume(endpoint, &$0) }
        wake()
    }

    private static func resume(_ endpoint: Int64, _ state: inout State) {
        state.backoffs[endpoint] = nil
        state.pauses[endpoint] = nil
    }
}
