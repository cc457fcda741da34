internal import Basics
package import Foundation
internal import X509

/// Answers OCSP requests for every certificate of a simulator's authority, rightly or wrongly, as told for each of them.
/// Knows nothing of HTTP: a delay is a number, and no answer is nil.
package struct OCSPService: Sendable {
    /// A certificate of the authority.
    package enum Subject: Sendable, Hashable {
        /// The intermediate, in all its issues.
        case intermediate
        case leaf(generation: Int)
        case receiptIntermediate
        case receiptLeaf
    }

    /// How a question is answered.
    package enum Mode: Sendable, Hashable {
        case good
        case revoked(at: Date)
        /// The responder says that it does not know the certificate.
        case unknown
        /// Good, but the answer ended a day ago, by both clocks.
        case expired
        /// Good, after so many seconds.
        case slow(seconds: TimeInterval)
        /// Good, with a signature that is wrong.
        case wrong
        /// The connection ends without an answer.
        case unreachable
    }

    /// What goes back.
    package struct Reply: Sendable, Hashable {
        /// The body of an `application/ocsp-response`, with status 200 whatever it says; nil for no answer at all.
        package let body: Data?
        /// How many seconds to wait before it.
        package let delay: TimeInterval
    }

    /// How long answers and the list of revoked certificates hold, in seconds.
    static let lifetime: TimeInterval = 12 * 3600
    /// No reply waits longer, in seconds.
    package static let longestDelay: TimeInterval = 600

    /// For certificates without a mode of their own.
    package var defaultMode = Mode.good
    package var modes: [Subject: Mode] = [:]

    private let authority: StoreAuthority

    package init(_ authority: StoreAuthority) { self.authority = authority }

    /// Answers the body of a POST (RFC 6960 appendix A.1).
    ///
    /// - Parameter times: The real time and the simulated one, and all between: who asks goes by either, and a good answer
    ///   holds by both.
    package func reply(to request: some Collection<UInt8>, times: ClosedRange<Date>) -> Reply {
        guard let query = try? OCSPQuery(der: request) else { return .failure(.malformedRequest) }
        guard let (subject, issuer) = find(query) else { return .failure(.unauthorized) }
        let mode = subject.map { modes[$0] ?? defaultMode } ?? .unknown
        var responder = OCSPResponder(issuer: issuer, now: times.lowerBound)
        responder.nextUpdate = times.upperBound + Self.lifetime
        responder.isNamedByKey = true
        var delay: TimeInterval = 0
        switch mode {
        case .good: break
        case .revoked(let date): responder.status = .revoked(date)
        case .unknown: responder.status = .unknown
        case .expired:
            responder.thisUpdate = times.lowerBound - 2 * 86_400
            responder.nextUpdate = times.lowerBound - 86_400
        // Written so that what is not a number is no delay.
        case .slow(let seconds): delay = seconds > 0 ? min(seconds, Self.longestDelay) : 0
        case .wrong: responder.forgesSignature = true
        case .unreachable: return Reply(body: nil, delay: 0)
        }
        guard let body = try? responder.answer(query) else { return .failure(.internalError) }
        return Reply(body: body, delay: delay)
    }

    /// Answers a GET whose path ends, after the responder's own, with `path`: the request in base64, percent-encoded or
    /// not.
    package func reply(toPath path: some StringProtocol, times: ClosedRange<Date>) -> Reply {
        // Three letters for each of base64.
        guard path.utf8.count <= OCSPQuery.mostBytes * 4, let base64 = String(percentEncoded: path.utf8),
            let request = Base64.decode(base64)
        else { return .failure(.malformedRequest) }
        return reply(to: request, times: times)
    }

    /// The certificate that is asked about, nil for one that was never issued, and who answers for it; nil for a question
    /// that is somebody else's.
    private func find(_ query: OCSPQuery) -> (subject: Subject?, issuer: Issued)? {
        let root = authority.root
        let generations = authority.generations
        if query.names(issuer: root) {
            let isOurs = generations.contains { query.asks(about: $0.intermediate) }
            return (isOurs ? .intermediate : nil, root)
        }
        // All issues of the intermediate have one name and one key.
        if let intermediate = generations.last?.intermediate, query.names(issuer: intermediate) {
            let leaf = generations.first { query.asks(about: $0.leaf) }
            return (leaf.map { .leaf(generation: $0.number) }, leaf?.intermediate ?? intermediate)
        }
        guard let receipts = authority.receiptAuthorityIfMade else { return nil }
        if query.names(issuer: receipts.root) {
            return (query.asks(about: receipts.intermediate) ? .receiptIntermediate : nil, receipts.root)
        }
        if query.names(issuer: receipts.intermediate) {
            return (query.asks(about: receipts.leaf) ? .receiptLeaf : nil, receipts.intermediate)
        }
        return nil
    }
}

extension OCSPQuery {
    func asks(about issued: Issued) -> Bool { serialNumber.elementsEqual(issued.certificate.serialNumber.bytes) }
}

extension OCSPService.Reply {
    /// RFC 6960 §4.2.1, `OCSPResponseStatus`.
    fileprivate enum Failure: UInt8 {
        case malformedRequest = 1
        case internalError = 2
        case unauthorized = 6
    }

    fileprivate static func failure(_ failure: Failure) -> Self {
        Self(body: Data(RawDER.sequence(RawDER.element(0x0A, [failure.rawValue]))), delay: 0)
    }
}
