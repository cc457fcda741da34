import AppStoreModels
import CounterfoilServer
import Entitlements
import Foundation
import StoreSimulator
import TestSupport
import Testing

@testable import Ledger
@testable import LedgerServices

@Suite struct `Receiving notifications` {
    @Test func `A purchase in the store is in the ledger of its environment, also at past instants`() async throws {
        try await World.run { world in
            let token = UUID()
            try await world.simulator.perform(
                .purchase(
                    customer: "anna", product: "com.example.premium.monthly", appAccountToken: AppAccountToken(token)))
            try await world.waitUntilIdle()
            let core = try world.server.core
            let customer = token.uuidString.lowercased()
            let reading = try await core.customers.customer(customer, in: world.appEnvironment(), at: nil)
            #expect(reading.states.subscriptions.map(\.status) == [.active])
            #expect(reading.states.entitlement("premium")?.isActive == true)
            let sandbox = try await core.customers.customer(customer, in: world.appEnvironment(.sandbox), at: nil)
            #expect(sandbox.states.subscriptions.isEmpty)
            try await world.simulator.advance(by: Period.year)
            try await world.waitUntilIdle()
            let later = try await core.customers.customer(customer, in: world.appEnvironment(), at: nil)
            #expect(later.lineages.first?.transactions.count ?? 0 > 10)
            let then = try await core.customers.customer(customer, in: world.appEnvironment(), at: World.start + 60)
            #expect(then.states.subscriptions.first?.purchaseDate == World.start)
        }
    }

    @Test(.timeLimit(.minutes(10))) func `Waiting for a stopped processor returns at once`() async throws {
        try await World.run { world in
            let processor = try world.server.core.processor
            try await world.stopServer()
            processor.rescan()
            try await waitForEnd("the wait has ended") { await processor.waitUntilIdle() }
        }
    }
}
