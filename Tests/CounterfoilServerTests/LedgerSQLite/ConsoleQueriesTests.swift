import AppStoreModels
import CounterfoilServer
import Entitlements
import Foundation
import GRDB
import Ledger
import LedgerSQLite
import LedgerServices
import StoreSimulator
import Synchronization
import TestSupport
import Testing

/// The SQL statements that the console's pages run.
@Suite(.timeLimit(.minutes(10))) struct `Query plans of the console pages` {
    /// The tables that grow with use. No page scans one of them in full.
    private static let large = [
        "notifications", "other_texts", "lineages", "events", "deliveries", "statements", "claims", "attempts", "audit",
    ]

    private static let pass = "com.example.season.pass"

    /// The maximum number of queries of one page.
    private static let maximumQueries = 12

    /// Records the SQL statements of the ledger.
    private final class StatementLog: Sendable {
        private let statements = Mutex<[String]>([])

        func append(_ sql: String) { statements.withLock { $0.append(sql) } }

        func removeAll() { statements.withLock { $0 = [] } }

        var queries: [String] { statements.withLock { $0.filter { $0.hasPrefix("SELECT") || $0.hasPrefix("WITH") } } }
    }

    /// The identifiers that the pages show.
    private struct Subject {
        var customer: String
        /// A subscription of several periods.
        var original: String
        /// A notification about the subscription.
        var uuid: String
    }

    @Test func `Each console page runs at most twelve queries, and none scans a large table`() async throws {
        let log = StatementLog()
        try await WebhookReceiver.run { receiver in
            let webhook = World.webhook("backend", receiver.url + "/backend")
            try await World.run(
                server: { Self.configure(&$0, webhook: webhook) },
                ledger: .sqlite { $0.trace = { sql in log.append(sql) } }
            ) { world async throws in
                let subject = try await Self.fill(world)
                let storage = try world.sqlite
                let browser = Browser(world.url)
                try await browser.signIn()
                // The audit log is written with a delay. Its statements must not be counted.
                try await waitUntil("the audit log is written") {
                    try await storage.audit(AuditFilter(), before: .max, limit: 9).items.count >= 4
                }
                try await Self.checkParts(of: subject, browser)
                for path in Self.paths(of: subject) {
                    let queries = try await Self.fewestQueries(of: path, browser, log)
                    #expect(
                        queries.count <= Self.maximumQueries,
                        "\(path) \(queries.count): \(queries.joined(separator: "\n"))")
                    for sql in Set(queries) {
                        for step in try await storage.pool.read({ try Self.plan(of: sql, $0) }) {
                            #expect(!Self.isLargeScan(step), "\(path): \(step) in \(sql)")
                        }
                    }
                }
            }
        }
    }

    private static func configure(
        _ configuration: inout ServerConfiguration, webhook: ServerConfiguration.Webhook
    ) {
        configuration.console.isEnabled = true
        configuration.webhooks = [webhook]
        configuration.keys = [
            .init(name: "test", hash: APIKeyText.hash(of: TestAPIClient.key), scopes: Set(APIScope.all))
        ]
        configuration.apps[0].catalogue.entitlements = ["premium": [World.monthly, pass]]
    }

    /// Makes customers buy for a year, so that each page has something of each kind to show.
    private static func fill(_ world: World) async throws -> Subject {
        let customer = try await world.buy("anna")
        // Many purchases: the number of queries must not depend on them.
        let token = UUID(uuidString: customer).map { AppAccountToken($0) }
        for _ in 0..<8 {
            try await world.simulator.perform(.purchase(customer: "anna", product: pass, appAccountToken: token))
        }
        for reason in ["a gift", "another"] {
            let body = Data(#"{"entitlement":"premium","reason":"\#(reason)","actor":"maria"}"#.utf8)
            #expect(try await world.api.send("POST", "/v1/customers/\(customer)/grants", body: body).status == 201)
        }
        let account = ["app_transaction": try world.appTransaction(ofCustomer: "anna")]
        #expect(try await world.api.post("/v1/customers/\(customer)/purchases", account).status == 200)
        for name in ["ben", "kim", "zoe"] { _ = try await world.buy(name) }
        for _ in 0..<12 { try await world.simulator.advance(by: 31 * 86_400) }
        try await world.waitUntilIdle()
        let core = try world.server.core
        let appEnvironment = try #require(core.scopes.all.first { $0.environment == .production })
        let bought = try await core.storage.lineages(of: customer, in: appEnvironment.id)
        let original = try #require(bought.first { $0.transactions.count > 1 }).originalTransactionID
        var filter = InboxFilter(scopes: [appEnvironment.id])
        filter.originalTransactionID = original
        let stored = try #require(try await core.storage.notifications(filter, before: .max, limit: 50).items.first)
        func delivered() async throws -> AttemptedDelivery? {
            try await core.storage.deliveries(ofEvent: "evt_\(stored.uuid)", limit: 1, attempts: 1)?.first
        }
        try await waitUntil("the event is sent") { try await delivered()?.attempts.isEmpty == false }
        return Subject(customer: customer, original: original, uuid: stored.uuid)
    }

    /// Checks that the pages contain every part, so that the queries of all parts are counted.
    private static func checkParts(of subject: Subject, _ browser: Browser) async throws {
        let customer = "/console/customers/\(subject.customer)"
        let explanation = try await browser.get("\(customer)/explain/premium").text.replacing("<wbr>", with: "")
        #expect(explanation.components(separatedBy: pass).count > 8)
        let opened = try await browser.get("\(customer)?open=\(subject.uuid)").text
        for part in [
            "Periods", "Grants", "got the app", "Verification of the transaction", "Send the event again to backend",
        ] {
            #expect(opened.contains(part), "\(part)")
        }
    }

    private static func paths(of subject: Subject) -> [String] {
        let (customer, original, uuid) = (subject.customer, subject.original, subject.uuid)
        return [
            "", "/customers", "/customers?q=\(customer)", "/customers?q=\(original)", "/customers/\(customer)",
            "/customers/\(customer)?open=\(uuid)", "/customers/\(customer)/explain/premium",
            "/transactions/\(original)", "/notifications", "/notifications?state=failed",
            "/notifications?state=pending", "/notifications?type=DID_RENEW",
            "/notifications?original_transaction_id=\(original)", "/notifications/\(uuid)", "/notifications/refused",
            "/completeness", "/webhooks", "/webhooks/backend", "/webhooks/backend?customer=\(customer)",
            "/webhooks/backend?event=subscription.renewed", "/webhooks/backend?event=evt_\(uuid)", "/refunds",
            "/decode", "/operations", "/operations/audit",
            "/operations/audit?target=\(customer)", "/operations/audit?actor=all&action=sign-in",
            "/operations/configuration",
        ]
    }

    /// The queries of a page. The server's services run queries at the same time: returns the smallest of several
    /// counts.
    private static func fewestQueries(
        of path: String, _ browser: Browser, _ log: StatementLog
    ) async throws -> [String] {
        var fewest: [String]?
        for _ in 0..<200 where fewest?.count ?? .max > maximumQueries {
            log.removeAll()
            #expect(try await browser.get("/console\(path)").status == 200, "\(path)")
            let queries = log.queries
            if queries.count < fewest?.count ?? .max { fewest = queries }
        }
        return try #require(fewest)
    }

    private static func isLargeScan(_ step: String) -> Bool {
        large.contains { step.hasPrefix("SCAN \($0)") } && !step.contains("USING")
    }

    private static func plan(of sql: String, _ db: Database) throws -> [String] {
        let numbered = sql.matches(of: /\?(\d+)/).compactMap { Int($0.1) }.max()
        let parameterCount = numbered ?? (sql.components(separatedBy: "?").count - 1)
        let nulls = StatementArguments(repeatElement(DatabaseValue.null, count: parameterCount))
        return try Row.fetchAll(db, sql: "EXPLAIN QUERY PLAN \(sql)", arguments: nulls).compactMap {
            $0["detail"] as String?
        }
    }
}
