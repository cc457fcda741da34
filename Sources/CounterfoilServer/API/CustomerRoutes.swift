internal import Basics
internal import Foundation
internal import Entitlements
internal import Hummingbird
internal import LedgerServices

/// What customers own.
struct CustomerRoutes {
    let customers: CustomerReader
    let answers: CustomerAnswers
    let watch: RequestWatch

    func add(to v1: APIRouter) { v1.get("/customers/{id}", needs: .customersRead, customer) }

    /// States, entitlements, what to offer next; now or `at` an instant. On request with the periods of what was bought, and with
    /// what was paid.
    private func customer(_ call: APICall) async throws -> Response {
        // The past is made from notifications, which are read and verified again. For the present there is nothing to wait
        // for, and to watch an answer takes an eighth of the time of making it.
        guard let instant = try call.request.date("at") else { return try await customer(call, at: nil) }
        return try await watch.limiting { try await customer(call, at: instant) }
    }

    @concurrent private func customer(_ call: APICall, at instant: Date?) async throws -> Response {
        let (scope, customer) = try call.subject()
        let reading = try await customers.customer(customer, in: scope, at: instant)
        let (periods, spend) = (call.request.includes("periods"), call.request.includes("spend"))
        guard periods || spend else { return try answers.answer(reading, to: call) }
        return try answers.answer(reading, to: call) { json in
            let (facts, instant) = (reading.facts, reading.states.asOf)
            if periods {
                json.member("periods", PurchasePeriods.all(of: facts, asOf: instant)) { $1.write(to: &$0) }
            }
            if spend {
                json.key("spend")
                CustomerSpend(facts, asOf: instant).write(to: &json)
            }
        }
    }
}
