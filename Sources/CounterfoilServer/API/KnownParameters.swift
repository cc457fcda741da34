internal import ConfigurationReading
internal import HTTPTypes
internal import Hummingbird

/// Rejects query parameters that a route does not have: a client that writes `limits` for `limit` would otherwise get a
/// success with the wrong page.
///
/// Requests from the App Store and its old clients may have parameters that this version does not know: their URLs are
/// in App Store Connect and in apps.
struct KnownParameters: RouterMiddleware {
    private static let scope = ["app", "environment"]
    private static let paging = ["page", "limit"]

    /// The parameters of each route that has any. Tests compare them with the API description.
    static let byRoute: [String: [String]] = [
        "GET /v1/customers/{id}": scope + ["at", "include"],
        "DELETE /v1/customers/{id}": scope,
        "GET /v1/customers/{id}/timeline": scope + paging + ["at", "expand"],
        "GET /v1/customers/{id}/timeline/{uuid}": scope,
        "POST /v1/notifications/reprocess": scope,
        "GET /v1/customers/{id}/claims": scope + paging + ["at"],
        "GET /v1/customers/{id}/entitlements/{key}": scope + ["at"],
        "GET /v1/customers/{id}/entitlements/{key}/explain": scope + ["at", "limit", "include"],
        "POST /v1/customers/{id}/purchases": scope,
        "POST /v1/customers/{id}/purchases/{original}/transfer": scope,
        "POST /v1/customers/{id}/merge": scope,
        "POST /v1/sessions": scope,
        "POST /v1/customers/{id}/refresh": scope,
        "GET /v1/customers/{id}/refunds": scope,
        "POST /v1/customers/{id}/grants": scope,
        "GET /v1/customers/{id}/grants": scope + paging,
        "POST /v1/customers/{id}/grants/{grant}/revoke": scope,
        "POST /v1/customers/{id}/usage": scope,
        "GET /v1/customers/{id}/consumption": scope + ["transaction_id"],
        "GET /v1/customers/{id}/consumption/preview": scope + ["transaction_id"],
        "GET /v1/consumption": scope + paging + ["state"],
        "POST /v1/customers/{id}/offers/promotional": scope,
        "POST /v1/customers/{id}/offers/introductory": scope,
        "GET /v1/subscriptions/{id}": scope,
        "POST /v1/subscriptions/{id}/extend": scope,
        "POST /v1/extensions": scope,
        "GET /v1/extensions/{id}": scope + ["product_id"],
        "GET /v1/transactions/{id}": scope,
        "POST /v1/transactions/{id}/recover": scope,
        "GET /v1/orders/{id}": scope,
        "GET /v1/purchases": scope + paging + ["claimed"],
        "GET /v1/segments": scope,
        "GET /v1/segments/{name}": scope + paging + ["within_days", "reason", "format"],
        "GET /v1/events": scope + paging + ["topics", "since"],
        "GET /v1/notifications": scope + paging
            + ["type", "subtype", "state", "from", "to", "original_transaction_id"],
        "GET /v1/notifications/{id}": ["include"],
        "GET /v1/refused": paging,
        "POST /v1/recoveries": scope,
        "GET /v1/recoveries": paging,
        "GET /v1/webhooks/{name}/deliveries": paging + ["state", "event_id", "event_type", "customer"],
        "GET /v1/search": scope + ["q"],
        "GET /v1/audit": paging + ["format"],
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
        let operation = "\(request.method.rawValue) \(route)"
        let known = byRoute[operation] ?? []
        for (name, _) in request.uri.queryParameters where !known.contains(where: { $0.isExactly(name) }) {
            let name = String(name.prefix(64))
            throw APIFailure(
                "unknown_parameter", .unknown("Unknown parameter \(quoted(name))", name, among: known), parameter: name)
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
