internal import ConfigurationReading
internal import HTTPTypes
internal import Hummingbird

/// Rejects query parameters that a route does not have: a client that writes `limits` for `limit` would otherwise get a
/// success with the wrong page. Also rejects repeated ones, because a proxy in front may check another value than the
/// server uses.
///
/// Requests from the App Store and its old clients may have parameters that this version does not know: their URLs are
/// in App Store Connect and in apps.
struct KnownParameters: RouterMiddleware {
    private static let appAndEnvironment = ["app", "environment"]
    private static let paging = ["page", "limit"]

    /// The parameters of each route that has any. Tests compare them with the API description.
    static let byRoute: [String: [String]] = [
        "GET /v1/customers/{id}": appAndEnvironment + ["at", "include"],
        "DELETE /v1/customers/{id}": appAndEnvironment,
        "GET /v1/customers/{id}/timeline": appAndEnvironment + paging + ["at", "expand"],
        "GET /v1/customers/{id}/timeline/{uuid}": appAndEnvironment,
        "POST /v1/notifications/reprocess": appAndEnvironment,
        "GET /v1/customers/{id}/claims": appAndEnvironment + paging + ["at"],
        "GET /v1/customers/{id}/entitlements/{key}": appAndEnvironment + ["at"],
        "GET /v1/customers/{id}/entitlements/{key}/explain": appAndEnvironment + ["at", "limit", "include"],
        "POST /v1/customers/{id}/purchases": appAndEnvironment,
        "POST /v1/customers/{id}/purchases/{transaction}/transfer": appAndEnvironment,
        "POST /v1/customers/{id}/merge": appAndEnvironment,
        "POST /v1/sessions": appAndEnvironment,
        "POST /v1/customers/{id}/refresh": appAndEnvironment,
        "GET /v1/customers/{id}/refunds": appAndEnvironment,
        "POST /v1/customers/{id}/grants": appAndEnvironment,
        "GET /v1/customers/{id}/grants": appAndEnvironment + paging,
        "POST /v1/customers/{id}/grants/{grant}/revoke": appAndEnvironment,
        "POST /v1/customers/{id}/usage": appAndEnvironment,
        "GET /v1/customers/{id}/consumption": appAndEnvironment + ["transaction_id"],
        "GET /v1/customers/{id}/consumption/preview": appAndEnvironment + ["transaction_id"],
        "GET /v1/consumption": appAndEnvironment + paging + ["state"],
        "POST /v1/customers/{id}/offers/promotional": appAndEnvironment,
        "POST /v1/customers/{id}/offers/introductory": appAndEnvironment,
        "GET /v1/subscriptions/{id}": appAndEnvironment,
        "POST /v1/subscriptions/{id}/extend": appAndEnvironment,
        "POST /v1/extensions": appAndEnvironment,
        "GET /v1/extensions/{id}": appAndEnvironment + ["product_id"],
        "GET /v1/transactions/{id}": appAndEnvironment,
        "POST /v1/transactions/{id}/recover": appAndEnvironment,
        "GET /v1/orders/{id}": appAndEnvironment,
        "GET /v1/purchases": appAndEnvironment + paging + ["claimed"],
        "GET /v1/segments": appAndEnvironment,
        "GET /v1/segments/{name}": appAndEnvironment + paging + ["within_days", "reason", "format"],
        "GET /v1/events": appAndEnvironment + paging + ["topics", "since"],
        "GET /v1/notifications": appAndEnvironment + paging
            + ["type", "subtype", "state", "from", "to", "original_transaction_id"],
        "GET /v1/notifications/{id}": ["include"],
        "GET /v1/refused": paging,
        "POST /v1/recoveries": appAndEnvironment,
        "GET /v1/recoveries": appAndEnvironment + paging,
        "GET /v1/completeness": appAndEnvironment,
        "GET /v1/webhooks/{name}/deliveries": paging + ["state", "event_id", "event_type", "customer"],
        "GET /v1/search": appAndEnvironment + ["q"],
        "GET /v1/audit": paging + ["format"] + AuditRoutes.filters,
        "POST /v1/decode": ["at", "revocation"],
    ]

    /// The values of the parameter `include`, by route.
    private static let includedByRoute: [String: [String]] = [
        "GET /v1/customers/{id}": ["periods", "spend"],
        "GET /v1/customers/{id}/entitlements/{key}/explain": ["signed_data"],
        "GET /v1/notifications/{id}": ["signed_data"],
    ]

    @concurrent func handle(_ request: Request, context: ServerContext, next: NextHandler) async throws -> Response {
        if request.uri.query != nil { try Self.check(request, route: context.route) }
        return try await next(request, context)
    }

    private static func check(_ request: Request, route: String) throws(APIFailure) {
        guard route != "none", !route.hasPrefix("/apple/"), route != "/verifyReceipt" else { return }
        let method = request.method == .head ? .get : request.method
        let operation = "\(method.rawValue) \(route)"
        let known = byRoute[operation] ?? []
        var found: Set<Substring> = []
        for (name, _) in request.uri.queryParameters {
            guard known.contains(where: { $0.isExactly(name) }) else {
                let name = String(name.prefix(64))
                throw APIFailure(
                    "unknown_parameter", .unknown("Unknown parameter \(quoted(name))", name, among: known),
                    parameter: name)
            }
            // Some clients repeat a list for each of its values.
            guard found.insert(name).inserted || name == "include" else {
                throw APIFailure("invalid_parameter", "`\(name)` occurs more than once.", parameter: String(name))
            }
        }
        let words = includedByRoute[operation] ?? []
        for value in request.uri.queryParameters[values: "include"] {
            for word in value.split(separator: ",", omittingEmptySubsequences: false)
            where !words.contains(where: { $0.isExactly(word) }) {
                let word = String(word.prefix(64))
                throw APIFailure(
                    "invalid_parameter", .unknown("`include` does not accept \(quoted(word))", word, among: words),
                    parameter: "include")
            }
        }
    }
}

extension String {
    fileprivate func isExactly(_ other: Substring) -> Bool { utf8.elementsEqual(other.utf8) }
}
