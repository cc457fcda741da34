import AppStoreModels
import AppStoreServer
import AppStoreTrust
import Crypto
import Foundation
import SwiftASN1
import TestSupport
import Testing
import X509

@testable import StoreSimulator

@Suite struct `The simulator's authority` {
    @Test func `Tokens signed before a leaf rotation stay valid, and leaves are numbered from 1`() async throws {
        let authority = try TestAuthority.new()
        var texts: [String] = []
        for generation in 1...3 {
            #expect(authority.current.number == generation)
            texts.append(try authority.current.signer.sign(TestAuthority.transaction))
            try authority.rotateLeaf(now: TestStore.now)
        }
        let verifier = try authority.verifier()
        for text in texts { _ = try await verifier.transaction(text) }
        #expect(Set(authority.generations.map(\.leaf.der)).count == 4)
        #expect(Set(authority.generations.map(\.intermediate.der)).count == 1)
        #expect(Set(authority.generations.map(\.leaf.certificate.publicKey)).count == 4)
        #expect(authority.generation(0) == nil && authority.generation(5) == nil && authority.generation(.min) == nil)
        #expect(authority.generation(2)?.leaf.der == authority.generations[1].leaf.der)
    }

    @Test func `The signature of an earlier leaf assembles the same JWS after a rotation`() async throws {
        let authority = try TestAuthority.new()
        let json = try TestAuthority.transaction.jsonBytes()
        let text = try authority.current.signer.sign(json: json)
        let signature = try #require(PayloadSignature(ofJWS: text))
        _ = try await authority.verifier().transaction(text)
        try authority.rotateLeaf(now: TestStore.now)
        let (old, new) = (try #require(authority.generation(1)), try #require(authority.generation(2)))
        #expect(old.signer.assemble(json, signature: signature) == text)
        #expect(new.signer.assemble(json, signature: signature) != text)
    }

    @Test func `A rotation after the configured validity issues certificates that are valid at that time`() async throws
    {
        let authority = try TestAuthority.new()
        let later = TestAuthority.validity.upperBound + 86_400
        try authority.rotateLeaf(now: later)
        var transaction = TestAuthority.transaction
        transaction.signedDate = later
        let text = try authority.current.signer.sign(transaction)
        _ = try await authority.verifier { $0.now = { later } }.transaction(text)
        #expect(throws: SimulatorError.self) { try authority.rotateLeaf(now: .distantPast) }
        #expect(authority.current.number == 2)
    }

    @Test func `A restart with the same directory keeps root and leaves, and earlier tokens stay valid`()
        async throws
    {
        try await Tool.inTemporaryFolder { folder in
            let first = try StoreAuthority(TestAuthority.configuration(), directory: folder)
            let old = try first.current.signer.sign(TestAuthority.transaction)
            try first.rotateLeaf(now: TestStore.now)
            let second = try StoreAuthority(TestAuthority.configuration(), directory: folder)
            #expect(second.root.der == first.root.der)
            #expect(second.generations.map(\.signer.chain) == first.generations.map(\.signer.chain))
            let new = try second.current.signer.sign(TestAuthority.transaction)
            let verifier = try second.verifier()
            for text in [old, new] { _ = try await verifier.transaction(text) }
        }
    }

    @Test func `A restart with another base URL reissues certificates for the same keys, and old tokens stay valid`()
        async throws
    {
        try await Tool.inTemporaryFolder { folder in
            let first = try StoreAuthority(TestAuthority.configuration(), directory: folder)
            let json = try TestAuthority.transaction.jsonBytes()
            let signature = try #require(PayloadSignature(ofJWS: try first.current.signer.sign(json: json)))
            let second = try StoreAuthority(
                TestAuthority.configuration("http://127.0.0.1:9090/ocsp/"), directory: folder)
            #expect(second.root.der == first.root.der)
            #expect(second.current.number == 2)
            #expect(second.current.leaf.certificate.publicKey == first.current.leaf.certificate.publicKey)
            #expect(
                second.current.intermediate.certificate.publicKey == first.current.intermediate.certificate.publicKey)
            #expect(second.current.leaf.names(responder: "http://127.0.0.1:9090/ocsp/intermediate"))
            #expect(second.current.intermediate.names(responder: "http://127.0.0.1:9090/ocsp/root"))
            let old = try #require(second.generation(1)).signer.assemble(json, signature: signature)
            let verifier = try second.verifier()
            for text in [old, try second.current.signer.sign(json: json)] { _ = try await verifier.transaction(text) }
        }
    }

