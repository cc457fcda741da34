internal import AppStoreTrust

/// One defect of a certificate, and the code with which both verifiers refuse it.
///
/// Everything else is valid: the certificate is signed over the bytes with the defect, and certificates issued under
/// its subject are issued again. So a verifier can refuse the chain only because of the defect.
struct CertificateDefect: Sendable {
    /// The position in the chain.
    enum Position: Int, Sendable, CaseIterable {
        case leaf, intermediate, root

        static let authorities: [Position] = [.intermediate, .root]
    }

    enum Keys: Sendable { case any, ellipticCurve, rsa }

    typealias Change = @Sendable (inout DERElement) throws -> Void

    /// The section of RFC 5280 and the defect.
    let name: String
    let code: VerificationError.Code
    /// The code of the receipt verifier, which searches the chain among certificates in any order.
    let receiptCode: VerificationError.Code
    let positions: [Position]
    let keys: Keys
    /// Changes the certificate before it is signed.
    let change: Change
    /// Changes the certificate after it was signed.
    let changeSigned: Change
    /// Whether a signature shows the defect. The certificate is signed again until one does.
    let fits: @Sendable ([UInt8]) -> Bool

    /// Thrown by a change if the certificate lacks the field to change. The defect is skipped then.
    struct Inapplicable: Error {}

    init(
        _ name: String, _ code: VerificationError.Code = .certificateMalformed,
        receipt: VerificationError.Code? = nil, at positions: [Position] = Position.allCases, keys: Keys = .any,
        change: @escaping Change = { _ in }, changeSigned: @escaping Change = { _ in },
        fits: @escaping @Sendable ([UInt8]) -> Bool = { _ in true }
    ) {
        (self.name, self.code, receiptCode) = (name, code, receipt ?? code)
        (self.positions, self.keys) = (positions, keys)
        (self.change, self.changeSigned, self.fits) = (change, changeSigned, fits)
    }

    /// The tables, by the sections of RFC 5280.
    static let all: [CertificateDefect] = [
        algorithms, signatures, versions, serialNumbers, names, issuers, validity, keys, extensions, limits,
        constraints,
        usages,
    ].flatMap(\.self)
}

extension CertificateDefect {
    /// The paths of the fields in a certificate.
    enum FieldPath {
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

    /// The content octets of extension identifiers.
    enum Identifier {
        static let basicConstraints: [UInt8] = [0x55, 0x1D, 0x13]
        static let keyUsage: [UInt8] = [0x55, 0x1D, 0x0F]
    }

    static let null = DERElement(5, [])
}

extension DERElement {
    /// Changes the extension with this identifier.
    mutating func changeExtension(_ identifier: [UInt8], _ change: (inout DERElement) throws -> Void) throws {
        let extensions = self[CertificateDefect.FieldPath.extensions].elements
        guard let index = extensions.firstIndex(where: { $0.elements.first?.octets == identifier }) else {
            throw CertificateDefect.Inapplicable()
        }
        try change(&self[CertificateDefect.FieldPath.extensions + [index]])
    }

    /// Changes all extensions.
    mutating func changeExtensions(_ change: (inout [DERElement]) throws -> Void) rethrows {
        try change(&self[CertificateDefect.FieldPath.extensions].elements)
    }

    /// The octets of an extension's value.
    var extensionValue: [UInt8] {
        get { elements.last?.octets ?? [] }
        set { elements[elements.count - 1].octets = newValue }
    }

    static func certificateExtension(_ identifier: [UInt8], isCritical: Bool, _ value: [UInt8]) -> DERElement {
        DERElement(
            0x30,
            elements: [DERElement(6, identifier)] + (isCritical ? [DERElement(1, [0xFF])] : []) + [DERElement(4, value)]
        )
    }
}
