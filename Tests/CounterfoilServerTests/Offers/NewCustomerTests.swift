import CounterfoilServer
import Entitlements
import Foundation
import StoreSimulator
import Testing

@testable import LedgerServices

@Suite struct `Offers for customers without purchases` {
    private static func groups(_ world: World, _ customer: String) async throws -> [String: [String: Any]] {
        let groups = try await world.api.get("/v1/customers/\(customer)")["groups"] as? [[String: Any]] ?? []
        return Dictionary(
            uniqueKeysWithValues: groups.map { ($0["subscription_group_identifier"] as? String ?? "", $0) })
    }

    @Test func `A new customer has every group of the catalogue, with the step "subscribe"`() async throws {
        try await World.withAPI(server: { configuration in
            configuration.apps[0].catalogue.groups = ["com.example.premium.monthly": "21", "com.example.news": "22"]
        }) { world in
            let groups = try await Self.groups(world, "nobody")
            #expect(groups.keys.sorted() == ["21", "22"])
            for group in groups.values {
                #expect(group["state"] as? String == "new" && group["next_step"] as? String == "subscribe")
                #expect(group["is_eligible_for_introductory_offer"] as? Bool == true)
                #expect(group["product_id"] == nil && (group["details"] as? [String]) == [])
            }
        }
    }

    @Test func `A new customer has the groups that are known from other customers' purchases`() async throws {
        try await World.withAPI { world in
            #expect(try await Self.groups(world, "nobody").isEmpty)
            let anna = try await world.subscribe("anna")
            let annas = try #require(try await Self.groups(world, anna).first)
            #expect(annas.value["state"] as? String == "active")
            let nobody = try await Self.groups(world, "nobody")
            #expect(nobody.keys.sorted() == [annas.key])
            #expect(nobody[annas.key]?["next_step"] as? String == "subscribe")
            // Sandbox and Production have separate groups.
            let sandbox = try await world.api.get("/v1/customers/nobody?environment=Sandbox")
            #expect((sandbox["groups"] as? [Any])?.isEmpty == true)
            // A former subscriber is not new.
            try await world.simulator.perform(.cancel(customer: "anna"))
            try await world.simulator.advance(by: 90 * 86_400)
            try await world.waitUntilIdle()
            let former = try #require(try await Self.groups(world, anna)[annas.key])
            #expect(former["state"] as? String == "inactive" && former["next_step"] as? String != "subscribe")
        }
    }
}
