internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import Ledger
internal import LedgerServices

/// Where a team gives a purchase to a customer, whatever the restore policy says.
struct TransferRoutes {
    let storage: any CustomerStorage & ClaimStorage
    let customers: CustomerReader
    let answers: CustomerAnswers
    let webhooks: WebhookDispatcher

    func add(to v1: APIRouter) {
        v1.post("/customers/{id}/purchases/{original}/transfer", needs: .customersTransfer, transfer)
    }

    /// The customer, who has it now and alone. Doing it again changes nothing.
    private func transfer(_ call: APICall) async throws -> Response {
        try answers.requireNonce(of: call)
        let (scope, customer) = try call.subject()
        let body = try await call.body(TransferBody.self, form: "a JSON object with reason")
        let reason = try body.checkedReason
        guard let named = call.named("original"), named.utf8.count <= 64,
            let original = try await storage.originalTransactionID(of: named, in: scope.id)
        else {
            throw APIFailure.notFound("No such purchase is known in this app and environment.", parameter: "original")
        }
        call.describe("\(original): \(reason)")
        // The same claim as an app's, under the policy by which what another has may always be had.
        let claim = Claim(
            customer: customer, scope: scope.id, originalTransactionIDs: [original], policy: .transfer,
            takesNamed: true, claimedAt: answers.clock.now().milliseconds)
        _ = try await storage.claim(claim, givesAccess: { _ in true })
        webhooks.wake()
        return try answers.answer(try await customers.customer(customer, in: scope, at: nil), to: call)
    }
}

/// Why a purchase is given to somebody else.
private struct TransferBody: JSONRequestBody {
    /// For the audit log.
    var reason: String

    static let members = CodingKeys.allCases.map(\.rawValue)

    private enum CodingKeys: String, CodingKey, CaseIterable { case reason }

    var checkedReason: String {
        get throws(APIFailure) {
            let text = reason.trimmingCharacters(in: .whitespacesAndNewlines)
            guard !text.isEmpty, text.utf8.count <= 500 else {
                throw APIFailure("invalid_parameter", "reason has 1 to 500 bytes.", parameter: "reason")
            }
            return text
        }
    }
}
