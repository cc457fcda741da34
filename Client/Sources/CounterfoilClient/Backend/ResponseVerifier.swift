public import Foundation

#if canImport(CryptoKit)
    import CryptoKit
#endif

/// Verifies that your server signed a response about a customer. The client ignores other responses and retries the
/// request; it reports ``ClientNotice/misconfigured(_:)`` once in a launch.
///
/// Put the server's public keys, which `GET /v1/keys` returns, into the app. Use several keys while you replace one.
public struct ResponseVerifier: Sendable {
    private let keys: [Data]
    private let isValid: Verification

    /// Verifies an Ed25519 signature.
    public typealias Verification = @Sendable (_ signature: Data, _ message: Data, _ key: Data) -> Bool

    /// - Parameters:
    ///   - keys: Ed25519 public keys, of 32 bytes each.
    ///   - isValid: Verifies an Ed25519 signature, for platforms without CryptoKit.
    public init(keys: [Data], isValid: @escaping Verification) { (self.keys, self.isValid) = (keys, isValid) }

    #if canImport(CryptoKit)
        /// Makes a verifier that uses CryptoKit.
        /// - Parameter keys: Ed25519 public keys, of 32 bytes each.
        public init(keys: [Data]) {
            self.init(keys: keys) { signature, message, key in
                let key = try? Curve25519.Signing.PublicKey(rawRepresentation: key)
                return key?.isValidSignature(signature, for: message) ?? false
            }
        }
    #endif

    /// Whether the header consists of a time and a signature over customer, nonce, time and body by one of the keys.
    func verifies(_ header: String?, of customer: String, _ nonce: String, _ body: Data) -> Bool {
        let parts = (header ?? "").split(separator: ".")
        guard parts.count == 2, let signature = SignedText.bytes(parts[1]) else { return false }
        // The server writes UUIDs in lower case.
        let name = UUID(uuidString: customer)?.uuidString.lowercased() ?? customer
        // Convert to an array first: `Data` of a string's UTF-8 view would add 3 KB of machine code.
        let message = Data(Array("counterfoil-answer-1\n\(name)\n\(nonce)\n\(parts[0])\n".utf8)) + body
        return keys.contains { isValid(signature, message, $0) }
    }
}
