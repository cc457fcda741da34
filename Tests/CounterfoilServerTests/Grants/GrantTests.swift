import AppStoreModels
import CounterfoilServer
import Entitlements
import Foundation
import Logging
import StoreSimulator
import Synchronization
import Testing

@testable import Ledger
@testable import LedgerServices

@Suite struct `Granted entitlements` {
    static let path = "/v1/customers/anna/grants"

    private static func premium(_ world: World, _ query: String = "") async throws -> [String: Any] {
        let answer = try await world.api.get("/v1/customers/anna" + query)
        return try #require((answer["entitlements"] as? [[String: Any]])?.first { $0["key"] as? String == "premium" })
    }

    static func grant(
        _ world: World, _ more: [String: Any] = [:], customer: String = "anna"
    ) async throws -> String {
        let body: [String: Any] = ["entitlement": "premium", "reason": "the outage of May", "actor": "maria"]
        let answer = try await world.api.post("/v1/customers/\(customer)/grants", body.merging(more) { $1 })
        #expect(answer.status == 201, "\(answer.text)")
        return try #require(answer["id"] as? String)
    }

    @Test func `A grant gives access without a purchase, and revoking it ends the access`() async throws {
        try await World.withAPI { world in
            let before = world.simulator.now
            try await world.simulator.advance(by: 60)
            let id = try await Self.grant(world)
            let running = try await Self.premium(world)
            #expect(running["is_active"] as? Bool == true && running["state"] as? String == "active")
            #expect(running["details"] as? [String] == ["granted"] && running["until"] == nil)
            #expect(running["product_id"] == nil && running["transaction_id"] == nil)
            let why = try await world.api.get("/v1/customers/anna/entitlements/premium/explain")
            #expect(why["rule"] as? String == "granted")
            #expect(why["sentence"] as? String == "The team granted it without an end.")
            #expect((why["grants"] as? [[String: Any]])?.first?["actor"] as? String == "maria")
            #expect((why["facts"] as? [Any])?.isEmpty == true)
            try await world.simulator.advance(by: 60)
            let then = world.simulator.now
            try await world.simulator.advance(by: 60)
            let body = ["reason": "a mistake", "actor": "otto"]
            let revoked = try await world.api.post("\(Self.path)/\(id)/revoke", body)
            #expect(revoked.status == 200 && revoked["state"] as? String == "revoked")
            #expect(revoked["revoked_by"] as? String == "otto" && revoked["reason"] as? String == "the outage of May")
            #expect(try await world.api.post("\(Self.path)/\(id)/revoke", body).text == revoked.text)
            #expect(try await Self.premium(world)["is_active"] as? Bool == false)
            #expect(try await Self.premium(world, "?at=\(then.milliseconds)")["is_active"] as? Bool == true)
            #expect(try await Self.premium(world, "?at=\(before.milliseconds)")["is_active"] as? Bool == false)
            #expect(try await world.eventTypes() == ["grant.created", "grant.revoked"])
            let timeline = try await world.api.get("/v1/customers/anna/timeline").items
            #expect(timeline.map { $0["type"] as? String } == ["grant.revoked", "grant.created"])
            #expect(timeline.map { $0["actor"] as? String } == ["otto", "maria"])
            #expect(timeline.first?["sentence"] as? String == "The granted entitlement premium was revoked by otto.")
            let list = try await world.api.get(Self.path).items
            #expect(list.count == 1 && list.first?["state"] as? String == "revoked")
        }
    }

    @Test func `A grant within the millisecond of the customer's erasure gives access at once`() async throws {
        try await World.withAPI { world in
            _ = try await Self.grant(world)
            #expect(try await world.api.send("DELETE", "/v1/customers/anna").status == 200)
            #expect(try await Self.premium(world)["is_active"] as? Bool == false)
            _ = try await Self.grant(world, ["reason": "anna came back"])
            let running = try await Self.premium(world)
            #expect(running["is_active"] as? Bool == true && running["details"] as? [String] == ["granted"])
            let why = try await world.api.get("/v1/customers/anna/entitlements/premium/explain")
            #expect(why["rule"] as? String == "granted")
            #expect((why["grants"] as? [[String: Any]])?.count == 1)
        }
    }

    @Test func `A revocation ends a grant at once, even if the clock was ahead at one of the two`() async throws {
        try await World.withAPI { world in
            let body = ["reason": "a mistake", "actor": "otto"]
            func isActive() async throws -> Bool? { try await Self.premium(world)["is_active"] as? Bool }
            let first = try await Self.grant(world)
            world.clockLead.withLock { $0 = 3600 }
            #expect(try await world.api.post("\(Self.path)/\(first)/revoke", body).status == 200)
            world.clockLead.withLock { $0 = 0 }
            #expect(try await isActive() == false)
            world.clockLead.withLock { $0 = 3600 }
            let second = try await Self.grant(world, ["reason": "the outage of June"])
            world.clockLead.withLock { $0 = 0 }
            #expect(try await isActive() == true)
            #expect(try await world.api.post("\(Self.path)/\(second)/revoke", body).status == 200)
            #expect(try await isActive() == false)
            let list = try await world.api.get(Self.path).items
            #expect(list.map { $0["state"] as? String } == ["revoked", "revoked"])
        }
    }

