package import AppStoreTrust
package import Foundation
package import StoreSimulator
internal import X509

/// A chain of three certificates, one of which has one defect. The table is generated: defects × positions.
package struct CertificateForgery: Sendable, CustomStringConvertible {
    package let name: String
    /// The code with which signed data with this chain is refused.
    package let code: VerificationError.Code
    /// The code with which a receipt with this chain is refused.
    package let receiptCode: VerificationError.Code
    private let defect: CertificateDefect
    private let position: CertificateDefect.Position

    package var description: String { name }

    /// Returns all forgeries of a chain; with `withEncodings`, also each forbidden encoding of each of its elements.
    package static func table(of chain: ForgeableChain, withEncodings: Bool) async throws -> ForgeryTable {
        let rows = all(of: chain, withEncodings: withEncodings)
        var chains: [[[UInt8]]] = []
        for await row in Yielding(rows) { chains.append(try chain.forge(row.defect, at: row.position)) }
        return ForgeryTable(rows: rows, chains: chains, chain: chain)
    }

    private static func all(of chain: ForgeableChain, withEncodings: Bool) -> [CertificateForgery] {
        CertificateDefect.Position.allCases.flatMap { (position: CertificateDefect.Position) -> [CertificateForgery] in
            let certificate = chain.certificates[position.rawValue]
            let encodings = withEncodings ? CertificateDefect.encodings(of: certificate, at: position) : []
            return (CertificateDefect.all + encodings).compactMap { defect in
                guard defect.positions.contains(position), chain.fits(defect.keys) else { return nil }
                var changed = certificate
                // A certificate without the field cannot have the defect. Other errors surface when the chain is made.
                do { try defect.change(&changed) } catch is CertificateDefect.Inapplicable { return nil } catch {}
                return CertificateForgery(
                    name: "\(position): \(defect.name)", code: defect.code, receiptCode: defect.receiptCode,
                    defect: defect, position: position)
            }
        }
    }
}

/// The forgeries of a chain, each with the resulting certificates.
package struct ForgeryTable: Sendable {
    package let rows: [CertificateForgery]
    /// DER encoded: leaf, intermediate, root.
    package let chains: [[[UInt8]]]
    fileprivate let chain: ForgeableChain

    /// The chain without a defect.
    package var validChain: [[UInt8]] { chain.certificates.map(\.bytes) }

    /// Returns the forgeries that OpenSSL accepts although no difference is documented, and the documented reasons that
    /// apply to no forgery.
    package func differences(at instant: Date) async throws -> (unexplained: [String], unused: [String]) {
        let accepted = try await OpenSSLVerifier.accepted(chains + [validChain], at: instant)
        let names = rows.indices.filter(accepted.contains).map { rows[$0].name }
        let reasons = Set(names.compactMap(OpenSSLDifference.reason(of:)))
        let unexplained = names.filter { OpenSSLDifference.reason(of: $0) == nil }
        let unused = OpenSSLDifference.all.filter { chain.fits($0.keys) && !reasons.contains($0.reason) }.map(\.reason)
        return (accepted.contains(rows.count) ? unexplained : ["OpenSSL refuses the valid chain"] + unexplained, unused)
    }
}

/// A valid chain and the keys to sign its certificates again.
package struct ForgeableChain: Sendable {
    /// Leaf, intermediate, root.
    let certificates: [DERElement]
    /// The key that signs each certificate.
    private let issuers: [Certificate.PrivateKey]
    private let isRSA: Bool

    package init(leaf: Issued, intermediate: Issued, root: Issued, isRSA: Bool) throws {
        certificates = try [leaf, intermediate, root].map { try DERElement(parsing: $0.der) }
        issuers = [intermediate.key, root.key, root.key]
        self.isRSA = isRSA
    }

    func fits(_ keys: CertificateDefect.Keys) -> Bool {
        switch keys {
        case .any: true
        case .ellipticCurve: !isRSA
        case .rsa: isRSA
        }
    }

    func forge(_ defect: CertificateDefect, at position: CertificateDefect.Position) throws -> [[UInt8]] {
        var chain = certificates
        let index = position.rawValue
        try defect.change(&chain[index])
        // Only if the defect left the fields at their positions.
        let (fields, before) = (chain[index][[0]].elements, certificates[index][[0]].elements)
        if fields.count == before.count, fields.first?.tag == before.first?.tag,
            case let name = chain[index][CertificateDefect.FieldPath.subject],
            name != certificates[index][CertificateDefect.FieldPath.subject]
        {
            if position == .root { chain[index][CertificateDefect.FieldPath.issuer] = name }
            if index > 0 {
                chain[index - 1][CertificateDefect.FieldPath.issuer] = name
                try sign(&chain[index - 1], at: index - 1)
            }
        }
        try sign(&chain[index], at: index, fits: defect.fits)
        try defect.changeSigned(&chain[index])
        return chain.map(\.bytes)
    }

    private func sign(
        _ certificate: inout DERElement, at index: Int, fits: ([UInt8]) -> Bool = { _ in true }
    ) throws {
        for attempt in 0..<64 {
            let signature = try issuers[index].sign(
                bytes: certificate[[0]].bytes,
                signatureAlgorithm: isRSA ? .sha256WithRSAEncryption : .ecdsaWithSHA384
            ).rawRepresentation
            if fits(Array(signature)) {
                certificate[CertificateDefect.FieldPath.signature].octets = [0] + signature
                return
            }
            // RSA signatures are deterministic: another serial number yields another signature.
            let last = certificate[CertificateDefect.FieldPath.serialNumber].octets.count - 1
            certificate[CertificateDefect.FieldPath.serialNumber].octets[last] = UInt8(attempt + 1)
        }
        throw VerificationCases.Unfit(description: "no signature shows the defect")
    }
}
