import AppStoreModels
import CounterfoilServer
import Foundation
import StoreSimulator
import Testing

/// The question that is asked most.
@Suite struct `The route of a customer` {
    private static let otherWay = "?environment=Production"

    @Test func `answers the same to everybody about everybody with the parameters' defaults named`() async throws {
        try await World.withAPI { world in
            let anna = try await world.subscriber("anna")
            let names = [
                anna, anna.uppercased(), "nobody", "%41nna", "a%2Fb", "%C3%A4", "%", "%00",
                "a b".replacing(" ", with: "%20"),
                String(repeating: "a", count: 255), String(repeating: "a", count: 256),
            ]
            for key in [Asker.key, nil, "cfk_of-nobody-whom-we-know", Asker.readerKey, Asker.publicKey] {
                var api = world.api
                api.key = key
                for name in names {
                    let path = "/v1/customers/\(name)"
                    let (plain, other) = (try await api.get(path), try await api.get(path + Self.otherWay))
                    #expect(plain.status == other.status, "\(path)")
                    #expect(Self.content(plain) == Self.content(other), "\(path)")
                    #expect(Set(plain.headers.keys) == Set(other.headers.keys), "\(path)")
                    #expect(plain.headers["x-request-id"] != other.headers["x-request-id"])
                }
            }
        }
    }

    @Test func `tells on request the periods of what was bought`() async throws {
        try await World.withAPI { world in
            let anna = try await world.subscriber("anna")
            try await world.simulator.advance(by: .month)
            try await world.settle()
            let path = "/v1/customers/\(anna)"
            #expect(try await world.api.get(path)["periods"] == nil)
            let periods = try #require(
                try await world.api.get(path + "?include=periods")["periods"] as? [[String: Any]])
            try #require(periods.count == 1)
            #expect(periods[0]["product_id"] as? String == "com.example.premium.monthly")
            #expect(periods[0]["omitted"] as? Int == 0)
            let items = try #require(periods[0]["items"] as? [[String: Any]])
            #expect(items.map { $0["kind"] as? String } == ["trial", "paid"])
            // One begins where the other ends.
            let ends = items.map { ($0["start_date"] as? Int, $0["end_date"] as? Int) }
            #expect(ends[0].1 != nil && ends[0].1 == ends[1].0)
            // As it was.
            let then = Int64(World.start.timeIntervalSince1970 * 1000) + 1000
            let before = try await world.api.get(path + "?include=periods&at=\(then)")["periods"] as? [[String: Any]]
            #expect((before?.first?["items"] as? [Any])?.count == 1)
            #expect(
                (try await world.api.get("/v1/customers/nobody?include=periods")["periods"] as? [Any])?.isEmpty == true)
        }
    }

    @Test func `is counted as one route`() async throws {
        try await World.withAPI { world in
            let anna = try await world.subscriber("anna")
            for path in [anna, anna + Self.otherWay, "nobody", "%00"] {
                _ = try await world.api.get("/v1/customers/\(path)")
            }
            let lines = try await world.api.get("/metrics").text.split(separator: "\n")
            let counts = lines.filter { $0.contains(#"route="/v1/customers/{id}""#) && $0.contains("_total") }
            #expect(counts.contains { $0.contains("200") && $0.hasSuffix(" 3") }, "\(counts)")
            #expect(counts.contains { $0.contains("400") && $0.hasSuffix(" 1") }, "\(counts)")
        }
    }

    @Test func `is not taken by what only looks like it`() async throws {
        try await World.withAPI { world in
            let anna = try await world.subscriber("anna")
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

    @Test func `is limited by one meter`() async throws {
        try await World.withAPI(server: { $0.limits.requestsPerSecond = 1 }) { world in
            // All at once, so that even a busy machine takes them within fewer seconds.
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for index in 0..<40 {
                    let path = "/v1/customers/nobody" + (index.isMultiple(of: 2) ? "" : Self.otherWay)
                    group.addTask { try await world.api.get(path).status }
                }
                return try await group.reduce(into: Set<Int>()) { $0.insert($1) }
            }
            #expect(statuses.contains(200) && statuses.contains(429))
        }
    }

    /// What is said, but for the instant at which it is said, and the number of the request.
    private static func content(_ answer: Asker.Answer) -> NSDictionary {
        var json = answer.json
        json["as_of"] = nil
        json["request_id"] = nil
        return json as NSDictionary
    }
}
