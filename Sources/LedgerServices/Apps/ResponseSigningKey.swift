internal import AppStoreTrust
internal import Basics
internal import Crypto

/// A private key (Ed25519) that signs responses about customers, for apps that contain its public key.
public struct ResponseSigningKey: Sendable {
    private let constant: CryptoConstant<Curve25519.Signing.PrivateKey>

    /// Reads a key. Returns nil if the text is not 32 bytes in base64.
    public init?(base64 text: String) {
        guard let bytes = Base64.decode(text), bytes.count == 32 else { return nil }
        do { constant = CryptoConstant(try Curve25519.Signing.PrivateKey(rawRepresentation: bytes)) } catch {
            return nil
        }
    }

    /// The public key, 32 bytes.
    public var publicKey: [UInt8] { Array(constant.value.publicKey.rawRepresentation) }

    /// Returns the signature of a message, 64 bytes.
    package func sign(_ message: [UInt8]) throws -> [UInt8] { Array(try constant.value.signature(for: message)) }
}
