internal import Crypto
internal import Foundation

/// The signature of a JWS: r and s, 32 bytes each (RFC 7518 §3.4). Kept in place, without an allocation of its own, because
/// a simulator keeps one for each of millions of transactions.
package struct PayloadSignature: Sendable, Hashable {
    /// How many bytes it has.
    package static let count = 64

    private var words: (SIMD4<UInt64>, SIMD4<UInt64>)

    /// Nil unless there are 64 bytes.
    package init?(bytes: some Collection<UInt8>) {
        guard bytes.count == Self.count else { return nil }
        var words = (SIMD4<UInt64>(), SIMD4<UInt64>())
        withUnsafeMutableBytes(of: &words) { $0.copyBytes(from: bytes) }
        self.words = words
    }

    init(_ signature: P256.Signing.ECDSASignature) {
        var words = (SIMD4<UInt64>(), SIMD4<UInt64>())
        withUnsafeMutableBytes(of: &words) { target in
            signature.withUnsafeBytes {
                target.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0.prefix(target.count)))
            }
        }
        self.words = words
    }

    /// The 64 bytes.
    package var bytes: [UInt8] { withBytes { Array($0) } }

    /// A signature that differs in one bit, and so is none.
    package var broken: Self {
        var copy = self
        copy.words.1.w ^= 1
        return copy
    }

    func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        withUnsafeBytes(of: words) { body($0) }
    }

    package static func == (left: Self, right: Self) -> Bool { left.words == right.words }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(words.0)
        hasher.combine(words.1)
    }
}
