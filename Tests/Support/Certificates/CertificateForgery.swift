package import AppStoreTrust
package import Foundation
package import StoreSimulator
internal import X509

/// A chain of three of which one certificate has one defect. The table is generated: defects × positions × places.
package struct CertificateForgery: Sendable, CustomStringConvertible {
    package let name: String
    /// Why signed data with this chain is refused.
    package let code: VerificationError.Code
    /// Why a receipt with it is refused.
    package let receiptCode: VerificationError.Code
    private let defect: CertificateDefect
    private let position: CertificateDefect.Position

    package var description: String { name }

    /// All forgeries of a chain. `withEncodings`: also each way to write each of its elements wrong.
    package static func table(of chain: ForgeableChain, withEncodings: Bool) throws -> ForgeryTable {
        let rows = all(of: chain, withEncodings: withEncodings)
        return ForgeryTable(
            rows: rows, chains: try rows.map { try chain.forge($0.defect, at: $0.position) }, chain: chain)
    }

    private static func all(of chain: ForgeableChain, withEncodings: Bool) -> [CertificateForgery] {
        CertificateDefect.Position.allCases.flatMap { (position: CertificateDefect.Position) -> [CertificateForgery] in
            let certificate = chain.certificates[position.rawValue]
            let encodings = withEncodings ? CertificateDefect.encodings(of: certificate, at: position) : []
            return (CertificateDefect.all + encodings).compactMap { defect in
                guard defect.positions.contains(position), chain.fits(defect.keys) else { return nil }
                var tried = certificate
                // What a certificate has not, it cannot get wrong; every other error shows when the row is made.
                do { try defect.change(&tried) } catch is CertificateDefect.NotThere { return nil } catch {}
                return CertificateForgery(
                    name: "\(position): \(defect.name)", code: defect.code, receiptCode: defect.receiptCode,
                    defect: defect, position: position)
            }
        }
    }
}

/// The rows for a chain, each with what it makes of it.
package struct ForgeryTable: Sendable {
    package let rows: [CertificateForgery]
    /// DER encoded: leaf, intermediate, root.
    package let chains: [[[UInt8]]]
    fileprivate let chain: ForgeableChain

    /// The chain without a defect.
    package var sound: [[UInt8]] { chain.certificates.map(\.bytes) }

    /// The rows that OpenSSL accepts without a known reason, and the reasons for which it accepts none.
    package func differences(at instant: Date) async throws -> (new: [String], gone: [String]) {
        let accepted = try await OpenSSLOpinion.accepted(chains + [sound], at: instant)
        let names = rows.indices.filter(accepted.contains).map { rows[$0].name }
        let reasons = Set(names.compactMap(OpenSSLDifference.reason(of:)))
        let new = names.filter { OpenSSLDifference.reason(of: $0) == nil }
        let gone = OpenSSLDifference.all.filter { chain.fits($0.keys) && !reasons.contains($0.reason) }.map(\.reason)
        return (accepted.contains(rows.count) ? new : ["the sound chain is refused"] + new, gone)
    }
}

/// A sound chain and the keys to sign its certificates again.
package struct ForgeableChain: Sendable {
    /// Leaf, intermediate, root.
    let certificates: [DERElement]
    /// Who signs each of them.
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
        let place = position.rawValue
        try defect.change(&chain[place])
        // Where the fields are still in their places.
        let (fields, before) = (chain[place][[0]].elements, certificates[place][[0]].elements)
        if fields.count == before.count, fields.first?.tag == before.first?.tag,
            case let name = chain[place][CertificateDefect.Place.subject],
            name != certificates[place][CertificateDefect.Place.subject]
        {
            if position == .root { chain[place][CertificateDefect.Place.issuer] = name }
            if place > 0 {
                chain[place - 1][CertificateDefect.Place.issuer] = name
                try sign(&chain[place - 1], at: place - 1)
            }
        }
        try sign(&chain[place], at: place, fits: defect.fits)
        try defect.seal(&chain[place])
        return chain.map(\.bytes)
    }

    private func sign(
        _ certificate: inout DERElement, at place: Int, fits: ([UInt8]) -> Bool = { _ in true }
    ) throws {
        for attempt in 0..<64 {
            let signature = try issuers[place].sign(
                bytes: certificate[[0]].bytes,
                signatureAlgorithm: isRSA ? .sha256WithRSAEncryption : .ecdsaWithSHA384
            ).rawRepresentation
            if fits(Array(signature)) {
                certificate[CertificateDefect.Place.signature].octets = [0] + signature
                return
            }
            // RSA signs the same bytes the same way: another serial number makes another signature.
            let last = certificate[CertificateDefect.Place.serialNumber].octets.count - 1
            certificate[CertificateDefect.Place.serialNumber].octets[last] = UInt8(attempt + 1)
        }
        throw Specimens.Unfit(description: "no signature shows the defect")
    }
}
