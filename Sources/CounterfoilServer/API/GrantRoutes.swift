internal import NIOCore
internal import LedgerServices
internal import Ledger
internal import AppStoreModels
internal import Basics
internal import Entitlements
internal import Foundation
internal import HTTPTypes
internal import Hummingbird

/// Entitlements that the team gives without a purchase.
struct GrantRoutes {
    let storage: any GrantStorage
    let apps: Apps
    let webhooks: WebhookDispatcher
    let clock: ServerClock

    func add(to v1: APIRouter) {
        v1.post("/customers/{id}/grants", needs: .grantsWrite, create)
        v1.get("/customers/{id}/grants", needs: .customersRead, list)
        v1.post("/customers/{id}/grants/{grant}/revoke", needs: .grantsWrite, revoke)
    }

    private func create(_ call: APICall) async throws -> Response {
        let (scope, customer) = try call.subject()
        let body = try await call.body(
            GrantBody.self, form: "a JSON object with entitlement, reason, actor and until")
        let now = clock.now().milliseconds
        let content = try content(of: body, for: customer, in: scope, at: now)
        let grant = try await keep(content, of: call, in: scope, at: now)
        let end = grant.until.map { "until \(Date(milliseconds: $0).formatted(.iso8601))" } ?? "without an end"
        call.describe("\(grant.id): \(grant.entitlement) \(end), because \(grant.reason)")
        webhooks.wake()
        return answer(grant, scope, at: now, status: .created)
    }

    private func content(
        of body: GrantBody, for customer: String, in scope: Scope, at now: Milliseconds
    ) throws -> GrantEvent.Content {
        let entitlements = apps[scope.bundleID]?.catalogue.entitlements.keys.map(\.self) ?? []
        return try body.content(for: customer, among: entitlements, at: now)
    }

    /// Makes the grant, or finds it where the same request was carried out and its answer could not be remembered.
    private func keep(
        _ content: GrantEvent.Content, of call: APICall, in scope: Scope, at now: Milliseconds
    ) async throws -> Grant {
        if let id = Self.identifier(of: call, content, in: scope),
            let grant = try await keep(id, content, in: scope, at: now)
        {
            return grant
        }
        guard let grant = try await keep(UUID().text, content, in: scope, at: now) else {
            throw APIFailure(.serviceUnavailable, "storage_failed", "The grant could not be stored.", isRetryable: true)
        }
        return grant
    }

    /// Nil where the identifier is another grant's.
    private func keep(
        _ id: String, _ content: GrantEvent.Content, in scope: Scope, at now: Milliseconds
    ) async throws -> Grant? {
        switch try await storage.createGrant("grt_" + id, content, in: scope.id, at: now) {
        case .created(let grant): return grant
        case .isTaken: return nil
        case .refused:
            throw APIFailure(
                .unprocessableContent, "too_many_grants",
                "The customer already has \(GrantDecision.most) active grants; revoke some first.")
        }
    }

    /// What the attempts of one request have in common; nil where the client names no key.
    private static func identifier(of call: APICall, _ content: GrantEvent.Content, in scope: Scope) -> String? {
        let texts = [
            content.customer ?? "", content.entitlement ?? "", content.until.map { "\($0)" } ?? "", content.reason,
            content.actor,
        ]
        return call.identifierOfAttempts("grant", in: scope, texts)?.text
    }

    private func revoke(_ call: APICall) async throws -> Response {
        let (scope, customer) = try call.subject()
        let body = try await call.body(RevocationBody.self, form: "a JSON object with reason and actor")
        let now = clock.now().milliseconds
        let id = call.named("grant") ?? ""
        let reason = try body.content.reason
        call.describe("\(id.prefix(64)), because \(reason)")
        switch try await storage.revokeGrant(id, of: customer, because: try body.content, in: scope.id, at: now) {
        case .revoked(let grant):
            webhooks.wake()
            return answer(grant, scope, at: now)
        case .isOver:
            throw APIFailure(.conflict, "grant_expired", "The grant has already expired.", parameter: "grant")
        case .unknown:
            throw APIFailure.notFound("The customer has no grant with this ID.", parameter: "grant")
        }
    }

    /// The first that was made first.
    private func list(_ call: APICall) async throws -> Response {
        let (scope, customer) = try call.subject()
        let paging = try Paging(call.request)
        // They are only ever added, so a place among them stays that of the same grant.
        let start = paging.page == nil ? 0 : Int(clamping: try paging.number())
        let grants = try await storage.grants(of: customer, in: scope.id).dropFirst(max(0, start))
        let page = grants.prefix(paging.limit)
        let now = clock.now().milliseconds
        return .list(page, next: grants.count > page.count ? String(max(0, start) + page.count) : nil) { json, grant in
            GrantJSON.write(grant, scope, at: now, naming: call.namesCustomers, to: &json)
        }
    }

