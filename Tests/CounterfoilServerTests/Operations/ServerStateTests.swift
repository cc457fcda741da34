import AppStoreModels
import AppStoreServer
import Crypto
import Foundation
import Logging
import StoreSimulator
import TestSupport
import Testing

@testable import CounterfoilServer
@testable import Ledger
@testable import LedgerServices

@Suite struct `Server state` {
    @Test func `The health route lists the state of each part`() async throws {
        try await World.withAPI { configuration in
            configuration.webhooks = [World.webhook("backend", "http://127.0.0.1:9/")]
        } _: { world in
            func status(_ name: String) async throws -> String? {
                try await world.api.get("/v1/operations/health").items.first { $0["name"] as? String == name }?[
                    "status"]
                    as? String
            }
            for part in ["server", "ledger", "inbox", "app_store", "webhooks", "audit_log"] {
                #expect(try await status(part) == "ok", "\(part)")
            }
            // The recovery of a test world runs only when the test starts it.
            #expect(try await status("recovery") == "warning")
            _ = try await world.api.send("PATCH", "/v1/webhooks/backend", body: Data(#"{"enabled":false}"#.utf8))
            #expect(try await status("webhooks") == "warning")
            try world.server.core.readiness.startDraining()
            #expect(try await status("server") == "failing")
        }
    }

    @Test func `The health route says why the ledger cannot be written, and what to do`() async throws {
        try await World.withAPI { world in
            try await world.withReadOnlyLedger {
                var detail = ""
                try await waitUntil("the ledger cannot be written") {
                    let parts = try await world.api.get("/v1/operations/health").items
                    let part = try #require(parts.first { $0["name"] as? String == "ledger" })
                    detail = try #require(part["detail"] as? String)
                    return part["status"] as? String == "failing"
                }
                #expect(detail.hasPrefix("It cannot be written: storage_read_only: "), "\(detail)")
                #expect(detail.contains("write access"), "\(detail)")
            }
        }
    }

    @Test func `The health route names the app and environment whose recovery fails`() async throws {
        try await AppStoreProxy.run({ _ in (status: 401, body: "") }) { proxy in
            try await World.withAPI { configuration in
                configuration.recovery.isEnabled = true
                proxy.redirectRequests(in: &configuration)
            } _: { world in
                let recovery = try world.server.core.recovery
                try await waitUntil("the recovery of Production has failed") {
                    recovery.consecutiveFailures().contains { $0.count > 0 }
                }
                let parts = try await world.api.get("/v1/operations/health").items
                let part = try #require(parts.first { $0["name"] as? String == "recovery" })
                let detail = try #require(part["detail"] as? String)
                #expect(part["status"] as? String == "warning")
                #expect(detail.contains(" for \(world.simulator.information.bundleID) Production;"), "\(detail)")
            }
        }
    }

    /// Requests succeed with the older key, so nothing else fails, but offers are signed with the newer one. Another app
    /// without a key hid this.
    @Test func `The health route and the log name the newer of two keys if the App Store does not accept it`()
        async throws
    {
        let lines = LogCapture()
        var log = ServerConfiguration.Log()
        log.level = .warning
        try await World.run(
            server: { configuration in
                TestAPIClient.configure(&configuration)
                configuration.apps.append(.init(bundleID: "com.example.other", environments: [.sandbox]))
                guard let key = configuration.apps[0].key else { return }
                configuration.apps[0].key?.formerKey = key.signingKey
                configuration.apps[0].key?.signingKey = SigningKey(P256.Signing.PrivateKey(), keyID: "NEWKEY0003")
            }, logger: lines.logger(log)
        ) { world in
            func part() async throws -> (status: String?, detail: String) {
                let parts = try await world.api.get("/v1/operations/health").items
                let part = try #require(parts.first { $0["name"] as? String == "app_store" })
                return (part["status"] as? String, try #require(part["detail"] as? String))
            }
            let before = try await part()
            #expect(before.detail.hasPrefix("1 of 2 apps ") && !before.detail.contains("NEWKEY0003"), "\(before)")
            for _ in 1...2 { try await world.server.core.recovery.runNow() }
            let refused = try await part()
            #expect(refused.status == "warning" && refused.detail.hasPrefix("1 of 2 apps "), "\(refused)")
            #expect(refused.detail.contains("NEWKEY0003 for "), "\(refused)")
            // Once for each environment.
            #expect(lines.count(of: "does not accept the newer key") == 2, "\(lines.text)")
        }
    }

    /// It was "ok" until the endpoint was disabled after five days.
    @Test func `The health route and the console warn of what the alerts are about`() throws {
        let rules = try Fixtures.file("Packaging/prometheus-alerts.yml")
        for (metric, limit) in [
            ("counterfoil_inbox_oldest_age_seconds", ServerCore.longestWait),
            ("counterfoil_webhook_oldest_age_seconds", ServerCore.longestDelivery),
        ] {
            #expect(rules.contains("expr: \(metric) > \(limit / 1000)\n"), "\(metric)")
        }
    }

    @Test func `The health route warns of webhooks that have waited for more than an hour`() async throws {
        try await World.withAPI { configuration in
            configuration.webhooks = [World.webhook("backend", "http://127.0.0.1:9/")]
        } _: { world in
            func webhooks() async throws -> (status: String?, detail: String) {
                let parts = try await world.api.get("/v1/operations/health").items
                let part = try #require(parts.first { $0["name"] as? String == "webhooks" })
                return (part["status"] as? String, try #require(part["detail"] as? String))
            }
            _ = try await world.subscribe("anna")
            try await world.deliverWebhooks()
            try await world.deliverWebhooks(after: 3500)
            let early = try await webhooks()
            #expect(early.status == "ok" && early.detail.hasPrefix("1 delivery waits"), "\(early)")
            try await world.deliverWebhooks(after: 200)
            let late = try await webhooks()
            #expect(late.status == "warning" && late.detail.contains("The oldest event has waited since "), "\(late)")
        }
    }

    @Test func `The health route answers although the date of a waiting notification is damaged`() async throws {
        try await World.withAPI { world in
            try await world.addWaitingNotificationOfDamagedDate()
            let parts = try await world.api.get("/v1/operations/health").items
            let inbox = try #require(parts.first { $0["name"] as? String == "inbox" })
            #expect(inbox["status"] as? String == "warning")
        }
    }

    @Test func `The server lists its keys, when they were last used, and the console sessions`() async throws {
        try await World.withAPI {
            $0.console.isEnabled = true
        } _: { world in
            let keys = try await world.api.get("/v1/operations/keys").items
            #expect(keys.map { $0["name"] as? String } == ["all", "app", "reader"])
            #expect(keys[0]["idle_ms"] is Int && keys[2]["idle_ms"] == nil)
            #expect(keys[2]["environments"] as? [String] == ["Sandbox"] && keys[1]["public"] as? Bool == true)
            #expect(try await world.api.get("/v1/operations/sessions").isEmptyList)
            let browser = Browser(world.url)
            try await browser.signIn()
            let sessions = try await world.api.get("/v1/operations/sessions").items
            #expect(sessions.map { $0["key"] as? String } == ["all"])
            let id = try #require(sessions.first?["id"] as? String)
            #expect(id.count == 8)
            let operations = try await browser.get("/console/operations").text
            for text in [id, "not since the start", "Health", "audit log"] {
                #expect(operations.contains(text), "\(text)")
            }
            // Keys and sessions say in the same way that they were used just now.
            #expect(!operations.contains(">0 seconds ago<"))
            try await Tool.inTemporaryFolder { folder in
                let key = folder.appending(path: "key.txt")
                try Data(TestAPIClient.key.utf8).write(to: key)
                let command = ["server", "console", "sessions", "--url", world.url, "--key", key.path]
                let lines = try await ServerProcess.run(command)
                #expect(lines.status == 0 && lines.output.hasPrefix("\(id)  all  127.0.0.1  since "), "\(lines.text)")
                let json = try await ServerProcess.run(command + ["--json"])
                #expect(json.output.contains("\"id\":\"\(id)\""))
            }
        }
    }

    @Test func `The operations routes need a key for all apps and environments`() async throws {
        try await World.withAPI { configuration in
            configuration.keys.append(
                .init(
                    name: "one app", hash: APIKeyText.hash(of: "one app"), scopes: Set(APIScope.all),
                    apps: [configuration.apps[0].bundleID]))
        } _: { world in
            let limited = TestAPIClient(url: world.url, key: "one app")
            let routes = ["health", "keys", "configuration", "sessions", "metrics"].map { "/v1/operations/\($0)" }
            for route in routes + ["/metrics"] {
                let refused = try await limited.get(route)
                #expect(refused.status == 403, "\(route)")
                let accepted = try await world.api.get(route)
                #expect(accepted.status == 200, "\(route)")
            }
        }
    }

    @Test func `The configuration is shown without its secrets, in the API and in the console`() async throws {
        try await World.withAPI { configuration in
            configuration.console.isEnabled = true
            configuration.console.secret = Secret("a secret of the tests' own console")
            configuration.webhooks = [World.webhook("backend", "http://127.0.0.1:9/a-path-that-is-secret")]
        } _: { world in
            let browser = Browser(world.url)
            try await browser.signIn()
            let answer = try await world.api.get("/v1/operations/configuration")
            let page = try await browser.get("/console/operations/configuration").text
            for text in [answer.text, page] {
                for secret in [
                    TestAPIClient.key, TestAPIClient.tokenSecret, World.webhookSecret, "a secret of the tests",
                    "a-path-that-is-secret",
                    APIKeyText.hexadecimalHash(of: TestAPIClient.key),
                ] { #expect(!text.contains(secret), "\(secret)") }
                for setting in ["listen.port", "webhooks[0].url", "console.secret", "storage.path"] {
                    #expect(text.contains(setting), "\(setting)")
                }
            }
        }
    }
}
