import Foundation
import Ledger
import Testing

@Suite struct `The chain of the audit log` {
    @Test func `It shows where an entry was changed or removed`() {
        var (stored, last): ([StoredAuditEntry], Data) = ([], Data())
        for number in 1...5 {
            let entry = AuditEntry(at: Milliseconds(number), actor: "a", action: "POST /v1/x", result: "200")
            last = entry.digest(after: last)
            stored.append(StoredAuditEntry(id: Int64(number), entry: entry, digest: last))
        }
        #expect(StoredAuditEntry.breaks(in: stored).isEmpty)
        var changed = stored
        changed[2].entry.actor = "b"
        #expect(StoredAuditEntry.breaks(in: changed) == [3])
        var shortened = stored
        shortened.remove(at: 2)
        #expect(StoredAuditEntry.breaks(in: shortened) == [4])
        // A missing value and an empty one have different digests.
        changed = stored
        changed[4].entry.session = ""
        #expect(StoredAuditEntry.breaks(in: changed) == [5])
    }
}
