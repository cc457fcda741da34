internal import Foundation
internal import LedgerServices
internal import WebConsole

/// The page of health, metrics, keys and sessions.
struct OperationsPage {
    let history: MetricHistory
    let metrics: ServerMetrics

    @Sendable func make(_ pageRequest: PageRequest) async throws -> ConsolePage {
        var page = pageRequest.page("Operations")
        page.api = pageRequest.target(["operations", "metrics"], isScoped: false)
        page.addNoteOfDoneAction(pageRequest)
        let audit = pageRequest.may(.auditRead) ? [("Audit log", pageRequest.link("operations", "audit"))] : []
        guard pageRequest.requireScope(.operationsRead, for: "Operations", &page) else {
            page.links(audit)
            return page
        }
        page.links([("Configuration", pageRequest.link("operations", "configuration"))] + audit)
        try await health(pageRequest, &page)
        try await keys(pageRequest, &page)
        try await sessions(pageRequest, &page)
        // The longest parts are last.
        if pageRequest.principal.isUnlimited {
            lastHour(&page)
            await metricsNow(&page)
        }
        return page
    }

    private func health(_ pageRequest: PageRequest, _ page: inout ConsolePage) async throws {
        page.title("Health")
        guard let json = try await pageRequest.read("/v1/operations/health", &page, "Health") else { return }
        page.table(
            nil, ["Part", "State", "Detail"],
            json["items"].items.map { part in
                let status = part.string("status")
                return [
                    .plain(part.string("name").words),
                    .tag(status, status == "ok" ? .good : status == "warning" ? .warn : .bad),
                    .foreign(part.string("detail").withReadableInstants, limit: 500),
                ]
            }, empty: "There are none.")
    }

    private func keys(_ pageRequest: PageRequest, _ page: inout ConsolePage) async throws {
        page.title("Keys")
        guard let json = try await pageRequest.read("/v1/operations/keys", &page, "Keys") else { return }
        func list(_ key: APIValue, _ name: String) -> String {
            key[name].isNothing ? "all" : key.strings(name).joined(separator: ", ")
        }
        page.table(
            "Keys of the API; their texts are not stored", ["Key", "Scopes", "Apps", "Environments", "Last used"],
            json["items"].items.map { key in
                let scopes = key["scopes"].items.count == APIScope.all.count ? "all" : list(key, "scopes")
                let used = key["idle_ms"].number.map { Date(timeIntervalSinceNow: -Double($0) / 1000) }
                return [
                    .foreign(key.string("name")), .foreign(scopes, limit: 500), .foreign(list(key, "apps")),
                    .plain(list(key, "environments")),
                    .plain(used?.words(from: Date()) ?? "not since the start"),
                ]
            }, empty: "There are none.")
    }

    private func sessions(_ pageRequest: PageRequest, _ page: inout ConsolePage) async throws {
        guard pageRequest.may(.auditRead) else { return }
        page.title("Sessions")
        guard let json = try await pageRequest.read("/v1/operations/sessions", &page, "Sessions") else { return }
        let open = json["items"].items
        page.table(
            nil, ["Session", "Key", "Address", "Since", "Last used"],
            open.map { session in
                // These times are of the system clock, which may differ from the server's clock.
                [
                    .code(session.string("id")), .foreign(session.string("key")), .foreign(session.string("address")),
                    .plain(session["started_at"].instant?.words(from: Date()) ?? ""),
                    .plain(session["last_used_at"].instant?.words(from: Date()) ?? ""),
                ]
            }, empty: "Nobody.")
        let options = open.compactMap { session in
            session["id"].text.map { (value: $0, title: "\($0) \(session.string("key"))") }
        }
        guard !options.isEmpty else { return }
        page.action(
            "end-session", pageRequest, [], [.init("session", "Session", .choice(options))], title: "End a session")
    }
}
