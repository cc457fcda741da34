import AppStoreModels
import Entitlements
import Foundation
import Ledger
import Testing

@Suite struct `The contract of digests` {
    private static let now = RandomFacts.start.milliseconds

    private static func received(_ text: String, in scope: Scope) -> ReceivedNotification {
        ReceivedNotification(
            scope: scope.id, uuid: "00000000-0000-4000-8000-000000000001", type: "DID_RENEW", signedDate: now,
            receivedAt: now, origin: .delivered, text: text)
    }

    private static func transaction(_ original: String) -> TransactionFact {
        TransactionFact(
            transactionID: original, originalTransactionID: original, productID: "gold", type: .nonConsumable,
            purchaseDate: RandomFacts.start, signedDate: RandomFacts.start)
    }

    private static func claim(_ originals: [String], account: String? = nil, in scope: Scope) -> Claim {
        Claim(
            customer: "anna", scope: scope.id, originalTransactionIDs: originals, appTransactionID: account,
            policy: .transfer, claimedAt: now)
    }

    /// Finds who leaves something out.
    @Test(arguments: Engine.allCases)
    func `a digest sees all that is known`(_ engine: Engine) async throws {
        try await engine.withLedger { ledger, scope in
            var seen: [String] = []
            func expectNews(_ what: String) async throws {
                let digest = try await ledger.digest()
                let isNew = !seen.contains(digest)
                #expect(isNew, "\(what)")
                seen.append(digest)
            }
            let (id, now) = (scope.id, Self.now)
            try await expectNews("nothing")
            let receptions = try await ledger.commit(receiving: [Self.received("text 1", in: scope)], folding: [])
            try await expectNews("a notification")
            let folded = FoldedNotification(
                id: try #require(receptions.first).id, scope: id, uuid: Self.received("", in: scope).uuid,
                type: .didRenew, signedDate: now, transaction: Self.transaction("1"), foldedAt: now)
            _ = try await ledger.commit(receiving: [], folding: [folded])
            try await expectNews("what it says")
            _ = try await ledger.commit(receiving: [Self.received("text 2", in: scope)], folding: [])
            try await expectNews("another text of it")
            let statement = Statement(
                scope: id, fact: .transaction(Self.transaction("2")), origin: .app, receivedAt: now, text: "text 3")
            _ = try await ledger.commit([statement])
            try await expectNews("a statement")
            _ = try await ledger.claim(Self.claim(["1"], in: scope)) { _ in true }
            try await expectNews("a claim of a purchase")
            _ = try await ledger.claim(Self.claim([], account: "z", in: scope)) { _ in true }
            try await expectNews("a claim of an account")
            _ = try await ledger.merge("anna", into: "ben", in: id, at: now)
            try await expectNews("a merge")
            let content = GrantEvent.Content(customer: "anna", entitlement: "pro", reason: "sorry", actor: "team")
            _ = try await ledger.createGrant("g", content, in: id, at: now)
            try await expectNews("a grant")
            let reason = GrantEvent.Content(reason: "over", actor: "team")
            _ = try await ledger.revokeGrant("g", of: "anna", because: reason, in: id, at: now)
            try await expectNews("a grant that was taken back")
            let fact = OriginalPurchaseFact(
                applicationVersion: "1", appTransactionID: "x", signedDate: RandomFacts.start)
            try await ledger.keep([
                OriginalPurchase(
                    scope: id, subject: "x", kind: .appTransaction, fact: fact, origin: .app, receivedAt: now,
                    text: "text 4")
            ])
            try await expectNews("a first purchase")
            _ = try await ledger.erase("carl", in: scope, at: now)
            try await expectNews("an erasure")
        }
    }

    /// Finds who takes in what hangs on how often, and when, something came, and what is only on its way.
    @Test(arguments: Engine.allCases)
    func `a digest sees nothing of what is done with it`(_ engine: Engine) async throws {
        try await engine.withLedger { ledger, scope in
            let (id, now) = (scope.id, Self.now)
            let received = ["text 1", "text 2"].map { Self.received($0, in: scope) }
            let ids = try await ledger.commit(receiving: received, folding: []).map(\.id)
            let content = GrantEvent.Content(
                customer: "anna", entitlement: "pro", until: now, reason: "sorry", actor: "team")
            _ = try await ledger.createGrant("g", content, in: id, at: now)
            let known = try await ledger.digest()
            func expectNoNews(_ what: String) async throws {
                let digest = try await ledger.digest()
                #expect(digest == known, "\(what)")
            }
            for id in ids { try await ledger.fail(id, code: "no", message: "no", at: now) }
            try await expectNoNews("a failure")
            _ = try await ledger.commit(receiving: received, folding: [])
            try await expectNoNews("the same again")
            try await ledger.record(UsageReport(reportedAt: now), of: "anna", in: id)
            try await expectNoNews("a report of use")
            try await ledger.record(revision: "r", of: "1", in: id, at: now)
            try await ledger.add(requests: ["1"], in: id, because: .restore, at: now)
            try await expectNoNews("a history")
            _ = try await ledger.emitExpiredGrants(at: now, limit: 9)
            let definition = WebhookDefinition(name: "crm", url: "https://example.com", secrets: [])
            let endpoint = try #require(try await ledger.addWebhook(definition, at: 0)).id
            let target = FanOutTarget(endpoint: endpoint) { _, _ in 1 }
            _ = try await ledger.replay(.event(1), to: target, at: now)
            try await expectNoNews("an event, and what is on its way")
            let entry = AuditEntry(at: now, actor: "team", action: "GET /v1/audit", result: "200")
            try await ledger.appendAudit([entry], dropping: .min)
            try await ledger.commit([
                Refusal(receivedAt: now, code: "no", message: "no", sender: nil, body: Data())
            ])
            try await expectNoNews("the audit log, and what was refused")
        }
    }
}
