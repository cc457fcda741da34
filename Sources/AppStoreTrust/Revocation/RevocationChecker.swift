internal import Basics
package import Foundation
internal import Synchronization
internal import X509

/// Knows whether certificates are revoked, and asks when it does not.
///
/// An answer is kept until it ends and renewed in the background before that. What could not be learned is kept as well,
/// for a pause. At most one question about a certificate is in flight, however many verifications wait. Where both
/// certificates of a chain are known, a verification costs one short lock: no question is written, no task started.
///
/// Answers are judged by `now`, which may be a simulated clock. Pauses and limits go by a clock that only moves forward; where
/// unknown means refused, a pause ends too when the date has moved on by as much.
package final class RevocationChecker: Sendable {
    private let options: RevocationOptions
    private let now: @Sendable () -> Date
    private let clock: WaitingClock
    private let entries = Mutex<[RevocationSubject.ID: RevocationEntry]>([:])

    /// More certificates than this are never in use at once; proven chains only get here.
    private static let capacity = 128

    package init(_ options: RevocationOptions, now: @escaping @Sendable () -> Date) {
        self.options = options
        self.now = now
        clock = WaitingClock(options.clock)
    }

    /// What is known about a chain's leaf and intermediate. The root is an anchor and is asked about nowhere.
    ///
    /// - Throws: `revoked`; with the policy `hard` also `revocation_unknown`.
    package func finding(for chain: CertificateChain) async throws(VerificationError) -> RevocationFinding {
        guard options.policy != .off else { return .notChecked }
        let now = now()
        let moment = RevocationMoment(date: now, reading: clock.now(), options: options)
        let ids = RevocationSubject.IDs(chain)
        let (leaf, intermediate) = entries.withLock { entries in
            (entries[ids.leaf]?.settled(at: moment), entries[ids.intermediate]?.settled(at: moment))
        }
        if let leaf, let intermediate { return try finding(leaf, intermediate, chain) }
        async let first = outcome(for: RevocationSubject(chain.leaf, chain.intermediate, ids.leaf), moment)
        async let second = outcome(for: RevocationSubject(chain.intermediate, chain.root, ids.intermediate), moment)
        return try await finding(first, second, chain)
    }

    /// What is known already of a chain that has signed something long ago. Nobody is asked: what a responder says is about
    /// now.
    ///
    /// - Throws: `revoked`.
    package func knownFinding(for chain: CertificateChain) throws(VerificationError) -> RevocationFinding {
        guard options.policy != .off else { return .notChecked }
        let ids = RevocationSubject.IDs(chain)
        let answers = entries.withLock { entries in [entries[ids.leaf]?.answer, entries[ids.intermediate]?.answer] }
        for (answer, certificate) in zip(answers, [chain.leaf, chain.intermediate]) {
            guard case .revoked(let date)? = answer?.status else { continue }
            throw VerificationError(
                .revoked, "\(certificate.subject) was revoked at \(date.formatted(.iso8601))")
        }
        return RevocationFinding(
            status: .notChecked, explanation: "signed long ago, judged at the signing date without asking a responder")
    }

    private func finding(
        _ leaf: RevocationOutcome, _ intermediate: RevocationOutcome, _ chain: CertificateChain
    ) throws(VerificationError) -> RevocationFinding {
        var oldest = Date.distantFuture
        var problem: String?
        for (outcome, isLeaf) in [(leaf, true), (intermediate, false)] {
            switch outcome {
            case .answer(let answer):
                if case .revoked(let date) = answer.status {
                    let certificate = isLeaf ? chain.leaf : chain.intermediate
                    throw VerificationError(
                        .revoked, "\(certificate.subject) was revoked at \(date.formatted(.iso8601))")
                }
                oldest = min(oldest, answer.thisUpdate)
            case .unknown(let explanation):
                problem = problem ?? explanation
            }
        }
        // Only now: what is unknown about one certificate must not hide that the other is revoked.
        if let problem {
            guard options.policy != .hard else { throw VerificationError(.revocationUnknown, problem) }
            return RevocationFinding(status: .unknown, explanation: problem)
        }
        return RevocationFinding(status: .good, age: max(0, now().timeIntervalSince(oldest)))
    }

    /// Asks if it is time to, and waits if there is nothing to go by meanwhile.
    private func outcome(for subject: RevocationSubject, _ moment: RevocationMoment) async -> RevocationOutcome {
        let (isToAsk, known) = entries.withLock { entries -> (Bool, RevocationOutcome?) in
            var entry = entries[subject.id] ?? RevocationEntry()
            let isToAsk = entry.isQuestionDue(at: moment)
            if isToAsk {
                Self.makeRoom(in: &entries)
                entry.isAsking = true
            }
            entries[subject.id] = entry
            return (isToAsk, entry.usable(at: moment))
        }
        // Shared by all who wait and living on when one of them is cancelled, so no child of any; the time limit ends it.
        if isToAsk { Task { await self.ask(about: subject) } }
        if let known { return known }
        return await withCheckedContinuation { continuation in
            // The question may have come to its end meanwhile.
            let outcome = entries.withLock { entries -> RevocationOutcome? in
                guard var entry = entries[subject.id], entry.isAsking, !entry.isReleased else {
                    return entries[subject.id]?.last(at: moment)
                        ?? .unknown("the responder's answer is no longer known")
                }
                entry.waiting.append(continuation)
                entries[subject.id] = entry
                return nil
            }
            if let outcome { continuation.resume(returning: outcome) }
        }
    }

    /// A time in seconds as a duration; what is negative or no number is none, and thirty years are enough.
    private static func duration(_ seconds: TimeInterval) -> Duration {
        .seconds(seconds > 0 ? min(seconds, 1_000_000_000) : 0)
    }

    private static func makeRoom(in entries: inout [RevocationSubject.ID: RevocationEntry]) {
        guard entries.count >= capacity else { return }
        entries = entries.filter { $0.value.isAsking }
    }

    private func ask(about subject: RevocationSubject) async {
        let asked = now()
        let result: Result<OCSPAnswer, any Error>
        do {
            let question = try subject.question()
            guard let responder = subject.responder(among: options.allowedHosts) else {
                throw OCSPProblem("\(subject.certificate.subject) names no responder that may be asked")
            }
            let data = try await response(to: question, from: responder, about: subject.id)
            guard data.count <= options.maximumResponseBytes else { throw OCSPProblem("the answer is too large") }
            result = .success(try OCSPAnswer(der: data, to: question, issuer: subject.issuer, now: now()))
        } catch {
            result = .failure(error)
        }
        settle(subject.id, result, asked: asked)
    }

    private enum Event: Sendable {
        case response(Result<Data, any Error>)
        case waitedLongEnough
    }

    /// The transport's response within the time limit. Whoever is let in without an answer waits for less.
    private func response(
        to question: OCSPQuestion, from responder: URL, about id: RevocationSubject.ID
    ) async throws -> Data {
        let request = try question.request()
        return try await withThrowingTaskGroup(of: Event.self) { [options, clock] group in
            group.addTask {
                do {
                    let data = try await options.transport.answer(
                        to: request, from: responder, maximumBytes: options.maximumResponseBytes)
                    return .response(.success(data))
                } catch {
                    return .response(.failure(OCSPProblem(transport: error)))
                }
            }
            group.addTask {
                try await clock.sleep(Self.duration(options.timeLimit))
                throw OCSPProblem("the responder did not answer within \(options.timeLimit) s")
            }
            if options.policy == .soft, options.maximumWait < options.timeLimit {
                group.addTask {
                    try await clock.sleep(Self.duration(options.maximumWait))
                    return .waitedLongEnough
                }
            }
            defer { group.cancelAll() }
            while let event = try await group.next() {
                switch event {
                case .response(let result): return try result.get()
                case .waitedLongEnough: release(id)
                }
            }
            throw CancellationError()
        }
    }

    /// Lets go of those who wait for a question that goes on without them; nobody joins it from now on.
    private func release(_ id: RevocationSubject.ID) {
        finish(id) { entry in
            entry.isReleased = true
            entry.problem = "the responder has not answered within \(options.maximumWait) s"
        }
    }

    /// Keeps what came of a question, and tells those who wait.
    private func settle(_ id: RevocationSubject.ID, _ result: Result<OCSPAnswer, any Error>, asked: Date) {
        let (reading, date) = (clock.now(), now())
        // A simulated date that has jumped since makes any answer useless, which says nothing of the responder.
        let hasJumped = date.timeIntervalSince(asked) > max(options.pauseAfterFailure, options.timeLimit)
        finish(id) { entry in
            entry.isAsking = false
            entry.isReleased = false
            entry.pause =
                hasJumped ? nil : (end: reading + Self.duration(options.pauseAfterFailure), start: date)
            switch result {
            case .success(let answer): entry.take(answer)
            case .failure(let error): entry.problem = OCSPProblem(reading: error).description
            }
        }
    }

    private func finish(_ id: RevocationSubject.ID, _ change: (inout RevocationEntry) -> Void) {
        let moment = RevocationMoment(date: now(), reading: clock.now(), options: options)
        let (waiting, outcome) = entries.withLock { entries in
            var entry = entries[id] ?? RevocationEntry()
            change(&entry)
            let waiting = entry.waiting
            entry.waiting = []
            entries[id] = entry
            return (waiting, entry.last(at: moment))
        }
        for continuation in waiting { continuation.resume(returning: outcome) }
    }
}
