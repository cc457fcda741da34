internal import AppStoreModels
internal import Basics
internal import Entitlements
internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import Ledger
internal import LedgerServices

/// Entitlements that the team grants without a purchase.
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
        let (appEnvironment, customer) = try call.appEnvironmentAndCustomer()
        let body = try await call.body(
            GrantBody.self, form: "a JSON object with entitlement, reason, actor and optionally until")
        let now = clock.now().milliseconds
        let entitlements = apps[appEnvironment.bundleID]?.catalogue.entitlements.keys.map(\.self) ?? []
        let content = try body.content(for: customer, among: entitlements, at: now)
        let grant = try await store(content, of: call, in: appEnvironment, at: now)
        let end = grant.until.map { "until \(Date(milliseconds: $0).formatted(.iso8601))" } ?? "without an end"
        call.setAuditDetail("\(grant.id): \(grant.entitlement) \(end), because \(grant.reason)")
        webhooks.wake()
        return .json(status: .created) { GrantJSON.write(grant, appEnvironment, at: now, naming: true, to: &$0) }
    }

    /// Creates the grant, or returns the one that an earlier attempt of the request created without storing its
    /// response.
    private func store(
        _ content: GrantEvent.Content, of call: APICall, in appEnvironment: AppEnvironment, at now: Milliseconds
    ) async throws -> Grant {
        // All attempts of one request share the first identifier. There is none without an idempotency key.
        let texts = [
            content.customer ?? "", content.entitlement ?? "", content.until.map { "\($0)" } ?? "", content.reason,
            content.actor,
        ]
        let shared = call.idempotentIdentifier("grant", in: appEnvironment, texts)
        for id in [shared, UUID()].compactMap(\.self) {
            switch try await storage.createGrant("grt_" + id.text, content, in: appEnvironment.id, at: now) {
            case .created(let grant): return grant
            case .isTaken: continue
            case .refused:
                throw APIFailure(
                    .unprocessableContent, "too_many_grants",
                    "The customer already has \(GrantDecision.maximumRunning) active grants; revoke some first.")
            }
        }
        throw StorageError(.failed, "another grant has a new random identifier")
    }

    private func revoke(_ call: APICall) async throws -> Response {
        let (appEnvironment, customer) = try call.appEnvironmentAndCustomer()
        let body = try await call.body(RevocationBody.self, form: "a JSON object with reason and actor")
        let now = clock.now().milliseconds
        let id = call.pathParameter("grant") ?? ""
        let content = try body.content
        call.setAuditDetail("\(id.prefix(64)), because \(content.reason)")
        switch try await storage.revokeGrant(
            id, of: customer, because: content, in: appEnvironment.id, at: now)
        {
        case .revoked(let grant):
            webhooks.wake()
            return .json { GrantJSON.write(grant, appEnvironment, at: now, naming: true, to: &$0) }
        case .isOver:
            throw APIFailure(.conflict, "grant_expired", "The grant has already expired.", parameter: "grant")
        case .unknown:
            throw APIFailure.notFound("The customer has no grant with this ID.", parameter: "grant")
        }
    }

    /// Lists grants, oldest first.
    private func list(_ call: APICall) async throws -> Response {
        let (appEnvironment, customer) = try call.appEnvironmentAndCustomer()
        let paging = try Paging(call.request)
        let position = try paging.timelinePosition() ?? TimelinePosition(date: .min)
        // A merge of customers can add older grants between two pages.
        let grants = try await storage.grants(of: customer, in: appEnvironment.id).filter {
            position < TimelinePosition($0)
        }
        let (page, last) = paging.items(of: grants)
        let now = clock.now().milliseconds
        return .list(page, next: last.map { TimelinePosition($0).token }) { json, grant in
            GrantJSON.write(grant, appEnvironment, at: now, naming: call.maySeeOtherCustomers, to: &json)
        }
    }
}

/// Writes grants as JSON.
enum GrantJSON {
    /// - Parameter naming: Whether to include the reasons and the team members.
    static func write(
        _ grant: Grant, _ appEnvironment: AppEnvironment, at now: Milliseconds, naming: Bool, to json: inout JSONWriter
    ) {
        json.object("grant") { json in
            json.member("id", grant.id)
            json.member("customer", grant.customer)
            json.members(of: appEnvironment)
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
    /// Returns the sentence about a change of a grant.
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

/// The body of a request to create a grant.
private struct GrantBody: JSONRequestBody {
    var entitlement: String
    var until: RequestInstant?
    var reason, actor: String

    enum CodingKeys: String, CodingKey, CaseIterable { case entitlement, until, reason, actor }

    func content(
        for customer: String, among entitlements: [String], at now: Milliseconds
    ) throws(APIFailure) -> GrantEvent.Content {
        guard entitlements.containsExactly(entitlement) else {
            throw APIFailure(
                "unknown_entitlement",
                .unknown("The configuration has no such entitlement", entitlement, among: entitlements.sorted()),
                parameter: "entitlement")
        }
        if let until, until.milliseconds <= now {
            throw APIFailure(
                "invalid_instant", "`until` must be in the future; omit it for a grant without an end.",
                parameter: "until")
        }
        return GrantEvent.Content(
            customer: customer, entitlement: entitlement, until: until?.milliseconds,
            reason: try WrittenText.checked(reason, "reason", maximumBytes: 500),
            actor: try WrittenText.checked(actor, "actor", maximumBytes: 100))
    }
}

/// The body of a request to revoke a grant.
private struct RevocationBody: JSONRequestBody {
    var reason, actor: String

    enum CodingKeys: String, CodingKey, CaseIterable { case reason, actor }

    var content: GrantEvent.Content {
        get throws(APIFailure) {
            GrantEvent.Content(
                reason: try WrittenText.checked(reason, "reason", maximumBytes: 500),
                actor: try WrittenText.checked(actor, "actor", maximumBytes: 100))
        }
    }
}
