internal import SwiftASN1
internal import X509

/// A distinguished name of a certificate (RFC 5280 §4.1.2.4): not empty, and every value is text.
struct CertificateName {
    let der: [UInt8]
    /// The name in the form of RFC 4514.
    let text: String

    init(_ node: ASN1Node) throws {
        guard node.identifier == .sequence, case .constructed(let parts) = node.content else {
            throw CertificateProblem("a name is not a sequence")
        }
        let counts = try parts.map { part in
            try DER.set(of: Attribute.self, identifier: .set, rootNode: part).count
        }
        guard !counts.isEmpty, !counts.contains(0) else { throw CertificateProblem("a name or a part of it is empty") }
        der = Array(node.encodedBytes)
        text = try DistinguishedName(derEncoded: node).description
    }

    private struct Attribute: DERParseable {
        init(derEncoded node: ASN1Node) throws {
            try DER.sequence(node, identifier: .sequence) { fields in
                _ = try ASN1ObjectIdentifier(derEncoded: &fields)
                guard CertificateName.isText(try fields.required("the value of a name")) else {
                    throw CertificateProblem("a name contains a value that is not text")
                }
            }
        }
    }

    private static func isText(_ node: ASN1Node) -> Bool {
        guard case .primitive(let octets) = node.content, !octets.isEmpty else { return false }
        return switch node.identifier {
        case .utf8String: String(validating: octets, as: UTF8.self) != nil
        case .printableString: octets.allSatisfy(printable.contains)
        case .ia5String: octets.allSatisfy { $0 < 0x80 }
        // In old certificates: RFC 5280 §4.1.2.4 allows reading them, but not creating them.
        case .teletexString: true
        case .bmpString: octets.count.isMultiple(of: 2)
        case .universalString: octets.count.isMultiple(of: 4)
        default: false
        }
    }

    /// X.680 §41.4.
    private static let printable = Set(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789 '()+,-./:=?".utf8)
}
