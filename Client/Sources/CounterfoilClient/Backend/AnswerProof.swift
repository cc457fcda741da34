public import Foundation

#if canImport(CryptoKit)
    import CryptoKit
#endif

/// Proves that an answer about a customer is your server's. What is not proven counts as no answer: the client asks
/// again, and ``ClientNotice/misconfigured(_:)`` tells of it once.
///
/// Put the server's public keys into the app: `GET /v1/keys` shows them. Several, while one takes the place of another.
public struct AnswerProof: Sendable {
    private let keys: [Data]
    private let isValid: Verification

    /// Verifies an Ed25519 signature.
    public typealias Verification = @Sendable (_ signature: Data, _ message: Data, _ key: Data) -> Bool

    /// - Parameters:
    ///   - keys: Ed25519 public keys, of 32 bytes each.
    ///   - isValid: Verifies an Ed25519 signature, where there is no CryptoKit.
    public init(keys: [Data], isValid: @escaping Verification) { (self.keys, self.isValid) = (keys, isValid) }

    #if canImport(CryptoKit)
        /// Verifies by CryptoKit.
        /// - Parameter keys: Ed25519 public keys, of 32 bytes each.
        public init(keys: [Data]) {
            self.init(keys: keys) { signature, message, key in
                let key = try? Curve25519.Signing.PublicKey(rawRepresentation: key)
                return key?.isValidSignature(signature, for: message) ?? false
            }
        }
    #endif

    /// Whether the header is a time and a signature by one of the keys over customer, nonce, time and body.
    func proves(_ header: String?, of customer: String, _ nonce: String, _ body: Data) -> Bool {
        let parts = (header ?? "").split(separator: ".")
        guard parts.count == 2, let signature = SignedText.bytes(parts[1]) else { return false }
        // The server writes identifiers that are UUIDs in lower case.
        let name = UUID(uuidString: customer)?.uuidString.lowercased() ?? customer
        // An array, whose bytes Data copies at once: of the text itself it would need 3 KB of code.
        let message = Data(Array("counterfoil-answer-1\n\(name)\n\(nonce)\n\(parts[0])\n".utf8)) + body
        return keys.contains { isValid(signature, message, $0) }
    }
}
