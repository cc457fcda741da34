import AppStoreModels
import CounterfoilServer
import Entitlements
import Foundation
import StoreSimulator
import Testing

@testable import LedgerServices

/// The simulated App Store checks the server's signatures.
@Suite struct `The simulator accepts the server's offer signatures` {
    private static let monthly = "com.example.premium.monthly"

    /// Calls `body` with a world in which Anna is subscribed.
    private static func withAnna(_ body: (World, UUID) async throws -> Void) async throws {
        try await World.run(server: { $0.keys = [World.backend] }) { world in
            let anna = UUID()
            try await world.simulator.perform(
                .purchase(
                    customer: "anna", product: monthly, introductory: false, appAccountToken: AppAccountToken(anna)))
            try await world.waitUntilIdle()
            try await body(world, anna)
        }
    }

    @Test(arguments: ["jws", "original"])
    func `The App Store accepts a promotional offer's signature once, for its product, for 24 hours`(_ format: String)
        async throws
    {
        try await Self.withAnna { world, anna in
            func signature() async throws -> OfferSignature {
                let answer = try await world.call(
                    .POST, "/v1/customers/\(anna)/offers/promotional",
                    [
                        "product_id": Self.monthly, "offer_id": "save20", "format": format,
                        "app_account_token": anna.uuidString,
                    ])
                return try #require(answer.offerSignature)
            }
            func buy(_ offer: String, _ product: String, _ signature: OfferSignature?) async throws {
                try await world.simulator.perform(
                    .purchase(customer: "anna", product: product, offer: offer, signature: signature))
            }
            await #expect { try await buy("save20", Self.monthly, nil) } throws: {
                ($0 as? StoreError)?.code == .offerSignatureMissing
            }
            let first = try await signature()
            await #expect { try await buy("firstyear", "com.example.premium.yearly", first) } throws: {
                ($0 as? StoreError)?.code == .offerSignatureWrongProduct
            }
            try await buy("save20", Self.monthly, first)
            await #expect { try await buy("save20", Self.monthly, first) } throws: {
                ($0 as? StoreError)?.code == .offerSignatureReused
            }
            let late = try await signature()
            try await world.simulator.advance(by: 86_401)
            await #expect { try await buy("save20", Self.monthly, late) } throws: {
                ($0 as? StoreError)?.code == .offerSignatureExpired
            }
            try await world.simulator.advance(by: Period.month)
            try await world.waitUntilIdle()
            let known = try await world.server.core.customers.customer(
                anna.uuidString.lowercased(), in: world.appEnvironment(), at: nil)
            #expect(known.states.subscriptions.first?.offerIdentifier == "save20")
        }
    }

    @Test func `An introductory offer's signature overrides the App Store's eligibility`() async throws {
        try await Self.withAnna { world, anna in
            try await world.simulator.perform(.cancel(customer: "anna"))
            try await world.simulator.advance(by: Period.month)
            try await world.waitUntilIdle()
            func signature(_ allow: Bool) async throws -> String {
                let answer = try await world.call(
                    .POST, "/v1/customers/\(anna)/offers/introductory",
                    ["product_id": Self.monthly, "allow": allow, "force": true])
                return try #require(answer.text("jws"))
            }
            func buy(_ signature: String?) async throws -> OfferType? {
                try await world.simulator.perform(
                    .purchase(customer: "anna", product: Self.monthly, introductorySignature: signature))
                return try world.simulator.state(of: "anna").subscriptions.first?.offerType
            }
            // Anna has not used the introductory offer. The signature denies it.
            #expect(try await buy(signature(false)) == nil)
            try await world.simulator.perform(.approveRefund(customer: "anna"))
            // Without a signature, the App Store gives the offer once.
            #expect(try await buy(nil) == .introductory)
            try await world.simulator.perform(.approveRefund(customer: "anna"))
            #expect(try await buy(nil) == nil)
            try await world.simulator.perform(.approveRefund(customer: "anna"))
            #expect(try await buy(signature(true)) == .introductory)
        }
    }
}
