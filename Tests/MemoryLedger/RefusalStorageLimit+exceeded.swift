internal import AppStoreModels
package import Ledger

extension RefusalStorageLimit {
    /// Returns the row identifiers of the refusals that exceed the limit: the rule of
    /// ``RefusalStorage/dropRefusals(beyond:)`` on values. An engine applies it to a table that may be too large to
    /// load.
    package func exceeded(by refusals: [StoredRefusal]) -> Set<Int64> {
        var (counts, bytes) = ([ExactText: Int](), [ExactText: Int]())
        let ranked = refusals.sorted { $0.id > $1.id }.map { stored in
            let (client, size) = (ExactText(Refusal.client(ofSender: stored.refusal.sender)), stored.refusal.size)
            counts[client, default: 0] += 1
            bytes[client, default: 0] += size
            return (id: stored.id, size: size, rank: counts[client] ?? 0, bytes: bytes[client] ?? 0)
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
