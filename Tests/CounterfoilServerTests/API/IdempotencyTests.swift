@testable import LedgerServices
import AppStoreModels
import CounterfoilServer
import Foundation
import GRDB
import StoreSimulator
import Synchronization
import Testing

@testable import Ledger
@testable import LedgerSQLite

@Suite struct `A request that is sent again` {
    private static let monthly = "com.example.premium.monthly"
    private static let extensionOfAll = #"{"product_id":"com.example.premium.monthly","days":2,"reason":"other"}"#

    private static func post(
        _ world: World, _ path: String, _ body: String, key: String = "one"
    ) async throws -> Asker.Answer {
        try await world.api.send("POST", path, body: Data(body.utf8), headers: [("Idempotency-Key", key)])
    }

    private static func remembered(_ world: World) async throws -> Int? {
        let storage = try #require(try world.server.core.storage as? SQLiteStorage)
        return try await storage.pool.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM requests") }
    }

    /// What came of an action, each time that the audit log has it.
    private static func audited(_ world: World, _ action: String) async throws -> [String] {
        try await world.api.get("/v1/audit").items.filter { $0["action"] as? String == action }
            .compactMap { $0["result"] as? String }
    }

    /// As if the server had ended before it could remember any answer.
    private static func forget(_ world: World) async throws {
        let storage = try #require(try world.server.core.storage as? SQLiteStorage)
        try await storage.pool.write { db in try db.execute(sql: "DELETE FROM requests") }
    }

    @Test func `extends a subscription once, also where what came of it cannot be read`() async throws {
        try await World.withAPI { world in
            // A free trial is not extended.
            let outcome = try await world.simulator.perform(
                .purchase(
                    customer: "anna", product: Self.monthly, introductory: false,
                    appAccountToken: AppAccountToken(UUID())))
            let original = try #require(outcome.originalTransactionID)
            try await world.settle()
            try world.simulator.add(Fault("route:subscription-statuses", .status(code: 418)))
            let path = "/v1/subscriptions/\(original)/extend"
            let body = #"{"days":3,"reason":"other"}"#
            let first = try await Self.post(world, path, body)
            #expect(first.status == 200 && first["success"] as? Bool == true, "\(first.text)")
            let end = try #require(first["effective_date"] as? Int)
            // What came of it is asked for later.
            let waiting = try await world.server.core.storage.takeHistoryRequests(
                in: world.scope().id, at: .max, limit: 10)
            #expect(waiting.map(\.transactionID) == [original])
            #expect(try await Self.post(world, path, body).body == first.body)
            try await Self.forget(world)
            let again = try await Self.post(world, path, body)
            #expect(again.status == 200 && again["effective_date"] as? Int == end, "\(again.text)")
        }
    }

    @Test func `asks for the same extension of all, and another key asks for another`() async throws {
        try await World.withAPI(server: { configuration in
            configuration.keys.append(
                .init(name: "other", hash: APIKeyText.hash(of: "other"), scopes: Set(APIScope.all)))
        }) { world in
            func identifier(_ asker: Asker, _ key: String) async throws -> String {
                let answer = try await asker.send(
                    "POST", "/v1/extensions", body: Data(Self.extensionOfAll.utf8),
                    headers: [("Idempotency-Key", key)])
                return try #require(answer["request_identifier"] as? String, "\(answer.text)")
            }
            let first = try await identifier(world.api, "one")
            #expect(UUID(uuidString: first) != nil)
            try await Self.forget(world)
            #expect(try await identifier(world.api, "one") == first)
            #expect(try await identifier(world.api, "two") != first)
            #expect(try await identifier(Asker(url: world.url, key: "other"), "one") != first)
        }
    }

    @Test func `is forgotten with the customer, however the name is written`() async throws {
        try await World.withAPI { world in
            let path = "/v1/customers/A1B2C3D4-0000-4000-8000-00000000ABCD"
            let body = #"{"entitlement":"premium","reason":"r","actor":"a"}"#
            let granted = try await Self.post(world, path + "/grants", body)
            #expect(granted.status == 201)
            #expect(try await Self.remembered(world) == 1)
            #expect(try await world.api.send("DELETE", path.lowercased()).status == 200)
            #expect(try await Self.remembered(world) == 0)
        }
    }