    private func answer(
        _ grant: Grant, _ scope: Scope, at now: Milliseconds, status: HTTPResponse.Status = .ok
    ) -> Response {
        .json(status: status) { GrantJSON.write(grant, scope, at: now, naming: true, to: &$0) }
    }
}

/// How grants look in answers.
enum GrantJSON {
    /// - Parameter naming: Whether who asks may know who of the team did what, and why.
    static func write(
        _ grant: Grant, _ scope: Scope, at now: Milliseconds, naming: Bool, to json: inout JSONWriter
    ) {
        json.object("grant") { json in
            json.member("id", grant.id)
            json.member("customer", grant.customer)
            json.members(of: scope)
            json.member("entitlement", grant.entitlement)
            json.member("state", grant.state(at: now).rawValue)
            json.member("created_at", grant.createdAt)
            json.member("until", grant.until)
            json.member("revoked_at", grant.revocation?.instant)
            guard naming else { return }
            json.member("reason", grant.reason)
            json.member("actor", grant.actor)
            json.member("revocation_reason", grant.revocation?.reason)
            json.member("revoked_by", grant.revocation?.actor)
        }
    }
}

extension TimelineSentence {
    /// What happened to a grant.
    static func text(_ event: TimelineItem.GrantChange, naming: Bool) -> String {
        let grant = event.grant
        let actor = naming ? " by \(event.kind == .revoked ? grant.revocation?.actor ?? "" : grant.actor)" : ""
        switch event.kind {
        case .created:
            let end = grant.until.map { "until \(day(Date(milliseconds: $0)))" } ?? "without an end"
            return "The entitlement \(grant.entitlement) was granted\(actor) \(end)."
        case .revoked: return "The granted entitlement \(grant.entitlement) was revoked\(actor)."
        case .expired: return "The granted entitlement \(grant.entitlement) ended."
        }
    }
}

/// The body of a request for a grant.
private struct GrantBody: JSONRequestBody {
    var entitlement: String
    var until: SentInstant?
    var reason: String
    var actor: String

    private enum CodingKeys: String, CodingKey, CaseIterable { case entitlement, until, reason, actor }

    static let members = CodingKeys.allCases.map(\.rawValue)

    func content(
        for customer: String, among entitlements: [String], at now: Milliseconds
    ) throws(APIFailure) -> GrantEvent.Content {
        guard entitlements.containsExactly(entitlement) else {
            throw APIFailure(
                "unknown_entitlement",
                .unknown("The configuration has no such entitlement", entitlement, among: entitlements.sorted()),
                parameter: "entitlement")
        }
        if let until {
            guard until.milliseconds > now else {
                throw APIFailure(
                    "invalid_instant", "until is a later instant; left out, the grant has no end.", parameter: "until")
            }
        }
        return GrantEvent.Content(
            customer: customer, entitlement: entitlement, until: until?.milliseconds,
            reason: try GrantText.checked(reason, "reason", most: 500),
            actor: try GrantText.checked(actor, "actor", most: 100))
    }
}

/// The body of a request to take a grant back.
private struct RevocationBody: JSONRequestBody {
    var reason: String
    var actor: String

    private enum CodingKeys: String, CodingKey, CaseIterable { case reason, actor }

    static let members = CodingKeys.allCases.map(\.rawValue)

    var content: GrantEvent.Content {
        get throws(APIFailure) {
            GrantEvent.Content(
                reason: try GrantText.checked(reason, "reason", most: 500),
                actor: try GrantText.checked(actor, "actor", most: 100))
        }
    }
}

/// What people write about grants. It is shown to people.
private enum GrantText {
    static func checked(_ text: String, _ name: String, most: Int) throws(APIFailure) -> String {
        let isPlain = text.unicodeScalars.allSatisfy {
            switch $0.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned: false
            case .format: isJoiner($0)
            default: true
            }
        }
        let isVisible = text.unicodeScalars.contains { !$0.properties.isWhitespace && !isJoiner($0) }
        guard (1...most).contains(text.utf8.count), isPlain, isVisible else {
            throw APIFailure(
                "invalid_\(name)", "`\(name)` has 1 to \(most) bytes, without line breaks and invisible characters.",
                parameter: name)
        }
        return text
    }

    /// Whether it only joins or parts what stands beside it, as in emoji of several and in Persian and Hindi words.
    private static func isJoiner(_ scalar: Unicode.Scalar) -> Bool { (0x200C...0x200D).contains(scalar.value) }
}
