// What the client kit uses of CryptoKit, written from Apple's documentation: page and first systems of each declaration.
// It is compiled by Scripts/check-storekit alone, and does nothing.
public import Foundation

/// curve25519 · iOS 13, macOS 10.15, tvOS 13, watchOS 6, visionOS 1
public enum Curve25519: Sendable {
    /// curve25519/signing · iOS 13, macOS 10.15, tvOS 13, watchOS 6, visionOS 1
    public enum Signing: Sendable {
        /// curve25519/signing/publickey · iOS 13, macOS 10.15, tvOS 13, watchOS 6, visionOS 1
        public struct PublicKey: Sendable {
            /// curve25519/signing/publickey/init(rawrepresentation:) · iOS 13, macOS 10.15, tvOS 13, watchOS 6, visionOS 1
            public init<D: ContiguousBytes>(rawRepresentation: D) throws {}
            /// curve25519/signing/publickey/isvalidsignature(_:for:) · iOS 13, macOS 10.15, tvOS 13, watchOS 6, visionOS 1
            public func isValidSignature<S: DataProtocol, D: DataProtocol>(_ signature: S, for data: D) -> Bool {
                fatalError()
            }
        }
    }
}
