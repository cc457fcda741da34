internal import AppStoreModels
internal import Basics
internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import Ledger
internal import LedgerServices

/// Reads whatever somebody has: signed data, receipts, certificates, webhooks. Nothing of it is kept or logged.
struct DecodeRoutes {
    let decoder: PastedDataDecoder
    let webhooks: WebhookDispatcher
    let storage: any LedgerEngine
    let scopes: ScopeBook

    static let maximumBytes = 4 << 20

    func add(to v1: APIRouter) { v1.post("/decode", needs: .supportRead, decode) }

    private func decode(_ call: APICall) async throws -> Response {
        let (request, principal) = (call.request, call.principal)
        var choices = PastedDataDecoder.Choices()
        choices.instant = try request.instant("at").map { Date(milliseconds: $0) }
        switch request.parameter("revocation") {
        case nil, "off": break
        case "soft": choices.asksResponder = true
        default:
            throw APIFailure(
                .badRequest, "invalid_parameter", "revocation is off or soft.", parameter: "revocation")
        }
        let bytes = try await call.bytes(upTo: Self.maximumBytes)
        guard !bytes.isEmpty else {
            throw APIFailure(.badRequest, "empty", "Send what is to be decoded as the body.")
        }
        var secrets: [String: [Secret]] = [:]
        if principal.scopes.contains(.webhooksWrite) {
            for endpoint in try await webhooks.managed() where principal.mayManage(endpoint.definition) {
                secrets[endpoint.stored.name] = endpoint.definition.secrets
            }
        }
        let verdict = await decoder.verdict(bytes, choices, secrets: secrets)
        let known = try await known(verdict, principal)
        var json = JSONWriter()
        json.object { json in
            json.member("object", "decoded")
            Self.members(of: verdict, to: &json)
            if let known {
                json.member("known") { json in
                    json.member("kind", known.kind)
                    json.member("id", known.id)
                    json.member("app", known.scope.bundleId)
                    json.member("environment", known.scope.environment.rawValue)
                    json.member("customers", known.customers) { $0.string($1) }
                    json.member("note", known.note)
                }
            }
        }
        return json.response()
    }

    private static func members(of verdict: DecodeVerdict, to json: inout JSONWriter) {
        json.member("kind", verdict.kind)
        json.member("is_proven", verdict.isProven)
        json.member("code", verdict.code)
        json.member("message", verdict.message)
        json.member("checks", verdict.checks) { json, check in
            json.object { json in
                json.member("name", check.name)
                json.member("result", check.result.rawValue)
                json.member("note", check.note)
            }
        }
        if let trace = verdict.trace {
            json.key("verification")
            NotificationJSON.write(trace, to: &json)
        }
        // Each payload was read as a JSON object before.
        if let payload = verdict.payload {
            json.key("payload")
            json.raw(payload)
        }
        json.member("parts", verdict.parts) { json, part in
            json.object { json in
                json.member("object", "decoded")
                json.member("name", part.name)
                members(of: part.verdict, to: &json)
            }
        }
    }

    // MARK: - What the ledger knows of it

    private struct Known {
        var kind: String
        var id: String
        var scope: Scope
        var customers: [String] = []
        var note: String?
    }

    private func known(
        _ verdict: DecodeVerdict, _ principal: Principal
    ) async throws -> Known? {
        // What is not proven could have been made to ask about anybody.
        guard verdict.isProven else { return nil }
        let subjects = [verdict.subject] + verdict.parts.filter(\.verdict.isProven).map(\.verdict.subject)
        for subject in subjects {
            for scope in scopes.all where principal.maySee(scope) && subject.isAbout(scope) {
                if let known = try await known(subject, scope) { return known }
            }
        }
        return nil
    }

    private func known(
        _ subject: DecodeVerdict.Subject, _ scope: Scope
    ) async throws -> Known? {
        if let uuid = subject.notification, let kept = try await storage.notification(uuid), kept.scope == scope.id {
            return Known(
                kind: "notification", id: kept.uuid, scope: scope,
                note: "It was received, and is \(kept.state.rawValue).")
        }
        guard let id = subject.transactionId,
            let original = try await storage.originalTransactionId(of: id, in: scope.id)
        else { return nil }
        return Known(
            kind: "transaction", id: id, scope: scope,
            customers: try await storage.owners(of: original, in: scope.id))
    }
}

extension DecodeVerdict.Subject {
    fileprivate func isAbout(_ scope: Scope) -> Bool {
        (bundleId.map { $0 == scope.bundleId } ?? true)
            && (environment.map { $0 == scope.environment.rawValue } ?? true)
    }
}
