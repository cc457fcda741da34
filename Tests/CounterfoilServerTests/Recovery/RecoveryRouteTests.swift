import AppStoreServer
import CounterfoilServer
import Foundation
import StoreSimulator
import Testing

@testable import Ledger
@testable import LedgerServices

@Suite struct `The routes of recovery` {
    /// Requests a recovery.
    private static func begin(_ world: World, _ body: String) async throws -> TestAPIClient.Response {
        try await world.api.send("POST", "/v1/recoveries", body: Data(body.utf8))
    }

    @Test func `Completeness and recoveries are reported, and a recovery reads a period again`() async throws {
        try await World.withAPI { world in
            let initial = try await world.api.get("/v1/completeness")
            #expect(initial.items.map { $0["state"] as? String } == ["unknown", "unknown"])
            try world.simulator.add(Fault("notification:*", .drop))
            try await world.simulator.perform(.purchase(customer: "anna", product: "com.example.premium.monthly"))
            try await world.simulator.advance(by: 60)
            let now = world.simulator.now.milliseconds
            let started = try await Self.begin(world, #"{"from":\#(now - 600_000),"to":\#(now)}"#)
            #expect(started.status == 202)
            let id = try #require(started["id"] as? String)
            try await world.server.core.recovery.runPass(world.appEnvironment(), because: nil)
            let done = try await world.api.get("/v1/recoveries/\(id)")
            #expect(done["state"] as? String == "done")
            #expect(done["new"] as? Int == 1)
            let list = try await world.api.get("/v1/recoveries?limit=1")
            #expect(list.items.count == 1)
            #expect(list["next_page"] is NSNull)
            let before = try await world.api.get("/v1/recoveries?page=\(id.dropFirst(4))")
            #expect(before.status == 200 && before.items.isEmpty)
            try await world.server.core.recovery.runNow()
            let complete = try await world.api.get("/v1/completeness")
            #expect(complete.items.map { $0["state"] as? String } == ["complete", "complete"])
            #expect(try world.server.core.recovery.completenessAges().map(\.age) == [60, 60])
        }
    }

    @Test func `Completeness and recoveries can be limited to an app and an environment`() async throws {
        let other = "com.example.other"
        try await World.withAPI { configuration in
            var app = configuration.apps[0]
            app.bundleID = other
            (app.key, app.offerKey, app.sharedSecrets, app.customerTokenSecret) = (nil, nil, [], nil)
            configuration.apps.append(app)
        } _: { world in
            let first = world.simulator.information.bundleID
            func places(_ path: String) async throws -> Set<String> {
                let items = try await world.api.get(path).items
                let names = try items.map { item in
                    "\(try #require(item["app"] as? String)) \(try #require(item["environment"] as? String))"
                }
                #expect(Set(names).count == names.count)
                return Set(names)
            }
            #expect(try await places("/v1/completeness").count == 4)
            #expect(
                try await places("/v1/completeness?app=\(other)") == ["\(other) Production", "\(other) Sandbox"])
            #expect(try await places("/v1/completeness?app=\(first)&environment=Sandbox") == ["\(first) Sandbox"])
            let body = Data(#"{"from":\#(world.simulator.now.milliseconds - 600_000)}"#.utf8)
            for environment in ["Production", "Sandbox"] {
                let path = "/v1/recoveries?app=\(first)&environment=\(environment)"
                #expect(try await world.api.send("POST", path, body: body).status == 202)
            }
            #expect(try await places("/v1/recoveries") == ["\(first) Production", "\(first) Sandbox"])
            #expect(try await places("/v1/recoveries?app=\(first)&environment=Sandbox") == ["\(first) Sandbox"])
            #expect(try await places("/v1/recoveries?app=\(other)").isEmpty)
            #expect(try await world.api.get("/v1/completeness?app=com.example.none").code == "unknown_app")
            let unnamed = try await world.api.get("/v1/consumption")
            #expect(unnamed.status == 400 && unnamed.code == "unknown_app")
            #expect(try #require(unnamed["message"] as? String).hasPrefix("`app` is missing"))
        }
    }

    @Test func `Recoveries are listed page by page, newest first`() async throws {
        try await World.withAPI { world in
            let now = world.simulator.now.milliseconds
            var ids: [String] = []
            for age in [900_000, 600_000, 300_000] as [Int64] {
                let body = #"{"from":\#(now - age),"to":\#(now - age + 60_000)}"#
                let started = try await Self.begin(world, body)
                ids.append(try #require(started["id"] as? String))
            }
            var listed: [[String?]] = []
            var path = "/v1/recoveries?limit=2"
            for _ in 0..<2 {
                let list = try await world.api.get(path)
                listed.append(list.items.map { $0["id"] as? String })
                guard let next = list["next_page"] as? String else { break }
                path = "/v1/recoveries?limit=2&page=\(next)"
            }
            #expect(listed == [[ids[2], ids[1]], [ids[0]]])
        }
    }

    @Test func `A recovery without an end reads up to the server's clock, not the machine's`() async throws {
        try await World.withAPI { world in
            try await world.simulator.advance(by: 400 * 86_400)
            let now = world.simulator.now.milliseconds
            let started = try await Self.begin(world, #"{"from":\#(now - 600_000)}"#)
            #expect(started.status == 202)
            #expect(started["to"] as? Int == Int(now))
        }
    }

    /// A period in the future would be reported as read before anything could happen in it.
    @Test func `A recovery ends at the present at the latest, and begins with what the App Store keeps`() async throws {
        try await World.withAPI { world in
            let now = world.simulator.now.milliseconds
            let limit = RecoveryPlan.limit(at: world.simulator.now, try world.server.core.recovery.settings)
            for (from, to, code) in [
                (now, now, "invalid_span"), (now - 5, now - 5, "invalid_span"), (now, now + 3_600_000, "invalid_span"),
                (limit - 1, now, "too_old"),
            ] {
                let refused = try await Self.begin(world, #"{"from":\#(from),"to":\#(to)}"#)
                #expect(refused.status == 400 && refused.code == code, "\(from - now) \(to - now)")
            }
            let started = try await Self.begin(world, #"{"from":\#(limit),"to":\#(now + 3_600_000)}"#)
            #expect(started.status == 202)
            #expect(started["from"] as? Int == Int(limit) && started["to"] as? Int == Int(now))
        }
    }

    /// A request that the App Store refuses for good would otherwise be sent again every few minutes for ever.
    @Test func `A requested recovery that the App Store refuses for good fails, and the others go on`() async throws {
        try await World.run { world in
            let (simulator, now) = (world.simulator, world.simulator.now.milliseconds)
            let production = try world.appEnvironment()
            try simulator.add(Fault("notification:*", .drop))
            try await simulator.perform(.purchase(customer: "anna", product: "com.example.premium.monthly"))
            try await world.stopServer()
            // A running server also reads open recoveries when it starts, and after failures.
            try await world.runOffline { core in
                let (recovery, storage) = (core.recovery, core.storage)
                func begin() async throws -> Int64 {
                    let plan = try recovery.plan(production, from: now - 600_000, until: now, filters: [])
                    return try await storage.begin(plan, at: now)
                }
                let refused = try await begin()
                let fault = try simulator.add(Fault("route:notification-history", .error(code: 4_000_006)))
                try await recovery.runPass(production, because: nil)
                let failed = try #require(try await storage.recovery(refused))
                #expect(failed.state == .failed && failed.failure?.contains("4000006") == true)
                // Another failure may pass: the recovery stays open, and is not repeated by the next one.
                try simulator.removeFault(fault)
                let later = try await begin()
                let passing = try simulator.add(Fault("route:notification-history", .status(code: 418)))
                await #expect(throws: AppStoreServerError(.refused, "", status: 418)) {
                    try await recovery.runPass(production, because: nil)
                }
                #expect(try await storage.recovery(later)?.state == .open)
                try simulator.removeFault(passing)
                try await recovery.runPass(production, because: nil)
                #expect(try await storage.recovery(later)?.state == .done)
                #expect(try await storage.recovery(refused)?.state == .failed)
            }
        }
    }

    @Test func `Completeness lists unverified spans, unverified notifications and failing histories`() async throws {
        try await World.withAPI { world in
            let simulator = world.simulator
            try simulator.add(Fault("notification:*", .drop))
            try await simulator.perform(.purchase(customer: "anna", product: "com.example.premium.monthly"))
            try await simulator.advance(by: 600)
            try simulator.add(Fault("route:notification-history", .wrongChain))
            let (core, appEnvironment) = (try world.server.core, try world.appEnvironment())
            try await core.recovery.runNow()
            let now = simulator.now.milliseconds
            try await core.storage.scheduleRetry(
                of: "7", in: appEnvironment.id, code: "not_now", until: now + 3_600_000, at: now)
            let answer = try await world.api.get("/v1/completeness")
            let item = try #require(answer.items.first { $0["environment"] as? String == "Production" })
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
        try await World.withAPI { world in
            let now = World.start.milliseconds
            let more = String(repeating: #","EXPIRED""#, count: 100)
            for (body, type) in [
                ("{}", "bad_json"), (#"{"from":5,"to":\#(now)}"#, "too_old"),
                (#"{"from":\#(now),"to":\#(now - 5)}"#, "invalid_span"),
                (#"{"from":\#(now - 5),"to":\#(now),"types":["RENEW"]}"#, "unknown_type"),
                (#"{"from":\#(now - 5),"to":\#(now),"types":["EXPIRED"\#(more)]}"#, "too_many_types"),
            ] {
                let answer = try await Self.begin(world, body)
                #expect(answer.status == 400)
                #expect(answer.code == type)
            }
            // The earliest instant is then no whole second.
            try await world.simulator.advance(by: 0.5)
            let tooOld = try await Self.begin(world, #"{"from":5}"#)
            // The message shows a readable date, because people read it in a terminal.
            let message = try #require(tooOld["message"] as? String)
            let earliest = try #require(message.firstMatch(of: /must not be before (\d{4}-\d\d-\d\dT[\d:]+Z)\./)).1
            let accepted = try await Self.begin(world, #"{"from":"\#(earliest)"}"#)
            #expect(accepted.status == 202)
            let unknown = try await world.api.get("/v1/recoveries/rec_99")
            #expect(unknown.status == 404 && unknown["param"] as? String == "id", "\(unknown.text)")
            #expect(try await world.api.get("/v1/recoveries?limit=0").status == 400)
            #expect(try await world.api.get("/v1/recoveries?page=x").code == "invalid_page")
        }
    }
}
