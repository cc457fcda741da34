internal import Basics
package import Foundation
internal import Synchronization
internal import X509

/// Checks whether certificates are revoked, with OCSP requests and a cache.
///
/// A response is cached until it expires, and renewed in the background before that. Failures are cached too, for a
/// pause. At most one request for a certificate is in flight, however many verifications wait. If both certificates of
/// a chain are cached, a verification only takes one short lock, and starts no task.
///
/// Responses are compared with `now`, which may be a simulated clock. Pauses and limits use a clock that only moves
/// forward. With the policy `hard` a pause also ends when the date has moved on by as much. A response expires by
/// whichever clock is first, so a date that is set back does not extend its use.
package final class RevocationChecker: Sendable {
    private let options: RevocationOptions
    private let now: @Sendable () -> Date
    private let clock: AnyClock
    private let entries = Mutex<[RevocationSubject.ID: RevocationEntry]>([:])

    /// The maximum number of cached certificates. Only verified chains are checked, which use far fewer at a time.
    private static let capacity = 128

    package init(_ options: RevocationOptions, now: @escaping @Sendable () -> Date) {
        self.options = options
        self.now = now
        clock = AnyClock(options.clock)
    }

    /// Returns the revocation status of a chain's leaf and intermediate. The root is an anchor and is not checked.
    ///
    /// - Throws: `revoked`; with the policy `hard` also `revocation_unknown`.
    package func finding(for chain: CertificateChain) async throws(VerificationError) -> RevocationFinding {
        guard options.policy != .off else { return .notChecked }
        let now = now()
        let lookup = RevocationLookup(date: now, reading: clock.now(), options: options)
        let ids = RevocationSubject.IDs(chain)
        let (leaf, intermediate) = entries.withLock { entries in
            (entries[ids.leaf]?.currentOutcome(for: lookup), entries[ids.intermediate]?.currentOutcome(for: lookup))
        }
        if let leaf, let intermediate { return try finding(leaf, intermediate, chain) }
        async let first = outcome(
            for: RevocationSubject(certificate: chain.leaf, issuer: chain.intermediate, id: ids.leaf), lookup)
        async let second = outcome(
            for: RevocationSubject(certificate: chain.intermediate, issuer: chain.root, id: ids.intermediate), lookup)
        return try await finding(first, second, chain)
    }

    /// Returns the cached status of a chain that signed old data. Sends no request, because responders report the
    /// present status.
    ///
    /// - Throws: `revoked`.
    package func knownFinding(for chain: CertificateChain) throws(VerificationError) -> RevocationFinding {
        guard options.policy != .off else { return .notChecked }
        let ids = RevocationSubject.IDs(chain)
        let responses = entries.withLock { entries in
            [entries[ids.leaf]?.response, entries[ids.intermediate]?.response]
        }
        for (response, certificate) in zip(responses, [chain.leaf, chain.intermediate]) {
            try response?.requireNotRevoked(certificate)
        }
        return RevocationFinding(
            status: .notChecked,
            explanation: "signed long ago and verified as of the signing date, without a request to the responder")
    }

    private func finding(
        _ leaf: RevocationOutcome, _ intermediate: RevocationOutcome, _ chain: CertificateChain
    ) throws(VerificationError) -> RevocationFinding {
        var oldest = Date.distantFuture
        var problem: String?
        for (outcome, isLeaf) in [(leaf, true), (intermediate, false)] {
            switch outcome {
            case .response(let response):
                try response.requireNotRevoked(isLeaf ? chain.leaf : chain.intermediate)
                oldest = min(oldest, response.thisUpdate)
            case .unknown(let explanation):
                problem = problem ?? explanation
            }
        }
        // Only after both are checked: an unknown status must not hide that the other certificate is revoked.
        if let problem {
            guard options.policy != .hard else { throw VerificationError(.revocationUnknown, problem) }
            return RevocationFinding(status: .unknown, explanation: problem)
        }
        return RevocationFinding(status: .good, age: max(0, now().timeIntervalSince(oldest)))
    }

    /// Sends a request if one is due, and waits for it if no cached status is usable.
    private func outcome(for subject: RevocationSubject, _ lookup: RevocationLookup) async -> RevocationOutcome {
        let (isDue, known) = entries.withLock { entries -> (Bool, RevocationOutcome?) in
            var entry = entries[subject.id] ?? RevocationEntry()
            let isDue = entry.isRequestDue(for: lookup)
            if isDue {
                Self.evictIdleEntries(in: &entries)
                entry.isRequesting = true
            }
            entries[subject.id] = entry
            return (isDue, entry.usableOutcome(for: lookup))
        }
        // An unstructured task: it is shared by all waiting verifications, and continues if one of them is cancelled.
        // The time limit ends it.
        if isDue { Task { await self.sendRequest(for: subject) } }
        if let known { return known }
        return await withCheckedContinuation { continuation in
            // The request may have ended meanwhile.
            let outcome = entries.withLock { entries -> RevocationOutcome? in
                guard var entry = entries[subject.id], entry.isRequesting, !entry.hasReleasedWaiters else {
                    return entries[subject.id]?.lastOutcome(for: lookup)
                        ?? .unknown("the responder's answer is no longer cached")
                }
                entry.waiters.append(continuation)
                entries[subject.id] = entry
                return nil
            }
            if let outcome { continuation.resume(returning: outcome) }
        }
    }

    /// Converts seconds to a duration. Negative values and NaN become zero; the maximum is thirty years.
    static func duration(_ seconds: TimeInterval) -> Duration {
        .seconds(seconds > 0 ? min(seconds, 1_000_000_000) : 0)
    }

    private static func evictIdleEntries(in entries: inout [RevocationSubject.ID: RevocationEntry]) {
        guard entries.count >= capacity else { return }
        entries = entries.filter { $0.value.isRequesting }
    }

    private func sendRequest(for subject: RevocationSubject) async {
        let requestDate = now()
        let result: Result<VerifiedOCSPResponse, any Error>
        do {
            let request = try subject.request()
            guard let responder = subject.responder(among: options.allowedHosts) else {
                throw OCSPProblem("\(subject.certificate.subject) names no responder that may be asked")
            }
            let data = try await response(to: request, from: responder, about: subject.id)
            guard data.count <= options.maximumResponseBytes else { throw OCSPProblem("the answer is too large") }
            result = .success(try VerifiedOCSPResponse(der: data, to: request, issuer: subject.issuer, now: now()))
        } catch {
            result = .failure(error)
        }
        complete(subject.id, result, requestDate: requestDate)
    }

    /// Returns the transport's response within the time limit. With the policy `soft`, verifications wait only up to
    /// `maximumWait`.
    private func response(
        to request: OCSPRequest, from responder: URL, about id: RevocationSubject.ID
    ) async throws -> Data {
        let body = try request.encoded()
        return try await withThrowingTaskGroup(of: Data?.self) { [options, clock] group in
            group.addTask {
                do {
                    return try await options.transport.send(
                        body, to: responder, maximumResponseBytes: options.maximumResponseBytes)
                } catch {
                    throw OCSPProblem(transport: error)
                }
            }
            group.addTask {
                try await clock.sleep(Self.duration(options.timeLimit))
                throw OCSPProblem("the responder did not answer within \(options.timeLimit) s")
            }
            if options.policy == .soft, options.maximumWait < options.timeLimit {
                group.addTask {
                    try await clock.sleep(Self.duration(options.maximumWait))
                    return nil
                }
            }
            defer { group.cancelAll() }
            while let data = try await group.next() {
                if let data { return data }
                // The maximum wait has elapsed.
                releaseWaiters(id)
            }
            throw CancellationError()
        }
    }

    /// Resumes the verifications that wait for a request, which continues without them. Later verifications do not wait
    /// for it.
    private func releaseWaiters(_ id: RevocationSubject.ID) {
        finish(id) { entry in
            entry.hasReleasedWaiters = true
            entry.problem = "the responder has not answered within \(options.maximumWait) s"
        }
    }

    /// Stores the result of a request, and resumes the verifications that wait for it.
    private func complete(
        _ id: RevocationSubject.ID, _ result: Result<VerifiedOCSPResponse, any Error>, requestDate: Date
    ) {
        let (reading, date) = (clock.now(), now())
        // If a simulated date has jumped during the request, the response is useless, but the responder is not at
        // fault: do not pause.
        let hasJumped = date.timeIntervalSince(requestDate) > max(options.pauseAfterFailure, options.timeLimit)
        finish(id) { entry in
            entry.isRequesting = false
            entry.hasReleasedWaiters = false
            entry.pause =
                hasJumped ? nil : (end: reading + Self.duration(options.pauseAfterFailure), start: date)
            switch result {
            case .success(let response):
                entry.store(response, until: reading + Self.duration(response.expires.timeIntervalSince(date)))
            case .failure(let error): entry.problem = OCSPProblem(reading: error).description
            }
        }
    }

    private func finish(_ id: RevocationSubject.ID, _ change: (inout RevocationEntry) -> Void) {
        let lookup = RevocationLookup(date: now(), reading: clock.now(), options: options)
        let (waiters, outcome) = entries.withLock { entries in
            var entry = entries[id] ?? RevocationEntry()
            change(&entry)
            let waiters = entry.waiters
            entry.waiters = []
            entries[id] = entry
            return (waiters, entry.lastOutcome(for: lookup))
        }
        for continuation in waiters { continuation.resume(returning: outcome) }
    }
}
