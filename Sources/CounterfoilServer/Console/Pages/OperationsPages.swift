internal import AppStoreModels
internal import AppStoreTrust
internal import Basics
internal import Foundation
internal import HTTPTypes
internal import Ledger
internal import LedgerServices
internal import Logging
internal import WebConsole

/// Health, metrics, keys, sessions, the configuration.
enum OperationsPage {
    @Sendable static func make(_ visit: Visit) async throws -> ConsolePage {
        var page = ConsolePage("Operations")
        (page.api, page.command) = ("/metrics", "counterfoil server check counterfoil.yaml")
        guard visit.may(.operationsRead) else {
            page.paragraph("Operations need the scope operations:read.", "empty")
            return page
        }
        let core = visit.console.core
        let problem = await core.readiness.ledgerProblem()
        page.title("Health")
        page.facts([
            ("server", .tag(core.readiness.isDraining ? "draining" : "ok", core.readiness.isDraining ? .warn : .good)),
            ("ledger", .tag(problem ?? "ok", problem == nil ? .good : .bad)),
        ])
        await metrics(core, &page)
        keys(visit, &page)
        sessions(visit, &page)
        if visit.may(.auditRead) { page.links([("Audit log", visit.link("operations", "audit"))]) }
        configuration(core.configuration, &page)
        return page
    }

    /// There is one for each route, and `/metrics` has them.
    private static let perRoute = "counterfoil_http_request"

    private static func metrics(_ core: ServerCore, _ page: inout ConsolePage) async {
        page.title("Metrics")
        guard let text = await core.metrics.text() else {
            return page.paragraph("This server records its metrics to another backend: ask that one.", "empty")
        }
        let lines = text.split(separator: "\n").filter {
            !$0.hasPrefix("#") && !$0.contains("_bucket") && !$0.hasPrefix(Self.perRoute)
        }
        page.table(
            "Now", ["Metric", "Value"],
            lines.prefix(80).map { line in
                let parts = line.split(separator: " ", maxSplits: 1)
                let value = parts.last.flatMap { Double($0) } ?? 0
                return [
                    .code(String(parts.first ?? "")),
                    .plain(value == value.rounded() && value.magnitude < 1e15 ? Int64(value).grouped : "\(value)"),
                ]
            }, empty: "There are none yet.")
    }

    private static func keys(_ visit: Visit, _ page: inout ConsolePage) {
        page.title("Keys")
        page.table(
            "Keys of the API; their texts are nowhere", ["Key", "Scopes", "Apps", "Environments"],
            visit.console.core.configuration.keys.map { key in
                [
                    .foreign(key.name),
                    .plain(
                        key.scopes == Set(APIScope.all)
                            ? "all" : key.scopes.map(\.rawValue).sorted().joined(separator: ", ")),
                    .foreign(key.apps.map { $0.sorted().joined(separator: ", ") } ?? "all"),
                    .plain(key.environments.map { $0.map(\.rawValue).sorted().joined(separator: ", ") } ?? "all"),
                ]
            }, empty: "There are none.")
    }

    private static func sessions(_ visit: Visit, _ page: inout ConsolePage) {
        guard visit.may(.auditRead) else { return }
        page.title("Sessions")
        let open = visit.console.sessions.open
        page.table(
            "Who is signed in", ["Session", "Key", "Address", "Since", "Last used"],
            open.map { session in
                [
                    .code(session.id), .foreign(session.key), .foreign(session.address), .time(session.started),
                    .time(session.lastUsed),
                ]
            }, empty: "Nobody.")
        guard visit.mayWrite, let first = open.first else { return }
        page.formTitle("End a session")
        page.form(
            PageLink("console", "sessions", "end"),
            [
                .init(
                    name: "session", label: "Session", value: first.id,
                    options: open.map { ($0.id, "\($0.id) \($0.key)") })
            ],
            button: "End the session")
    }

    /// What counts. No secret is in it, and no path of a key.
    private static func configuration(_ configuration: ServerConfiguration, _ page: inout ConsolePage) {
        page.title("Configuration")
        page.facts([
            ("listen", .foreign("\(configuration.listen.host):\(configuration.listen.port)")),
            ("public url", configuration.listen.publicURL.map { .foreign($0) } ?? .none),
            ("tls", .plain(configuration.listen.tls == nil ? "no" : "yes")),
            (
                "apps",
                .foreign(
                    configuration.apps.map { app in
                        "\(app.bundleId) (\(app.environments.map(\.rawValue).sorted().joined(separator: ", ")))"
                    }.joined(separator: "; "), limit: 500)
            ),
            ("revocation", .plain(configuration.trust.revocation.rawValue)),
            ("ledger", .foreign(configuration.storage.path)),
            ("synchronous", .plain(configuration.storage.synchronous.rawValue)),
            ("recovery", .plain(configuration.recovery.isEnabled ? "on" : "off")),
            ("log level", .plain(configuration.log.level.rawValue)),
            ("console read-only", .plain(configuration.console.isReadOnly ? "yes" : "no")),
        ])
    }
}

/// Who did what.
enum AuditPage {
    @Sendable static func make(_ visit: Visit) async throws -> ConsolePage {
        var page = ConsolePage("Audit log")
        page.up = ("Operations", visit.link("operations"))
        let query = visit.parameter("page").map { [("page", $0)] } ?? []
        let target = visit.target(["audit"], query, isScoped: false)
        (page.api, page.command) = (target, "counterfoil api GET '/v1/audit?format=csv'")
        let answer = try await visit.get(target)
        guard visit.accept(answer, &page, "The audit log") else { return page }
        page.table(
            "Who did what, the last first",
            ["When", "Who", "What", "About", "Result", "Session", "Address", "Chain"],
            answer.json["items"].items.map { item in
                let isChained = item["is_chained"].flag != false
                return [
                    .time(item["at"].instant), .foreign(item["actor"].text ?? ""), .code(item["action"].text ?? ""),
                    .foreign(item["target"].text ?? ""), .plain(item["result"].text ?? ""),
                    .code(item["session"].text ?? ""), .foreign(item["address"].text ?? ""),
                    .tag(isChained ? "whole" : "broken", isChained ? .good : .bad),
                ]
            }, empty: "Nothing was done yet.")
        page.links(
            [], next: answer.json["next_page"].text.map { visit.link("operations", "audit", query: [("page", $0)]) })
        return page
    }
}
