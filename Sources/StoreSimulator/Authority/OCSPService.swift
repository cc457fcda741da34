internal import Basics
package import Foundation
internal import X509

/// Answers OCSP requests for all certificates of a simulator's authority, with a configurable mode for each
/// certificate. Does not depend on HTTP: a reply contains its delay as a number, and nil means no response.
package struct OCSPService: Sendable {
    /// A certificate of the authority.
    package enum Subject: Sendable, Hashable {
        /// The intermediate certificates of all generations.
        case intermediate
        case leaf(generation: Int)
        case receiptIntermediate
        case receiptLeaf
    }

    /// How requests are answered.
    package enum Mode: Sendable, Hashable {
        case good
        case revoked(at: Date)
        /// The status `unknown`.
        case unknown
        /// The status `good` in a response that expired a day ago, by the real and the simulated clock.
        case expired
        /// The status `good`, after a delay in seconds.
        case slow(seconds: TimeInterval)
        /// The status `good` with an invalid signature.
        case wrong
        /// The connection closes without a response.
        case unreachable
    }

    /// The reply to a request.
    package struct Reply: Sendable, Hashable {
        /// The body of the `application/ocsp-response`. Its HTTP status is always 200. Nil means that there is no
        /// response.
        package let body: Data?
        /// The delay before the response, in seconds.
        package let delay: TimeInterval
    }

    /// How long responses and the revocation list are valid, in seconds.
    static let lifetime: TimeInterval = 12 * 3600
    /// The maximum delay in seconds.
    package static let maximumDelay: TimeInterval = 600

    /// The mode of certificates that are not in `modes`.
    package var defaultMode = Mode.good
    package var modes: [Subject: Mode] = [:]

    private let authority: StoreAuthority

    package init(_ authority: StoreAuthority) { self.authority = authority }

    /// Answers the body of a POST (RFC 6960 appendix A.1).
    ///
    /// - Parameter times: The range between the real and the simulated time. Clients use either clock, and a good
    ///   response is valid by both.
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
        // The comparison makes NaN no delay.
        case .slow(let seconds): delay = seconds > 0 ? min(seconds, Self.maximumDelay) : 0
        case .wrong: responder.forgesSignature = true
        case .unreachable: return Reply(body: nil, delay: 0)
        }
        guard let body = try? responder.answer(query) else { return .failure(.internalError) }
        return Reply(body: body, delay: delay)
    }

    /// Answers a GET request. `path` is the rest of the path after the responder: the request in base64, with or
    /// without percent-encoding.
    package func reply(toPath path: some StringProtocol, times: ClosedRange<Date>) -> Reply {
        // Percent-encoding triples the length of the base64 text.
        guard path.utf8.count <= OCSPQuery.maximumSize * 4, let base64 = String(percentEncoded: path.utf8),
            let request = Base64.decode(base64)
        else { return .failure(.malformedRequest) }
        return reply(to: request, times: times)
    }

    /// Returns the certificate that a request is about (nil if it was never issued) and its issuer. Returns nil if the
    /// issuer is not part of this authority.
    private func find(_ query: OCSPQuery) -> (subject: Subject?, issuer: Issued)? {
        let root = authority.root
        let generations = authority.generations
        if query.matches(issuer: root) {
            let isOurs = generations.contains { query.matches($0.intermediate) }
            return (isOurs ? .intermediate : nil, root)
        }
        // The intermediates of all generations have the same name and key.
        if let intermediate = generations.last?.intermediate, query.matches(issuer: intermediate) {
            let leaf = generations.first { query.matches($0.leaf) }
            return (leaf.map { .leaf(generation: $0.number) }, leaf?.intermediate ?? intermediate)
        }
        guard let receipts = authority.existingReceiptAuthority else { return nil }
        if query.matches(issuer: receipts.root) {
            return (query.matches(receipts.intermediate) ? .receiptIntermediate : nil, receipts.root)
        }
        if query.matches(issuer: receipts.intermediate) {
            return (query.matches(receipts.leaf) ? .receiptLeaf : nil, receipts.intermediate)
        }
        return nil
    }
}

extension OCSPQuery {
    func matches(_ issued: Issued) -> Bool { serialNumber.elementsEqual(issued.certificate.serialNumber.bytes) }
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
