import Foundation
import Ledger
import Testing

@Suite struct `The chain of the audit log` {
    @Test func `It shows where an entry was changed or removed`() {
        let entry = AuditEntry(at: 1, actor: "a", action: "POST /v1/x", result: "200")
        let previous = Data([1])
        let stored = StoredAuditEntry(
            id: 2, entry: entry, digest: entry.digest(after: previous), previous: previous)
        #expect(stored.isChained)
        var changed = stored
        changed.entry.actor = "b"
        #expect(!changed.isChained)
        // The entry before it was removed.
        changed = stored
        changed.previous = Data([2])
        #expect(!changed.isChained)
        // A missing value and an empty one have different digests.
        changed = stored
        changed.entry.session = ""
        #expect(!changed.isChained)
        // The predecessor of the oldest entry was deleted because of its age.
        changed.previous = nil
        #expect(changed.isChained)
    }
}
