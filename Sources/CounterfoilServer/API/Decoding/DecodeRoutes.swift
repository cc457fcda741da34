internal import Basics
internal import Hummingbird
internal import Ledger
internal import LedgerServices

/// Decodes pasted data: signed data, receipts, certificates, webhooks. Stores and logs nothing.
struct DecodeRoutes {
    typealias Storage = CustomerStorage & InspectionStorage

    let decoder: PastedDataDecoder
    let webhooks: WebhookDispatcher
    let storage: any Storage
    let scopes: AppEnvironmentRegistry

    static let maximumBytes = 4 << 20

    func add(to v1: APIRouter) { v1.post("/decode", needs: .supportRead, decode) }

    private func decode(_ call: APICall) async throws -> Response {
        let (request, principal) = (call.request, call.principal)
        var options = PastedDataDecoder.Options()
        options.instant = try request.date("at")
        options.bundleIDs = principal.apps
        switch request.parameter("revocation") {
        case nil, "off": break
        case "soft": options.checksRevocation = true
        default:
            throw APIFailure("invalid_parameter", "`revocation` is off or soft.", parameter: "revocation")
        }
        let bytes = try await call.bytes(upTo: Self.maximumBytes)
        guard !bytes.isEmpty else { throw APIFailure("empty", "Send the data to decode as the body.") }
        var secrets: [String: [Secret]] = [:]
        if principal.scopes.contains(.webhooksWrite) {
            for endpoint in try await webhooks.managedWebhooks() where principal.mayManage(endpoint.definition) {
                secrets[endpoint.stored.name] = endpoint.definition.secrets
            }
        }
        let verdict = await decoder.verdict(bytes, options, secrets: secrets)
        let match = try await LedgerMatch.find(verdict, for: principal, scopes, storage)
        return .object("decoded") { json in
            Self.members(of: verdict, to: &json)
            if let match { json.member("known") { Self.write(match, to: &$0) } }
        }
    }

    private static func write(_ match: LedgerMatch, to json: inout JSONWriter) {
        json.member("kind", match.kind)
        json.member("id", match.id)
        json.members(of: match.appEnvironment)
        json.member("customers", match.customers) { $0.string($1) }
        json.member("note", match.note)
        json.member("differences", match.differences) { json, difference in
            json.object { json in
                json.member("member", difference.member)
                json.member("kept", difference.kept)
                json.member("shown", difference.shown)
            }
        }
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
        if let trace = verdict.trace { json.value("verification") { NotificationJSON.write(trace, to: &$0) } }
        // The decoder has parsed each payload as a JSON object.
        if let payload = verdict.payload { json.value("payload") { $0.raw(payload) } }
        json.member("parts", verdict.parts) { json, part in
            json.object("decoded") { json in
                json.member("name", part.name)
                members(of: part.verdict, to: &json)
            }
        }
    }
}
