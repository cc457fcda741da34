internal import Foundation

/// What is known about the revocation of one certificate.
enum RevocationOutcome: Sendable {
    case answer(OCSPAnswer)
    case unknown(String)
}

/// When something is looked up, by both clocks, and by which rules.
struct RevocationMoment {
    /// The date, by which answers are judged.
    let date: Date
    /// The reading of the clock that only moves forward, by which pauses are judged.
    let reading: Duration
    let options: RevocationOptions
}

/// What is remembered about one certificate. Pure: the time comes in.
struct RevocationEntry {
    /// The last answer that could be used: good or revoked.
    var answer: OCSPAnswer?
    /// Why the last question got no answer; nil when it got one.
    var problem: String?
    /// Whether a question is in flight.
    var isAsking = false
    /// Whether the question in flight has kept others waiting for as long as it may.
    var isReleased = false
    /// Until then nobody asks again, unless the answer has ended: by the clock that only moves forward, and the date at which
    /// the pause began.
    var pause: (end: Duration, start: Date)?
    /// Who waits for the question in flight.
    var waiting: [CheckedContinuation<RevocationOutcome, Never>] = []

    /// Keeps an answer, unless it is older than the one that the certificate was revoked: caches in front of a responder go on
    /// serving what was right before, and whoever is on the way can send it again (RFC 6960 §5).
    mutating func take(_ answer: OCSPAnswer) {
        if let known = self.answer, case .revoked = known.status, answer.thisUpdate < known.thisUpdate {
            problem = "the responder's answer is older than the revocation"
        } else if answer.status == .unknown {
            problem = "the responder does not know the certificate"
            // It takes back what was good before, never a revocation. It is asked about again as after a failure.
            if let known = self.answer, known.status == .good, known.thisUpdate <= answer.thisUpdate {
                self.answer = nil
            }
        } else {
            (self.answer, problem) = (answer, nil)
        }
    }

    /// Whether to ask now.
    func isQuestionDue(at moment: RevocationMoment) -> Bool {
        guard !isAsking else { return false }
        let isPaused = isPaused(at: moment)
        guard problem == nil, let answer else { return !isPaused }
        if moment.date >= answer.expires { return true }
        // Ahead of its end, but not at once again: responders serve one answer for hours.
        return !isPaused && moment.date >= answer.expires - moment.options.refreshAhead
    }

    /// What serves without waiting; nil when the question is worth waiting for.
    func usable(at moment: RevocationMoment) -> RevocationOutcome? {
        if let answer, moment.date < answer.expires { return .answer(answer) }
        guard problem != nil else { return nil }
        // Who would be let in anyway does not wait for another attempt. Who would be refused does.
        return moment.options.policy == .hard && !isPaused(at: moment) ? nil : last(at: moment)
    }

    private func isPaused(at moment: RevocationMoment) -> Bool {
        guard let pause, moment.reading < pause.end else { return false }
        // What is refused comes again later, in a rehearsal by a date that jumps there: it is worth another question.
        return moment.options.policy != .hard
            || moment.date < pause.start.addingTimeInterval(moment.options.pauseAfterFailure)
    }

    /// What serves without waiting and without another question; nil when there is something to do.
    func settled(at moment: RevocationMoment) -> RevocationOutcome? {
        isQuestionDue(at: moment) ? nil : usable(at: moment)
    }

    /// What is known, however the last question ended. An answer past its end serves only while the responder is
    /// silent, and not for long, but what was revoked stays so until the responder says otherwise.
    func last(at moment: RevocationMoment) -> RevocationOutcome {
        guard let answer else { return .unknown(problem ?? "the responder has not answered") }
        if case .revoked = answer.status { return .answer(answer) }
        guard let problem else {
            // It came in this instant, or is still good.
            return .answer(answer)
        }
        return moment.date < answer.expires + moment.options.staleWindow ? .answer(answer) : .unknown(problem)
    }
}