    @Test func `Only the owner can read the key files, and written certificates contain no private key`() async throws {
        try await Tool.inTemporaryFolder { folder in
            let directory = folder.appending(path: "private")
            let authority = try StoreAuthority(TestAuthority.configuration(), directory: directory)
            _ = try authority.apiKey(keyID: "ABC123", issuerID: "issuer")
            try authority.rotateLeaf(now: TestStore.now)
            let names = try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted()
            #expect(names == ["SubscriptionKey_ABC123.p8", "authority.json"])
            for name in names {
                let attributes = try FileManager.default.attributesOfItem(atPath: directory.appending(path: name).path)
                #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600, "\(name)")
            }
            let exported = folder.appending(path: "exported")
            try authority.write(to: exported)
            for file in try FileManager.default.contentsOfDirectory(at: exported, includingPropertiesForKeys: nil) {
                #expect(try !String(decoding: Data(contentsOf: file), as: UTF8.self).contains("PRIVATE"))
            }
            #expect(try Data(contentsOf: exported.appending(path: "root.cer")) == authority.published("root.cer"))
            #expect(authority.published("intermediate.cer") == Data(authority.current.intermediate.der))
            #expect(authority.published("authority.json") == nil)
            let pem = try String(contentsOf: exported.appending(path: "root.pem"), encoding: .utf8)
            #expect(try Certificate(pemEncoded: pem) == authority.root.certificate)
        }
    }

    @Test func `An API key is the same in memory and after a restart, and SigningKey reads its file`()
        async throws
    {
        try await Tool.inTemporaryFolder { folder in
            let first = try StoreAuthority(TestAuthority.configuration(), directory: folder)
            let key = try first.apiKey(keyID: "ABC123", issuerID: "issuer")
            let same = try first.apiKey(keyID: "ABC123", issuerID: "other issuer")
            let other = try first.apiKey(keyID: "DEF456", issuerID: "issuer")
            let second = try StoreAuthority(TestAuthority.configuration(), directory: folder)
            let again = try second.apiKey(keyID: "ABC123", issuerID: "issuer")
            #expect(key.pem == same.pem && key.pem == again.pem && key.pem != other.pem)
            #expect(key.publicKey.rawRepresentation == again.publicKey.rawRepresentation)
            let text = try String(contentsOf: folder.appending(path: key.fileName), encoding: .utf8)
            _ = try SigningKey(pem: text, keyID: key.keyID)
        }
    }

    @Test(arguments: ["", "../x", "a/b", ".", "é", "a b", "\0", String(repeating: "A", count: 65)])
    func `An API key identifier that is no safe file name is refused`(_ keyID: String) throws {
        let authority = try TestAuthority.new()
        #expect(throws: SimulatorError.self) { try authority.apiKey(keyID: keyID, issuerID: "issuer") }
    }

    @Test(arguments: [
        "ftp://127.0.0.1/ocsp", "/ocsp", "http:///ocsp", "http://127.0.0.1/ocsp?x", "http://u:p@127.0.0.1/",
        "http://127.0.0.1/#x", "http://h/" + String(repeating: "a", count: 1000),
    ])
    func `A base URL that a certificate cannot contain is refused`(_ base: String) throws {
        let configuration = try TestAuthority.configuration(base)
        #expect(throws: SimulatorError.self) { try StoreAuthority(configuration) }
    }

