import AppStoreModels
import Entitlements
import Foundation
import MemoryLedger
import TestSupport
import Testing

@testable import Ledger

/// The answer to a commit may be lost, and several servers may do the same work. Detects engines that insert a row
/// without a key, or add to a value instead of replacing it.
@Suite struct `The contract of repeated calls` {
    private static let now = RandomFacts.start.milliseconds

    private static func received(_ number: Int, in scope: Int64) -> ReceivedNotification {
        ReceivedNotification(
            scope: scope, uuid: notificationUUID(number), type: "DID_RENEW", signedDate: now, receivedAt: now,
            origin: .delivered,
            text: "text \(number)")
    }

    private static func transaction(_ original: String) -> TransactionFact {
        TransactionFact(
            transactionID: original, originalTransactionID: original, productID: "gold",
            type: .autoRenewableSubscription, purchaseDate: RandomFacts.start, signedDate: RandomFacts.start)
    }

    /// A ledger, and the checks of its contents around each call.
    private struct Repeating {
        let ledger: any LedgerEngine
        let scopes: [AppEnvironment]

        private func lines() async throws -> [String] {
            try await LedgerView.lines(of: ledger, in: scopes, at: `The contract of repeated calls`.now)
        }

        /// Makes a call twice. The first call changes the ledger, and the second does not.
        func call(_ name: String, _ body: () async throws -> Void) async throws {
            let before = try await lines()
            try await body()
            let once = try await lines()
            #expect(once != before, "\(name)")
            try await body()
            let twice = try await lines()
            #expect(twice == once, "\(name)")
        }
    }

    private static func withLedger(
        _ engine: Engine, _ body: (any LedgerEngine, AppEnvironment, Repeating) async throws -> Void
    ) async throws {
        try await Tool.inTemporaryFolder { folder in
            let walk = try await Walk(try engine.open(in: folder))
            let appEnvironment = try #require(walk.scopes.first)
            try await body(walk.ledger, appEnvironment, Repeating(ledger: walk.ledger, scopes: walk.scopes))
        }
    }

    @Test(arguments: Engine.allCases)
    func `Facts and claims that are stored twice count once`(_ engine: Engine) async throws {
        try await Self.withLedger(engine) { ledger, appEnvironment, repeating in
            let (scope, now) = (appEnvironment.id, Self.now)
            try await repeating.call("receive") {
                let received = [Self.received(1, in: scope), Self.received(2, in: scope)]
                _ = try await ledger.commit(received: received, processed: [])
            }
            let ids = try await ledger.pending(after: .min, limit: 9).map(\.id)
            try #require(ids.count == 2)
            try await repeating.call("process") {
                let processed = ProcessedNotification(
                    id: ids[0], scope: scope, uuid: notificationUUID(1), type: .didRenew, signedDate: now,
                    transaction: Self.transaction("1"), processedAt: now)
                _ = try await ledger.commit(received: [], processed: [processed])
            }
            try await repeating.call("fail") {
                try await ledger.fail(ids[1], code: "no", message: "it cannot be believed", at: now)
            }
            try await repeating.call("signed fact") {
                let fact = SignedFact(
                    scope: scope, fact: .transaction(Self.transaction("2")), origin: .app, receivedAt: now, text: "fact"
                )
                _ = try await ledger.commit([fact])
            }
            try await repeating.call("claim") {
                let claim = Claim(
                    customer: "anna", scope: scope, originalTransactionIDs: ["1", "2"], appTransactionID: "x",
                    policy: .transfer, claimedAt: now)
                _ = try await ledger.claim(claim) { _ in false }
            }
            try await repeating.call("usage") {
                let report = UsageReport(transactionID: "1", consumptionPercentage: 5, reportedAt: now)
                try await ledger.record(report, of: "anna", in: scope)
            }
            try await repeating.call("grant") {
                let content = GrantEvent.Content(
                    customer: "anna", entitlement: "pro", until: now + 5, reason: "sorry", actor: "team")
                _ = try await ledger.createGrant("g1", content, in: scope, at: now)
            }
            try await repeating.call("expired grants") { _ = try await ledger.emitExpiredGrants(at: now + 9, limit: 9) }
            let content = GrantEvent.Content(customer: "anna", entitlement: "pro", reason: "sorry", actor: "team")
            _ = try await ledger.createGrant("g2", content, in: scope, at: now)
            try await repeating.call("revoked grant") {
                let content = GrantEvent.Content(reason: "over", actor: "team")
                _ = try await ledger.revokeGrant("g2", of: "anna", because: content, in: scope, at: now + 1)
            }
            try await repeating.call("merge") {
                _ = try await ledger.merge("anna", into: "bob", in: scope, at: now + 9)
            }
        }
    }

    @Test(arguments: Engine.allCases)
    func `The progress of recoveries and requests that is stored twice counts once`(_ engine: Engine) async throws {
        try await Self.withLedger(engine) { ledger, appEnvironment, repeating in
            let scope = appEnvironment.id
            let plan = RecoveryPlan(
                scope: scope, cause: .schedule, from: 0, until: 1000, filters: [], movesMark: true,
                windows: [RecoveryWindow(stage: 0, from: 0, until: 1000)])
            let recovery = try await ledger.begin(plan, at: 0)
            let window = try #require(try await ledger.openWindows(of: recovery).first)
            try await repeating.call("page") {
                let item = UnverifiedItem(digest: Data([1]), code: "no", message: "no")
                let page = PageOutcome(
                    isLast: true, counts: RecoveryCounts(pages: 1, found: 1, failed: 1), unverified: [item])
                try await ledger.record(page, of: window, at: 1)
            }
            try await repeating.call("finish") {
                _ = try await ledger.finish(recovery: recovery, until: 900, limit: 0, at: 2000)
            }
            try await repeating.call("unverified history") {
                let item = UnverifiedItem(digest: Data([2]), code: "no", message: "no")
                try await ledger.replaceUnverified(with: [item], ofHistory: "1", in: scope, at: 3)
            }
            try await repeating.call("history request") {
                try await ledger.add(requests: ["1"], in: scope, because: .restore, at: 3)
            }
        }
    }

