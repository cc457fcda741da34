internal import LedgerServices
internal import Ledger
internal import AppStoreModels
internal import Basics
internal import Foundation
internal import Hummingbird

/// Where what an anonymous customer bought goes to an account.
struct MergeRoutes {
    let claims: any ClaimStorage
    let customers: CustomerReader
    let answers: CustomerAnswers
    let webhooks: WebhookDispatcher

    func add(to v1: APIRouter) { v1.post("/customers/{id}/merge", needs: .customersWrite, merge) }

    /// The account, with all that the other customer had. Doing it again changes nothing.
    private func merge(_ call: APICall) async throws -> Response {
        try call.principal.refuseSession()
        try answers.requireNonce(of: call)
        let (scope, customer) = try call.subject()
        let merge = try MergeBody(body: try await call.bytes())
        let from = try merge.customer()
        call.describe("from \(from)")
        if call.principal.isPublic { try merge.prove(from, in: scope, answers) }
        if !from.isExactly(customer) {
            let moved = try await claims.merge(
                from, into: customer, in: scope.id, at: answers.clock.now().milliseconds)
            if !moved.isEmpty { webhooks.wake() }
        }
        return try answers.answer(try await customers.customer(customer, in: scope, at: nil), to: call)
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
        try self.init(body: body, form: "a JSON object with from, and from_token with a public key")
    }

    func customer() throws(APIFailure) -> String { try CustomerName.checked(from, parameter: "from") }

    /// Checks that whoever asks speaks for the other customer too.
    func prove(_ customer: String, in scope: Scope, _ answers: CustomerAnswers) throws(APIFailure) {
        guard let text = fromToken, let secret = answers.apps[scope.bundleID]?.customerTokenSecret else {
            throw APIFailure.forbidden(
                "Send a token of the customer whose purchases these are.", parameter: "from_token")
        }
        let token: CustomerToken
        do { token = try CustomerToken(text, secret: secret, bundleID: scope.bundleID, now: answers.clock.now()) } catch
        {
            // Not 401, which would be about the token in the header.
            throw APIFailure(
                error == .expired ? "from_token_expired" : "from_token_invalid", error.failure.message,
                parameter: "from_token")
        }
        guard CustomerName.normal(token.customer).isExactly(customer) else {
            throw APIFailure.forbidden("The token is for another customer.", parameter: "from_token")
        }
    }
}
