internal import Crypto
internal import Synchronization

/// A cache of signatures that were verified recently. A notification is verified on arrival, and rarely again when it
/// is sent to a webhook or viewed.
///
/// Whether a signature is valid for certain bytes and a key never changes. Everything else (certificate dates,
/// revocation, app and environment) is checked each time. The hash covers the header, which contains the certificate of
/// the key, so it identifies the key too.
package final class VerifiedSignatureCache: Sendable {
    /// The maximum number of stored signatures: those of 2,700 notifications, in less than two megabytes.
    package static let capacity = 8192

    private struct Proof: Hashable {
        var digest = SIMD4<UInt64>()
        // One SIMD vector of eight words would be padded to 128 bytes.
        var (r, s) = (SIMD4<UInt64>(), SIMD4<UInt64>())

        init(_ digest: SHA256Digest, _ signature: [UInt8]) {
            digest.withUnsafeBytes { bytes in withUnsafeMutableBytes(of: &self.digest) { $0.copyBytes(from: bytes) } }
            withUnsafeMutableBytes(of: &r) { $0.copyBytes(from: signature.prefix(32)) }
            withUnsafeMutableBytes(of: &s) { $0.copyBytes(from: signature.suffix(32)) }
        }

        // One word of a SHA-256 hash is enough to distinguish the values.
        func hash(into hasher: inout Hasher) { hasher.combine(digest.x) }
    }

    /// Two generations: when the recent one is full, the former one is dropped with all entries that were not used
    /// since.
    private struct Generations {
        var recent: Set<Proof> = []
        var former: Set<Proof> = []
    }

    private let memory = Mutex(Generations())
    private let verifications = Atomic<Int>(0)
    private let half: Int

    package init(capacity: Int = VerifiedSignatureCache.capacity) { half = max(1, capacity / 2) }

    /// The number of signatures that were verified, not found in the cache.
    package var verified: Int { verifications.load(ordering: .relaxed) }

    /// The number of stored signatures.
    package var count: Int { memory.withLock { $0.recent.count + $0.former.count } }

    /// Whether a signature of 64 bytes is valid for a hash: from the cache, or from `verify`. Invalid signatures are
    /// not stored, because anyone can create them.
    func isValid(_ signature: [UInt8], for digest: SHA256Digest, verify: () -> Bool) -> Bool {
        let proof = Proof(digest, signature)
        let isKnown = memory.withLock { memory in
            if memory.recent.contains(proof) { return true }
            guard memory.former.contains(proof) else { return false }
            Self.add(proof, to: &memory, half)
            return true
        }
        if isKnown { return true }
        verifications.wrappingAdd(1, ordering: .relaxed)
        guard verify() else { return false }
        memory.withLock { Self.add(proof, to: &$0, half) }
        return true
    }

    private static func add(_ proof: Proof, to memory: inout Generations, _ half: Int) {
        // Two tasks may have verified the same text concurrently.
        if memory.recent.contains(proof) { return }
        if memory.recent.count >= half {
            memory.former = memory.recent
            // The next generation will hold as many; growing the set step by step costs more than everything else here.
            memory.recent = Set(minimumCapacity: half)
        }
        memory.recent.insert(proof)
    }
}
