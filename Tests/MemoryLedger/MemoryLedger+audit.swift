internal import Foundation
package import Ledger

extension MemoryLedger: AuditStorage {
    package func appendAudit(_ entries: [AuditEntry], dropping before: Milliseconds) async throws {
        try write { state in
            for entry in entries {
                state.lastAudit += 1
                let digest = entry.digest(after: state.audit.last?.digest ?? Data())
                state.audit.append(StoredAuditEntry(id: state.lastAudit, entry: entry, digest: digest))
            }
            state.audit.removeFirst(state.audit.prefix(AuditEntry.maximumDropped).prefix { $0.entry.at < before }.count)
        }
    }

    package func audit(before id: Int64, limit: Int) async throws -> [StoredAuditEntry] {
        try read { Array($0.audit.reversed().filter { $0.id < id }.prefix(limit)) }
    }
}
