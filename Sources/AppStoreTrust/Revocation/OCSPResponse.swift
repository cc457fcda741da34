internal import Basics
internal import Foundation
internal import SwiftASN1
internal import X509

/// A basic OCSP response, parsed but not verified (RFC 6960 §4.2.1).
struct OCSPResponse: Sendable {
    struct CertificateID {
        let hashAlgorithm: ASN1ObjectIdentifier
        let issuerNameHash: ArraySlice<UInt8>
        let issuerKeyHash: ArraySlice<UInt8>
        let serialNumber: ArraySlice<UInt8>
    }

    struct SingleResponse {
        let id: CertificateID
        let status: VerifiedOCSPResponse.Status
        let thisUpdate: Date
        let nextUpdate: Date?
        let hasCriticalExtension: Bool
    }

    enum Responder {
        case name(DistinguishedName)
        /// SHA-1 of the responder's public key.
        case key(ArraySlice<UInt8>)
    }

    let signedBytes: ArraySlice<UInt8>
    let signatureAlgorithm: ASN1ObjectIdentifier
    let signature: ArraySlice<UInt8>
    let certificates: [Certificate]
    let responder: Responder
    let responses: [SingleResponse]
    let hasCriticalExtension: Bool

    /// The maximum number of certificate statuses, and of certificates, in one response.
    static let maximumItems = 16

    /// Parses a response. Throws if it is not a successful basic response.
    init(der: [UInt8]) throws {
        let basic = try DER.sequence(try DER.parse(der), identifier: .sequence) { outer -> ArraySlice<UInt8> in
            let status = try Int(derEncoded: &outer, withIdentifier: .enumerated)
            guard status == 0 else { throw OCSPProblem("the responder answered with status \(status)") }
            return try DER.explicitlyTagged(&outer, tagNumber: 0, tagClass: .contextSpecific) { node in
                try DER.sequence(node, identifier: .sequence) { bytes in
                    guard try ASN1ObjectIdentifier(derEncoded: &bytes) == Self.basicType else {
                        throw OCSPProblem("the response is not a basic one")
                    }
                    return try ASN1OctetString(derEncoded: &bytes).bytes
                }
            }
        }
        self = try DER.sequence(try DER.parse(basic), identifier: .sequence) { try Self(basic: &$0) }
    }

    private init(basic nodes: inout ASN1NodeCollection.Iterator) throws {
        guard let data = nodes.next() else { throw OCSPProblem("the response is empty") }
        signedBytes = data.encodedBytes
        signatureAlgorithm = try Self.algorithm(&nodes)
        signature = try CertificateAlgorithm.octets(nodes.required("the signature"), "signature")
        certificates =
            try DER.optionalExplicitlyTagged(&nodes, tagNumber: 0, tagClass: .contextSpecific) {
                try Self.list($0) { try Self.certificate($0) }
            } ?? []
        (responder, responses, hasCriticalExtension) = try DER.sequence(data, identifier: .sequence) { fields in
            try Self.responseData(&fields)
        }
    }

    /// Parses a certificate, with the strict parser first.
    private static func certificate(_ node: ASN1Node) throws -> Certificate {
        _ = try CertificateFields(der: Array(node.encodedBytes))
        return try Certificate(derEncoded: node)
    }

    private static func responseData(
        _ fields: inout ASN1NodeCollection.Iterator
    ) throws -> (Responder, [SingleResponse], Bool) {
        let version = try DER.optionalExplicitlyTagged(&fields, tagNumber: 0, tagClass: .contextSpecific) {
            try Int(derEncoded: $0)
        }
        guard version ?? 0 == 0 else { throw OCSPProblem("the response has an unknown version") }
        guard let responderNode = fields.next() else { throw OCSPProblem("the response names no responder") }
        let responder = try responder(responderNode)
        _ = try GeneralizedTime(derEncoded: &fields)
        guard let list = fields.next() else { throw OCSPProblem("the response contains no answers") }
        let responses = try Self.list(list) { try single($0) }
        let isCritical = try criticalExtension(&fields)
        return (responder, responses, isCritical)
    }

