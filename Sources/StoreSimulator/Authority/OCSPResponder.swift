internal import AppStoreTrust
internal import AppStoreModels
internal import Crypto
package import Foundation
internal import SwiftASN1
internal import X509
internal import _CryptoExtras

/// Answers OCSP requests for certificates of an issuer, rightly or wrongly, as told.
package struct OCSPResponder: Sendable {
    /// How the answer comes out.
    package enum Status: Sendable, Hashable {
        case good
        case revoked(Date)
        case unknown
    }

    package var status = Status.good
    package var thisUpdate: Date
    package var nextUpdate: Date?
    /// Names and signs as this responder instead of as the issuer itself.
    package var delegate: Issued?
    /// Answers about this serial number instead of the one asked for.
    package var serialNumber: [UInt8]?
    /// Names itself by the hash of its key instead of by its name.
    package var isNamedByKey = false
    /// Adds a critical extension that nobody knows, to the answer or to the whole response.
    package var criticalExtension: ExtensionPlace?
    /// Breaks the signature.
    package var forgesSignature = false

    /// Where an extension goes.
    package enum ExtensionPlace: Sendable, Hashable { case answer, response }

    private let issuer: Issued

    package init(issuer: Issued, now: Date) {
        self.issuer = issuer
        thisUpdate = now - 60
        nextUpdate = now + 12 * 3600
    }

    /// The response to a request, DER encoded (RFC 6960 §4.2.1). Throws for what is not a request.
    package func answer(_ request: Data) throws -> Data { try answer(OCSPQuery(der: request)) }

    /// The same for a request that was read already.
    package func answer(_ query: OCSPQuery) throws -> Data {
        var serializer = DER.Serializer()
        try appendResponseData(to: &serializer, query)
        let tbs = serializer.serializedBytes
        let signer = delegate ?? issuer
        let isRSA = _RSA.Signing.PublicKey(signer.certificate.publicKey) != nil
        let algorithm: Certificate.SignatureAlgorithm = isRSA ? .sha256WithRSAEncryption : .ecdsaWithSHA384
        var signature = Array(try signer.key.sign(bytes: tbs, signatureAlgorithm: algorithm).rawRepresentation)
        if forgesSignature, let last = signature.indices.last { signature[last] ^= 1 }

        var response = DER.Serializer()
        try response.appendConstructedNode(identifier: .sequence) { basic in
            basic.serializeRawBytes(tbs)
            try basic.appendConstructedNode(identifier: .sequence) {
                try $0.serialize(isRSA ? Self.sha256WithRSA : Self.ecdsaWithSHA384)
                if isRSA { try $0.serialize(ASN1Null()) }
            }
            try basic.serialize(ASN1BitString(bytes: signature[...]))
            if let delegate {
                try basic.serialize(explicitlyTaggedWithTagNumber: 0, tagClass: .contextSpecific) { certificates in
                    try certificates.appendConstructedNode(identifier: .sequence) {
                        try $0.serialize(delegate.certificate)
                    }
                }
            }
        }
        return try Self.wrap(response.serializedBytes)
    }

    private func appendResponseData(to coder: inout DER.Serializer, _ query: OCSPQuery) throws {
        let responder = (delegate ?? issuer).certificate
        try coder.appendConstructedNode(identifier: .sequence) { data in
            if isNamedByKey {
                let hash = Insecure.SHA1.hash(data: Array(responder.publicKey.subjectPublicKeyInfoBytes))
                try data.serialize(explicitlyTaggedWithTagNumber: 2, tagClass: .contextSpecific) {
                    try $0.serialize(ASN1OctetString(contentBytes: Array(hash)[...]))
                }
            } else {
                try data.serialize(explicitlyTaggedWithTagNumber: 1, tagClass: .contextSpecific) {
                    try $0.serialize(responder.subject)
                }
            }
            try data.serialize(GeneralizedTime(thisUpdate))
            try data.appendConstructedNode(identifier: .sequence) { list in
                try list.appendConstructedNode(identifier: .sequence) { single in
                    try append(query, to: &single)
                    try append(status, to: &single)
                    try single.serialize(GeneralizedTime(thisUpdate))
                    if let nextUpdate {
                        try single.serialize(explicitlyTaggedWithTagNumber: 0, tagClass: .contextSpecific) {
                            try $0.serialize(GeneralizedTime(nextUpdate))
                        }
                    }
                    if criticalExtension == .answer { try Self.appendCriticalExtension(to: &single) }
                }
            }
            if criticalExtension == .response {
                try Self.appendCriticalExtension(to: &data)
            } else if let nonce = query.nonce {
                try data.serialize(explicitlyTaggedWithTagNumber: 1, tagClass: .contextSpecific) { extensions in
                    try extensions.appendConstructedNode(identifier: .sequence) { try $0.serialize(nonce) }
                }
            }
        }
    }

    private func append(_ status: Status, to coder: inout DER.Serializer) throws {
        switch status {
        case .good:
            coder.appendPrimitiveNode(identifier: .init(tagWithNumber: 0, tagClass: .contextSpecific)) { _ in }
        case .revoked(let date):
            try coder.appendConstructedNode(identifier: .init(tagWithNumber: 1, tagClass: .contextSpecific)) {
                try $0.serialize(GeneralizedTime(date))
            }
        case .unknown:
            coder.appendPrimitiveNode(identifier: .init(tagWithNumber: 2, tagClass: .contextSpecific)) { _ in }
        }
    }

    private static func appendCriticalExtension(to coder: inout DER.Serializer) throws {
        try coder.serialize(explicitlyTaggedWithTagNumber: 1, tagClass: .contextSpecific) { extensions in
            try extensions.appendConstructedNode(identifier: .sequence) {
                try $0.serialize(
                    Certificate.Extension(oid: [1, 3, 6, 1, 4, 1, 55555, 1], critical: true, value: [5, 0]))
            }
        }
    }

    private static func wrap(_ basic: [UInt8]) throws -> Data {
        var outer = DER.Serializer()
        try outer.appendConstructedNode(identifier: .sequence) { response in
            response.appendPrimitiveNode(identifier: .enumerated) { $0.append(0) }
            try response.serialize(explicitlyTaggedWithTagNumber: 0, tagClass: .contextSpecific) { tagged in
                try tagged.appendConstructedNode(identifier: .sequence) { bytes in
                    try bytes.serialize([1, 3, 6, 1, 5, 5, 7, 48, 1, 1] as ASN1ObjectIdentifier)
                    try bytes.serialize(ASN1OctetString(contentBytes: basic[...]))
                }
            }
        }
        return Data(outer.serializedBytes)
    }

    private static let ecdsaWithSHA384: ASN1ObjectIdentifier = [1, 2, 840, 10045, 4, 3, 3]

    private static let sha256WithRSA: ASN1ObjectIdentifier = [1, 2, 840, 113549, 1, 1, 11]

    private func append(_ query: OCSPQuery, to coder: inout DER.Serializer) throws {
        guard let serialNumber else {
            coder.serializeRawBytes(query.certificateID)
            return
        }
        try coder.appendConstructedNode(identifier: .sequence) { id in
            try id.appendConstructedNode(identifier: .sequence) {
                try $0.serialize(query.hashAlgorithm)
                try $0.serialize(ASN1Null())
            }
            try id.serialize(ASN1OctetString(contentBytes: query.issuerNameHash[...]))
            try id.serialize(ASN1OctetString(contentBytes: query.issuerKeyHash[...]))
            id.appendPrimitiveNode(identifier: .integer) { $0.append(contentsOf: serialNumber) }
        }
    }
}

extension GeneralizedTime {
    /// The second that `date` is in.
    init(_ date: Date) throws {
        // Four digits for the year. The calendar would make something of any date.
        guard abs(date.timeIntervalSinceReferenceDate) < 60e9 else { throw CocoaError(.formatting) }
        let parts = Calendar.gregorianUTC.dateComponents(
            [.year, .month, .day, .hour, .minute, .second], from: date)
        try self.init(
            year: parts.year ?? 0, month: parts.month ?? 0, day: parts.day ?? 0, hours: parts.hour ?? 0,
            minutes: parts.minute ?? 0, seconds: parts.second ?? 0, fractionalSeconds: 0)
    }
}
