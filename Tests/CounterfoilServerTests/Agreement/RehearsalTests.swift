import AppStoreModels
import CounterfoilServer
import Foundation
import StoreSimulator
import Synchronization
import Testing

@testable import Ledger
@testable import LedgerServices

/// Runs the shipped scenarios with a server. After each step the server's state of every customer must equal the
/// store's, and purchases with promotional offers use the server's signatures. A difference fails the scenario.
@Suite struct RehearsalTests {
    @Test func `The server agrees with the simulator in the scenario promotional-offers`() async throws {
        try await run("promotional-offers")
    }

    @Test func `The server agrees with the simulator in the scenario renewal-charged-ahead`() async throws {
        try await run("renewal-charged-ahead")
    }

    @Test func `The server agrees with the simulator in the scenario price-campaign`() async throws {
        try await run("price-campaign")
    }

    private static let named: Set = ["promotional-offers", "renewal-charged-ahead", "price-campaign"]
    /// Excludes two scenarios that have tests of their own: notifications of version 1 contain less, and with another
    /// account token a purchase belongs to another customer.
    private static let otherScenarios = ShippedScenarios.names.filter {
        !named.contains($0) && !["version-1-to-2", "account-token"].contains($0)
    }

    @Test(arguments: otherScenarios)
    func `The server agrees with the simulator in every other scenario`(_ name: String) async throws {
        try await run(name)
    }

    private func run(_ name: String) async throws {
        let scenario = try #require(try ShippedScenarios.scenario(name))
        try await World.run {
            $0.clock = .frozen(Date(timeIntervalSince1970: 1_767_225_600))
            let lead = StoreSettings.production.maximumRenewalLeadTime
            ($0.production.maximumRenewalLeadTime, $0.sandbox.maximumRenewalLeadTime) = (lead, lead)
            // Rate limits are tested with recovery.
            ($0.production.enforcesRateLimits, $0.sandbox.enforcesRateLimits) = (false, false)
        } server: {
            $0.keys = [World.backend]
        } _: { world in
            let report = try await world.simulator.run(scenario, beside: companion(world))
            #expect(report.passed, "\(name): \(report.explanation)")
            #expect(!report.steps.isEmpty && report.steps.allSatisfy { $0.outcome == .passed })
        }
    }

    private func companion(_ world: World) -> ScenarioCompanion {
        let signatures = Mutex(0)
        return ScenarioCompanion { command, environment in
            guard
                case .purchase(
                    let customer, let product, let quantity, let offer?, let introductory, let account, let plan,
                    let device, nil, let introductorySignature, true) = command
            else { return command }
            // The two formats alternate.
            let isOriginal = signatures.withLock { count in
                count += 1
                return count.isMultiple(of: 2)
            }
            let signature = try await sign(world, customer, product, offer, isOriginal: isOriginal, environment)
            return .purchase(
                customer: customer, product: product, quantity: quantity, offer: offer, introductory: introductory,
                appAccountToken: account, billingPlan: plan, device: device, signature: signature,
                introductorySignature: introductorySignature)
        } check: {
            try await differences(world)
        }
    }

    /// The server's signature of a promotional offer for a customer.
    private func sign(
        _ world: World, _ customer: String, _ product: String, _ offer: String, isOriginal: Bool,
        _ environment: AppStoreEnvironment
    ) async throws -> OfferSignature {
        let token = try #require(try world.simulator.state(of: customer, in: environment).appAccountToken)
        var body: [String: Any] = ["product_id": product, "offer_id": offer]
        if isOriginal { body.merge(["format": "original", "app_account_token": token]) { $1 } }
        let answer = try await world.call(
            .POST, "/v1/customers/\(token)/offers/promotional?environment=\(environment.rawValue)", body)
        return try #require(answer.offerSignature, "\(String(decoding: answer.body, as: UTF8.self))")
    }

    /// The differences between the states in the server and in the simulator.
    private func differences(_ world: World) async throws -> [String] {
        try await world.waitUntilIdle()
        let core = try world.server.core
        var wrong: [String] = []
        for environment in [AppStoreEnvironment.production, .sandbox] {
            let isLost = world.simulator.core.read(environment) { store, _ in
                store.notifications.contains { !$0.isDelivered }
            }
            // Recovery fetches lost notifications; faults may require several attempts.
            for attempt in 1...10 where isLost {
                do {
                    try await core.recovery.runNow()
                    break
                } catch { if attempt == 10 { throw error } }
            }
            try await world.waitUntilIdle()
            let appEnvironment = try world.appEnvironment(environment)
            // No notification reports the end of a migrated subscription.
            let migrated = world.simulator.core.read(environment) { store, _ in Set(store.migrations.keys) }
            for state in world.simulator.states(in: environment) {
                let customer = state.appAccountToken ?? state.customer
                let claim = Claim(
                    customer: customer, scope: appEnvironment.id, originalTransactionIDs: [],
                    appTransactionID: state.appTransactionID, policy: .transfer, claimedAt: core.now.milliseconds)
                _ = try await core.storage.claim(claim) { _ in false }
                let known = try await core.customers.customer(customer, in: appEnvironment, at: nil)
                wrong += Agreement.differences(state, known.states, except: migrated)
                    .map { "the server: \(state.customer): \($0)" }
            }
        }
        return wrong
    }
}
