import AppStoreTrust
import Basics
import Crypto
import Foundation
import StoreSimulator
import SwiftASN1
import TestSupport
import Testing
import X509

/// Compares the authority's certificates with Apple's: all structure that a parser may depend on is the same.
@Suite struct `The shape of the chain` {
    @Test(.enabled(if: Fixtures.hasSignedData, "\(Fixtures.absence)"), arguments: Fixtures.signedData)
    func `Leaf, intermediate and root certificate have the structure of Apple's`(_ file: GenuineJWS) throws {
        let genuine = try Self.header(of: file).x5c.map { try Shape(Certificate(derEncoded: Array($0))) }
        let simulated = try TestAuthority.new().current.signer.chain.map { try Shape(Certificate(derEncoded: $0)) }
        try #require(genuine.count == 3 && simulated.count == 3)
        for (position, pair) in zip(["leaf", "intermediate", "root"], zip(genuine, simulated)) {
            let names = Set(pair.0.parts.keys).union(pair.1.parts.keys)
            let different = names.filter { pair.0.parts[$0] != pair.1.parts[$0] }.map { "\(position): \($0)" }
            #expect(Set(different) == Set(Self.differences.keys.filter { $0.hasPrefix(position) }))
        }
    }

    /// Intended differences with their reasons, as in `"leaf: 2.5.29.32": "…"`. There are none so far: serial numbers,
    /// names, dates, keys, URLs and the text of the policy are no part of the shape.
    private static let differences: [String: String] = [:]

    @Test(.enabled(if: Fixtures.hasSignedData, "\(Fixtures.absence)"), arguments: Fixtures.signedData)
    func `The JWS header has the members of Apple's header, in the same order`(_ file: GenuineJWS) throws {
        let text = String(decoding: try #require(Base64.decodeURL(file.text().prefix { $0 != "." })), as: UTF8.self)
        let simulated = try Authority.header(chain: Self.header(of: file).x5c.map(Array.init))
        #expect(text == simulated)
    }

    @Test func `The certificates name the simulator and do not contain the word Apple`() throws {
        let authority = try TestAuthority.new()
        for issued in [authority.root, authority.current.intermediate, authority.current.leaf] {
            let subject = "\(issued.certificate.subject)"
            #expect(subject.contains("Counterfoil Simulator"), "\(subject)")
            #expect(!String(decoding: issued.der, as: UTF8.self).contains("Apple"))
        }
        #expect(String(decoding: authority.current.leaf.der, as: UTF8.self).contains("is a simulation"))
    }

    @Test func `The certificates have Apple's marker extensions and the usual extensions, byte for byte`() throws {
        let current = try TestAuthority.new().current
        let leaf = current.leaf.certificate.extensions
        #expect(leaf[oid: ChainMarkers.appStore.leaf]?.value.elementsEqual([5, 0]) == true)
        #expect(leaf[oid: .X509ExtensionID.basicConstraints]?.value.elementsEqual([0x30, 0]) == true)
        #expect(leaf[oid: .X509ExtensionID.keyUsage]?.value.elementsEqual([3, 2, 7, 0x80]) == true)
        let intermediate = current.intermediate.certificate.extensions
        #expect(intermediate[oid: ChainMarkers.appStore.intermediate]?.value.elementsEqual([5, 0]) == true)
        let locations = try leaf.authorityInformationAccess.map { $0.map { "\($0)" } } ?? []
        #expect(locations.count == 2 && locations.allSatisfy { $0.contains(TestAuthority.base) })
        for item in [current.leaf, current.intermediate] { #expect(item.der.count < 1200) }
    }

    @Test(.enabled("needs openssl 3 on the path") { await Tool.isAvailable("openssl", version: "OpenSSL 3") })
    func `OpenSSL verifies the simulator's chain in strict mode`() async throws {
        try await Tool.inTemporaryFolder { folder in
            let authority = try TestAuthority.new()
            try authority.rotateLeaf(now: TestStore.now)
            try authority.write(to: folder)
            let path = { (name: String) in folder.appending(path: name).path }
            let outcome = try await Tool.run(
                "openssl",
                [
                    "verify", "-x509_strict", "-policy_check", "-attime",
                    String(Int64(TestStore.now.timeIntervalSince1970)),
                    "-CAfile", path("root.pem"), "-untrusted", path("intermediate.pem"), path("leaf.pem"),
                ])
            #expect(outcome.status == 0, "\(outcome.text)")
            let text = try await Tool.run("openssl", ["x509", "-in", path("leaf.pem"), "-noout", "-text"]).output
            for line in ["User Notice:", "CPS: http://", "CA Issuers - URI:", "OCSP - URI:", "ecdsa-with-SHA384"] {
                #expect(text.contains(line), "\(text)")
            }
        }
    }

    private struct Header: Decodable { let x5c: [Data] }

    private static func header(of file: GenuineJWS) throws -> Header {
        let segment = try #require(Base64.decodeURL(file.text().prefix { $0 != "." }))
        return try JSONDecoder().decode(Header.self, from: Data(segment))
    }
}

/// The structure of a certificate without its values: algorithms, tags, order and criticality of extensions.
private struct Shape {
    let parts: [String: String]

    init(_ certificate: Certificate) throws {
        var parts = [
            "version": "\(certificate.version)", "signature": "\(certificate.signatureAlgorithm)",
            "key": P384.Signing.PublicKey(certificate.publicKey) != nil
                ? "P-384" : P256.Signing.PublicKey(certificate.publicKey) != nil ? "P-256" : "another",
            "subject": try Self.attributes(certificate.subject), "issuer": try Self.attributes(certificate.issuer),
            "order of extensions": certificate.extensions.map { "\($0.oid)" }.joined(separator: " "),
        ]
        for item in certificate.extensions {
            parts["\(item.oid)"] = "\(item.critical ? "critical " : "")\(try Self.skeleton(DER.parse(item.value)))"
        }
        self.parts = parts
    }

    private static func attributes(_ name: DistinguishedName) throws -> String {
        var serializer = DER.Serializer()
        try serializer.serialize(name)
        return try skeleton(DER.parse(serializer.serializedBytes))
    }

    /// Returns the tags and the object identifiers of a node and its children.
    private static func skeleton(_ node: ASN1Node) throws -> String {
        switch node.content {
        case .constructed(let children):
            return "\(node.identifier.tagNumber)(\(try children.map(skeleton).joined(separator: " ")))"
        case .primitive:
            guard node.identifier == .objectIdentifier else { return "\(node.identifier.tagNumber)" }
            return "\(try ASN1ObjectIdentifier(derEncoded: node))"
        }
    }
}
