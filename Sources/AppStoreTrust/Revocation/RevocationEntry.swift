internal import Basics
internal import Foundation

/// The known revocation status of a certificate.
enum RevocationOutcome: Sendable {
    case response(VerifiedOCSPResponse)
    case unknown(String)
}

/// The time of a lookup, by both clocks, and the options.
struct RevocationLookup {
    /// The date, with which responses are compared.
    let date: Date
    /// The reading of the clock that only moves forward, for pauses.
    let reading: Duration
    let options: RevocationOptions
}

/// The cached state of one certificate. A pure value: the time is an argument.
struct RevocationEntry {
    /// The last usable response: good or revoked.
    var response: VerifiedOCSPResponse?
    /// When the response expires by the clock that only moves forward, so that a date that is set back does not extend
    /// its use.
    private var end = Duration.zero
    /// Why the last request failed; nil if it succeeded.
    var problem: String?
    /// Whether a request is in flight.
    var isRequesting = false
    /// Whether verifications no longer wait for the request in flight, because `maximumWait` has passed.
    var hasReleasedWaiters = false
    /// The pause before the next request, unless the response has expired: its end by the clock that only moves
    /// forward, and the date at which it began.
    var pause: (end: Duration, start: Date)?
    /// The verifications that wait for the request in flight.
    var waiters: [CheckedContinuation<RevocationOutcome, Never>] = []

    /// Stores a response, unless the certificate is revoked according to a newer one. Caches in front of a responder
    /// may serve older responses, and an attacker can replay them (RFC 6960 §5).
    ///
    /// - Parameter end: When the response expires by the clock that only moves forward.
    mutating func store(_ response: VerifiedOCSPResponse, until end: Duration) {
        if let known = self.response, case .revoked = known.status, response.thisUpdate < known.thisUpdate {
            problem = "the responder's answer is older than the revocation"
        } else if response.status == .unknown {
            problem = "the responder does not know the certificate"
            // An unknown status invalidates an older good response, but never a revocation. The next request follows as
            // after a failure.
            if let known = self.response, known.status == .good, known.thisUpdate <= response.thisUpdate {
                self.response = nil
            }
        } else {
            (self.response, self.end, problem) = (response, end, nil)
        }
    }

    /// Whether a request is due.
    func isRequestDue(for lookup: RevocationLookup) -> Bool {
        guard !isRequesting else { return false }
        let isPaused = isPaused(for: lookup)
        guard problem == nil, let response else { return !isPaused }
        if hasExpired(response, for: lookup) { return true }
        // Renew the response before it expires, but not repeatedly: responders serve the same response for hours.
        return !isPaused && lookup.date >= response.expires - lookup.options.refreshAhead
    }

    /// Returns the status that can be used without waiting; nil if the verification should wait for the request.
    func usableOutcome(for lookup: RevocationLookup) -> RevocationOutcome? {
        if let response, !hasExpired(response, for: lookup) { return .response(response) }
        guard problem != nil else { return nil }
        // With `soft` a verification would be accepted anyway, so it does not wait for another attempt. With `hard` it
        // does.
        return lookup.options.policy == .hard && !isPaused(for: lookup) ? nil : lastOutcome(for: lookup)
    }

    private func isPaused(for lookup: RevocationLookup) -> Bool {
        guard let pause, lookup.reading < pause.end else { return false }
        // With `hard`, refused data are sent again later. In a rehearsal the date jumps there, so allow another
        // request.
        return lookup.options.policy != .hard
            || lookup.date < pause.start.addingTimeInterval(lookup.options.pauseAfterFailure)
    }

    /// Returns the status that can be used without waiting and without a request; nil if either is needed.
    func currentOutcome(for lookup: RevocationLookup) -> RevocationOutcome? {
        isRequestDue(for: lookup) ? nil : usableOutcome(for: lookup)
    }

    /// Returns the last known status, however the last request ended. An expired good response is used only while
    /// requests fail, up to `staleWindow`; a revocation holds until the responder says otherwise.
    func lastOutcome(for lookup: RevocationLookup) -> RevocationOutcome {
        guard let response else { return .unknown(problem ?? "the responder has not answered") }
        if case .revoked = response.status { return .response(response) }
        guard let problem else {
            // The response has just arrived, or has not expired.
            return .response(response)
        }
        let isTooOld = hasExpired(
            response, for: lookup, after: RevocationChecker.duration(lookup.options.staleWindow))
        return isTooOld ? .unknown(problem) : .response(response)
    }

    /// Whether a response has expired by either clock, and this much time has passed since.
    private func hasExpired(
        _ response: VerifiedOCSPResponse, for lookup: RevocationLookup, after time: Duration = .zero
    ) -> Bool {
        lookup.date >= response.expires + time.seconds || lookup.reading >= end + time
    }
}
