internal import Foundation
internal import Synchronization

/// A cache of verified certificate chains, by the exact text of the JWS header.
///
/// All JWS of one signing certificate have the same header, and the App Store has few certificates, so a handful of
/// entries serves all traffic. Only verified chains are stored, so an attacker cannot fill the cache. The lock is held
/// only to copy a reference to an array.
final class ChainCache: Sendable {
    private struct Entry: Sendable {
        let header: [UInt8]
        let chain: SigningChain
    }

    private let entries = Mutex<[Entry]>([])
    private let capacity: Int

    init(capacity: Int) { self.capacity = capacity }

    /// Returns the chain for a header that was verified before.
    func chain(for header: UnsafeRawBufferPointer) -> SigningChain? {
        // Headers differ within the first certificate, so a linear search costs little more than one full comparison.
        for entry in entries.withLock({ $0 }) where Self.isEqual(entry.header, header) { return entry.chain }
        return nil
    }

    /// Returns the chain with the same certificates that was verified with another header text.
    func chain(of certificates: [[UInt8]]) -> SigningChain? {
        entries.withLock { $0 }.first { $0.chain.ders == certificates }?.chain
    }

    // `elementsEqual` compares byte by byte, which takes 3 µs for a header. Only here does that matter.
    private static func isEqual(_ known: [UInt8], _ header: UnsafeRawBufferPointer) -> Bool {
        guard known.count == header.count, let address = header.baseAddress else { return false }
        return known.withUnsafeBytes { bytes in
            bytes.baseAddress.map { memcmp($0, address, header.count) == 0 } ?? false
        }
    }

    /// Stores a chain. Evicts the oldest if the cache is full.
    func insert(_ chain: SigningChain, for header: UnsafeRawBufferPointer) {
        let entry = Entry(header: Array(header), chain: chain)
        entries.withLock { entries in
            guard capacity > 0, !entries.contains(where: { $0.header == entry.header }) else { return }
            if entries.count >= capacity { entries.removeFirst(entries.count - capacity + 1) }
            entries.append(entry)
        }
    }

    /// The number of stored chains.
    var count: Int { entries.withLock { $0.count } }
}
