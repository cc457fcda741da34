internal import AppStoreTrust
package import Crypto
public import Foundation

/// A private key from App Store Connect, with the key identifier that Apple assigned.
///
/// An *In-App Purchase* key signs everything in this module: API tokens, promotional offers, introductory-offer
/// eligibility and Advanced Commerce requests. Apple's page: *Creating API keys to authorize API requests*.
///
/// The private key never appears in descriptions, reflection or errors.
public struct SigningKey: Sendable {
    /// The identifier of the key; ten characters in App Store Connect.
    public let keyID: String

    private let constant: CryptoConstant<P256.Signing.PrivateKey>
    private var key: P256.Signing.PrivateKey { constant.value }

    /// The maximum size of the text of a key, in bytes. A P-256 key has about 260 bytes.
    public static let maximumSize = 64 * 1024

    /// Reads a P-256 key from the text of the `.p8` file: PEM with PKCS#8 (`PRIVATE KEY`) or SEC 1 (`EC PRIVATE KEY`).
    /// Line breaks may be written as `\n`, as in an environment variable that holds one line. The key has to name its
    /// curve, which SEC 1 makes optional and RFC 5915 does not.
    ///
    /// - Throws: `not_a_private_key`, `encrypted_key` or `not_p256` for another text; `too_large`; `invalid_identifier`
    ///   if the key ID is empty or too long.
    public init(pem: String, keyID: String) throws(SigningError) {
        try SigningIdentifier.check(keyID, "key ID")
        guard pem.utf8.count <= Self.maximumSize else {
            throw SigningError(.tooLarge, "a key has at most \(Self.maximumSize) bytes")
        }
        // Accept text that mail or another system has changed: a byte-order mark, CRLF, blank lines at either end, and
        // escaped line breaks. PEM contains no backslash.
        let text = pem.replacing("\r\n", with: "\n").replacing("\u{FEFF}", with: "").replacing(#"\n"#, with: "\n")
            .trimmingCharacters(in: .whitespacesAndNewlines)
        switch text.prefix(while: { !$0.isNewline }).trimmingCharacters(in: .whitespaces) {
        case "-----BEGIN PRIVATE KEY-----", "-----BEGIN EC PRIVATE KEY-----":
            // The library's error is not passed on, because it may quote parts of the key.
            guard let key = try? P256.Signing.PrivateKey(pemRepresentation: text), Self.namesP256(text) else {
                throw SigningError(.notP256, "the PEM holds no well-formed private key of elliptic curve P-256")
            }
            self.init(key, keyID: keyID)
        case "-----BEGIN ENCRYPTED PRIVATE KEY-----":
            throw SigningError(.encryptedKey, "the key is protected by a password")
        default:
            throw SigningError(.notAPrivateKey, Self.expectation)
        }
    }

    /// Whether the key in `pem` has the object identifier of P-256 (RFC 5480 §2.1.1.1). swift-crypto compares only the
    /// size, and would sign with the numbers of a key on another curve of 256 bits.
    private static func namesP256(_ pem: String) -> Bool {
        let identifier = Data([0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07])
        let body = pem.split(whereSeparator: \.isNewline).filter { !$0.hasPrefix("-----") }.joined()
        return Data(base64Encoded: body)?.range(of: identifier) != nil
    }

    private static let expectation =
        "not a PEM file with a private key: the first line has to be -----BEGIN PRIVATE KEY-----"

    /// Reads a key from a `.p8` file.
    ///
    /// - Throws: `unreadable_file`; for the contents as ``init(pem:keyID:)``.
    public init(contentsOf file: URL, keyID: String) throws(SigningError) {
        let data: Data
        do {
            let handle = try FileHandle(forReadingFrom: file)
            defer { try? handle.close() }
            data = try handle.read(upToCount: Self.maximumSize + 1) ?? Data()
        } catch {
            throw SigningError(.unreadableFile, "cannot read \(file.path)")
        }
        guard let text = String(data: data, encoding: .utf8) else {
            throw SigningError(.notAPrivateKey, Self.expectation)
        }
        try self.init(pem: text, keyID: keyID)
    }

    package init(_ key: P256.Signing.PrivateKey, keyID: String) {
        constant = CryptoConstant(key)
        self.keyID = keyID
    }

    /// The public key as PEM (SubjectPublicKeyInfo), to verify signatures.
    public var publicKeyPEM: String { key.publicKey.pemRepresentation }

    /// Whether both the key and its identifier are the same.
    package func isSame(as other: SigningKey) -> Bool {
        keyID.utf8.elementsEqual(other.keyID.utf8) && publicKeyPEM == other.publicKeyPEM
    }

    /// Creates a compact JWS with this key: `alg` ES256, `kid`, `typ` JWT.
    package func sign(claims: some Encodable) throws(SigningError) -> String {
        try CompactJWS.sign(
            header: CompactJWS.json(TokenHeader(kid: keyID)), payload: CompactJWS.json(claims), with: key)
    }

    /// Returns an ECDSA signature with SHA-256, DER encoded.
    package func derSignature(of bytes: some DataProtocol) throws(SigningError) -> Data {
        do { return try key.signature(for: bytes).derRepresentation } catch {
            throw SigningError(.signingFailed, "the cryptographic library refused to sign")
        }
    }
}

extension SigningKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The identifier of the key; nothing of the private key.
    public var description: String { "SigningKey(keyID: \(keyID))" }

    /// The same as ``description``.
    public var debugDescription: String { description }

    /// The identifier of the key; nothing of the private key.
    public var customMirror: Mirror { Mirror(self, children: ["keyID": keyID], displayStyle: .struct) }
}

private struct TokenHeader: Encodable {
    var alg = "ES256"
    let kid: String
    var typ = "JWT"
}

/// Checks an identifier before it is signed.
enum SigningIdentifier {
    /// The maximum size of an identifier, in bytes.
    static let maximumSize = 1024

    /// Returns `text`. Throws `invalid_identifier` if it is empty or longer than ``maximumSize``.
    @discardableResult
    static func check(_ text: String, _ name: String) throws(SigningError) -> String {
        guard !text.isEmpty else { throw SigningError(identifier: name, "is empty") }
        guard text.utf8.count <= maximumSize else {
            throw SigningError(identifier: name, "has more than \(maximumSize) bytes")
        }
        return text
    }
}
