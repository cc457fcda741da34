internal import Basics
internal import Foundation
internal import Entitlements
internal import Hummingbird
internal import LedgerServices

/// What customers own.
struct CustomerRoutes {
    let customers: CustomerReader
    let answers: CustomerAnswers

    func add(to v1: APIRouter) { v1.get("/customers/{id}", needs: .customersRead, customer) }

    /// States, entitlements, what to offer next; now or `at` an instant. On request with the periods of what was bought.
    private func customer(_ call: APICall) async throws -> Response {
        let (scope, customer) = try call.subject()
        let reading = try await customers.customer(customer, in: scope, at: call.request.date("at"))
        guard call.request.includes("periods") else { return try answers.answer(reading, to: call) }
        return try answers.answer(reading, to: call) { json in
            json.member("periods", PurchasePeriods.all(of: reading.facts, asOf: reading.states.asOf)) { json, periods in
                periods.write(to: &json)
            }
        }
    }
}
