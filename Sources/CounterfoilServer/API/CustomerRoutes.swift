internal import Basics
internal import Foundation
internal import Hummingbird
internal import LedgerServices

/// What customers own.
struct CustomerRoutes {
    let customers: CustomerReader
    let answers: CustomerAnswers

    func add(to v1: APIRouter) { v1.get("/customers/{id}", needs: .customersRead, customer) }

    /// States, entitlements, what to offer next; now or `at` an instant.
    private func customer(_ call: APICall) async throws -> Response {
        let (scope, customer) = try call.subject()
        return try answers.answer(
            try await customers.customer(customer, in: scope, at: call.request.date("at")), to: call)
    }
}
