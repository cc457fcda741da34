internal import Basics
internal import Foundation
internal import Hummingbird
internal import Ledger
internal import LedgerServices

/// The audit log.
struct AuditRoutes {
    let audit: AuditLog
    let storage: any AuditStorage

    func add(to v1: APIRouter) { v1.get("/audit", needs: .auditRead, list) }

    /// Lists entries, newest first. They name the actions of all keys, so only a key for all apps and environments may
    /// read them.
    private func list(_ call: APICall) async throws -> Response {
        try call.principal.requireAllApps()
        let format = try ListFormat(call.request)
        let paging = try Paging(call.request, largest: format.maximumPageSize)
        await audit.flush()
        let found = try await storage.audit(before: try paging.number(), limit: paging.limit + 1)
        let (page, last) = paging.items(of: found)
        let next = last.map { String($0.id) }
        let breaks = Set(StoredAuditEntry.breaks(in: found.reversed()))
        switch format {
        case .json:
            return .list(page, next: next) { Self.write($1, follows: !breaks.contains($1.id), to: &$0) }
        case .csv: return Self.csv(page, next: next, limit: paging.limit)
        }
    }

    private static func write(_ stored: StoredAuditEntry, follows: Bool, to json: inout JSONWriter) {
        let entry = stored.entry
        json.object("audit_entry") { json in
            json.member("id", String(stored.id))
            json.member("at", entry.at)
            json.member("actor", entry.actor)
            json.member("session", entry.session)
            json.member("address", entry.address)
            json.member("action", entry.action)
            json.member("target", entry.target)
            json.member("detail", entry.detail)
            json.member("result", entry.result)
            json.member("digest", stored.digest.hexadecimal)
            json.member("is_chained", follows)
        }
    }

    /// Returns a CSV table. The next page has the same limit.
    private static func csv(_ page: some Sequence<StoredAuditEntry>, next: String?, limit: Int) -> Response {
        var csv = CSVWriter(columns: [
            "id", "at", "actor", "session", "address", "action", "target", "detail", "result", "digest",
        ])
        for stored in page {
            let entry = stored.entry
            csv.row([
                String(stored.id), Date(milliseconds: entry.at).formatted(.iso8601), entry.actor, entry.session,
                entry.address, entry.action, entry.target, entry.detail, entry.result, stored.digest.hexadecimal,
            ])
        }
        return csv.response(
            named: "audit", next: next.map { "/v1/audit?format=csv&limit=\(limit)&page=\($0)" })
    }
}
