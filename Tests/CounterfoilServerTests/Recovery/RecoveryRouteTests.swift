import AppStoreServer
import CounterfoilServer
import Foundation
import StoreSimulator
import Testing

@testable import Ledger
@testable import LedgerServices

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
            body: body.map { Data($0.utf8) }, timeout: .seconds(600))
        let answer = try await AsyncHTTPClientTransport().send(request)
        let json = try JSONSerialization.jsonObject(with: answer.body) as? [String: Any]
        return (answer.status, try #require(json))
    }

    @Test func `Completeness and recoveries are reported, and a recovery reads a period again`() async throws {
        try await world { world in
            let initial = try await call(world, "GET", "/v1/completeness")
            let items = try #require(initial.json["items"] as? [[String: Any]])
            #expect(items.map { $0["state"] as? String } == ["unknown", "unknown"])
            try world.simulator.add(Fault("notification:*", .drop))
            try await world.simulator.perform(.purchase(customer: "anna", product: "com.example.premium.monthly"))
            try await world.simulator.advance(by: 60)
            let now = world.simulator.now.milliseconds
            let started = try await call(world, "POST", "/v1/recoveries", #"{"from":\#(now - 600_000),"to":\#(now)}"#)
            #expect(started.status == 202)
            let id = try #require(started.json["id"] as? String)
            try await world.server.core.recovery.runPass(world.appEnvironment(), because: nil)
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

    @Test func `Recoveries are listed page by page, newest first`() async throws {
        try await world { world in
            let now = world.simulator.now.milliseconds
            var ids: [String] = []
            for age in [900_000, 600_000, 300_000] as [Int64] {
                let body = #"{"from":\#(now - age),"to":\#(now - age + 60_000)}"#
                let started = try await call(world, "POST", "/v1/recoveries", body)
                ids.append(try #require(started.json["id"] as? String))
            }
            var listed: [[String?]] = []
            var path = "/v1/recoveries?limit=2"
            for _ in 0..<2 {
                let list = try await call(world, "GET", path)
                let items = try #require(list.json["items"] as? [[String: Any]])
                listed.append(items.map { $0["id"] as? String })
                guard let next = list.json["next_page"] as? String else { break }
                path = "/v1/recoveries?limit=2&page=\(next)"
            }
            #expect(listed == [[ids[2], ids[1]], [ids[0]]])
        }
    }

    @Test func `A recovery without an end reads up to the server's clock, not the machine's`() async throws {
        try await world { world in
            try await world.simulator.advance(by: 400 * 86_400)
            let now = world.simulator.now.milliseconds
            let started = try await call(world, "POST", "/v1/recoveries", #"{"from":\#(now - 600_000)}"#)
            #expect(started.status == 202)
            #expect(started.json["to"] as? Int == Int(now))
        }
    }

    @Test func `Completeness lists unverified spans, unverified notifications and failing histories`() async throws {
        try await world { world in
            let simulator = world.simulator
            try simulator.add(Fault("notification:*", .drop))
            try await simulator.perform(.purchase(customer: "anna", product: "com.example.premium.monthly"))
            try await simulator.advance(by: 600)
            try simulator.add(Fault("route:notification-history", .wrongChain))
            let (core, appEnvironment) = (try world.server.core, try world.appEnvironment())
            try await core.recovery.runNow()
            try await core.storage.scheduleRetry(of: "7", in: appEnvironment.id, code: "not_now", until: 5, at: 4)
            let answer = try await call(world, "GET", "/v1/completeness")
            let items = try #require(answer.json["items"] as? [[String: Any]])
            let item = try #require(items.first { $0["environment"] as? String == "Production" })
            #expect(item["state"] as? String == "behind")
            let spans = try #require(item["unverified_spans"] as? [[String: Any]])
            let from = try #require(spans.first?["from"] as? Int)
            #expect(item["complete_until"] as? Int == from - 1)
            #expect(item["read_until"] as? Int == Int(simulator.now.milliseconds - 60_000))
            let unverified = try #require(item["unverified_items"] as? [[String: Any]])
            #expect(unverified.map { $0["code"] as? String } == ["untrusted_root"])
            #expect(unverified.first?["notification"] is String)
            let histories = try #require(item["histories"] as? [[String: Any]])
            #expect(histories.map { $0["transaction"] as? String } == ["7"])
            #expect(histories.first?["state"] as? String == "retrying")
            #expect(histories.first?["code"] as? String == "not_now")
        }
    }

    @Test func `Invalid recovery requests are answered with 400 and a code, unknown ones with 404`() async throws {
        try await world { world in
            let now = World.start.milliseconds
            for (body, type) in [
                ("{}", "bad_json"), (#"{"from":5,"to":\#(now)}"#, "too_old"),
                (#"{"from":\#(now),"to":\#(now - 5)}"#, "invalid_span"),
                (#"{"from":\#(now - 5),"to":\#(now),"types":["RENEW"]}"#, "unknown_type"),
            ] {
                let answer = try await call(world, "POST", "/v1/recoveries", body)
                #expect(answer.status == 400)
                #expect(answer.json["code"] as? String == type)
            }
            // The earliest instant is then no whole second.
            try await world.simulator.advance(by: 0.5)
            let tooOld = try await call(world, "POST", "/v1/recoveries", #"{"from":5}"#)
            // The message shows a readable date, because people read it in a terminal.
            let message = try #require(tooOld.json["message"] as? String)
            let earliest = try #require(message.firstMatch(of: /must not be before (\d{4}-\d\d-\d\dT[\d:]+Z)\./)).1
            let accepted = try await call(world, "POST", "/v1/recoveries", #"{"from":"\#(earliest)"}"#)
            #expect(accepted.status == 202)
            #expect(try await call(world, "GET", "/v1/recoveries/rec_99").status == 404)
            #expect(try await call(world, "GET", "/v1/recoveries?limit=0").status == 400)
            #expect(try await call(world, "GET", "/v1/recoveries?page=x").json["code"] as? String == "invalid_page")
        }
    }
}
