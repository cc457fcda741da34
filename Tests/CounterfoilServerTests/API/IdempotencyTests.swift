import AppStoreModels
import CounterfoilServer
import Entitlements
import Foundation
import StoreSimulator
import Synchronization
import Testing

@testable import Ledger
@testable import LedgerServices

@Suite struct `Idempotency keys` {
    private static let monthly = "com.example.premium.monthly"
    private static let extensionOfAll = #"{"product_id":"com.example.premium.monthly","days":2,"reason":"other"}"#

    private static func post(
        _ world: World, _ path: String, _ body: String, key: String = "one"
    ) async throws -> TestAPIClient.Response {
        try await world.api.send("POST", path, body: Data(body.utf8), headers: [("Idempotency-Key", key)])
    }

    /// The results of an action in the audit log.
    private static func auditedResults(_ world: World, _ action: String) async throws -> [String] {
        try await world.api.get("/v1/audit").items.filter { $0["action"] as? String == action }
            .compactMap { $0["result"] as? String }
    }

    @Test func `A repeated extension is made once, even if its effect could not be read`() async throws {
        try await World.withAPI { world in
            // A free trial cannot be extended.
            let outcome = try await world.simulator.perform(
                .purchase(
                    customer: "anna", product: Self.monthly, introductory: false,
                    appAccountToken: AppAccountToken(UUID())))
            let original = try #require(outcome.originalTransactionID)
            try await world.waitUntilIdle()
            try world.simulator.add(Fault("route:subscription-statuses", .status(code: 418)))
            let path = "/v1/subscriptions/\(original)/extend"
            let body = #"{"days":3,"reason":"other"}"#
            let first = try await Self.post(world, path, body)
            #expect(first.status == 200 && first["success"] as? Bool == true, "\(first.text)")
            let end = try #require(first["effective_date"] as? Int)
            // The effect is scheduled to be read later.
            let waiting = try await world.server.core.storage.dueHistoryRequests(
                in: world.appEnvironment().id, at: .max, limit: 10)
            #expect(waiting.map(\.transactionID) == [original])
            #expect(try await Self.post(world, path, body).body == first.body)
            try await world.deleteStoredRequests()
            let again = try await Self.post(world, path, body)
            #expect(again.status == 200 && again["effective_date"] as? Int == end, "\(again.text)")
        }
    }

    @Test func `A repeated mass extension has the same request identifier unless a key differs`() async throws {
        try await World.withAPI(server: { configuration in
            configuration.keys.append(
                .init(name: "other", hash: APIKeyText.hash(of: "other"), scopes: Set(APIScope.all)))
        }) { world in
            func identifier(_ client: TestAPIClient, _ key: String) async throws -> String {
                let answer = try await client.send(
                    "POST", "/v1/extensions", body: Data(Self.extensionOfAll.utf8),
                    headers: [("Idempotency-Key", key)])
                return try #require(answer["request_identifier"] as? String, "\(answer.text)")
            }
            let first = try await identifier(world.api, "one")
            #expect(UUID(uuidString: first) != nil)
            try await world.deleteStoredRequests()
            #expect(try await identifier(world.api, "one") == first)
            #expect(try await identifier(world.api, "two") != first)
            #expect(try await identifier(TestAPIClient(url: world.url, key: "other"), "one") != first)
        }
    }