    @Test(arguments: Engine.allCases)
    func `Endpoints and deliveries that are created twice exist once`(_ engine: Engine) async throws {
        try await Self.withLedger(engine) { ledger, appEnvironment, repeating in
            let now = Self.now
            var definition = WebhookDefinition(
                name: "crm", url: "https://example.com", secrets: [Secret("whsec_AAAA")])
            definition.environments = [.sandbox, .production]
            let first = try await ledger.addWebhook(definition, at: now)
            let again = try await ledger.addWebhook(definition, at: now)
            let endpoint = try #require(first).id
            #expect(again?.id == endpoint)
            // Another one with the same name, or a later request.
            var other = definition
            other.secrets = [Secret("whsec_BBBB")]
            #expect(try await ledger.addWebhook(other, at: now) == nil)
            #expect(try await ledger.addWebhook(definition, at: now + 1) == nil)
            let changed = WebhookDefinition(name: "crm", url: "https://example.com/new", secrets: [])
            try await repeating.call("change") { try await ledger.changeWebhook(endpoint, to: changed) }
            #expect(try await ledger.addWebhook(definition, at: now) == nil)
            let content = GrantEvent.Content(customer: "anna", entitlement: "pro", reason: "sorry", actor: "team")
            _ = try await ledger.createGrant("g", content, in: appEnvironment.id, at: now + 2)
            try await repeating.call("fan out") {
                let target = FanOutTarget(endpoint: endpoint) { _, _ in 1 }
                _ = try await ledger.fanOut(to: [target], within: .none, limit: 9, at: now + 3)
                while try await ledger.releaseDeliveries(to: [endpoint], limit: 9, at: now + 3) {}
            }
            let delivery = try #require(try await ledger.dueDeliveries(of: endpoint, at: now + 3, limit: 9).first)
            try await repeating.call("failure") {
                var outcome = DeliveryOutcome(
                    delivery: delivery.id, endpoint: endpoint, result: .retry(at: now + 9, body: nil), status: 500)
                outcome.previousAttempts = delivery.attempts
                outcome.attempt = DeliveryAttempt(at: now + 3, milliseconds: 1, status: 500)
                _ = try await ledger.record([outcome], disableAfter: .max, at: now + 4)
            }
            try #require(try await ledger.attempts(of: delivery.id, limit: 9).count == 1)
            try await repeating.call("disable") {
                let disabled = WebhookEndpoint.Disabled(reason: .requested, since: now + 4)
                try await ledger.switchWebhook(endpoint, disabled, discardingBacklog: true, at: now + 4)
                while try await ledger.runWebhookJob(limit: 9, at: now + 4) {}
            }
        }
    }

    /// An engine that removes the former endpoint in a transaction of its own loses it if the second one fails.
    @Test(arguments: Engine.allCases)
    func `An endpoint replaces one of the configuration once, and gets nothing that waited for it`(_ engine: Engine)
        async throws
    {
        try await engine.withLedger { ledger, appEnvironment in
            try await ledger.registerWebhooks(["crm"], at: 1)
            let former = try #require(try await ledger.webhookEndpoints().first).id
            let content = GrantEvent.Content(customer: "anna", entitlement: "pro", reason: "sorry", actor: "team")
            _ = try await ledger.createGrant("g", content, in: appEnvironment.id, at: 2)
            let target = FanOutTarget(endpoint: former) { _, _ in 1 }
            _ = try await ledger.fanOut(to: [target], within: .none, limit: 9, at: 3)
            try #require(try await ledger.webhookBacklog(without: []).deliveries == 1)
            let definition = WebhookDefinition(name: "crm", url: "https://example.com", secrets: [])
            #expect(try await ledger.addWebhook(definition, at: 4) == nil)
            let added = try #require(try await ledger.addWebhook(definition, replacesConfigured: true, at: 4))
            let again = try await ledger.addWebhook(definition, replacesConfigured: true, at: 4)
            #expect(again?.id == added.id && added.id != former && !added.isConfigured)
            #expect(try await ledger.webhookEndpoints().map(\.id) == [added.id])
            // The name of an endpoint that the API created is taken.
            #expect(try await ledger.addWebhook(definition, replacesConfigured: true, at: 5) == nil)
            while try await ledger.runWebhookJob(limit: 9, at: 5) {}
            #expect(try await ledger.webhookBacklog(without: []).deliveries == 0)
            #expect(try await ledger.status(for: [added.id]) == nil)
        }
    }

    /// The audit log has no key, so each repetition adds the entries again.
    @Test(arguments: Engine.allCases)
    func `Audit entries that are appended twice remain in one chain`(_ engine: Engine) async throws {
        try await engine.withLedger { ledger, _ in
            let entries = ["GET /v1/audit", "GET /v1/notifications"].map {
                AuditEntry(at: 1, actor: "team", action: $0, result: "200")
            }
            for _ in 0..<2 { try await ledger.appendAudit(entries) }
            let stored = try await ledger.audit(AuditFilter(), before: .max, limit: 9).items
            #expect(stored.map(\.entry) == Array((entries + entries).reversed()))
            #expect(stored.map(\.isChained) == [true, true, true, true])
        }
    }
}
