import Crypto
import Foundation
import TestSupport
import Testing

@testable import AppStoreServer

@Suite struct `A signing key` {
    @Test func `A signing key is read from PKCS#8 and SEC 1, with CRLF and blank lines`() throws {
        let pem = P256.Signing.PrivateKey().pemRepresentation
        for text in [pem, pem.replacing("\n", with: "\r\n"), "\n\n" + pem + "\n\n", "\u{FEFF}" + pem, TestKeys.sec1] {
            #expect(try SigningKey(pem: text, keyID: "ABCDEFGHIJ").keyID == "ABCDEFGHIJ")
        }
    }

    @Test func `A signing key is read from one line with escaped line breaks, as in an environment variable`() throws {
        let key = P256.Signing.PrivateKey()
        let line = key.pemRepresentation.replacing("\n", with: #"\n"#)
        #expect(!line.contains("\n"))
        let read = try SigningKey(pem: line, keyID: "ABCDEFGHIJ")
        #expect(read.publicKeyPEM == key.publicKey.pemRepresentation)
    }

    @Test func `A text without a private key is refused with the expected first line`() {
        let base64 = Data(P256.Signing.PrivateKey().pemRepresentation.utf8).base64EncodedString()
        let error = #expect(throws: SigningError.self) { try SigningKey(pem: base64, keyID: "ABCDEFGHIJ") }
        #expect(error?.message.contains("-----BEGIN PRIVATE KEY-----") == true)
    }

    @Test func `A signing key is read from a file, and a missing or huge file throws its own error`() async throws {
        try await Tool.inTemporaryFolder { folder in
            let file = folder.appending(path: "key.p8")
            let key = P256.Signing.PrivateKey()
            try Data(key.pemRepresentation.utf8).write(to: file)
            let read = try SigningKey(contentsOf: file, keyID: "K")
            #expect(read.publicKeyPEM == key.publicKey.pemRepresentation)
            #expect(throws: SigningError(.unreadableFile, "")) {
                try SigningKey(contentsOf: folder.appending(path: "none"), keyID: "K")
            }
            #expect(throws: SigningError(.unreadableFile, "")) { try SigningKey(contentsOf: folder, keyID: "K") }
            try Data(count: SigningKey.maximumSize + 1).write(to: file)
            #expect(throws: SigningError(.tooLarge, "")) { try SigningKey(contentsOf: file, keyID: "K") }
            try Data([0xFF, 0xFE, 0x00]).write(to: file)
            #expect(throws: SigningError(.notAPrivateKey, "")) { try SigningKey(contentsOf: file, keyID: "K") }
        }
    }

    @Test(arguments: [
        ("", SigningError.Code.notAPrivateKey),
        ("not a key", .notAPrivateKey),
        (TestKeys.publicKey, .notAPrivateKey),
        ("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----", .notAPrivateKey),
        ("-----BEGIN ENCRYPTED PRIVATE KEY-----\nAAAA\n-----END ENCRYPTED PRIVATE KEY-----", .encryptedKey),
        ("-----BEGIN PRIVATE KEY-----", .notP256),
        ("-----BEGIN PRIVATE KEY-----\n-----END PRIVATE KEY-----", .notP256),
        ("-----BEGIN PRIVATE KEY-----\n!!!!\n-----END PRIVATE KEY-----", .notP256),
        ("-----BEGIN PRIVATE KEY-----\nMAA=\n-----END PRIVATE KEY-----", .notP256),
        ("-----BEGIN EC PRIVATE KEY-----\nMIIBVA==\n-----END EC PRIVATE KEY-----", .notP256),
        (TestKeys.p384, .notP256), (TestKeys.secp256k1, .notP256), (TestKeys.secp256k1SEC1, .notP256),
        (TestKeys.unnamedCurve, .notP256),
        (String(repeating: "A", count: SigningKey.maximumSize + 1), .tooLarge),
    ])
    func `A text that is not a P-256 private key is refused for its own reason`(
        _ pem: String, _ code: SigningError.Code
    ) {
        #expect(throws: SigningError(code, "")) { try SigningKey(pem: pem, keyID: "K") }
    }

    @Test func `A truncated key text is refused`() async {
        let pem = P256.Signing.PrivateKey().pemRepresentation.trimmingCharacters(in: .whitespacesAndNewlines)
        let firstLine = "-----BEGIN PRIVATE KEY-----".count
        for await length in Yielding(0..<pem.count) {
            let code: SigningError.Code = length < firstLine ? .notAPrivateKey : .notP256
            #expect(throws: SigningError(code, ""), "\(length)") {
                try SigningKey(pem: String(pem.prefix(length)), keyID: "K")
            }
        }
    }

    @Test func `A changed key text is refused, or is a key whose public key verifies its signatures`() async throws {
        let body = Array(P256.Signing.PrivateKey().pemRepresentation.utf8)
        let message = Data("message".utf8)
        var refused = 0
        for await index in Yielding(body.indices) {
            var changed = body
            changed[index] ^= 0x15
            guard let key = try? SigningKey(pem: String(decoding: changed, as: UTF8.self), keyID: "K") else {
                refused += 1
                continue
            }
            let publicKey = try P256.Signing.PublicKey(pemRepresentation: key.publicKeyPEM)
            let signature = try P256.Signing.ECDSASignature(derRepresentation: key.derSignature(of: message))
            #expect(publicKey.isValidSignature(signature, for: message), "\(index)")
        }
        // A change of the first or the last line is always refused.
        #expect(refused >= "-----BEGIN PRIVATE KEY-----".count + "-----END PRIVATE KEY-----".count)
    }

    @Test func `A signing key is never printed, by reflection or in an error`() throws {
        let pem = P256.Signing.PrivateKey().pemRepresentation
        let secret = try #require(pem.split(separator: "\n").dropFirst().first)
        let key = try SigningKey(pem: pem, keyID: "KEYID12345")
        var dumped = ""
        dump(key, to: &dumped)
        for text in ["\(key)", String(reflecting: key), dumped] {
            #expect(text.contains("KEYID12345"))
            #expect(!text.contains(secret))
            #expect(!text.contains("P256"))
        }
        let broken = pem.replacing(secret, with: secret.dropLast(4))
        do {
            _ = try SigningKey(pem: broken, keyID: "K")
            Issue.record("a damaged key was read")
        } catch { #expect(!String(reflecting: error).contains(secret.prefix(12))) }
    }

    @Test func `A signing key needs an identifier of limited length`() {
        let pem = P256.Signing.PrivateKey().pemRepresentation
        #expect(throws: SigningError(.invalidIdentifier, "")) { try SigningKey(pem: pem, keyID: "") }
        #expect(throws: SigningError(.invalidIdentifier, "")) {
            try SigningKey(pem: pem, keyID: String(repeating: "K", count: 2000))
        }
    }
}
