internal import AppStoreModels
internal import Foundation
internal import Hummingbird
internal import Ledger
internal import LedgerServices

/// Moves the purchases of an anonymous customer to an account.
struct MergeRoutes {
    let claims: any ClaimStorage
    let customers: CustomerReader
    let responseWriter: CustomerResponseWriter
    let webhooks: WebhookDispatcher

    func add(to v1: APIRouter) { v1.post("/customers/{id}/merge", needs: .customersWrite, merge) }

    /// Merges the other customer into the account, and returns the account. A repetition changes nothing.
    private func merge(_ call: APICall) async throws -> Response {
        try call.principal.refuseSession()
        try responseWriter.requireNonce(of: call)
        let (appEnvironment, customer) = try call.appEnvironmentAndCustomer()
        let merge = try await call.body(
            MergeBody.self, form: "a JSON object with from, and from_token with a public key")
        let from = try CustomerName.validated(merge.from, parameter: "from")
        call.setAuditDetail("from \(from)")
        if !from.isExactly(customer) { call.addAuditEntry("into \(customer)", about: from) }
        if call.principal.isPublic { try merge.verifyToken(of: from, in: appEnvironment, responseWriter) }
        if !from.isExactly(customer) {
            let moved = try await claims.merge(
                from, into: customer, in: appEnvironment.id, at: responseWriter.clock.now().milliseconds)
            if !moved.isEmpty { webhooks.wake() }
        }
        return try responseWriter.response(
            try await customers.customer(customer, in: appEnvironment, at: nil), to: call)
    }
}

/// The body of a merge request.
private struct MergeBody: JSONRequestBody {
    /// The customer whose purchases move.
    var from: String
    /// The customer token of `from`. Public keys need it; backends may act for both customers.
    var fromToken: String?

    enum CodingKeys: String, CodingKey, CaseIterable {
        case from
        case fromToken = "from_token"
    }

    /// Throws unless the request has a valid token of the other customer.
    func verifyToken(of customer: String, in appEnvironment: AppEnvironment, _ responseWriter: CustomerResponseWriter)
        throws(APIFailure)
    {
        let secrets = responseWriter.apps[appEnvironment.bundleID]?.customerTokenSecrets ?? []
        guard let text = fromToken, !secrets.isEmpty else {
            throw APIFailure.forbidden(
                "A public key needs a customer token of `from`; send it as `from_token`.", parameter: "from_token")
        }
        let token: CustomerToken
        do {
            token = try CustomerToken.verified(
                text, secrets: secrets, bundleID: appEnvironment.bundleID, now: responseWriter.clock.now())
        } catch {
            // Not 401, which is for the token in the header.
            throw APIFailure(
                error == .expired ? "from_token_expired" : "from_token_invalid", error.failure.message,
                parameter: "from_token")
        }
        guard CustomerName.canonical(token.customer).isExactly(customer) else {
            throw APIFailure.forbidden("The token is for another customer.", parameter: "from_token")
        }
    }
}
