internal import AppStoreTrust

/// One thing that a certificate can get wrong, and how both verifiers refuse it.
///
/// Everything else is right: the certificate is signed over the bytes with the defect, and a chain that stands on its
/// subject is issued anew. So a row is refused for its own reason or not at all.
struct CertificateDefect: Sendable {
    /// Where in the chain.
    enum Position: Int, Sendable, CaseIterable {
        case leaf, intermediate, root

        static let authorities: [Position] = [.intermediate, .root]
    }

    enum Keys: Sendable { case any, ellipticCurve, rsa }

    typealias Change = @Sendable (inout DERElement) throws -> Void

    /// The section of RFC 5280, and what is wrong.
    let name: String
    let code: VerificationError.Code
    /// The same for a receipt, where the chain is looked for among certificates in any order.
    let receiptCode: VerificationError.Code
    let positions: [Position]
    let keys: Keys
    /// Changes the certificate before it is signed.
    let change: Change
    /// Changes it afterwards.
    let seal: Change
    /// Which signatures show the defect: others are made until one does.
    let fits: @Sendable ([UInt8]) -> Bool

    /// What a change throws where a certificate has not what it would change. There is no row then.
    struct NotThere: Error {}

    init(
        _ name: String, _ code: VerificationError.Code = .certificateMalformed,
        receipt: VerificationError.Code? = nil, at positions: [Position] = Position.allCases, keys: Keys = .any,
        change: @escaping Change = { _ in }, seal: @escaping Change = { _ in },
        fits: @escaping @Sendable ([UInt8]) -> Bool = { _ in true }
    ) {
        (self.name, self.code, receiptCode) = (name, code, receipt ?? code)
        (self.positions, self.keys) = (positions, keys)
        (self.change, self.seal, self.fits) = (change, seal, fits)
    }

    /// The tables, by the sections of RFC 5280.
    static let all: [CertificateDefect] = [
        algorithms, signatures, versions, serialNumbers, names, issuers, validity, keys, extensions, limits,
        constraints,
        usages,
    ].flatMap(\.self)
}

extension CertificateDefect {
    /// Where a certificate has what.
    enum Place {
        static let version = [0, 0]
        static let serialNumber = [0, 1]
        static let innerAlgorithm = [0, 2]
        static let issuer = [0, 3]
        static let validity = [0, 4]
        static let subject = [0, 5]
        static let key = [0, 6]
        static let extensions = [0, 7, 0]
        static let outerAlgorithm = [1]
        static let signature = [2]
    }

    /// The content octets of the identifiers of extensions.
    enum Identifier {
        static let basicConstraints: [UInt8] = [0x55, 0x1D, 0x13]
        static let keyUsage: [UInt8] = [0x55, 0x1D, 0x0F]
    }

    static let null = DERElement(5, [])
}

extension DERElement {
    /// Changes the extension with this identifier.
    mutating func changeExtension(_ identifier: [UInt8], _ change: (inout DERElement) throws -> Void) throws {
        let extensions = self[CertificateDefect.Place.extensions].elements
        guard let index = extensions.firstIndex(where: { $0.elements.first?.octets == identifier }) else {
            throw CertificateDefect.NotThere()
        }
        try change(&self[CertificateDefect.Place.extensions + [index]])
    }

    /// Changes all extensions.
    mutating func changeExtensions(_ change: (inout [DERElement]) throws -> Void) rethrows {
        try change(&self[CertificateDefect.Place.extensions].elements)
    }

    /// The value's octets, of an extension.
    var extensionValue: [UInt8] {
        get { elements.last?.octets ?? [] }
        set { elements[elements.count - 1].octets = newValue }
    }

    /// An extension.
    static func certificateExtension(_ identifier: [UInt8], isCritical: Bool, _ value: [UInt8]) -> DERElement {
        DERElement(
            0x30,
            elements: [DERElement(6, identifier)] + (isCritical ? [DERElement(1, [0xFF])] : []) + [DERElement(4, value)]
        )
    }
}
