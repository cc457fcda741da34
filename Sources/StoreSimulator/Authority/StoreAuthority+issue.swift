internal import Crypto
internal import Foundation
internal import SwiftASN1
internal import X509

extension StoreAuthority {
    /// The generation that follows. The intermediate is issued anew only where the last one does not fit.
    static func next(
        after generations: [SigningGeneration], _ name: String, _ root: Issued, _ validity: ClosedRange<Date>,
        _ places: Authority.Places, keepsKey: Bool
    ) throws(StoreAuthorityError) -> SigningGeneration {
        guard generations.count < mostGenerations else {
            throw StoreAuthorityError(.tooManyLeaves, "an authority has at most \(mostGenerations) leaves")
        }
        let last = generations.last
        return try attempting("issuing a leaf") {
            let intermediate: Issued
            if let last, last.intermediate.covers(validity), last.intermediate.names(places.rootResponder) {
                intermediate = last.intermediate
            } else {
                intermediate = try Authority.intermediateTemplate(name, validity: validity, places: places)
                    .issue(for: last?.intermediate.key ?? .init(P384.Signing.PrivateKey()), by: root)
            }
            let key: P256.Signing.PrivateKey
            if keepsKey, let last {
                key = try P256.Signing.PrivateKey(pemRepresentation: last.leaf.key.serializeAsPEM().pemString)
            } else {
                key = P256.Signing.PrivateKey()
            }
            let leaf = try Authority.leafTemplate(name, validity: validity, places: places)
                .issue(for: .init(key), by: intermediate)
            return SigningGeneration(
                number: generations.count + 1, root: root, intermediate: intermediate, leaf: leaf, key: key)
        }
    }

    /// The places below a base URL.
    static func places(below base: URL) throws(StoreAuthorityError) -> Authority.Places {
        var text = base.absoluteString
        while text.hasSuffix("/") { text.removeLast() }
        // A certificate holds an IA5String, and a request line has to hold the path.
        guard ["http", "https"].contains(base.scheme?.lowercased()), base.host()?.isEmpty == false,
            base.query() == nil, base.fragment() == nil, base.user() == nil, text.utf8.count <= 1000,
            text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
        else {
            throw StoreAuthorityError(.invalidConfiguration, "the OCSP base URL is not a plain http or https URL")
        }
        return Authority.Places(
            rootResponder: "\(text)/root", intermediateResponder: "\(text)/intermediate",
            intermediateCertificate: "\(text)/intermediate.cer", rootRevocationList: "\(text)/root.crl")
    }

    /// The root lives far longer than what it issues, so that another simulated time can use it as well.
    static func rootValidity(around validity: ClosedRange<Date>) throws(StoreAuthorityError) -> ClosedRange<Date> {
        guard possible.contains(validity.lowerBound), possible.contains(validity.upperBound) else {
            throw StoreAuthorityError(.invalidConfiguration, "a certificate is valid between 1950 and 9999")
        }
        let years = 30 * Authority.year
        return max(
            possible.lowerBound, validity.lowerBound - years)...min(possible.upperBound, validity.upperBound + years)
    }

    /// RFC 5280 §4.1.2.5: from the beginning of UTCTime to the end of GeneralizedTime.
    private static let possible =
        Date(timeIntervalSince1970: -631_152_000)...Date(timeIntervalSince1970: 253_402_300_799)
}

extension StoreAuthority.Configuration {
    /// The same for an authority that nobody trusts.
    static func stranger(of other: Self) -> Self {
        var configuration = other
        configuration.name = "Counterfoil Wrong Chain"
        return configuration
    }
}