    @Test(arguments: [-1e12, 1e12, .infinity])
    func `A validity that a certificate cannot represent is refused`(_ seconds: TimeInterval) throws {
        var configuration = try TestAuthority.configuration()
        let date = Date(timeIntervalSince1970: seconds)
        configuration.validity = min(date, TestStore.now)...max(date, TestStore.now)
        let refused = configuration
        #expect(throws: SimulatorError.self) { try StoreAuthority(refused) }
    }

    @Test(arguments: ["", "{}", "null", "[", "{\"format\":\"x\"}"])
    func `A damaged authority file is refused and not overwritten`(_ contents: String) async throws {
        try await Tool.inTemporaryFolder { folder in
            let file = folder.appending(path: "authority.json")
            try Data(contents.utf8).write(to: file)
            #expect(throws: SimulatorError.self) {
                try StoreAuthority(TestAuthority.configuration(), directory: folder)
            }
            #expect(try Data(contentsOf: file) == Data(contents.utf8))
        }
    }

    @Test func `Descriptions and dumps of an authority contain no private key`() async throws {
        try await Tool.inTemporaryFolder { folder in
            let authority = try StoreAuthority(TestAuthority.configuration(), directory: folder)
            let key = try authority.apiKey(keyID: "ABC123", issuerID: "issuer")
            let secrets = [
                key.pem.split(separator: "\n")[1],
                try authority.root.key.serializeAsPEM().pemString.split(separator: "\n")[1],
            ]
            for value in [authority, key, authority.root, authority.current, authority.generations] as [Any] {
                var text = "\(value) \(String(reflecting: value))"
                dump(value, to: &text)
                #expect(!secrets.contains { text.contains($0) } && !text.contains("PrivateKey"), "\(text)")
            }
        }
    }

    @Test func `Errors about damaged key files contain no private key`() async throws {
        try await Tool.inTemporaryFolder { folder in
            let authority = try StoreAuthority(TestAuthority.configuration(), directory: folder)
            let key = try authority.apiKey(keyID: "ABC123", issuerID: "issuer")
            let secrets = [
                key.pem.split(separator: "\n")[1],
                try authority.root.key.serializeAsPEM().pemString.split(separator: "\n")[1],
            ]
            func expectRefusal(_ file: URL, _ contents: Data, _ read: () throws -> Void) throws {
                try contents.write(to: file)
                let thrown = #expect(throws: SimulatorError.self) { try read() }
                let error = try #require(thrown)
                var text = "\(error) \(String(reflecting: error))"
                dump(error, to: &text)
                #expect(error.code == .corrupted && !secrets.contains { text.contains($0) }, "\(text)")
            }
            let restarted = try StoreAuthority(TestAuthority.configuration(), directory: folder)
            let keyFile = folder.appending(path: key.fileName)
            try expectRefusal(keyFile, Data(contentsOf: keyFile).dropLast(40)) {
                _ = try restarted.apiKey(keyID: "ABC123", issuerID: "issuer")
            }
            // JSON that ends too early, and JSON whose keys are no PEM text.
            let file = folder.appending(path: "authority.json")
            let contents = try Data(contentsOf: file)
            let unreadable = String(decoding: contents, as: UTF8.self).replacing("-----BEGIN", with: "BEGIN")
            #expect(Data(unreadable.utf8) != contents)
            for damaged in [contents.dropLast(2), Data(unreadable.utf8)] {
                try expectRefusal(file, damaged) {
                    _ = try StoreAuthority(TestAuthority.configuration(), directory: folder)
                }
            }
        }
    }

    @Test func `The wrong-chain signer's tokens verify only under that signer's own root`() async throws {
        let authority = try TestAuthority.new()
        let signer = try authority.wrongChainSigner()
        #expect(try authority.wrongChainSigner().chain == signer.chain)
        let text = try signer.sign(TestAuthority.transaction)
        #expect(try await refusal { try await authority.verifier().transaction(text) } == .untrustedRoot)
        let ownAnchors = try TrustAnchors(certificates: [Data(try #require(signer.chain.last))])
        _ = try await authority.verifier { $0.anchors = ownAnchors }.transaction(text)
    }
}
