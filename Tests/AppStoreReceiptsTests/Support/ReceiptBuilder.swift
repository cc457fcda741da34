import Crypto
import Foundation
import SwiftASN1
import X509
import _CryptoExtras

/// DER by hand, as wrong as a test wants it.
enum Build {
    static func element(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        if content.count < 0x80 { return [tag, UInt8(content.count)] + content }
        let length = withUnsafeBytes(of: UInt32(content.count).bigEndian) { Array($0) }
        return [tag, 0x84] + length + content
    }
    static func indefinite(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] { [tag, 0x80] + content + [0, 0] }
    static func sequence(_ parts: [UInt8]...) -> [UInt8] { element(0x30, Array(parts.joined())) }
    static func set(_ parts: [[UInt8]]) -> [UInt8] { element(0x31, Array(parts.joined())) }
    static func octets(_ bytes: [UInt8]) -> [UInt8] { element(0x04, bytes) }
    static func utf8(_ text: String) -> [UInt8] { element(0x0C, Array(text.utf8)) }
    static func ia5(_ text: String) -> [UInt8] { element(0x16, Array(text.utf8)) }
    static func integer(_ value: Int) -> [UInt8] {
        var bytes = withUnsafeBytes(of: Int64(value).bigEndian) { Array($0) }
        while bytes.count > 1, bytes[0] == 0, bytes[1] < 0x80 { bytes.removeFirst() }
        return element(0x02, bytes)
    }
    static func unsigned(_ bytes: [UInt8]) -> [UInt8] { element(0x02, (bytes.first ?? 0) < 0x80 ? bytes : [0] + bytes) }
    static func oid(_ identifier: ASN1ObjectIdentifier) throws -> [UInt8] {
        var serializer = DER.Serializer()
        try serializer.serialize(identifier)
        return serializer.serializedBytes
    }
    static func attribute(_ type: Int, _ value: [UInt8]) -> [UInt8] {
        sequence(integer(type), integer(1), octets(value))
    }
}

/// The attributes of a synthetic receipt.
struct PayloadBuilder {
    static let device = Data([1, 2, 3, 4, 5, 6])
    static let bundleID = "com.example.app"

    var attributes: [(type: Int, value: [UInt8])]

    init(type: String? = "Production", created: String = "2022-01-01T00:00:00Z", purchases: [[UInt8]] = []) {
        let opaque: [UInt8] = Array(repeating: 7, count: 16)
        let bundle = Build.utf8(Self.bundleID)
        let hash = Array(Insecure.SHA1.hash(data: Self.device + Data(opaque) + Data(bundle)))
        attributes = [(2, bundle), (3, Build.utf8("1.2")), (4, opaque), (5, hash), (12, Build.ia5(created))]
        if let type { attributes.insert((0, Build.utf8(type)), at: 0) }
        attributes += purchases.map { (17, $0) }
    }

    static func purchase(_ extra: [(type: Int, value: [UInt8])] = [], without missing: Int? = nil) -> [UInt8] {
        let attributes: [(type: Int, value: [UInt8])] = [
            (1701, Build.integer(1)), (1702, Build.utf8("product")), (1703, Build.utf8("1000")),
            (1704, Build.ia5("2021-01-01T00:00:00Z")),
        ]
        return Build.set((attributes + extra).filter { $0.type != missing }.map { Build.attribute($0.type, $0.value) })
    }

    mutating func set(_ type: Int, _ value: [UInt8]?) {
        attributes.removeAll { $0.type == type }
        if let value { attributes.append((type, value)) }
    }

    var bytes: [UInt8] { Build.set(attributes.map { Build.attribute($0.type, $0.value) }) }
}

/// The container of a synthetic receipt.
struct ContainerBuilder {
    var payload: [UInt8]
    var signer: TestAuthority.Party
    var certificates: [[UInt8]]
    var digest: ASN1ObjectIdentifier = [2, 16, 840, 1, 101, 3, 4, 2, 1]
    var signatureAlgorithm: ASN1ObjectIdentifier = [1, 2, 840, 113549, 1, 1, 1]
    var contentType: ASN1ObjectIdentifier = [1, 2, 840, 113549, 1, 7, 1]
    var outerType: ASN1ObjectIdentifier = [1, 2, 840, 113549, 1, 7, 2]
    var signerCount = 1
    var isDetached = false
    var isIndefinite = false
    /// The signed attributes as a SET OF, made from the digest of the payload; nil for none.
    var signedAttributes: (([UInt8]) throws -> [[UInt8]])?
    /// What is put in the place of the payload after signing.
    var substitute: [UInt8]?

    init(payload: [UInt8], authority: TestAuthority) {
        self.payload = payload
        signer = authority.leaf
        certificates = [authority.leaf.der, authority.intermediate.der, authority.root.der]
    }

    static func standardAttributes(_ digest: [UInt8]) throws -> [[UInt8]] {
        [
            try Build.sequence(
                Build.oid([1, 2, 840, 113549, 1, 9, 3]), Build.set([Build.oid([1, 2, 840, 113549, 1, 7, 1])])),
            try Build.sequence(Build.oid([1, 2, 840, 113549, 1, 9, 4]), Build.set([Build.octets(digest)])),
        ]
    }

    func bytes() throws -> [UInt8] {
        let isSHA1 = digest == [1, 3, 14, 3, 2, 26]
        let hash = isSHA1 ? Array(Insecure.SHA1.hash(data: payload)) : Array(SHA256.hash(data: payload))
        let attributes = try signedAttributes.map { Array(try $0(hash).joined()) }
        let signed = attributes.map { Build.element(0x31, $0) } ?? payload
        let signature =
            isSHA1
            ? try signer.key.signature(for: Insecure.SHA1.hash(data: signed), padding: .insecurePKCS1v1_5)
            : try signer.key.signature(for: SHA256.hash(data: signed), padding: .insecurePKCS1v1_5)

        var name = DER.Serializer()
        try name.serialize(signer.certificate.issuer)
        let identifier = Build.sequence(
            name.serializedBytes, Build.unsigned(Array(signer.certificate.serialNumber.bytes)))
        let null: [UInt8] = [5, 0]
        let signerInfo = Build.sequence(
            Build.integer(1), identifier, Build.sequence(try Build.oid(digest), null),
            attributes.map { Build.element(0xA0, $0) } ?? [], Build.sequence(try Build.oid(signatureAlgorithm), null),
            Build.octets(Array(signature.rawRepresentation)))

        let content = substitute ?? payload
        let half = content.count / 2
        let wrapped =
            isIndefinite
            ? Build.indefinite(
                0xA0,
                Build.indefinite(0x24, Build.octets(Array(content[..<half])) + Build.octets(Array(content[half...]))))
            : Build.element(0xA0, Build.octets(content))
        let inner = try Build.oid(contentType) + (isDetached ? [] : wrapped)
        let bag = certificates.isEmpty ? [] : Build.element(0xA0, Array(certificates.joined()))
        let fields =
            Build.integer(1) + Build.set([Build.sequence(try Build.oid(digest), null)])
            + (isIndefinite ? Build.indefinite(0x30, inner) : Build.element(0x30, inner)) + bag
            + Build.set(Array(repeating: signerInfo, count: signerCount))
        if isIndefinite {
            let data = Build.indefinite(0xA0, Build.indefinite(0x30, fields))
            return Build.indefinite(0x30, try Build.oid(outerType) + data)
        }
        return Build.sequence(try Build.oid(outerType), Build.element(0xA0, Build.element(0x30, fields)))
    }
}
