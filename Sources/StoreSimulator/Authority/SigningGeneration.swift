internal import Crypto
package import Foundation
internal import X509

/// A leaf of a simulator's authority with the intermediate that issued it. A generation never changes: what it signed can
/// be put together again from its signature as long as the authority exists.
package struct SigningGeneration: Sendable {
    package let intermediate: Issued
    package let leaf: Issued
    /// Signs with the leaf.
    package let signer: PayloadSigner

    /// The serial number of the leaf.
    package var serialNumber: Data { Data(leaf.certificate.serialNumber.bytes) }

    /// From 1.
    package var number: Int { signer.generation }

    init(number: Int, root: Issued, intermediate: Issued, leaf: Issued, key: P256.Signing.PrivateKey) {
        self.intermediate = intermediate
        self.leaf = leaf
        signer = PayloadSigner(generation: number, chain: [leaf.der, intermediate.der, root.der], key: key)
    }

    /// Whether both certificates are valid all the time and name these places.
    func fits(_ validity: ClosedRange<Date>, _ places: Authority.Places) -> Bool {
        intermediate.covers(validity) && leaf.covers(validity) && intermediate.names(places.rootResponder)
            && leaf.names(places.intermediateResponder)
    }
}

extension Issued {
    /// Whether the certificate is valid all the time.
    func covers(_ validity: ClosedRange<Date>) -> Bool {
        certificate.notValidBefore <= validity.lowerBound && validity.upperBound <= certificate.notValidAfter
    }

    /// Whether this is the certificate's OCSP responder.
    func names(_ responder: String) -> Bool {
        // What cannot be read names nobody.
        let access = try? certificate.extensions.authorityInformationAccess
        return access?.contains(.init(method: .ocspServer, location: .uniformResourceIdentifier(responder))) ?? false
    }
}
