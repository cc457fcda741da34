internal import AppStoreModels
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
        let filter = try Self.filter(call.request)
        await audit.flush()
        let page = try await storage.audit(filter, before: try paging.number(), limit: paging.limit)
        let next = page.next.map { String($0) }
        switch format {
        case .json: return .list(page.items, next: next) { Self.write($1, to: &$0) }
        case .csv: return Self.csv(page.items, next: next, limit: paging.limit, call.request)
        }
    }

    /// The parameters of a filter.
    static let filters = ["target", "actor", "action"]

    private static func filter(_ request: Request) throws(APIFailure) -> AuditFilter {
        var filter = AuditFilter()
        filter.targets = try request.shortText("target").map { Self.spellings(of: $0) }
        filter.actor = try request.shortText("actor")
        filter.action = try request.shortText("action")
        if let action = filter.action, !isAction(action) {
            throw APIFailure(
                "invalid_parameter",
                "`action` is sign-in, sign-out, or a method and a path of /openapi.yaml, such as "
                    + "DELETE /v1/customers/{id}.", parameter: "action")
        }
        return filter
    }

    /// Returns the ways in which requests name a target. Customers' UUIDs are recorded in lower case, but older entries
    /// and those about other objects have the case of the request.
    private static func spellings(of target: String) -> Set<ExactText> {
        guard let uuid = UUID(text: target)?.text else { return [ExactText(target)] }
        return [ExactText(target), ExactText(uuid), ExactText(uuid.uppercased())]
    }

    /// Whether the log may have an action: a typing error must not look like an action that nobody did.
    private static func isAction(_ text: String) -> Bool {
        if text == "sign-in" || text == "sign-out" { return true }
        let parts = text.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, ["GET", "HEAD", "POST", "PATCH", "DELETE"].contains(parts[0]) else { return false }
        guard parts[1].hasPrefix("/v1/") else { return parts[1].hasPrefix("/") }
        return isDescribed(parts[0] == "HEAD" ? "GET" : parts[0], parts[1])
    }

    /// Whether openapi.yaml has the operation.
    private static func isDescribed(_ method: Substring, _ path: Substring) -> Bool {
        guard let item = APIDescription.text.range(of: "\n  \(path):\n") else { return false }
        // Paths are indented by two spaces, their operations by four.
        let lines = APIDescription.text[item.upperBound...].split(separator: "\n").prefix { $0.hasPrefix("    ") }
        let operation = "    \(method.lowercased()):"
        return lines.contains { $0 == operation }
    }

    private static func write(_ stored: StoredAuditEntry, to json: inout JSONWriter) {
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
            json.member("is_chained", stored.isChained)
        }
    }

    /// Returns a CSV table. The next page has the same limit and filter.
    private static func csv(_ page: [StoredAuditEntry], next: String?, limit: Int, _ request: Request) -> Response {
        var csv = CSVWriter(columns: [
            "id", "at", "actor", "session", "address", "action", "target", "detail", "result", "digest",
            "is_chained",
        ])
        for stored in page {
            let entry = stored.entry
            csv.row([
                String(stored.id), InstantText.text(entry.at), entry.actor, entry.session,
                entry.address, entry.action, entry.target, entry.detail, entry.result, stored.digest.hexadecimal,
                String(stored.isChained),
            ])
        }
        var query = [("format", "csv"), ("limit", "\(limit)")]
        query += filters.compactMap { name in request.parameter(name).map { (name, $0) } }
        return csv.response(
            named: "audit", next: next.map { "/v1/audit?" + String(queryOf: query + [("page", $0)]) })
    }
}
