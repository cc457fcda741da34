import AppStoreModels
import CounterfoilServer
import Foundation
import StoreSimulator
import TestSupport
import Testing

/// Tests `counterfoil simulator buy --sign-by` against a server.
@Suite struct SignedOfferPurchaseTests {
    private static let monthly = "com.example.premium.monthly"

    /// Runs the built command with the simulator's address and the server's key.
    private static func run(_ world: World, _ arguments: String...) async throws -> (status: Int32, errors: String) {
        let outcome = try await ServerProcess.run(
            arguments + ["--simulator", world.simulator.information.controlURL, "--json"],
            environment: ["COUNTERFOIL_KEY": World.backendKey])
        return (outcome.status, outcome.errors)
    }

    @Test func `The command buys a promotional offer with a signature that it requests from the server`() async throws {
        try await World.run(server: { $0.keys = [World.backend] }) { world in
            try await world.simulator.perform(.purchase(customer: "anna", product: Self.monthly, introductory: false))
            try await world.waitUntilIdle()
            let bought = try await Self.run(
                world, "simulator", "buy", "anna", "premium.monthly", "--offer", "save20", "--sign-by", world.url)
            #expect(bought.status == 0, "\(bought.errors)")
            try await world.simulator.advance(by: .month)
            #expect(try world.simulator.state(of: "anna").subscriptions.first?.offerIdentifier == "save20")
            // Ben has never subscribed: the server refuses to sign, and nothing is bought.
            try await world.simulator.perform(.createCustomer(customer: "ben"))
            let refused = try await Self.run(
                world, "simulator", "buy", "ben", "premium.monthly", "--offer", "save20", "--sign-by", world.url)
            #expect(refused.status == 1 && refused.errors.contains("the server answered 409"), "\(refused.errors)")
            #expect(try world.simulator.state(of: "ben").subscriptions.isEmpty)
            let unreachable = try await Self.run(
                world, "simulator", "buy", "anna", "premium.monthly", "--offer", "save20", "--sign-by",
                "http://127.0.0.1:1")
            #expect(unreachable.status == 1 && unreachable.errors.contains("does not answer"), "\(unreachable.errors)")
        }
    }
}
