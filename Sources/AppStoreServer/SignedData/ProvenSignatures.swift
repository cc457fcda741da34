internal import Crypto
internal import Synchronization

/// Signatures that were found to hold lately, so that a text is verified when it arrives, and seldom again on its way to a
/// webhook or when somebody looks at it.
///
/// Whether a signature is a key's for some bytes never changes. Everything else about a text (the dates of its certificates,
/// their revocation, app and environment) is judged each time. The hash covers the header, and with it the certificate that
/// the key is from, so it stands for the key too.
package final class ProvenSignatures: Sendable {
    /// How many are remembered at most: those of 2,700 notifications, in less than two megabytes.
    package static let capacity = 8192

    private struct Proof: Hashable {
        var digest = SIMD4<UInt64>()
        // One of eight words would be padded to 128 bytes.
        var (r, s) = (SIMD4<UInt64>(), SIMD4<UInt64>())

        init(_ digest: SHA256Digest, _ signature: [UInt8]) {
            digest.withUnsafeBytes { bytes in withUnsafeMutableBytes(of: &self.digest) { $0.copyBytes(from: bytes) } }
            withUnsafeMutableBytes(of: &r) { $0.copyBytes(from: signature.prefix(32)) }
            withUnsafeMutableBytes(of: &s) { $0.copyBytes(from: signature.suffix(32)) }
        }

        // One word of a SHA-256 tells them apart as well as all of it.
        func hash(into hasher: inout Hasher) { hasher.combine(digest.x) }
    }

    /// Two halves: when one is full the other is let go of, with all that was not asked for since.
    private struct Memory {
        var recent: Set<Proof> = []
        var former: Set<Proof> = []
    }

    private let memory = Mutex(Memory())
    private let verifications = Atomic<Int>(0)
    private let half: Int

    package init(capacity: Int = ProvenSignatures.capacity) { half = max(1, capacity / 2) }

    /// How many signatures were verified, as opposed to known.
    package var verified: Int { verifications.load(ordering: .relaxed) }

    /// How many are remembered.
    package var count: Int { memory.withLock { $0.recent.count + $0.former.count } }

    /// Whether a signature of 64 bytes holds for a hash: known, or found out by `verify`. What does not hold is not
    /// remembered: anybody can make it up.
    func holds(_ signature: [UInt8], for digest: SHA256Digest, verify: () -> Bool) -> Bool {
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

    private static func add(_ proof: Proof, to memory: inout Memory, _ half: Int) {
        // Two may have verified the same text at once.
        if memory.recent.contains(proof) { return }
        if memory.recent.count >= half {
            memory.former = memory.recent
            // The next half will hold as many; to grow into that costs more than all else here.
            memory.recent = Set(minimumCapacity: half)
        }
        memory.recent.insert(proof)
    }
}
