internal import GRDB
internal import Ledger

extension SQLiteStorage {
    /// Returns the notifications about one purchase, which its record lists, without a scan of all notifications.
    func notifications(
        about original: String, _ filter: InboxFilter, before id: Int64, limit: Int, _ db: Database
    ) throws -> InboxPage {
        let mentioned = try filter.scopes.flatMap { scope in
            try LineageTable.record(original, in: scope, db)?.mentions.map(\.notification) ?? []
        }
        let numbers = Set(mentioned).filter { $0 < id }.sorted(by: >)
        var items: [StoredNotification] = []
        for batch in numbers.batches(of: limit + 1) {
            let found = try notifications(numbered: batch, db)
            // A notification that arrived for two environments is stored once, for the first.
            for stored in found where filter.scopes.contains(stored.scope) && filter.accepts(stored) {
                if items.count == limit { return InboxPage(items: items, next: items.last?.id) }
                items.append(stored)
            }
        }
        return InboxPage(items: items, next: nil)
    }
}