    @Test func `is forgotten with the customer of its environment alone`() async throws {
        try await World.withAPI { world in
            let path = "/v1/customers/anna"
            let body = #"{"entitlement":"premium","reason":"r","actor":"a"}"#
            let granted = try await Self.post(world, path + "/grants", body, key: "production")
            let usage = try await Self.post(world, path + "/usage", #"{"customer_consented":true}"#, key: "usage")
            #expect(granted.status == 201 && usage.status == 204)
            let other = try await Self.post(world, path + "/grants?environment=Sandbox", body, key: "sandbox")
            #expect(other.status == 201)
            #expect(try await Self.remembered(world) == 3)
            // The answer of production stays, and gives no second grant. That to the report of use does not say where it is from.
            #expect(try await world.api.send("DELETE", path + "?environment=Sandbox").status == 200)
            #expect(try await Self.remembered(world) == 1)
            #expect(try await Self.post(world, path + "/grants", body, key: "production").body == granted.body)
            #expect(try await world.api.get(path + "/grants").items.count == 1)
            #expect(try await world.api.send("DELETE", path).status == 200)
            #expect(try await Self.remembered(world) == 0)
        }
    }

    @Test func `gets the same no of a service, which the audit log has with its reason`() async throws {
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
            // What was only answered again was not done again.
            let results = try await Self.audited(world, "POST /v1/customers/{id}/offers/promotional")
            #expect(results == ["409 not_eligible", "409 not_eligible"])
        }
    }

    @Test func `is in the audit log once`() async throws {
        try await World.withAPI { world in
            let body = #"{"entitlement":"premium","reason":"r","actor":"a"}"#
            for _ in 0..<2 {
                #expect(try await Self.post(world, "/v1/customers/anna/grants", body).status == 201)
            }
            let results = try await Self.audited(world, "POST /v1/customers/{id}/grants")
            #expect(results == ["201"])
        }
    }

    @Test func `is told again where to find what it began`() async throws {
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

    @Test func `is decoded again, since nothing of what is decoded is kept`() async throws {
        try await World.withAPI { world in
            for _ in 0..<2 {
                let answer = try await Self.post(world, "/v1/decode", "{}")
                #expect(answer.status < 500 && answer.headers["idempotent-replayed"] == nil, "\(answer.text)")
            }
            #expect(try await Self.remembered(world) == 0)
        }
    }

    @Test func `has a transaction fetched again, since no erasure would find whom the answer names`()
        async throws
    {
        try await World.withAPI { world in
            let anna = try await world.subscriber("anna")
            let entitlement = try await world.api.get("/v1/customers/\(anna)/entitlements/premium")
            let original = try #require(entitlement["original_transaction_id"] as? String)
            for _ in 0..<2 {
                let answer = try await Self.post(world, "/v1/transactions/\(original)/recover", "{}")
                #expect(answer.status == 200 && answer["customers"] as? [String] == [anna], "\(answer.text)")
                #expect(answer.headers["idempotent-replayed"] == nil)
            }
            #expect(try await Self.remembered(world) == 0)
        }
    }

    @Test(.timeLimit(.minutes(5))) func `waits for the first for as long as that may take`() async throws {
        let (arrivals, arrived) = AsyncStream.makeStream(of: Void.self)
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        let isFirst = Mutex(true)
        try await Front.run { front in
            defer { end.finish() }
            try await World.withAPI(server: { configuration in
                configuration.limits.requestTime = .seconds(600)
                front.stand(before: &configuration)
            }) { world in
                front.change { _ in
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
                world.clockIsAhead.withLock { $0 = 601 }
                let second = try await Self.post(world, "/v1/extensions", Self.extensionOfAll)
                #expect(second.status == 409 && second.code == "request_under_way", "\(second.text)")
                end.finish()
                #expect(try await first.status == 202)
            }
        }
    }

    @Test(.timeLimit(.minutes(5))) func `is carried out where the first took too long`() async throws {
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        try await Front.run { front in
            defer { end.finish() }
            try await World.withAPI(server: { configuration in
                configuration.limits.requestTime = .milliseconds(200)
                front.stand(before: &configuration)
            }) { world in
                front.change { _ in
                    for await _ in ends {}
                    return nil
                }
                let first = try await Self.post(world, "/v1/extensions", Self.extensionOfAll)
                #expect(first.status == 503 && first.code == "timeout", "\(first.text)")
                front.change { _ in nil }
                var second: Asker.Answer
                // On a busy machine it may take too long as well, and is sent once more.
                repeat {
                    second = try await Self.post(world, "/v1/extensions", Self.extensionOfAll)
                } while second.code == "timeout"
                #expect(second.status == 202, "\(second.text)")
            }
        }
    }
}
