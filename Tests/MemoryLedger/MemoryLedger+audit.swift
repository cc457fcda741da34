internal import AppStoreModels
internal import Foundation
package import Ledger

extension MemoryLedger: AuditStorage {
    package func appendAudit(_ entries: [AuditEntry]) async throws {
        try write { state in
            for entry in entries {
                state.lastAudit += state.step
                let digest = entry.digest(after: state.audit.last?.digest ?? Data())
                state.audit.append(StoredAuditEntry(id: state.lastAudit, entry: entry, digest: digest, previous: nil))
            }
        }
    }

    package func audit(_ filter: AuditFilter, before id: Int64, limit: Int) async throws -> AuditList {
        try read { state in
            let before = state.chainedAudit.reversed().filter { $0.id < id }
            let lists = filter.targets.map { targets in
                targets.map { target in
                    before.filter { $0.entry.target.map { ExactText($0) } == target }
                }
            }
            let count = filter.entriesToRead(forPageOf: limit)
            var (found, ends): ([StoredAuditEntry], [Int64]) = ([], [])
            for list in lists ?? [before] {
                let searched = list.prefix(count)
                if searched.count == count, let last = searched.last { ends.append(last.id) }
                found += searched.filter { filter.matches($0.entry) }
            }
            return AuditList(found: found, ends: ends, limit: limit)
        }
    }
}

extension MemoryLedger.State {
    /// The audit log, the oldest entry first, with the digest of each entry's predecessor.
    fileprivate var chainedAudit: [StoredAuditEntry] {
        var previous: Data?
        return audit.map { entry in
            var entry = entry
            (entry.previous, previous) = (previous, entry.digest)
            return entry
        }
    }
}

extension AuditFilter {
    fileprivate func matches(_ entry: AuditEntry) -> Bool {
        if let actor, !entry.actor.isExactly(actor), !(entry.session?.isExactly(actor) ?? false) { return false }
        return action.map { entry.action.isExactly($0) } ?? true
    }
}
