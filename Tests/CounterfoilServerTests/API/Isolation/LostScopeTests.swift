import CounterfoilServer
import Foundation
import Testing

@Suite struct `Scopes that a key lost` {
    /// Sends the same request with an `Idempotency-Key` each time.
    private static func grant(_ world: World) async throws -> TestAPIClient.Response {
        try await TestAPIClient(url: world.url, key: "support").send(
            "POST", "/v1/customers/anna/grants",
            body: Data(#"{"entitlement":"premium","reason":"r","actor":"a"}"#.utf8),
            headers: [("Idempotency-Key", "one")])
    }

    private static func reload(_ world: World, scopes: Set<APIScope>) async throws {
        var changed = try world.configuration()
        let index = try #require(changed.keys.firstIndex { $0.name == "support" })
        changed.keys[index].scopes = scopes
        let configuration = changed
        try await world.server.reload { configuration }
    }

    @Test func `A key that lost a scope gets no stored response of a route that needs it`() async throws {
        try await World.withAPI { configuration in
            configuration.keys.append(
                .init(name: "support", hash: APIKeyText.hash(of: "support"), scopes: [.grantsWrite, .customersRead]))
        } _: { world in
            let first = try await Self.grant(world)
            #expect(first.status == 201, "\(first.text)")
            try await Self.reload(world, scopes: [.customersRead])
            let refused = try await Self.grant(world)
            #expect(refused.status == 403 && refused.code == "forbidden", "\(refused.text)")
            // The log has refusals, but no repetitions.
            let results = try await world.api.get("/v1/audit?target=anna").items.map { $0["result"] as? String }
            #expect(results == ["403 forbidden", "201"])
            try await Self.reload(world, scopes: [.grantsWrite, .customersRead])
            let again = try await Self.grant(world)
            #expect(again.body == first.body && again.headers["idempotent-replayed"] == "true", "\(again.text)")
        }
    }
}
