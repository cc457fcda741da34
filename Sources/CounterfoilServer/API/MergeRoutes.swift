internal import LedgerServices
internal import Ledger
internal import AppStoreModels
internal import Basics
internal import Foundation
internal import Hummingbird

/// Where what an anonymous customer bought goes to an account.
enum MergeRoutes {
    static func add(to router: RouterGroup<ServerContext>, _ core: ServerCore) {
        router.post("/customers/{id}/merge") { request, context in try await merge(request, context, core) }
    }

    /// The account, with all that the other customer had. Doing it again changes nothing.
    private static func merge(
        _ request: Request, _ context: ServerContext, _ core: ServerCore
    ) async throws -> Response {
        let principal = try context.require(.customersWrite)
        try principal.refuseSession()
        let scope = try context.scope(of: request, core, for: principal)
        let customer = try context.customer(for: principal)
        let body = try await request.bytes(upTo: 16 << 10)
        let merge = try MergeBody(body: Array(body.readableBytesView))
        let from = try merge.customer()
        if principal.isPublic { try merge.prove(from, in: scope, core) }
        if !from.isExactly(customer) {
            let moved = try await core.storage.merge(
                from, into: customer, in: scope.id, at: core.now.milliseconds)
            if !moved.isEmpty { core.webhooks.wake() }
        }
        let reading = try await core.customers.customer(customer, in: scope, at: nil)
        var json = JSONWriter()
        CustomerJSON.write(reading, to: &json) { core.writeMembersForApps(of: scope, for: principal, to: &$0) }
        return try core.answer(json, about: customer, in: scope, to: request)
    }
}

/// What an app sends to give one customer's purchases to another.
private struct MergeBody: JSONRequestBody {
    /// The customer who had them.
    var from: String
    /// The customer token of that one, which an app needs: a backend may speak for both.
    var fromToken: String?

    static let members = CodingKeys.allCases.map(\.rawValue)

    private enum CodingKeys: String, CodingKey, CaseIterable {
        case from
        case fromToken = "from_token"
    }

    init(body: [UInt8]) throws(APIFailure) {
        try self.init(body: body, form: "a JSON object with from, and from_token where the key is the app's")
    }

    func customer() throws(APIFailure) -> String {
        guard CustomerName.isPossible(from), CustomerName.isNormal(from) else {
            throw APIFailure(
                .badRequest, "invalid_customer",
                "A customer's identifier has 1 to 255 bytes, in Unicode Normalization Form C.", parameter: "from")
        }
        return CustomerName.normal(from)
    }

    /// Checks that whoever asks speaks for the other customer too.
    func prove(_ customer: String, in scope: Scope, _ core: ServerCore) throws(APIFailure) {
        guard let text = fromToken, let secret = core.configuration.app(scope.bundleId)?.customerTokenSecret else {
            throw APIFailure(
                .forbidden, "forbidden", "Send a token of the customer whose purchases these are.",
                parameter: "from_token")
        }
        let token: CustomerToken
        do { token = try CustomerToken(text, secret: secret, bundleId: scope.bundleId, now: core.now) } catch {
            // Not 401, which would be about the token in the header.
            throw APIFailure(
                .badRequest, error == .expired ? "from_token_expired" : "from_token_invalid", error.failure.message,
                parameter: "from_token")
        }
        guard CustomerName.normal(token.customer).isExactly(customer) else {
            throw APIFailure(.forbidden, "forbidden", "The token is for another customer.", parameter: "from_token")
        }
    }
}
