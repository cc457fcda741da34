internal import AppStoreModels
internal import Basics

/// The properties of a refusal that decide whether it stays stored.
package struct RefusalSize: Sendable, Hashable {
    package var id: Int64
    /// The client that the refusal counts for: see ``Refusal/client(ofSender:)``.
    package var client: String
    package var size: Int

    package init(id: Int64, client: String, size: Int) {
        (self.id, self.client, self.size) = (id, client, size)
    }

    package init(_ stored: StoredRefusal) {
        self.init(id: stored.id, client: Refusal.client(ofSender: stored.refusal.sender), size: stored.refusal.size)
    }
}

extension Refusal {
    /// Returns the client of a sender: its network, which may have many addresses, or else the sender itself.
    package static func client(ofSender sender: String?) -> String {
        guard let sender else { return "" }
        return Network.ofClient(at: sender)?.key ?? sender
    }
}

extension RefusalStorageLimit {
    /// Returns the row identifiers of the refusals that exceed the limit.
    ///
    /// The limit is filled with the newest refusal of every client, then with the second newest, and so on. So a client
    /// with many refusals loses its oldest ones, and other clients lose none. Bytes are filled in the order of each
    /// client's cumulative size.
    package func exceeded(by sizes: [RefusalSize]) -> Set<Int64> {
        var (counts, bytes) = ([ExactText: Int](), [ExactText: Int]())
        let ranked = sizes.sorted { $0.id > $1.id }.map { refusal in
            let client = ExactText(refusal.client)
            counts[client, default: 0] += 1
            bytes[client, default: 0] += refusal.size
            return (id: refusal.id, size: refusal.size, rank: counts[client] ?? 0, bytes: bytes[client] ?? 0)
        }
        let byRank = ranked.sorted { ($0.rank, $1.id) < ($1.rank, $0.id) }
        var exceeded = Set(byRank.dropFirst(count).map(\.id))
        var sum = 0
        for refusal in ranked.sorted(by: { ($0.bytes, $1.id) < ($1.bytes, $0.id) }) {
            sum += refusal.size
            if sum > self.bytes { exceeded.insert(refusal.id) }
        }
        return exceeded
    }
}
