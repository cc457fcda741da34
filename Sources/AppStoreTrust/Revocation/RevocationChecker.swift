package import Foundation
internal import Synchronization
internal import X509

/// Knows whether certificates are revoked, and asks when it does not.
///
/// An answer is kept until it ends, renewed in the background before that, and asked for by one question at a time
/// however many verifications wait. A known answer costs one short lock, no suspension.
package final class RevocationChecker: Sendable {
    private struct Entry {
        var answer: OCSPAnswer?
        var flight: Task<Outcome, Never>?
        /// Nobody asks before this instant.
        var nextQuestion = Date.distantPast
        /// Why the last question got no answer; nil when it got one.
        var problem: String?
    }

    enum Outcome: Sendable {
        case answer(OCSPAnswer)
        case unknown(String)
    }

    /// More certificates than this are never in use at once; proven chains only get here.
    private static let capacity = 128

    private let options: RevocationOptions
    private let now: @Sendable () -> Date
    private let entries = Mutex<[OCSPQuestion: Entry]>([:])

    package init(_ options: RevocationOptions, now: @escaping @Sendable () -> Date) {
        self.options = options
        self.now = now
    }

    /// What is known about a chain's leaf and intermediate. The root is an anchor and is asked about nowhere.
    ///
    /// - Throws: `revoked`; with the policy `hard` also `revocation_unknown`.
    package func finding(for chain: CertificateChain) async throws(VerificationError) -> RevocationFinding {
        guard options.policy != .off else { return .notChecked }
        async let first = outcome(for: chain.leaf, issuer: chain.intermediate)
        async let second = outcome(for: chain.intermediate, issuer: chain.root)
        var oldest = Date.distantFuture
        var problem: String?
        for (outcome, certificate) in await [(first, chain.leaf), (second, chain.intermediate)] {
            switch outcome {
            case .answer(let answer):
                if case .revoked(let date) = answer.status {
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

    private func outcome(for certificate: Certificate, issuer: Certificate) async -> Outcome {
        let question: OCSPQuestion
        do { question = try OCSPQuestion(certificate: certificate, issuer: issuer) } catch {
            return .unknown("the issuer's name cannot be written")
        }
        guard let responder = responder(of: certificate) else {
            return .unknown("\(certificate.subject) names no responder that may be asked")
        }
        let now = now()
        let (known, flight) = entries.withLock { entries -> (Outcome?, Task<Outcome, Never>?) in
            var entry = entries[question] ?? Entry()
            defer { entries[question] = entry }
            let usable = usable(entry, now)
            if entry.flight == nil, now >= entry.nextQuestion {
                Self.makeRoom(in: &entries)
                // Shared by all who wait and living on when one of them is cancelled, so no child of any; the time limit
                // ends it.
                entry.flight = Task { await self.ask(question, issuer, responder) }
            }
            return (usable, entry.flight)
        }
        if let known { return known }
        return await flight?.value ?? .unknown("the responder did not answer a moment ago")
    }

    /// A known answer that serves without waiting. One past its end serves only while the responder is silent.
    private func usable(_ entry: Entry, _ now: Date) -> Outcome? {
        if let answer = entry.answer, now < answer.expires { return .answer(answer) }
        guard let problem = entry.problem, now < entry.nextQuestion else { return nil }
        if let answer = entry.answer, now < answer.expires + options.staleWindow { return .answer(answer) }
        return .unknown(problem)
    }

    private static func makeRoom(in entries: inout [OCSPQuestion: Entry]) {
        guard entries.count >= capacity else { return }
        entries = entries.filter { $0.value.flight != nil }
    }

    private func ask(_ question: OCSPQuestion, _ issuer: Certificate, _ responder: URL) async -> Outcome {
        let result: Result<OCSPAnswer, any Error>
        do {
            let data = try await withTimeLimit { [options] in
                try await options.transport.answer(
                    to: question.request(), from: responder, maximumBytes: options.maximumResponseBytes)
            }
            guard data.count <= options.maximumResponseBytes else { throw OCSPProblem("the answer is too large") }
            result = .success(try OCSPAnswer(der: data, to: question, issuer: issuer, now: now()))
        } catch {
            result = .failure(error)
        }
        return settle(question, result)
    }

    /// Keeps what came of a question, and says what it means to those who waited.
    private func settle(_ question: OCSPQuestion, _ result: Result<OCSPAnswer, any Error>) -> Outcome {
        let now = now()
        return entries.withLock { entries in
            var entry = entries[question] ?? Entry()
            defer { entries[question] = entry }
            entry.flight = nil
            switch result {
            case .success(let answer):
                entry.answer = answer
                entry.problem = nil
                // Ahead of its end, but not at once again: responders serve one answer for hours.
                let ahead = max(now + options.pauseAfterFailure, answer.expires - options.refreshAhead)
                entry.nextQuestion = min(answer.expires, ahead)
                return .answer(answer)
            case .failure(let error):
                let problem = Self.explanation(of: error)
                entry.problem = problem
                entry.nextQuestion = now + options.pauseAfterFailure
                return usable(entry, now) ?? .unknown(problem)
            }
        }
    }

    private static func explanation(of error: any Error) -> String {
        (error as? OCSPProblem)?.description ?? "no answer that can be read from the responder (\(type(of: error)))"
    }

    private func responder(of certificate: Certificate) -> URL? {
        // An unreadable extension names nobody.
        guard let access = try? certificate.extensions.authorityInformationAccess else { return nil }
        for description in access where description.method == .ocspServer {
            guard case .uniformResourceIdentifier(let text) = description.location, let url = URL(string: text),
                let host = url.host()?.lowercased(), options.allowedHosts.contains(host),
                url.scheme == "http" || url.scheme == "https", url.user() == nil
            else { continue }
            return url
        }
        return nil
    }

    private func withTimeLimit(_ operation: @escaping @Sendable () async throws -> Data) async throws -> Data {
        let limit = options.timeLimit
        return try await withThrowingTaskGroup(of: Data.self) { group in
            group.addTask { try await operation() }
            group.addTask {
                try await Task.sleep(for: .seconds(limit))
                throw OCSPProblem("the responder did not answer within \(limit) s")
            }
            defer { group.cancelAll() }
            guard let first = try await group.next() else { throw CancellationError() }
            return first
        }
    }
}
