import AppStoreModels
import Basics
import Foundation
import LedgerServices
import StoreSimulator
import Testing

@testable import CounterfoilServer

/// `GET /v1/customers/{id}`, the most frequent request.
@Suite struct `The route of a customer` {
    private static let explicitDefault = "?environment=Production"

    @Test func `A customer request that names the default environment has the same answer as without`() async throws {
        try await World.withAPI { world in
            let anna = try await world.subscribe("anna")
            let names = [
                anna, anna.uppercased(), "nobody", "%41nna", "a%2Fb", "%C3%A4", "%", "%00",
                "a b".replacing(" ", with: "%20"),
                String(repeating: "a", count: 255), String(repeating: "a", count: 256),
            ]
            for key in [
                TestAPIClient.key, nil, "cfk_of-nobody-whom-we-know", TestAPIClient.readerKey, TestAPIClient.publicKey,
            ] {
                var api = world.api
                api.key = key
                for name in names {
                    let path = "/v1/customers/\(name)"
                    let (plain, other) = (try await api.get(path), try await api.get(path + Self.explicitDefault))
                    #expect(plain.status == other.status, "\(path)")
                    #expect(Self.content(plain) == Self.content(other), "\(path)")
                    #expect(Set(plain.headers.keys) == Set(other.headers.keys), "\(path)")
                    #expect(plain.headers["x-request-id"] != other.headers["x-request-id"])
                }
            }
        }
    }

    @Test func `A customer's periods are included on request`() async throws {
        try await World.withAPI { world in
            let anna = try await world.subscribe("anna")
            try await world.simulator.advance(by: .month)
            try await world.waitUntilIdle()
            let path = "/v1/customers/\(anna)"
            #expect(try await world.api.get(path)["periods"] == nil)
            let periods = try #require(
                try await world.api.get(path + "?include=periods")["periods"] as? [[String: Any]])
            try #require(periods.count == 1)
            #expect(periods[0]["product_id"] as? String == "com.example.premium.monthly")
            #expect(periods[0]["omitted"] as? Int == 0)
            let items = try #require(periods[0]["items"] as? [[String: Any]])
            #expect(items.map { $0["kind"] as? String } == ["trial", "paid"])
            // The paid period begins where the trial ends.
            let ends = items.map { ($0["start_date"] as? Int, $0["end_date"] as? Int) }
            #expect(ends[0].1 != nil && ends[0].1 == ends[1].0)
            // The state at an earlier instant.
            let then = Int64(World.start.timeIntervalSince1970 * 1000) + 1000
            let before = try await world.api.get(path + "?include=periods&at=\(then)")["periods"] as? [[String: Any]]
            #expect((before?.first?["items"] as? [Any])?.count == 1)
            #expect(
                (try await world.api.get("/v1/customers/nobody?include=periods")["periods"] as? [Any])?.isEmpty == true)
        }
    }

    @Test func `Customer requests are counted under one route in the metrics`() async throws {
        try await World.withAPI { world in
            let anna = try await world.subscribe("anna")
            for path in [anna, anna + Self.explicitDefault, "nobody", "%00"] {
                _ = try await world.api.get("/v1/customers/\(path)")
            }
            let lines = try await world.api.get("/metrics").text.split(separator: "\n")
            let counts = lines.filter { $0.contains(#"route="/v1/customers/{id}""#) && $0.contains("_total") }
            #expect(counts.contains { $0.contains("200") && $0.hasSuffix(" 3") }, "\(counts)")
            #expect(counts.contains { $0.contains("400") && $0.hasSuffix(" 1") }, "\(counts)")
        }
    }

    @Test func `The customer route matches no longer path and no other method, and refuses a large body`() async throws
    {
        try await World.withAPI { world in
            let anna = try await world.subscribe("anna")
            let path = "/v1/customers/\(anna)"
            #expect(try await world.api.get("/v1/customers/").status == 404)
            #expect(try await world.api.get(path + "/timeline")["object"] as? String != "customer")
            #expect(try await world.api.get(path + "/nothing").status == 404)
            #expect(try await world.api.send("POST", path, body: Data("{}".utf8)).status == 405)
            #expect(try await world.api.send("GET", path, body: Data("{}".utf8)).status == 200)
            let large = Data(count: 8 << 20)
            #expect(try await world.api.send("GET", path, body: large).status == 413)
        }
    }

    @Test func `Customer requests with and without the default environment share one rate limit`() async throws {
        try await World.withAPI(server: { $0.limits.requestsPerSecond = 1 }) { world in
            let paths = ["/v1/customers/nobody", "/v1/customers/nobody" + Self.explicitDefault]
            #expect(try await world.api.get(paths[0]).status == 200)
            let keys = try world.server.core.access.current.keys
            let meter = try #require(keys[APIKeyText.hash(of: TestAPIClient.key)]?.meter)
            // Uses up the requests of the next 1000 seconds.
            meter.charge(1000, at: RateMeter.now)
            for path in paths { #expect(try await world.api.get(path).status == 429, "\(path)") }
        }
    }

    /// The body without `as_of` and `request_id`.
    private static func content(_ answer: TestAPIClient.Response) -> NSDictionary {
        var json = answer.json
        json["as_of"] = nil
        json["request_id"] = nil
        return json as NSDictionary
    }
}
