internal import Basics
internal import Entitlements
internal import Hummingbird
internal import LedgerServices

/// A customer's purchases and entitlements.
struct CustomerRoutes {
    let customers: CustomerReader
    let responseWriter: CustomerResponseWriter

    func add(to v1: APIRouter) { v1.get("/customers/{id}", needs: .customersRead, customer) }

    /// Returns the customer's states, entitlements and next steps, now or at the instant `at`. `include` adds the
    /// periods of the purchases and the amounts paid.
    private func customer(_ call: APICall) async throws -> Response {
        let (appEnvironment, customer) = try call.appEnvironmentAndCustomer()
        let reading = try await customers.customer(customer, in: appEnvironment, at: call.request.date("at"))
        let (periods, spend) = (call.request.includes("periods"), call.request.includes("spend"))
        return try responseWriter.response(reading, to: call) { json in
            let (facts, states) = (reading.facts, reading.states)
            if periods { json.member("periods", PurchasePeriods.all(of: facts, states)) { $1.write(to: &$0) } }
            if spend { json.value("spend") { CustomerSpend(facts, asOf: states.asOf).write(to: &$0) } }
        }
    }
}