    private static func responder(_ node: ASN1Node) throws -> Responder {
        guard case .constructed(let children) = node.content, let inner = Array(children).first else {
            throw OCSPProblem("the responder's name cannot be read")
        }
        switch node.identifier {
        case ASN1Identifier(tagWithNumber: 1, tagClass: .contextSpecific):
            return .name(try DistinguishedName(derEncoded: inner))
        case ASN1Identifier(tagWithNumber: 2, tagClass: .contextSpecific):
            return .key(try ASN1OctetString(derEncoded: inner).bytes)
        default:
            throw OCSPProblem("the responder's name cannot be read")
        }
    }

    private static func single(_ node: ASN1Node) throws -> SingleResponse {
        try DER.sequence(node, identifier: .sequence) { fields in
            guard let idNode = fields.next(), let statusNode = fields.next() else {
                throw OCSPProblem("an answer is incomplete")
            }
            let id = try certificateID(idNode)
            let status = try status(statusNode)
            let thisUpdate = try date(GeneralizedTime(derEncoded: &fields))
            let nextUpdate = try DER.optionalExplicitlyTagged(&fields, tagNumber: 0, tagClass: .contextSpecific) {
                try date(GeneralizedTime(derEncoded: $0))
            }
            return SingleResponse(
                id: id, status: status, thisUpdate: thisUpdate, nextUpdate: nextUpdate,
                hasCriticalExtension: try criticalExtension(&fields))
        }
    }

    private static func certificateID(_ node: ASN1Node) throws -> CertificateID {
        try DER.sequence(node, identifier: .sequence) { fields in
            let algorithm = try Self.algorithm(&fields)
            let name = try ASN1OctetString(derEncoded: &fields).bytes
            let key = try ASN1OctetString(derEncoded: &fields).bytes
            return CertificateID(
                hashAlgorithm: algorithm, issuerNameHash: name, issuerKeyHash: key,
                serialNumber: try ArraySlice<UInt8>(derEncoded: &fields))
        }
    }

    private static func status(_ node: ASN1Node) throws -> VerifiedOCSPResponse.Status {
        switch node.identifier {
        case ASN1Identifier(tagWithNumber: 0, tagClass: .contextSpecific):
            return .good
        case ASN1Identifier(tagWithNumber: 1, tagClass: .contextSpecific):
            return try DER.sequence(node, identifier: node.identifier) { fields in
                let revocation = try date(GeneralizedTime(derEncoded: &fields))
                // The reason of the revocation does not matter.
                while fields.next() != nil {}
                return .revoked(revocation)
            }
        case ASN1Identifier(tagWithNumber: 2, tagClass: .contextSpecific):
            return .unknown
        default:
            throw OCSPProblem("an answer's status cannot be read")
        }
    }

    /// Returns the algorithm's identifier. All accepted algorithms have no parameters or NULL.
    private static func algorithm(_ nodes: inout ASN1NodeCollection.Iterator) throws -> ASN1ObjectIdentifier {
        guard let node = nodes.next() else { throw OCSPProblem("an algorithm is missing") }
        return try DER.sequence(node, identifier: .sequence) { fields in
            let oid = try ASN1ObjectIdentifier(derEncoded: &fields)
            while fields.next() != nil {}
            return oid
        }
    }

    private static func criticalExtension(_ fields: inout ASN1NodeCollection.Iterator) throws -> Bool {
        let extensions = try DER.optionalExplicitlyTagged(&fields, tagNumber: 1, tagClass: .contextSpecific) {
            try list($0) { try Certificate.Extension(derEncoded: $0) }
        }
        return extensions?.contains(where: \.critical) ?? false
    }

    private static func list<Element>(_ node: ASN1Node, _ read: (ASN1Node) throws -> Element) throws -> [Element] {
        guard node.identifier == .sequence, case .constructed(let children) = node.content else {
            throw OCSPProblem("a list is expected")
        }
        let nodes = Array(children.prefix(maximumItems + 1))
        guard nodes.count <= maximumItems else { throw OCSPProblem("a list is too long") }
        return try nodes.map(read)
    }

    private static func date(_ time: GeneralizedTime) throws -> Date {
        // RFC 6960 §4.2.2.1: to the second, as in certificates. swift-asn1 accepts leap seconds.
        guard time.fractionalSeconds == 0,
            let date = GregorianDate.utc(
                year: time.year, month: time.month, day: time.day, hours: time.hours, minutes: time.minutes,
                seconds: time.seconds)
        else { throw OCSPProblem("a time cannot be read") }
        return date
    }

    private static let basicType: ASN1ObjectIdentifier = [1, 3, 6, 1, 5, 5, 7, 48, 1, 1]
}