    @Test func `A grant ends at its instant, with one expiry event`() async throws {
        try await World.withAPI { world in
            let until = world.simulator.now + 3600
            let id = try await Self.grant(world, ["until": until.milliseconds])
            try await world.simulator.advance(by: 3599.999)
            #expect(try await Self.premium(world)["until"] as? Int == Int(until.milliseconds))
            let expiry = try world.server.core.grantExpiry
            try await expiry.emitDue()
            #expect(try await world.eventTypes() == ["grant.created"])
            try await world.simulator.advance(by: 0.001)
            #expect(try await Self.premium(world)["is_active"] as? Bool == false)
            for _ in 0..<2 { try await expiry.emitDue() }
            #expect(try await world.eventTypes() == ["grant.created", "grant.expired"])
            let timeline = try await world.api.get("/v1/customers/anna/timeline").items
            #expect(timeline.map { $0["type"] as? String } == ["grant.expired", "grant.created"])
            let late = try await world.api.post(
                "\(Self.path)/\(id)/revoke", ["reason": "too late", "actor": "maria"])
            #expect(late.status == 409 && late.code == "grant_expired")
        }
    }

    @Test func `A grant extends a purchased entitlement and leaves the subscription unchanged`() async throws {
        try await World.withAPI { world in
            let anna = try await world.subscribe("anna")
            let path = "/v1/customers/\(anna)"
            func premium() async throws -> [String: Any] {
                let answer = try await world.api.get(path)
                return try #require((answer["entitlements"] as? [[String: Any]])?.first)
            }
            let bought = try await premium()
            let end = try #require(bought["until"] as? Int)
            let product = try #require(bought["product_id"] as? String)
            let transaction = try #require(bought["transaction_id"] as? String)
            _ = try await Self.grant(world, ["until": end - 1000], customer: anna)
            let shorter = try await premium()
            #expect(shorter["until"] as? Int == end && shorter["product_id"] as? String == product)
            #expect(
                try await world.api.get(path + "/entitlements/premium/explain")["rule"] as? String
                    == "subscription_active")
            _ = try await Self.grant(world, ["until": end + 1000], customer: anna)
            let longer = try await premium()
            #expect(longer["until"] as? Int == end + 1000 && (longer["details"] as? [String])?.last == "granted")
            #expect(longer["transaction_id"] as? String == transaction)
            #expect(try await world.api.get(path + "/entitlements/premium/explain")["rule"] as? String == "granted")
            let subscriptions = try await world.api.get(path)["subscriptions"] as? [[String: Any]]
            #expect(subscriptions?.first?["access_until"] as? Int == end)
        }
    }

    @Test func `Grant requests are validated and authorised, and customers see neither actor nor reason`() async throws
    {
        try await World.withAPI { world in
            func refusal(_ more: [String: Any]) async throws -> String? {
                let body: [String: Any] = ["entitlement": "premium", "reason": "r", "actor": "a"]
                let answer = try await world.api.post(Self.path, body.merging(more) { $1 })
                #expect(answer.status == 400, "\(answer.text)")
                return answer.code
            }
            let now = world.simulator.now.milliseconds
            #expect(try await refusal(["entitlement": "premum"]) == "unknown_entitlement")
            #expect(try await refusal(["until": now]) == "invalid_instant")
            #expect(try await refusal(["until": Int64.max]) == "invalid_instant")
            #expect(try await refusal(["until": "tomorrow"]) == "invalid_instant")
            for reason in ["", " ", "two\nlines", "a\u{202E}b", "\u{200D}", String(repeating: "x", count: 501)] {
                #expect(try await refusal(["reason": reason]) == "invalid_reason", "\(reason.debugDescription)")
            }
            // Joined emoji and Persian words contain invisible characters.
            for reason in ["for the family \u{1F468}\u{200D}\u{1F467}", "\u{645}\u{6CC}\u{200C}\u{634}\u{648}\u{62F}"] {
                _ = try await Self.grant(world, ["reason": reason], customer: "carl")
            }
            #expect(try await refusal(["actor": String(repeating: "x", count: 101)]) == "invalid_actor")
            #expect(try await refusal(["note": "x"]) == "unknown_member")
            let anonymous = try await world.api.post(Self.path, ["entitlement": "premium", "reason": "r"])
            #expect(anonymous.text.contains("`actor` is missing. Expected"), "\(anonymous.text)")
            #expect(anonymous.text.contains("actor and optionally until."), "\(anonymous.text)")
            #expect(try await world.appClient(for: "anna").post(Self.path, [:]).status == 403)
            var reader = world.api
            reader.key = TestAPIClient.readerKey
            #expect(try await reader.post(Self.path, [:]).status == 403)
            let other = try await Self.grant(world, customer: "ben")
            let body = ["reason": "r", "actor": "a"]
            #expect(try await world.api.post("\(Self.path)/\(other)/revoke", body).status == 404)
            // The customer sees the grant without its actor and reason.
            _ = try await Self.grant(world)
            let customer = world.appClient(for: "anna")
            let own = try await customer.get(Self.path)
            #expect(own.items.first?["entitlement"] as? String == "premium")
            let timeline = try await customer.get("/v1/customers/anna/timeline")
            #expect(timeline.text.contains("was granted"))
            let why = try await customer.get("/v1/customers/anna/entitlements/premium/explain")
            #expect(why["rule"] as? String == "granted")
            for answer in [own, timeline, why] {
                #expect(!answer.text.contains("maria") && !answer.text.contains("outage"), "\(answer.text)")
            }
            // A grant applies in its own environment only.
            #expect(try await Self.premium(world, "?environment=Sandbox")["is_active"] as? Bool == false)
        }
    }

    /// Grants keep the name: customers lost the entitlement, and nothing said so.
    @Test func `After an entitlement got another name, the log names the one that running grants give`() async throws {
        let lines = LogCapture()
        let isRenamed = Mutex(false)
        var log = ServerConfiguration.Log()
        log.level = .warning
        try await World.run(
            server: { configuration in
                TestAPIClient.configure(&configuration)
                let name = isRenamed.withLock(\.self) ? "pro" : "premium"
                configuration.apps[0].catalogue.entitlements = [name: ["com.example.premium.monthly"]]
            }, logger: lines.logger(log)
        ) { world in
            func restart() async throws {
                try await world.stopServer()
                try await world.startServer()
            }
            let words = "running grants give entitlements that the configuration does not have"
            let id = try await Self.grant(world)
            try await restart()
            #expect(lines.count(of: words) == 0, "\(lines.text)")
            isRenamed.withLock { $0 = true }
            try await restart()
            #expect(lines.count(of: words) == 1 && lines.text.contains("premium"), "\(lines.text)")
            let body = ["reason": "a grant of pro replaces it", "actor": "maria"]
            #expect(try await world.api.post("\(Self.path)/\(id)/revoke", body).status == 200)
            try await restart()
            #expect(lines.count(of: words) == 1, "\(lines.text)")
        }
    }

    @Test func `A customer has at most 100 running grants`() async throws {
        try await World.withAPI { world in
            for _ in 0..<GrantDecision.maximumRunning { _ = try await Self.grant(world) }
            let body = ["entitlement": "premium", "reason": "r", "actor": "a"]
            let refused = try await world.api.post(Self.path, body)
            #expect(refused.status == 422 && refused.code == "too_many_grants")
            let first = try await world.api.get(Self.path + "?limit=60")
            let page = try #require(first["next_page"] as? String)
            let second = try await world.api.get(Self.path + "?limit=60&page=\(page)")
            let ids = (first.items + second.items).compactMap { $0["id"] as? String }
            #expect(Set(ids).count == 100 && second["next_page"] is NSNull)
        }
    }

    @Test func `A merge between two pages of grants repeats none and omits none of the others`() async throws {
        try await World.withAPI { world in
            let older = try await Self.grant(world, customer: "ben")
            try await world.simulator.advance(by: 60)
            let own = [try await Self.grant(world), try await Self.grant(world)]
            let first = try await world.api.get(Self.path + "?limit=1")
            let page = try #require(first["next_page"] as? String)
            #expect(try await world.api.post("/v1/customers/anna/merge", ["from": "ben"]).status == 200)
            let rest = try await world.api.get(Self.path + "?page=\(page)")
            let ids = (first.items + rest.items).compactMap { $0["id"] as? String }
            #expect(ids.sorted() == own.sorted())
            let all = try await world.api.get(Self.path).items.compactMap { $0["id"] as? String }
            #expect(all.first == older && all.count == 3)
        }
    }

    /// Many clients encode a space in a query as a plus sign.
    @Test func `The next page of a timeline with grants has no characters that a client must encode`() async throws {
        try await World.withAPI { world in
            let grants = [try await Self.grant(world), try await Self.grant(world)]
            let path = "/v1/customers/anna/timeline?limit=1"
            let first = try await world.api.get(path)
            let page = try #require(first["next_page"] as? String)
            #expect(page.wholeMatch(of: /[A-Za-z0-9._-]+/) != nil, "\(page)")
            let second = try await world.api.get("\(path)&page=\(page)")
            let listed = (first.items + second.items).compactMap { $0["grant"] as? String }
            #expect(listed.sorted() == grants.sorted() && second["next_page"] is NSNull)
        }
    }
}
