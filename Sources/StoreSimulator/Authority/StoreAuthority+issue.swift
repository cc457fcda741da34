internal import Basics
internal import Crypto
internal import Foundation
internal import SwiftASN1
internal import X509

extension StoreAuthority {
    /// Issues the next generation. Issues a new intermediate only if the last one does not cover `validity` or names
    /// another responder.
    static func next(
        after generations: [SigningGeneration], _ name: String, _ root: Issued, _ validity: ClosedRange<Date>,
        _ urls: Authority.URLs, keepsKey: Bool
    ) throws(SimulatorError) -> SigningGeneration {
        guard generations.count < maximumGenerations else {
            throw SimulatorError(.limitReached, "an authority has at most \(maximumGenerations) leaves")
        }
        let last = generations.last
        return try attempting("issuing a leaf") {
            let intermediate: Issued
            if let last, last.intermediate.covers(validity), last.intermediate.names(responder: urls.rootResponder) {
                intermediate = last.intermediate
            } else {
                intermediate = try Authority.intermediateTemplate(name, validity: validity, urls: urls)
                    .issue(for: last?.intermediate.key ?? .init(P384.Signing.PrivateKey()), by: root)
            }
            let key: P256.Signing.PrivateKey
            if keepsKey, let last {
                key = try P256.Signing.PrivateKey(pemRepresentation: last.leaf.key.serializeAsPEM().pemString)
            } else {
                key = P256.Signing.PrivateKey()
            }
            let leaf = try Authority.leafTemplate(name, validity: validity, urls: urls)
                .issue(for: .init(key), by: intermediate)
            return SigningGeneration(
                number: generations.count + 1, root: root, intermediate: intermediate, leaf: leaf, key: key)
        }
    }

    /// Returns the URLs for certificates below a base URL.
    static func urls(below base: URL) throws(SimulatorError) -> Authority.URLs {
        var text = base.absoluteString
        while text.hasSuffix("/") { text.removeLast() }
        // The URL has to fit into an IA5String of a certificate, and its path into a request line.
        guard base.isHTTP, base.query() == nil, base.fragment() == nil, base.user() == nil,
            text.utf8.count <= 1000, text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
        else {
            throw SimulatorError(.invalidArgument, "the OCSP base URL is not a plain http or https URL")
        }
        return Authority.URLs(
            rootResponder: "\(text)/root", intermediateResponder: "\(text)/intermediate",
            intermediateCertificate: "\(text)/intermediate.cer", rootRevocationList: "\(text)/root.crl")
    }

    /// Returns the validity of the root: 30 years longer at both ends than that of the certificates it issues, so that
    /// it also covers other simulated times.
    static func rootValidity(around validity: ClosedRange<Date>) throws(SimulatorError) -> ClosedRange<Date> {
        guard possible.contains(validity.lowerBound), possible.contains(validity.upperBound) else {
            throw SimulatorError(.invalidArgument, "a certificate is valid between 1950 and 9999")
        }
        let years = 30 * Authority.year
        return max(
            possible.lowerBound, validity.lowerBound - years)...min(possible.upperBound, validity.upperBound + years)
    }

    /// The range of representable times, from the start of UTCTime to the end of GeneralizedTime (RFC 5280 §4.1.2.5).
    private static let possible =
        Date(timeIntervalSince1970: -631_152_000)...Date(timeIntervalSince1970: 253_402_300_799)
}
