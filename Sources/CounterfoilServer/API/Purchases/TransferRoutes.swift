internal import AppStoreModels
internal import Foundation
internal import Hummingbird
internal import Ledger
internal import LedgerServices

/// Gives a purchase to a customer, whatever the restore policy is.
struct TransferRoutes {
    let storage: any CustomerStorage & ClaimStorage
    let customers: CustomerReader
    let responseWriter: CustomerResponseWriter
    let webhooks: WebhookDispatcher

    func add(to v1: APIRouter) {
        v1.post("/customers/{id}/purchases/{transaction}/transfer", needs: .customersTransfer, transfer)
    }

    /// Makes the customer the only owner of the purchase, and returns the customer. A repetition changes nothing.
    private func transfer(_ call: APICall) async throws -> Response {
        try responseWriter.requireNonce(of: call)
        let (appEnvironment, customer) = try call.appEnvironmentAndCustomer()
        let body = try await call.body(TransferBody.self, form: "a JSON object with reason")
        let reason = try WrittenText.checked(
            body.reason.trimmingCharacters(in: .whitespacesAndNewlines), "reason", maximumBytes: 500)
        guard let named = call.pathParameter("transaction"), named.utf8.count <= 64,
            let original = try await storage.originalTransactionID(of: named, in: appEnvironment.id)
        else {
            throw APIFailure.notFound(
                "No such purchase is known in this app and environment.", parameter: "transaction")
        }
        call.setAuditDetail("\(original): \(reason)")
        call.addAuditEntry("to \(customer): \(reason)", about: original)
        for owner in try await storage.owners(of: original, in: appEnvironment.id) where !owner.isExactly(customer) {
            call.addAuditEntry("\(original) to \(customer): \(reason)", about: owner)
        }
        let claim = Claim(
            customer: customer, scope: appEnvironment.id, originalTransactionIDs: [original], policy: .transfer,
            isByTeam: true, claimedAt: responseWriter.clock.now().milliseconds)
        _ = try await storage.claim(claim, givesAccess: { _ in true })
        webhooks.wake()
        return try responseWriter.response(
            try await customers.customer(customer, in: appEnvironment, at: nil), to: call)
    }
}

/// The body of a transfer request.
private struct TransferBody: JSONRequestBody {
    /// The reason, for the audit log.
    var reason: String

    enum CodingKeys: String, CodingKey, CaseIterable { case reason }
}
