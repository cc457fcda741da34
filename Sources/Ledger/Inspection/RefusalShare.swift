internal import AppStoreModels
internal import Basics

/// A refusal, as far as its place among others goes.
package struct RefusalShare: Sendable, Hashable {
    package var id: Int64
    /// Who shares with others: see ``Refusal/client(ofSender:)``.
    package var client: String
    package var size: Int

    package init(id: Int64, client: String, size: Int) {
        (self.id, self.client, self.size) = (id, client, size)
    }

    package init(_ kept: KeptRefusal) {
        self.init(id: kept.id, client: Refusal.client(ofSender: kept.refusal.sender), size: kept.refusal.size)
    }
}

extension Refusal {
    /// Who a sender shares with: the client's network, which may have many addresses, or else what the sender is called.
    package static func client(ofSender sender: String?) -> String {
        guard let sender else { return "" }
        return Network.ofClient(at: sender)?.key ?? sender
    }
}

extension RefusalStorageLimit {
    /// The numbers of those for which there is no room.
    ///
    /// The limits are filled with every client's newest first, then with every client's second, and so on, until they are
    /// full: who has much loses the rest, and nobody else does. Bytes are filled in the order of what each client has of
    /// them by then.
    package func exceeded(by shares: [RefusalShare]) -> Set<Int64> {
        var (counts, bytes) = ([ExactText: Int](), [ExactText: Int]())
        let placed = shares.sorted { $0.id > $1.id }.map { share in
            let client = ExactText(share.client)
            counts[client, default: 0] += 1
            bytes[client, default: 0] += share.size
            return (id: share.id, size: share.size, place: counts[client] ?? 0, bytes: bytes[client] ?? 0)
        }
        let byPlace = placed.sorted { ($0.place, $1.id) < ($1.place, $0.id) }
        var exceeded = Set(byPlace.dropFirst(count).map(\.id))
        var sum = 0
        for share in placed.sorted(by: { ($0.bytes, $1.id) < ($1.bytes, $0.id) }) {
            sum += share.size
            if sum > self.bytes { exceeded.insert(share.id) }
        }
        return exceeded
    }
}
