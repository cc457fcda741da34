import AppStoreModels
import AppStoreServer
import AppStoreTrust
import CounterfoilServer
import Entitlements
import Foundation
import MemoryLedger
import StoreSimulator
import Synchronization
import TestSupport
import Testing

@testable import Ledger
@testable import LedgerServices

@Suite struct `Metrics and alerts after an outage` {
    @Test func `After an outage, metrics and the inbox show redelivered notifications`() async throws {
        try await World.withAPI { world in
            try await world.stopServer()
            try await world.simulator.perform(
                .purchase(
                    customer: "anna", product: "com.example.premium.monthly", appAccountToken: AppAccountToken(UUID())))
            try await world.startServer()
            try await world.simulator.advance(by: 2 * 3600)
            _ = try await world.subscribe("ben")
            let metrics = try await world.api.get("/metrics").text
            #expect(metrics.contains("\ncounterfoil_notifications_late_total 1\n"), "\(metrics)")
            #expect(
                metrics.contains(#"counterfoil_notification_types_total{type="SUBSCRIBED",subtype="INITIAL_BUY"} 2"#))
            #expect(metrics.contains("counterfoil_recovery_failures{"))
            #expect(metrics.contains("counterfoil_webhook_endpoints_disabled 0"))
            let items = try await world.api.get("/v1/notifications").items
            #expect(items.map { $0["is_retry"] as? Bool } == [nil, true])
        }
    }

    /// The alert `CounterfoilNeverComplete` is about apps that have this sample and no completeness.
    @Test func `An app without a key has a sample of the failures of recovery`() async throws {
        try await World.withAPI { configuration in
            var app = configuration.apps[0]
            app.bundleID = "com.example.other"
            (app.key, app.offerKey, app.sharedSecrets, app.customerTokenSecret) = (nil, nil, [], nil)
            configuration.apps.append(app)
        } _: { world in
            try await world.server.core.recovery.runNow()
            let metrics = try await world.api.get("/metrics").text
            for app in ["com.example.app", "com.example.other"] {
                for environment in ["Production", "Sandbox"] {
                    let labels = #"{app="\#(app)",environment="\#(environment)"}"#
                    #expect(metrics.contains("\ncounterfoil_recovery_failures\(labels) 0\n"), "\(labels)")
                    let isRead = metrics.contains("\ncounterfoil_completeness_age_seconds\(labels) ")
                    #expect(isRead == (app == "com.example.app"), "\(labels)")
                }
            }
        }
    }

    /// Prometheus interpolates between two bounds: without a bound at half a second, requests of 0.3 seconds raised the
    /// alert.
    @Test func `The threshold of an alert on a quantile is a bound of the histogram`() throws {
        let rules = try Fixtures.file("Packaging/prometheus-alerts.yml")
        let quantiles = rules.matches(
            of: /histogram_quantile\(.*rate\((?<name>[a-z_]+)_bucket\[.*> (?<threshold>[0-9.]+)/)
        #expect(!quantiles.isEmpty)
        for quantile in quantiles {
            let family = try #require(MetricFamily.all.first { $0.name == String(quantile.output.name) })
            guard case .histogram(let buckets) = family.kind else {
                Issue.record("\(family.name) is no histogram")
                continue
            }
            let bounds = buckets.bounds.map { Double($0) / buckets.scale }
            let threshold = try #require(Double(String(quantile.output.threshold)))
            #expect(bounds.contains(threshold), "\(family.name)")
        }
    }

    @Test func `The documentation says what to do about every alert, and each alert has a description`() throws {
        let rules = try Fixtures.file("Packaging/prometheus-alerts.yml").split(separator: "      - alert: ").dropFirst()
        let names = rules.map { String($0.prefix { !$0.isNewline }) }
        #expect(names.count > 10)
        for (name, rule) in zip(names, rules) { #expect(rule.contains("description: "), "\(name)") }
        let page = try Fixtures.file("docs/operations-monitoring.md")
        let documented = page.matches(of: /\| `(Counterfoil[A-Za-z]+)` \|/).map { String($0.output.1) }
        #expect(documented == names)
    }

    /// Other processes have `process_…` metrics too: the dashboard showed the memory of all of them.
    @Test func `The dashboard lists only instances of the server`() throws {
        let dashboard = try Fixtures.file("Packaging/grafana-dashboard.json")
        let lists = dashboard.matches(of: /label_values\(([a-z_]+), instance\)/).map { String($0.output.1) }
        #expect(!lists.isEmpty && lists.allSatisfy { $0.hasPrefix("counterfoil_") }, "\(lists)")
    }

    @Test func `Every metric in the alert rules and the dashboard is documented`() throws {
        let text = try ["Packaging/prometheus-alerts.yml", "Packaging/grafana-dashboard.json"].map {
            try Fixtures.file($0)
        }.joined()
        let documented = try Fixtures.file("docs/operations-monitoring.md")
        let names = Set(text.matches(of: /(counterfoil|process)_[a-z_]+/).map { String($0.output.0) })
        #expect(names.count > 15)
        for name in names {
            let family = name.replacing(/_(bucket|sum|count)$/, with: "")
            #expect(documented.contains("`\(family)`") || documented.contains("`\(family){"), "\(name)")
        }
    }
}

@Suite struct `The sandbox` {
    @Test func `A server for Production refuses Sandbox notifications and requests`() async throws {
        try await World.withAPI(server: { $0.apps[0].environments = [.production] }) { world in
            try await world.simulator.perform(
                .purchase(customer: "anna", product: "com.example.premium.monthly"), in: .sandbox)
            let refused = try await world.api.get("/v1/customers/anna?environment=Sandbox")
            #expect(refused.status == 400 && refused.code == "unknown_environment")
            #expect(try await world.api.get("/v1/notifications").isEmptyList)
            let anna = try await world.subscribe("anna")
            #expect(try await world.api.get("/v1/customers/\(anna)/entitlements/premium")["is_active"] as? Bool == true)
        }
    }

    /// Calls `body` with a world whose ledger contains Sandbox purchases and whose server was restarted with Production
    /// only.
    private static func withSandboxDisabled(
        simulator: (inout SimulatorConfiguration) -> Void = { _ in },
        server change: @escaping @Sendable (inout ServerConfiguration) -> Void = { _ in },
        _ body: (World) async throws -> Void
    ) async throws {
        let isDisabled = Mutex(false)
        try await World.run(
            simulator: simulator,
            server: { configuration in
                TestAPIClient.configure(&configuration)
                configuration.console.isEnabled = true
                change(&configuration)
                if isDisabled.withLock({ $0 }) { configuration.apps[0].environments = [.production] }
            }
        ) { world in
            _ = try await world.subscribe("anna", in: .sandbox)
            try await world.stopServer()
            isDisabled.withLock { $0 = true }
            try await world.startServer()
            try await body(world)
        }
    }

    @Test func `Recovery skips the Sandbox after it is disabled`() async throws {
        try await Self.withSandboxDisabled { world in
            let core = try world.server.core
            #expect(core.recovery.recoverable.map(\.environment) == [.production])
            try await world.simulator.perform(
                .purchase(customer: "ben", product: "com.example.premium.monthly"), in: .sandbox)
            try await core.recovery.runNow()
            #expect(try await world.completeness(.sandbox).missing.unverified == 0)
            // No alert is raised for an environment that is disabled.
            #expect(core.recovery.completenessAges().map { $0.appEnvironment.environment } == [.production])
        }
    }

    @Test func `The metrics do not count what waits in the Sandbox after it is disabled`() async throws {
        try await Self.withSandboxDisabled(
            server: { $0.apps[0].consumption = ConsumptionPolicy(defaultConsent: true) }
        ) { world in
            let (storage, now) = (try world.server.core.storage, world.simulator.now.milliseconds)
            let scope = try world.appEnvironment(.sandbox).id
            let uuid = UUID().uuidString.lowercased()
            let received = ReceivedNotification(
                scope: scope, uuid: uuid, type: "CONSUMPTION_REQUEST", signedDate: now, receivedAt: now,
                origin: .delivered, text: "a notification")
            let insertion = try await storage.commit(received: [received], processed: []).first
            let id = try #require(insertion).id
            let transaction = TransactionFact(
                transactionID: "7", originalTransactionID: "7", productID: "com.example.coins.100", type: .consumable,
                purchaseDate: Date(milliseconds: now), signedDate: Date(milliseconds: now))
            let processed = ProcessedNotification(
                id: id, scope: scope, uuid: uuid, type: .consumptionRequest, signedDate: now, transaction: transaction,
                processedAt: now)
            _ = try await storage.commit(received: [], processed: [processed])
            let waiting = try await storage.inquiryBacklogs(in: [scope], dueBefore: .max, without: [])[scope]?
                .count
            try #require(waiting == 1)
            for (environment, count) in [(AppStoreEnvironment.sandbox, 0), (.production, 1)] {
                // The server itself takes a request only when it is due.
                try await storage.scheduleRetry(
                    of: "7", in: world.appEnvironment(environment).id, code: "timeout", until: now + 3_600_000, at: now)
                let text = try await world.api.get("/metrics").text
                #expect(text.contains("\ncounterfoil_history_requests \(count)\n"), "\(text)")
                #expect(text.contains("\ncounterfoil_consumption_backlog 0\n"), "\(text)")
            }
        }
    }

    @Test func `The console omits the Sandbox after it is disabled, and its overview still works`() async throws {
        try await Self.withSandboxDisabled { world in
            let browser = Browser(world.url)
            try await browser.signIn()
            let overview = try await browser.get("/console")
            #expect(overview.status == 200 && !overview.text.contains("cannot be shown"))
            let page = try await browser.get("/console/customers/anna?environment=Sandbox")
            #expect(page.status == 404 && page.text.contains("sees no"))
        }
    }

    @Test func `Sandbox receipts are refused after the Sandbox is disabled`() async throws {
        let secret = "the shared secret of the app"
        try await Self.withSandboxDisabled(
            simulator: { $0.createsReceiptAuthorityAtStart = true },
            server: { $0.apps[0].sharedSecrets = [Secret(secret)] }
        ) { world in
            let receipt = try world.simulator.receipt(of: "anna", in: .sandbox)
            let reported = try await world.api.post("/v1/customers/anna/purchases", ["receipt": receipt])
            #expect(reported.status == 400 && reported.code == "wrong_app", "\(reported.text)")
            let old = try await world.call(
                .POST, "/verifyReceipt?environment=Sandbox", ["receipt-data": receipt, "password": secret], key: nil)
            #expect(old.number("status") == 21003)
            let notification: [String: Any] = [
                "notification_type": "DID_RENEW", "password": secret, "unified_receipt": ["latest_receipt": receipt],
            ]
            let response = try await world.call(.POST, "/apple/notifications", notification, key: nil)
            #expect(response.status == 400 && response.text("code") == "wrong_app")
        }
    }

    @Test func `The configuration can refuse the Sandbox or keep it apart, and invalid combinations are reported`()
        throws
    {
        let app = TestConfiguration.smallest
        let loaded = try TestConfiguration.read(app + "    environments: [Production]\n    sandbox: refuse\n")
        #expect(loaded.configuration.apps.first?.environments == [.production])
        #expect(loaded.warnings.contains { "\($0)".contains("refuses the sandbox") }, "\(loaded.warnings)")
        let apart = try TestConfiguration.read(app + "    environments: [Production]\n    sandbox: keep_apart\n")
        #expect(apart.configuration.apps.first?.environments == [.production, .sandbox])
        for text in [
            "    sandbox: refuse\n    environments: [Sandbox]\n",
            "    sandbox: refuse\n    environments: [Production, Sandbox]\n", "    sandbox: maybe\n",
        ] {
            #expect(TestConfiguration.problems(app + text).contains { $0.contains("sandbox") })
        }
    }
}
