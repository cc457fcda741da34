internal import Crypto
package import Foundation
internal import X509

/// A leaf certificate of a simulator's authority with the intermediate that issued it. Generations never change, so
/// signed texts can be assembled again from their signatures as long as the authority exists.
package struct SigningGeneration: Sendable {
    package let intermediate: Issued
    package let leaf: Issued
    /// The signer with the leaf's key.
    package let signer: PayloadSigner

    /// The serial number of the leaf.
    package var serialNumber: Data { Data(leaf.certificate.serialNumber.bytes) }

    /// The number of the generation, from 1.
    package var number: Int { signer.generation }

    init(number: Int, root: Issued, intermediate: Issued, leaf: Issued, key: P256.Signing.PrivateKey) {
        self.intermediate = intermediate
        self.leaf = leaf
        signer = PayloadSigner(generation: number, chain: [leaf.der, intermediate.der, root.der], key: key)
    }

    /// Whether both certificates are valid during `validity` and name these OCSP responders.
    func fits(_ validity: ClosedRange<Date>, _ urls: Authority.URLs) -> Bool {
        intermediate.covers(validity) && leaf.covers(validity) && intermediate.names(responder: urls.rootResponder)
            && leaf.names(responder: urls.intermediateResponder)
    }
}

extension Issued {
    /// Whether the certificate is valid during the whole of `validity`.
    func covers(_ validity: ClosedRange<Date>) -> Bool {
        certificate.notValidBefore <= validity.lowerBound && validity.upperBound <= certificate.notValidAfter
    }

    /// Whether the certificate names this OCSP responder.
    func names(responder: String) -> Bool {
        // Ignore an unreadable extension: it names no responder.
        let access = try? certificate.extensions.authorityInformationAccess
        return access?.contains(.init(method: .ocspServer, location: .uniformResourceIdentifier(responder))) ?? false
    }
}
