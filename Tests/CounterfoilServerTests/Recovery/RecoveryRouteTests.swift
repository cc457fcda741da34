import AppStoreServer
import CounterfoilServer
import Foundation
import StoreSimulator
import Testing

@Suite struct `The routes of recovery` {
    private static let key = APIKeyText.make()

    private func world(_ body: (World) async throws -> Void) async throws {
        let hash = APIKeyText.hash(of: Self.key)
        try await World.run(
            server: { $0.keys = [.init(name: "test", hash: hash, scopes: Set(APIScope.all))] }, body)
    }

    private func call(
        _ world: World, _ method: String, _ path: String, _ body: String? = nil
    ) async throws -> (status: Int, json: [String: Any]) {
        let request = HTTPTransportRequest(
            method: method, url: world.url + path, headers: [("Authorization", "Bearer \(Self.key)")],
            body: body.map { Data($0.utf8) })
        let answer = try await AsyncHTTPClientTransport().send(request)
        let json = try JSONSerialization.jsonObject(with: answer.body) as? [String: Any]
        return (answer.status, try #require(json))
    }

    @Test func `say how complete the ledger is and read a time again`() async throws {
        try await world { world in
            let unknown = try await call(world, "GET", "/v1/completeness")
            let items = try #require(unknown.json["items"] as? [[String: Any]])
            #expect(items.map { $0["state"] as? String } == ["unknown", "unknown"])
            try world.simulator.add(Fault("notification:*", .drop))
            try await world.simulator.perform(.purchase(customer: "anna", product: "com.example.premium.monthly"))
            try await world.simulator.advance(by: 60)
            let now = world.simulator.now.milliseconds
            let begun = try await call(world, "POST", "/v1/recoveries", #"{"from":\#(now - 600_000),"to":\#(now)}"#)
            #expect(begun.status == 202)
            let id = try #require(begun.json["id"] as? String)
            try await world.server.core.recovery.pass(world.scope(), because: nil)
            let done = try await call(world, "GET", "/v1/recoveries/\(id)")
            #expect(done.json["state"] as? String == "done")
            #expect(done.json["new"] as? Int == 1)
            let list = try await call(world, "GET", "/v1/recoveries?limit=1")
            #expect((list.json["items"] as? [Any])?.count == 1)
            #expect(list.json["next_page"] is NSNull)
            let before = try await call(world, "GET", "/v1/recoveries?page=\(id.dropFirst(4))")
            #expect((before.json["items"] as? [Any])?.isEmpty == true)
            try await world.server.core.recovery.runNow()
            let complete = try await call(world, "GET", "/v1/completeness")
            let states = try #require(complete.json["items"] as? [[String: Any]])
            #expect(states.map { $0["state"] as? String } == ["complete", "complete"])
            #expect(try world.server.core.recovery.completenessAges().map(\.age) == [60, 60])
        }
    }

    @Test func `refuse what makes no sense`() async throws {
        try await world { world in
            let now = World.start.milliseconds
            for (body, type) in [
                ("{}", "bad_json"), (#"{"from":5,"to":\#(now)}"#, "too_old"),
                (#"{"from":\#(now),"to":\#(now - 5)}"#, "invalid_span"),
                (#"{"from":\#(now - 5),"to":\#(now),"types":["RENEW"]}"#, "unknown_type"),
            ] {
                let answer = try await call(world, "POST", "/v1/recoveries", body)
                #expect(answer.status == 400)
                #expect(answer.json["type"] as? String == type)
            }
            #expect(try await call(world, "GET", "/v1/recoveries/rec_99").status == 404)
            #expect(try await call(world, "GET", "/v1/recoveries?limit=0").status == 400)
            #expect(try await call(world, "GET", "/v1/recoveries?page=x").json["type"] as? String == "invalid_page")
        }
    }
}