    @Test func `A key with the name of another app's former key does not get its stored response`() async throws {
        try await World.withAPI { configuration in
            configuration.apps.append(.init(bundleID: "com.example.other", environments: [.sandbox]))
            configuration.apps[1].catalogue.entitlements = configuration.apps[0].catalogue.entitlements
            configuration.keys = [
                .init(
                    name: "backend", hash: APIKeyText.hash(of: "former"), scopes: Set(APIScope.all),
                    apps: [configuration.apps[0].bundleID])
            ]
        } _: { world in
            func grant(_ key: String, _ idempotencyKey: String) async throws -> TestAPIClient.Response {
                try await TestAPIClient(url: world.url, key: key).send(
                    "POST", "/v1/customers/anna/grants",
                    body: Data(#"{"entitlement":"premium","reason":"r","actor":"a"}"#.utf8),
                    headers: [("Idempotency-Key", idempotencyKey)])
            }
            let first = try await grant("former", "one")
            #expect(first.status == 201, "\(first.text)")
            let configuration = try world.configuration()
            await (try world.server).reload {
                var changed = configuration
                changed.keys[0].hash = APIKeyText.hash(of: "new")
                changed.keys[0].apps = ["com.example.other"]
                return changed
            }
            let again = try await grant("new", "one")
            #expect(again.status == 422 && again.code == "idempotency_key_reused", "\(again.text)")
            #expect(again.headers["idempotent-replayed"] == nil)
            let own = try await grant("new", "two")
            #expect(own.status == 201 && own["app"] as? String == "com.example.other", "\(own.text)")
        }
    }

    @Test func `Deleting a customer deletes the stored requests, whatever the case of the ID`() async throws {
        try await World.withAPI { world in
            let path = "/v1/customers/A1B2C3D4-0000-4000-8000-00000000ABCD"
            let body = #"{"entitlement":"premium","reason":"r","actor":"a"}"#
            let granted = try await Self.post(world, path + "/grants", body)
            #expect(granted.status == 201)
            #expect(try await world.storedRequests() == 1)
            #expect(try await world.api.send("DELETE", path.lowercased()).status == 200)
            #expect(try await world.storedRequests() == 0)
        }
    }

    @Test func `Deleting a customer in one environment keeps the stored requests of another`() async throws {
        try await World.withAPI { world in
            let path = "/v1/customers/anna"
            let body = #"{"entitlement":"premium","reason":"r","actor":"a"}"#
            let granted = try await Self.post(world, path + "/grants", body, key: "production")
            let usage = try await Self.post(world, path + "/usage", #"{"customer_consented":true}"#, key: "usage")
            #expect(granted.status == 201 && usage.status == 204)
            let other = try await Self.post(world, path + "/grants?environment=Sandbox", body, key: "sandbox")
            #expect(other.status == 201)
            #expect(try await world.storedRequests() == 3)
            // The stored request in Production stays and prevents a second grant. That of the usage report names no
            // environment.
            #expect(try await world.api.send("DELETE", path + "?environment=Sandbox").status == 200)
            #expect(try await world.storedRequests() == 1)
            #expect(try await Self.post(world, path + "/grants", body, key: "production").body == granted.body)
            #expect(try await world.api.get(path + "/grants").items.count == 1)
            #expect(try await world.api.send("DELETE", path).status == 200)
            #expect(try await world.storedRequests() == 0)
        }
    }

    @Test func `A repeated request gets the same refusal, and the audit log has it once`() async throws {
        try await World.withAPI { world in
            let path = "/v1/customers/anna/offers/promotional"
            let body = #"{"product_id":"com.example.premium.monthly","offer_id":"save20"}"#
            let first = try await Self.post(world, path, body)
            #expect(first.status == 409 && first.code == "not_eligible", "\(first.text)")
            let again = try await Self.post(world, path, body)
            #expect(again.body == first.body && again.headers["idempotent-replayed"] == "true", "\(again.text)")
            let other = try await Self.post(world, path, body.replacing("save20", with: "save90"))
            #expect(other.status == 422 && other.code == "idempotency_key_reused", "\(other.text)")
            #expect(try await world.api.send("POST", path, body: Data(body.utf8)).status == 409)
            // Replayed answers are not in the audit log.
            let results = try await Self.auditedResults(world, "POST /v1/customers/{id}/offers/promotional")
            #expect(results == ["409 not_eligible", "409 not_eligible"])
        }
    }

    @Test func `A request refused for missing permissions runs after the key got them`() async throws {
        try await World.withAPI(server: { configuration in
            configuration.keys.append(.init(name: "other", hash: APIKeyText.hash(of: "other"), scopes: [.auditRead]))
        }) { world in
            let client = TestAPIClient(url: world.url, key: "other")
            func grant() async throws -> TestAPIClient.Response {
                try await client.send(
                    "POST", "/v1/customers/anna/grants",
                    body: Data(#"{"entitlement":"premium","reason":"r","actor":"a"}"#.utf8),
                    headers: [("Idempotency-Key", "one")])
            }
            let refused = try await grant()
            #expect(refused.status == 403 && refused.code == "forbidden", "\(refused.text)")
            #expect(try await world.storedRequests() == 0)
            var changed = try world.configuration()
            changed.keys[changed.keys.count - 1].scopes = Set(APIScope.all)
            let reloaded = changed
            try await world.server.reload { reloaded }
            let granted = try await grant()
            #expect(granted.status == 201 && granted.headers["idempotent-replayed"] == nil, "\(granted.text)")
        }
    }

    @Test func `A repeated request is in the audit log once`() async throws {
        try await World.withAPI { world in
            let body = #"{"entitlement":"premium","reason":"r","actor":"a"}"#
            for _ in 0..<2 {
                #expect(try await Self.post(world, "/v1/customers/anna/grants", body).status == 201)
            }
            let results = try await Self.auditedResults(world, "POST /v1/customers/{id}/grants")
            #expect(results == ["201"])
        }
    }

    @Test func `A replayed answer has the same Location header`() async throws {
        try await World.withAPI { world in
            let body = #"{"from":\#(world.simulator.now.milliseconds - 600_000)}"#
            let first = try await Self.post(world, "/v1/recoveries", body)
            let id = try #require(first["id"] as? String, "\(first.text)")
            #expect(first.status == 202 && first.headers["location"] == "/v1/recoveries/\(id)")
            let again = try await Self.post(world, "/v1/recoveries", body)
            #expect(again.headers["idempotent-replayed"] == "true" && again.body == first.body)
            #expect(again.headers["location"] == first.headers["location"])
        }
    }

    @Test func `A repeated request gets the same response also without a limit for the duration of requests`()
        async throws
    {
        try await World.withAPI(server: { $0.limits.requestTimeout = .seconds(Int64.max) }) { world in
            let body = #"{"entitlement":"premium","reason":"r","actor":"a"}"#
            let first = try await Self.post(world, "/v1/customers/anna/grants", body)
            let again = try await Self.post(world, "/v1/customers/anna/grants", body)
            #expect(first.status == 201 && again.body == first.body, "\(first.text)")
        }
    }

    @Test func `Decode requests are not stored and run again`() async throws {
        try await World.withAPI { world in
            for _ in 0..<2 {
                let answer = try await Self.post(world, "/v1/decode", "{}")
                #expect(answer.status < 500 && answer.headers["idempotent-replayed"] == nil, "\(answer.text)")
            }
            #expect(try await world.storedRequests() == 0)
        }
    }

    @Test func `Requests to recover a transaction are not stored and run again`() async throws {
        try await World.withAPI { world in
            let anna = try await world.subscribe("anna")
            let entitlement = try await world.api.get("/v1/customers/\(anna)/entitlements/premium")
            let original = try #require(entitlement["original_transaction_id"] as? String)
            for _ in 0..<2 {
                let answer = try await Self.post(world, "/v1/transactions/\(original)/recover", "{}")
                #expect(answer.status == 200 && answer["customers"] as? [String] == [anna], "\(answer.text)")
                #expect(answer.headers["idempotent-replayed"] == nil)
            }
            #expect(try await world.storedRequests() == 0)
        }
    }

    @Test(.timeLimit(.minutes(10))) func `A repeated request gets 409 while the first one may still be running`()
        async throws
    {
        let (arrivals, arrived) = AsyncStream.makeStream(of: Void.self)
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        let isFirst = Mutex(true)
        try await AppStoreProxy.run { proxy in
            defer { end.finish() }
            try await World.withAPI(server: { configuration in
                configuration.limits.requestTimeout = .seconds(600)
                proxy.redirectRequests(in: &configuration)
            }) { world in
                proxy.setAnswer { _ in
                    let waits = isFirst.withLock { isFirst in
                        defer { isFirst = false }
                        return isFirst
                    }
                    guard waits else { return nil }
                    arrived.yield()
                    for await _ in ends {}
                    return nil
                }
                async let first = Self.post(world, "/v1/extensions", Self.extensionOfAll)
                for await _ in arrivals { break }
                world.clockLead.withLock { $0 = 601 }
                let second = try await Self.post(world, "/v1/extensions", Self.extensionOfAll)
                #expect(second.status == 409 && second.code == "request_under_way", "\(second.text)")
                end.finish()
                #expect(try await first.status == 202)
            }
        }
    }

    @Test(.timeLimit(.minutes(10))) func `A repeated request is carried out after the first one timed out`()
        async throws
    {
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        try await AppStoreProxy.run { proxy in
            defer { end.finish() }
            try await World.withAPI(server: { configuration in
                configuration.limits.requestTimeout = .milliseconds(200)
                proxy.redirectRequests(in: &configuration)
            }) { world in
                proxy.setAnswer { _ in
                    for await _ in ends {}
                    return nil
                }
                let first = try await Self.post(world, "/v1/extensions", Self.extensionOfAll)
                #expect(first.status == 503 && first.code == "timeout", "\(first.text)")
                proxy.setAnswer { _ in nil }
                var second: TestAPIClient.Response
                // On a busy machine the second request may time out too; it is sent again.
                repeat {
                    second = try await Self.post(world, "/v1/extensions", Self.extensionOfAll)
                } while second.code == "timeout"
                #expect(second.status == 202, "\(second.text)")
            }
        }
    }
}
