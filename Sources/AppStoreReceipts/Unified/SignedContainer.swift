internal import AppStoreTrust
internal import SwiftASN1

/// The parts of CMS SignedData (RFC 5652 §5) that a unified receipt uses, parsed but not verified.
///
/// Parsed as BER: Apple does not sort the certificates as DER requires for a SET OF, and Xcode writes indefinite
/// lengths and a constructed OCTET STRING.
struct SignedContainer: Sendable {
    /// The signed content: the octets of eContent, with chunks joined.
    let content: [UInt8]
    /// The certificates in file order.
    let certificates: [[UInt8]]
    let signer: Signer

    struct Signer: Sendable {
        /// The issuer's name, DER encoded.
        let issuer: [UInt8]
        let serialNumber: [UInt8]
        let digestAlgorithm: ASN1ObjectIdentifier
        let signatureAlgorithm: ASN1ObjectIdentifier
        /// The signed attributes, with the tag changed to SET OF as for signing (RFC 5652 §5.4); nil if there are none.
        let signedAttributes: [UInt8]?
        let signature: [UInt8]
    }

    init(_ bytes: [UInt8], limits: ReceiptLimits) throws(VerificationError) {
        var info = try ASN1Node.parse(ber: bytes[...], "the receipt").fields(.sequence, "ContentInfo")
        guard try info.next().objectIdentifier("contentType") == .signedData, let wrapped = info.next(tagged: 0) else {
            throw .malformed("the receipt is not CMS SignedData")
        }
        try info.finish()

        var fields = try wrapped.explicit("ContentInfo").fields(.sequence, "SignedData")
        _ = try fields.next().integer("SignedData.version")
        _ = try fields.next().fields(.set, "digestAlgorithms")
        content = try Self.content(fields.next())
        certificates = try Self.certificates(fields.next(tagged: 0), limits: limits)
        _ = fields.next(tagged: 1)  // revocation lists: never seen, never used
        signer = try Self.signer(fields.next())
        try fields.finish()
    }

    private static func content(_ node: ASN1Node) throws(VerificationError) -> [UInt8] {
        var fields = try node.fields(.sequence, "encapContentInfo")
        guard try fields.next().objectIdentifier("eContentType") == .data else {
            throw .malformed("the signed content is not data")
        }
        guard let content = fields.next(tagged: 0) else { throw .malformed("the receipt has no content") }
        try fields.finish()
        return try content.explicit("eContent").octets("eContent")
    }

    private static func certificates(
        _ bag: ASN1Node?, limits: ReceiptLimits
    ) throws(VerificationError) -> [[UInt8]] {
        guard let bag else { throw .malformed("the receipt has no certificates") }
        var fields = try bag.fields(.context(0), "certificates")
        var certificates: [[UInt8]] = []
        while let node = fields.nextIfAny() {
            guard certificates.count < limits.certificates, node.encodedBytes.count <= ReceiptLimits.certificateBytes
            else {
                throw VerificationError(.tooLarge, "too many or too large certificates")
            }
            if node.identifier == .sequence { certificates.append(Array(node.encodedBytes)) }
        }
        guard !certificates.isEmpty else { throw .malformed("the receipt has no certificates") }
        return certificates
    }

    private static func signer(_ node: ASN1Node) throws(VerificationError) -> Signer {
        var signers = try node.fields(.set, "signerInfos")
        let signer = try Signer(signers.next())
        try signers.finish()
        return signer
    }
}

extension SignedContainer.Signer {
    init(_ node: ASN1Node) throws(VerificationError) {
        var fields = try node.fields(.sequence, "SignerInfo")
        _ = try fields.next().integer("SignerInfo.version")
        var identifier = try fields.next().fields(.sequence, "the signer's identifier")
        issuer = try Array(identifier.next().encodedBytes)
        serialNumber = try identifier.next().integerOctets("the signer's serial number")
        try identifier.finish()
        digestAlgorithm = try fields.next().algorithm("the digest algorithm")
        signedAttributes = try fields.next(tagged: 0).map { (node) throws(VerificationError) in
            try Self.retagged(node)
        }
        signatureAlgorithm = try fields.next().algorithm("the signature algorithm")
        signature = try fields.next().octets("the signature")
        _ = fields.next(tagged: 1)  // unsigned attributes
        try fields.finish()
    }

    private static func retagged(_ node: ASN1Node) throws(VerificationError) -> [UInt8] {
        var bytes = Array(node.encodedBytes)
        guard !bytes.isEmpty else { throw .malformed("the signed attributes are empty") }
        bytes[0] = 0x31
        return bytes
    }

    /// Returns the message digest in the signed attributes (RFC 5652 §5.3); nil if there are no signed attributes.
    func signedMessageDigest() throws(VerificationError) -> [UInt8]? {
        guard let signedAttributes else { return nil }
        let root: ASN1Node
        do {
            root = try DER.parse(signedAttributes)
        } catch {
            throw .malformed("the signed attributes are not DER")
        }
        var (contentTypes, digests): ([ASN1ObjectIdentifier], [[UInt8]]) = ([], [])
        var attributes = try root.fields(.set, "signedAttrs")
        while let attribute = attributes.nextIfAny() {
            var fields = try attribute.fields(.sequence, "a signed attribute")
            let type = try fields.next().objectIdentifier("a signed attribute")
            var values = try fields.next().fields(.set, "a signed attribute")
            try fields.finish()
            guard type == .contentType || type == .messageDigest else { continue }
            let value = try values.next()
            try values.finish()
            if type == .contentType {
                try contentTypes.append(value.objectIdentifier("the content type"))
            } else {
                try digests.append(value.octets("the message digest"))
            }
        }
        guard contentTypes == [.data], let digest = digests.first, digests.count == 1 else {
            throw .malformed("the signed attributes lack the content type or the message digest")
        }
        return digest
    }
}

extension ASN1Node {
    /// Returns the content octets of an INTEGER of any size.
    func integerOctets(_ name: String) throws(VerificationError) -> [UInt8] {
        guard identifier == .integer, case .primitive(let octets) = content, !octets.isEmpty else {
            throw .malformed("\(name) is not an INTEGER")
        }
        return Array(octets)
    }
}

extension ASN1ObjectIdentifier {
    static let data: Self = [1, 2, 840, 113549, 1, 7, 1]
    static let signedData: Self = [1, 2, 840, 113549, 1, 7, 2]
    static let contentType: Self = [1, 2, 840, 113549, 1, 9, 3]
    static let messageDigest: Self = [1, 2, 840, 113549, 1, 9, 4]
}
