internal import Foundation
internal import Synchronization

/// Proven chains by the exact text of the header they came in.
///
/// Every JWS of one signing certificate has the same header, and the App Store has few certificates: a handful of
/// entries serve all traffic. Only proven chains get in, so a stranger cannot fill it. The lock is held for taking a
/// reference to an array, never during work.
final class ChainCache: Sendable {
    private struct Entry: Sendable {
        let header: [UInt8]
        let chain: SigningChain
    }

    private let entries = Mutex<[Entry]>([])
    private let capacity: Int

    init(capacity: Int) { self.capacity = capacity }

    /// The chain of a header seen before.
    func chain(for header: UnsafeRawBufferPointer) -> SigningChain? {
        // Headers differ within their first certificate, so comparing them one after the other costs one comparison.
        for entry in entries.withLock({ $0 }) where Self.isEqual(entry.header, header) { return entry.chain }
        return nil
    }

    /// A chain of the same certificates, seen in a header of another text.
    func chain(of certificates: [[UInt8]]) -> SigningChain? {
        entries.withLock { $0 }.first { $0.chain.ders == certificates }?.chain
    }

    // `elementsEqual` goes byte by byte: 3 µs for a header. This is the one place where that shows.
    private static func isEqual(_ known: [UInt8], _ header: UnsafeRawBufferPointer) -> Bool {
        guard known.count == header.count, let address = header.baseAddress else { return false }
        return known.withUnsafeBytes { bytes in
            bytes.baseAddress.map { memcmp($0, address, header.count) == 0 } ?? false
        }
    }

    /// Keeps a chain; the oldest makes room.
    func insert(_ chain: SigningChain, for header: UnsafeRawBufferPointer) {
        let entry = Entry(header: Array(header), chain: chain)
        entries.withLock { entries in
            guard capacity > 0, !entries.contains(where: { $0.header == entry.header }) else { return }
            if entries.count >= capacity { entries.removeFirst(entries.count - capacity + 1) }
            entries.append(entry)
        }
    }

    /// How many chains are kept.
    var count: Int { entries.withLock { $0.count } }
}
