import AppStoreModels
import AppStoreServer
import AppStoreTrust
import Crypto
import Foundation
import SwiftASN1
import Testing
import TestSupport
import X509

@testable import StoreSimulator

@Suite struct `The simulator's authority` {
    @Test func `what was signed before a rotation stays valid, and each leaf has its number`() async throws {
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

    @Test func `a signature of an earlier leaf still makes the JWS that it made`() async throws {
        let authority = try TestAuthority.new()
        let json = try TestAuthority.transaction.jsonBytes()
        let signature = try authority.current.signer.seal(json)
        let text = authority.current.signer.assemble(json, signature: signature)
        _ = try await authority.verifier().transaction(text)
        try authority.rotateLeaf(now: TestStore.now)
        let (old, new) = (try #require(authority.generation(1)), try #require(authority.generation(2)))
        #expect(old.signer.assemble(json, signature: signature) == text)
        #expect(new.signer.assemble(json, signature: signature) != text)
    }

    @Test func `a rotation after the configured time issues what is valid then`() async throws {
        let authority = try TestAuthority.new()
        let later = TestAuthority.validity.upperBound + 86_400
        try authority.rotateLeaf(now: later)
        var transaction = TestAuthority.transaction
        transaction.signedDate = later
        let text = try authority.current.signer.sign(transaction)
        _ = try await authority.verifier { $0.now = { later } }.transaction(text)
        #expect(throws: StoreAuthorityError.self) { try authority.rotateLeaf(now: .distantPast) }
        #expect(authority.current.number == 2)
    }

    @Test func `a restart with the same directory continues: the same root, the same leaves, old data valid`()
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

    @Test func `a restart at another address issues certificates for it, with the keys it has; old data stays valid`()
        async throws
    {
        try await Tool.inTemporaryFolder { folder in
            let first = try StoreAuthority(TestAuthority.configuration(), directory: folder)
            let json = try TestAuthority.transaction.jsonBytes()
            let signature = try first.current.signer.seal(json)
            let second = try StoreAuthority(
                TestAuthority.configuration("http://127.0.0.1:9090/ocsp/"), directory: folder)
            #expect(second.root.der == first.root.der)
            #expect(second.current.number == 2)
            #expect(second.current.leaf.certificate.publicKey == first.current.leaf.certificate.publicKey)
            #expect(
                second.current.intermediate.certificate.publicKey == first.current.intermediate.certificate.publicKey)
            #expect(second.current.leaf.names("http://127.0.0.1:9090/ocsp/intermediate"))
            #expect(second.current.intermediate.names("http://127.0.0.1:9090/ocsp/root"))
            let old = try #require(second.generation(1)).signer.assemble(json, signature: signature)
            let verifier = try second.verifier()
            for text in [old, try second.current.signer.sign(json: json)] { _ = try await verifier.transaction(text) }
        }
    }

    @Test func `files that hold keys are their owner's alone; the certificates are for everybody`() async throws {
        try await Tool.inTemporaryFolder { folder in
            let kept = folder.appending(path: "kept")
            let authority = try StoreAuthority(TestAuthority.configuration(), directory: kept)
            _ = try authority.apiKey(keyID: "ABC123", issuerID: "issuer")
            try authority.rotateLeaf(now: TestStore.now)
            let names = try FileManager.default.contentsOfDirectory(atPath: kept.path).sorted()
            #expect(names == ["SubscriptionKey_ABC123.p8", "authority.json"])
            for name in names {
                let attributes = try FileManager.default.attributesOfItem(atPath: kept.appending(path: name).path)
                #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600, "\(name)")
            }
            let shown = folder.appending(path: "shown")
            for file in try authority.write(to: shown) {
                #expect(try !String(decoding: Data(contentsOf: file), as: UTF8.self).contains("PRIVATE"))
            }
            #expect(try Data(contentsOf: shown.appending(path: "root.cer")) == authority.published("root.cer"))
            #expect(authority.published("intermediate.cer") == Data(authority.current.intermediate.der))
            #expect(authority.published("authority.json") == nil)
            let pem = try String(contentsOf: shown.appending(path: "root.pem"), encoding: .utf8)
            #expect(try Certificate(pemEncoded: pem) == authority.root.certificate)
        }
    }

    @Test func `an API key stays the same, in memory and over a restart, and its file is one that our signer reads`()
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
    func `an identifier that would leave the directory is refused`(_ keyID: String) throws {
        let authority = try TestAuthority.new()
        #expect(throws: StoreAuthorityError.self) { try authority.apiKey(keyID: keyID, issuerID: "issuer") }
    }

    @Test(arguments: [
        "ftp://127.0.0.1/ocsp", "/ocsp", "http:///ocsp", "http://127.0.0.1/ocsp?x", "http://u:p@127.0.0.1/",
        "http://127.0.0.1/#x", "http://h/" + String(repeating: "a", count: 1000),
    ])
    func `a base URL that a certificate cannot name is refused`(_ base: String) throws {
        let configuration = try TestAuthority.configuration(base)
        #expect(throws: StoreAuthorityError.self) { try StoreAuthority(configuration) }
    }

    @Test(arguments: [-1e12, 1e12, .infinity])
    func `a time that no certificate can hold is refused`(_ seconds: TimeInterval) throws {
        var configuration = try TestAuthority.configuration()
        let date = Date(timeIntervalSince1970: seconds)
        configuration.validity = min(date, TestStore.now)...max(date, TestStore.now)
        let refused = configuration
        #expect(throws: StoreAuthorityError.self) { try StoreAuthority(refused) }
    }

    @Test(arguments: ["", "{}", "null", "[", "{\"format\":\"x\"}"])
    func `a damaged file is refused and kept`(_ contents: String) async throws {
        try await Tool.inTemporaryFolder { folder in
            let file = folder.appending(path: "authority.json")
            try Data(contents.utf8).write(to: file)
            #expect(throws: StoreAuthorityError.self) {
                try StoreAuthority(TestAuthority.configuration(), directory: folder)
            }
            #expect(try Data(contentsOf: file) == Data(contents.utf8))
        }
    }

    @Test func `nothing shows a key: no description, no dump, no error`() async throws {
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

    @Test func `the wrong chain is well made and trusted by nobody`() async throws {
        let authority = try TestAuthority.new()
        let signer = try authority.wrongChainSigner()
        #expect(try authority.wrongChainSigner().chain == signer.chain)
        let text = try signer.sign(TestAuthority.transaction)
        #expect(try await refusal { try await authority.verifier().transaction(text) } == .untrustedRoot)
        let stranger = try TrustAnchors(certificates: [Data(try #require(signer.chain.last))])
        _ = try await authority.verifier { $0.anchors = stranger }.transaction(text)
    }
}
