internal import Basics
internal import Foundation
internal import Hummingbird
internal import Ledger
internal import LedgerServices

/// Erases a customer.
struct ErasureRoutes {
    let storage: any ErasureStorage
    let clock: ServerClock

    func add(to v1: APIRouter) { v1.delete("/customers/{id}", needs: .customersErase, erase) }

    /// Erases unknown customers as well: an older export that names them may be imported later.
    private func erase(_ call: APICall) async throws -> Response {
        let (appEnvironment, customer) = try call.appEnvironmentAndCustomer()
        let now = clock.now().milliseconds
        let report = try await storage.erase(customer, in: appEnvironment, at: now)
        return .object("erasure") { json in
            json.members(of: appEnvironment)
            json.member("erased_at", now)
            json.member("claims", report.claims)
            json.member("grants", report.grants)
            json.member("usage", report.usage)
            json.member("purchases_kept", report.purchases)
        }
    }
}
