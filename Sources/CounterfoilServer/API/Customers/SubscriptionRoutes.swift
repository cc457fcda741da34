internal import AppStoreModels
internal import Basics
internal import Entitlements
internal import Hummingbird
internal import Ledger
internal import LedgerServices

/// A single subscription or entitlement, for clients that need no more.
struct SubscriptionRoutes {
    let storage: any CustomerStorage
    let customers: CustomerReader
    let apps: Apps
    let clock: ServerClock

    func add(to v1: APIRouter) {
        v1.get("/subscriptions/{id}", needs: .customersRead, subscription)
        v1.get("/customers/{id}/entitlements/{key}", needs: .customersRead, entitlement)
    }

    /// Returns the current state of a subscription, and its owners.
    private func subscription(_ call: APICall) async throws -> Response {
        let appEnvironment = try call.appEnvironment()
        let original = try call.identifier("transaction")
        let unknown = APIFailure.notFound(
            "No subscription with this ID is known in this app and environment.", parameter: "id")
        guard let lineage = try await storage.lineage(original, in: appEnvironment.id) else { throw unknown }
        let owners = try await storage.owners(of: original, in: appEnvironment.id)
        // A client that may see one customer must not learn of other owners, not even that they exist.
        guard call.principal.customer.map({ owners.containsExactly($0) }) ?? true else { throw unknown }
        let successors = try await storage.successors(of: original, in: appEnvironment.id)
        let engine = apps.engine(of: appEnvironment.bundleID)
        let states = engine.currentState(of: lineage.facts(succeededBy: successors), now: clock.now())
        guard let state = states.subscriptions.first(where: { $0.originalTransactionID.isExactly(original) }) else {
            throw unknown
        }
        return .json {
            CustomerJSON.subscription(&$0, state) { json in
                json.members(of: appEnvironment)
                json.member("as_of", states.asOf)
                if call.maySeeOtherCustomers { json.member("customers", owners) { $0.string($1) } }
            }
        }
    }

    /// Returns whether a customer has an entitlement, now or at the instant `at`.
    private func entitlement(_ call: APICall) async throws -> Response {
        let (appEnvironment, customer) = try call.appEnvironmentAndCustomer()
        let reading = try await customers.customer(customer, in: appEnvironment, at: call.request.date("at"))
        let name = call.pathParameter("key") ?? ""
        guard let state = reading.states.entitlements.first(where: { $0.entitlement.isExactly(name) }) else {
            throw APIFailure.unknownEntitlement(name, among: reading.states.entitlements.map(\.entitlement))
        }
        return .json {
            CustomerJSON.entitlement(&$0, state) { json in
                json.member("customer", customer)
                json.members(of: appEnvironment)
                json.member("as_of", reading.states.asOf)
            }
        }
    }
}
