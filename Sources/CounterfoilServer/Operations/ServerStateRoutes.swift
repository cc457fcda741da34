internal import AppStoreModels
internal import Basics
internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import Ledger
internal import WebConsole

/// The routes for the state of the process: health, keys, configuration and console sessions. The state concerns every
/// app, so only a key for all apps and environments may read it.
struct ServerStateRoutes {
    let settings: SharedValue<ServerConfiguration>
    let access: SharedValue<AccessTable>
    let sessions: SessionStore
    let health: @Sendable () async -> [HealthPart]

    func add(to v1: APIRouter) {
        v1.get("/operations/health", needs: .operationsRead, healthParts)
        v1.get("/operations/keys", needs: .operationsRead, keys)
        v1.get("/operations/configuration", needs: .operationsRead, configuration)
        v1.get("/operations/sessions", needs: .auditRead, openSessions)
        v1.delete("/operations/sessions/{id}", needs: .operationsWrite, endSession)
    }

    private func healthParts(_ call: APICall) async throws -> Response {
        try call.principal.requireAllApps()
        let parts = await health()
        return .list(parts, next: nil) { json, part in
            json.object("health_part") { json in
                json.member("name", part.name)
                json.member("status", part.status.rawValue)
                json.member("detail", part.detail)
            }
        }
    }

    /// Lists the configured keys with the time since their last use. The keys' texts are not stored.
    private func keys(_ call: APICall) async throws -> Response {
        try call.principal.requireAllApps()
        let entries = access.current.keys
        return .list(settings.current.keys, next: nil) { json, key in
            json.object("api_key") { json in
                json.member("name", key.name)
                json.member("scopes", key.scopes.map(\.rawValue).sorted()) { $0.string($1) }
                if let apps = key.apps { json.member("apps", apps.sorted()) { $0.string($1) } }
                if let environments = key.environments {
                    json.member("environments", environments.map(\.rawValue).sorted()) { $0.string($1) }
                }
                json.member("public", key.isPublic)
                json.member("idle_ms", entries[key.hash]?.use.idle.map { Int64($0.seconds * 1000) })
            }
        }
    }

    private func configuration(_ call: APICall) async throws -> Response {
        try call.principal.requireAllApps()
        let configuration = settings.current
        return .list(EffectiveConfiguration(configuration).settings, next: nil) { json, setting in
            json.object("setting") { json in
                json.member("path", setting.path)
                json.member("value", setting.value)
                json.member("origin", configuration.origins.origin(of: setting.path))
            }
        }
    }

    /// Lists the sessions of the console. Their times are of the system clock, which may differ from the server's
    /// clock.
    private func openSessions(_ call: APICall) async throws -> Response {
        try call.principal.requireAllApps()
        return .list(sessions.open, next: nil) { json, session in
            json.object("console_session") { json in
                json.member("id", session.id)
                json.member("key", session.key)
                json.member("address", session.address)
                json.member("started_at", session.started.milliseconds)
                json.member("last_used_at", session.lastUsed.milliseconds)
            }
        }
    }

    /// Ends a session of the console. A key that is limited to some apps can end only sessions of keys for those apps.
    private func endSession(_ call: APICall) async throws -> Response {
        let id = call.pathParameter("id") ?? ""
        let ended = sessions.end { $0.id == id && mayEnd($0, call.principal) }
        guard ended > 0 else { throw APIFailure.notFound("No open session has this ID.", parameter: "id") }
        call.setAuditDetail("session=\(id)")
        return Response(status: .noContent)
    }

    private func mayEnd(_ session: SessionStore.Session, _ principal: Principal) -> Bool {
        guard let key = access.current.keys[session.keyDigest]?.principal else { return principal.isUnlimited }
        return principal.covers(apps: key.apps, environments: key.environments)
    }
}
