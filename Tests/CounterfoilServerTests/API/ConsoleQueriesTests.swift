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
import Testing

/// What the pages of the console ask the ledger.
@Suite struct `Each page of the console` {
    /// Tables that grow with what happens. None of them is ever gone through from end to end for a page.
    private static let large = [
        "notifications", "other_texts", "lineages", "events", "deliveries", "statements", "claims", "attempts", "audit",
    ]

    private static let pass = "com.example.season.pass"

    private static let most = 12

    @Test func `asks few questions of the ledger, none of which goes through a large table`() async throws {
        try await WebhookReceiver.run { receiver in
            try await Self.look(telling: World.webhook("backend", receiver.url + "/backend"))
        }
    }

    private static func look(telling webhook: ServerConfiguration.Webhook) async throws {
        let asked = Mutex<[String]>([])
        try await World.run(
            server: { configuration in
                configuration.console.isEnabled = true
                configuration.webhooks = [webhook]
                configuration.keys = [
                    .init(name: "test", hash: APIKeyText.hash(of: Asker.key), scopes: Set(APIScope.all))
                ]
                configuration.apps[0].catalogue.entitlements = ["premium": [World.monthly, Self.pass]]
            }, ledger: { $0.trace = { sql in asked.withLock { $0.append(sql) } } }
        ) { world async throws in
            let customer = try await world.buy("anna")
            // Each is a purchase of its own, and none of them may cost a page questions of its own.
            let token = UUID(uuidString: customer).map { AppAccountToken($0) }
            for _ in 0..<8 {
                try await world.simulator.perform(
                    .purchase(customer: "anna", product: Self.pass, appAccountToken: token))
            }
            for reason in ["a gift", "another"] {
                let body = Data(#"{"entitlement":"premium","reason":"\#(reason)","actor":"maria"}"#.utf8)
                #expect(try await world.api.send("POST", "/v1/customers/\(customer)/grants", body: body).status == 201)
            }
            let account = ["app_transaction": try world.appTransaction(ofCustomer: "anna")]
            #expect(try await world.api.post("/v1/customers/\(customer)/purchases", account).status == 200)
            for name in ["ben", "kim", "zoe"] { _ = try await world.buy(name) }
            for _ in 0..<12 { try await world.simulator.advance(by: 31 * 86_400) }
            try await world.settle()
            let core = try world.server.core
            let scope = try #require(core.scopes.all.first { $0.environment == .production })
            let bought = try await core.storage.lineages(of: customer, in: scope.id)
            let original = try #require(bought.first { $0.transactions.count > 1 }).originalTransactionID
            var filter = InboxFilter(scopes: [scope.id])
            filter.originalTransactionID = original
            let kept = try #require(try await core.storage.notifications(filter, before: .max, limit: 50).items.first)
            func delivered() async throws -> AttemptedDelivery? {
                try await core.storage.deliveries(ofEvent: "evt_\(kept.uuid)", limit: 1, attempts: 1)?.first
            }
            while try await delivered()?.attempts.isEmpty ?? true { await Task.yield() }
            let browser = Browser(world.url)
            try await browser.signIn()
            // What was done is noted a moment later, which asks the ledger as well.
            while try await core.storage.audit(before: .max, limit: 9).count < 4 { await Task.yield() }
            let explanation = try await browser.get("/console/customers/\(customer)/explain/premium").text
            #expect(explanation.components(separatedBy: Self.pass).count > 8)
            // There is all that a page with an open entry can have.
            let opened = try await browser.get("/console/customers/\(customer)?open=\(kept.uuid)").text
            for part in [
                "Periods", "Grants", "got the app", "Verification of the transaction",
                "Send the event again to backend",
            ] {
                #expect(opened.contains(part), "\(part)")
            }
            for path in [
                "", "/customers", "/customers?q=\(customer)", "/customers?q=\(original)", "/customers/\(customer)",
                "/customers/\(customer)?open=\(kept.uuid)", "/customers/\(customer)/explain/premium",
                "/transactions/\(original)", "/notifications", "/notifications?state=failed",
                "/notifications?state=pending", "/notifications?type=DID_RENEW",
                "/notifications?original_transaction_id=\(original)", "/notifications/\(kept.uuid)",
                "/notifications/refused",
                "/completeness", "/webhooks", "/webhooks/backend", "/webhooks/backend?customer=\(customer)",
                "/webhooks/backend?event=subscription.renewed", "/webhooks/backend?event=evt_\(kept.uuid)", "/refunds",
                "/decode", "/operations",
                "/operations/audit", "/operations/configuration",
            ] {
                // The server's own services ask as well; the page is looked at where they asked the least.
                var fewest: [String]?
                for _ in 0..<20 where fewest?.count ?? .max > Self.most {
                    asked.withLock { $0 = [] }
                    #expect(try await browser.get("/console\(path)").status == 200, "\(path)")
                    let statements = asked.withLock(\.self).filter(Self.isQuestion)
                    if statements.count < fewest?.count ?? .max { fewest = statements }
                }
                let statements = try #require(fewest)
                #expect(
                    statements.count <= Self.most,
                    "\(path) \(statements.count): \(statements.joined(separator: "\n"))")
                let storage = try #require(core.storage as? SQLiteStorage)
                for sql in Set(statements) {
                    for step in try await storage.pool.read({ try Self.plan(of: sql, $0) }) {
                        let isScan = Self.large.contains { step.hasPrefix("SCAN \($0)") } && !step.contains("USING")
                        #expect(!isScan, "\(path): \(step) in \(sql)")
                    }
                }
            }
        }
    }

    private static func isQuestion(_ sql: String) -> Bool { sql.hasPrefix("SELECT") || sql.hasPrefix("WITH") }

    private static func plan(of sql: String, _ db: Database) throws -> [String] {
        let numbered = sql.matches(of: /\?(\d+)/).compactMap { Int($0.1) }.max()
        let places = numbered ?? (sql.components(separatedBy: "?").count - 1)
        let nothing = StatementArguments(repeatElement(DatabaseValue.null, count: places))
        return try Row.fetchAll(db, sql: "EXPLAIN QUERY PLAN \(sql)", arguments: nothing).compactMap {
            $0["detail"] as String?
        }
    }
}
