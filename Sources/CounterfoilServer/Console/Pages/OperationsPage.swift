internal import AppStoreModels
internal import Basics
internal import Foundation
internal import HTTPTypes
internal import Ledger
internal import LedgerServices
internal import WebConsole

/// Health, metrics, keys, sessions, the configuration.
enum OperationsPage {
    @Sendable static func make(_ visit: Visit) async throws -> ConsolePage {
        var page = visit.page("Operations")
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
        metrics(visit.console.history, &page)
        await metricsNow(core, &page)
        keys(visit, &page)
        sessions(visit, &page)
        if visit.may(.auditRead) { page.links([("Audit log", visit.link("operations", "audit"))]) }
        ConfigurationFacts.show(core.configuration, &page)
        return page
    }

    private static func keys(_ visit: Visit, _ page: inout ConsolePage) {
        page.title("Keys")
        page.table(
            "Keys of the API; their texts are nowhere", ["Key", "Scopes", "Apps", "Environments", "Last used"],
            visit.console.core.configuration.keys.map { key in
                let idle = visit.console.core.access.current.keys[key.hash]?.use.idle
                return [
                    .foreign(key.name),
                    .plain(
                        key.scopes == Set(APIScope.all)
                            ? "all" : key.scopes.map(\.rawValue).sorted().joined(separator: ", ")),
                    .foreign(key.apps.map { $0.sorted().joined(separator: ", ") } ?? "all"),
                    .plain(key.environments.map { $0.map(\.rawValue).sorted().joined(separator: ", ") } ?? "all"),
                    .plain(idle.map { "\(Date.words($0.seconds)) ago" } ?? "not since the start"),
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
                    // By the machine's clock, which the server's need not be.
                    .code(session.id), .foreign(session.key), .foreign(session.address),
                    .plain(session.started.words(from: Date())), .plain(session.lastUsed.words(from: Date())),
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
}
