internal import AppStoreTrust
internal import Basics
internal import Crypto
internal import Foundation

/// A private key (Ed25519) that signs answers about customers, for apps that have its public half in them.
public struct AnswerKey: Sendable {
    private let constant: CryptoConstant<Curve25519.Signing.PrivateKey>

    /// Reads a key. Returns nil if the text is not 32 bytes in base64.
    public init?(base64 text: String) {
        guard let bytes = Base64.decode(text), bytes.count == 32 else { return nil }
        do { constant = CryptoConstant(try Curve25519.Signing.PrivateKey(rawRepresentation: bytes)) } catch {
            return nil
        }
    }

    /// The public half, 32 bytes.
    public var publicKey: [UInt8] { Array(constant.value.publicKey.rawRepresentation) }

    /// Signs a message; 64 bytes.
    package func sign(_ message: [UInt8]) throws -> [UInt8] { Array(try constant.value.signature(for: message)) }
}
