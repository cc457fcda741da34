import AppStoreModels
import AppStoreServer
import CounterfoilServer
import Foundation
import StoreSimulator
import TestSupport
import Testing

@testable import LedgerServices

@Suite struct `counterfoil server check --online` {
    /// Runs the check. Returns the outcomes for Production and Sandbox.
    private static func check(
        _ world: World, timeout: Duration = .seconds(600), requestTimeout: Duration = .seconds(600),
        _ change: (inout ServerConfiguration) throws -> Void = { _ in }
    ) async throws -> [OnlineCheck.Outcome] {
        var configuration = try world.configuration()
        configuration.clock = .simulator(world.simulator.information.controlURL)
        try change(&configuration)
        return try await OnlineCheck(
            configuration, timeout: timeout, requestTimeout: requestTimeout, interval: .milliseconds(20)
        ).run()
    }

    @Test func `The check reports that the test notification arrived, and when the App Store sent it`() async throws {
        try await World.withAPI { world in
            let outcomes = try await Self.check(world)
            #expect(outcomes.map(\.environment) == [.production, .sandbox])
            #expect(outcomes.map(\.finding.code) == ["arrived", "arrived"])
            #expect(outcomes.allSatisfy { $0.isGood && $0.bundleID == world.simulator.information.bundleID })
            let start = Int64(World.start.timeIntervalSince1970 * 1000)
            let attempts = outcomes.compactMap(\.attemptedAt)
            #expect(attempts.count == 2 && attempts.allSatisfy { (start..<start + 1000).contains($0) })
            try await world.waitUntilIdle()
            #expect(try await world.api.get("/v1/notifications?type=TEST").items.count == 2)
        }
    }

    @Test func `The check distinguishes a missing key, a wrong key, a wrong address and an unreachable host`()
        async throws
    {
        try await World.run { world in
            let (url, key) = (world.url, try world.configuration().apps[0].key)
            let pem = try String(contentsOfFile: world.simulator.information.privateKey, encoding: .utf8)
            let cases: [(code: String, (inout ServerConfiguration.App) throws -> Void)] = [
                ("no_key", { $0.key = nil }),
                ("wrong_key", { $0.key = key.map { .init(issuerID: "nobody", signingKey: $0.signingKey) } }),
                (
                    "wrong_key",
                    { app in
                        app.key = try key.map {
                            .init(issuerID: $0.issuerID, signingKey: try SigningKey(pem: pem, keyID: "ANOTHERKEY"))
                        }
                    }
                ),
                ("wrong_base_url", { $0.hosts = try Self.hosts(url) }),
                ("unreachable", { $0.hosts = try Self.hosts("http://127.0.0.1:9") }),
            ]
            for (code, change) in cases {
                let outcomes = try await Self.check(world) { try change(&$0.apps[0]) }
                #expect(outcomes.map(\.finding.code) == [code, code])
                #expect(outcomes.allSatisfy { !$0.finding.advice.isEmpty && $0.attemptedAt == nil })
                guard code == "wrong_key" else { continue }
                let names = ["ANOTHERKEY", world.simulator.information.keyID]
                #expect(outcomes.allSatisfy { one in names.contains { one.finding.message.contains($0) } })
            }
        }
    }

    private static func hosts(_ url: String) throws -> [AppStoreEnvironment: AppStoreHost] {
        [
            .production: try AppStoreHost(url: url, environment: .production),
            .sandbox: try AppStoreHost(url: url, environment: .sandbox),
        ]
    }

    @Test func `The check finds base URLs under the wrong environment`() async throws {
        try await World.run { world in
            let urls = world.simulator.information.baseURLs
            let outcomes = try await Self.check(world) { configuration in
                configuration.apps[0].hosts = [
                    .production: try AppStoreHost(url: urls.sandbox, environment: .production),
                    .sandbox: try AppStoreHost(url: urls.production, environment: .sandbox),
                ]
            }
            #expect(outcomes.map(\.finding.code) == ["wrong_base_url", "wrong_base_url"])
            #expect(outcomes.first?.finding.message.contains("is the App Store's Sandbox") == true)
            #expect(outcomes.last?.finding.message.contains("is the App Store's Production") == true)
        }
    }

    @Test func `The check reports why the test notification did not arrive`() async throws {
        try await World.run { world in
            for environment in [AppStoreEnvironment.production, .sandbox] {
                world.simulator.configure(environment) { $0.notificationURL = nil }
            }
            #expect(try await Self.codes(world) == ["no_notification_url", "no_notification_url"])
            world.simulator.configure(.production) { $0.notificationURL = "http://127.0.0.1:9/" }
            world.simulator.configure(.sandbox) { $0.notificationURL = world.url + "/nothing" }
            let outcomes = try await Self.check(world)
            #expect(outcomes.map(\.finding.code) == ["not_delivered", "not_delivered"])
            #expect(outcomes[0].finding.message.contains("nothing answers"))
            #expect(outcomes[1].finding.message.contains("another status than 200"))
            #expect(outcomes.allSatisfy { $0.attemptedAt != nil })
        }
    }

    @Test func `The check reports a notification that this configuration would refuse`() async throws {
        try await World.run { world in
            let roots = try await Self.check(world) { $0.trust.anchors = .apple }
            #expect(roots.map(\.finding.code) == ["not_believed", "not_believed"])
            #expect(roots[0].finding.advice.contains("trust.anchors"))
            let app = try await Self.check(world) { $0.apps[0].appAppleID = 1 }
            #expect(app.map(\.finding.code) == ["not_believed", "arrived"])
            #expect(app[0].finding.advice.contains("apple_id"))
        }
    }

    @Test func `The check ends after its timeout and reports the notification as pending`() async throws {
        try await World.run { world in
            try world.simulator.add(Fault("route:test-notification", .error(code: 4_040_008)))
            let outcomes = try await Self.check(world, timeout: .milliseconds(60))
            #expect(outcomes.map(\.finding.code) == ["pending", "pending"])
        }
    }

    @Test(.timeLimit(.minutes(10))) func `The check ends although the App Store does not answer`() async throws {
        let appStore = try LoopbackServer(answer: nil)
        defer { appStore.stop() }
        try await World.run { world in
            let outcomes = try await Self.check(world, requestTimeout: .milliseconds(50)) {
                $0.apps[0].hosts = try Self.hosts("http://127.0.0.1:\(appStore.port)")
            }
            #expect(outcomes.map(\.finding.code) == ["unreachable", "unreachable"])
        }
    }

    private static func codes(_ world: World) async throws -> [String] {
        try await check(world).map(\.finding.code)
    }
}
