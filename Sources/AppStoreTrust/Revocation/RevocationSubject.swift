internal import Foundation
internal import X509

/// A certificate of a verified chain whose revocation is checked, and its issuer.
struct RevocationSubject: Sendable {
    /// Identifies a certificate: the SHA-256 of the certificate and of its issuer's certificate.
    struct ID: Hashable, Sendable {
        let certificate: String
        let issuer: String
    }

    /// The identifiers of the leaf and the intermediate of a chain.
    struct IDs {
        let leaf: ID
        let intermediate: ID

        init(_ chain: CertificateChain) {
            var prints = chain.certificates.lazy.map(\.fingerprint).makeIterator()
            let (leaf, intermediate, root) = (prints.next() ?? "", prints.next() ?? "", prints.next() ?? "")
            self.leaf = ID(certificate: leaf, issuer: intermediate)
            self.intermediate = ID(certificate: intermediate, issuer: root)
        }
    }

    let certificate: Certificate
    let issuer: Certificate
    let id: ID

    /// Returns the content of the OCSP request.
    func request() throws -> OCSPRequest {
        do {
            return try OCSPRequest(certificate: certificate, issuer: issuer)
        } catch {
            throw OCSPProblem("the issuer's name cannot be written")
        }
    }

    /// Returns the responder that the certificate names, if its host is one of `hosts`.
    func responder(among hosts: Set<String>) -> URL? {
        // Ignore an unreadable extension: it names no responder.
        guard let access = try? certificate.extensions.authorityInformationAccess else { return nil }
        for description in access where description.method == .ocspServer {
            guard case .uniformResourceIdentifier(let text) = description.location, let url = URL(string: text),
                let host = url.host()?.lowercased(), hosts.contains(host),
                url.scheme == "http" || url.scheme == "https", url.user() == nil
            else { continue }
            return url
        }
        return nil
    }
}
