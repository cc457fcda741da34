internal import Basics
internal import Crypto

/// The signature of a JWS: r and s, 32 bytes each (RFC 7518 §3.4). Stored inline without a heap allocation, because a
/// simulator can hold millions of signatures.
package struct PayloadSignature: Sendable, Hashable {
    /// The size in bytes.
    package static let count = 64

    private var words: SIMD8<UInt64>

    /// Creates a signature from 64 bytes; nil for any other number of bytes.
    package init?(bytes: some Collection<UInt8>) {
        guard bytes.count == Self.count else { return nil }
        var words = SIMD8<UInt64>()
        withUnsafeMutableBytes(of: &words) { $0.copyBytes(from: bytes) }
        self.words = words
    }

    /// Reads the signature of a compact JWS, which is the last of its three parts; nil if there is none.
    package init?(ofJWS text: String) {
        guard let dot = text.utf8.lastIndex(of: UInt8(ascii: ".")),
            let bytes = Base64.decodeURL(text[text.index(after: dot)...])
        else { return nil }
        self.init(bytes: bytes)
    }

    init(_ signature: P256.Signing.ECDSASignature) {
        var words = SIMD8<UInt64>()
        withUnsafeMutableBytes(of: &words) { target in
            signature.withUnsafeBytes {
                target.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0.prefix(target.count)))
            }
        }
        self.words = words
    }

    /// The 64 bytes.
    package var bytes: [UInt8] { withBytes { Array($0) } }

    /// An invalid signature that differs in one bit.
    package var broken: Self {
        var copy = self
        copy.words[7] ^= 1
        return copy
    }

    func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        withUnsafeBytes(of: words) { body($0) }
    }
}
