import AppStoreModels
import Entitlements
import Foundation
import Ledger
import MemoryLedger
import Testing

@Suite struct `The contract of digests` {
    private static let now = RandomFacts.start.milliseconds

    private static func received(_ text: String, in appEnvironment: AppEnvironment) -> ReceivedNotification {
        ReceivedNotification(
            scope: appEnvironment.id, uuid: "00000000-0000-4000-8000-000000000001", type: "DID_RENEW", signedDate: now,
            receivedAt: now, origin: .delivered, text: text)
    }

    private static func transaction(_ original: String) -> TransactionFact {
        TransactionFact(
            transactionID: original, originalTransactionID: original, productID: "gold", type: .nonConsumable,
            purchaseDate: RandomFacts.start, signedDate: RandomFacts.start)
    }

    private static func claim(_ originals: [String], account: String? = nil, in appEnvironment: AppEnvironment) -> Claim
    {
        Claim(
            customer: "anna", scope: appEnvironment.id, originalTransactionIDs: originals, appTransactionID: account,
            policy: .transfer, claimedAt: now)
    }

    /// Detects engines that leave something out of the digest.
    @Test(arguments: Engine.allCases)
    func `The digest changes with every fact, claim, grant, original purchase and erasure`(_ engine: Engine)
        async throws
    {
        try await engine.withLedger { ledger, appEnvironment in
            var seen: [String] = []
            func expectNewDigest(_ change: String) async throws {
                let digest = try await ledger.digest()
                let isNew = !seen.contains(digest)
                #expect(isNew, "\(change)")
                seen.append(digest)
            }
            let (id, now) = (appEnvironment.id, Self.now)
            try await expectNewDigest("nothing")
            let insertions = try await ledger.commit(
                received: [Self.received("text 1", in: appEnvironment)], processed: [])
            try await expectNewDigest("a notification")
            let processed = ProcessedNotification(
                id: try #require(insertions.first).id, scope: id, uuid: Self.received("", in: appEnvironment).uuid,
                type: .didRenew, signedDate: now, transaction: Self.transaction("1"), processedAt: now)
            _ = try await ledger.commit(received: [], processed: [processed])
            try await expectNewDigest("a processed notification")
            _ = try await ledger.commit(received: [Self.received("text 2", in: appEnvironment)], processed: [])
            try await expectNewDigest("another text of the notification")
            let signedFact = SignedFact(
                scope: id, fact: .transaction(Self.transaction("2")), origin: .app, receivedAt: now, text: "text 3")
            _ = try await ledger.commit([signedFact])
            try await expectNewDigest("a signed fact")
            _ = try await ledger.claim(Self.claim(["1"], in: appEnvironment)) { _ in true }
            try await expectNewDigest("a claim of a purchase")
            _ = try await ledger.claim(Self.claim([], account: "z", in: appEnvironment)) { _ in true }
            try await expectNewDigest("a claim of an account")
            _ = try await ledger.merge("anna", into: "ben", in: id, at: now)
            try await expectNewDigest("a merge")
            let content = GrantEvent.Content(customer: "anna", entitlement: "pro", reason: "sorry", actor: "team")
            _ = try await ledger.createGrant("g", content, in: id, at: now)
            try await expectNewDigest("a grant")
            let reason = GrantEvent.Content(reason: "over", actor: "team")
            _ = try await ledger.revokeGrant("g", of: "anna", because: reason, in: id, at: now)
            try await expectNewDigest("a revoked grant")
            let fact = OriginalPurchaseFact(
                applicationVersion: "1", appTransactionID: "x", signedDate: RandomFacts.start)
            try await ledger.store([
                OriginalPurchase(
                    scope: id, subject: "x", kind: .appTransaction, fact: fact, origin: .app, receivedAt: now,
                    text: "text 4")
            ])
            try await expectNewDigest("an original purchase")
            _ = try await ledger.erase("carl", in: appEnvironment, at: now)
            try await expectNewDigest("an erasure")
        }
    }

    /// Detects engines that include the number and the time of arrivals, or delivery state, in the digest.
    @Test(arguments: Engine.allCases)
    func `The digest ignores failures, duplicates, usage reports, histories, deliveries, the audit log and refusals`(
        _ engine: Engine
    ) async throws {
        try await engine.withLedger { ledger, appEnvironment in
            let (id, now) = (appEnvironment.id, Self.now)
            let received = ["text 1", "text 2"].map { Self.received($0, in: appEnvironment) }
            let ids = try await ledger.commit(received: received, processed: []).map(\.id)
            let content = GrantEvent.Content(
                customer: "anna", entitlement: "pro", until: now, reason: "sorry", actor: "team")
            _ = try await ledger.createGrant("g", content, in: id, at: now)
            let known = try await ledger.digest()
            func expectSameDigest(_ change: String) async throws {
                let digest = try await ledger.digest()
                #expect(digest == known, "\(change)")
            }
            for id in ids { try await ledger.fail(id, code: "no", message: "no", at: now) }
            try await expectSameDigest("a failure")
            _ = try await ledger.commit(received: received, processed: [])
            try await expectSameDigest("a duplicate")
            try await ledger.record(UsageReport(reportedAt: now), of: "anna", in: id)
            try await expectSameDigest("a usage report")
            try await ledger.record(revision: "r", of: "1", in: id, at: now)
            try await ledger.add(requests: ["1"], in: id, because: .restore, at: now)
            try await expectSameDigest("a history")
            _ = try await ledger.emitExpiredGrants(at: now, limit: 9)
            let endpoint = try await ledger.addEndpoint().id
            let target = FanOutTarget(endpoint: endpoint) { _, _ in 1 }
            _ = try await ledger.replay(.event(try await ledger.lastEvent()), to: target, at: now)
            try await expectSameDigest("an event and its delivery")
            let entry = AuditEntry(at: now, actor: "team", action: "GET /v1/audit", result: "200")
            try await ledger.appendAudit([entry])
            try await ledger.commit([
                Refusal(receivedAt: now, code: "no", message: "no", sender: nil, body: Data())
            ])
            try await expectSameDigest("the audit log and a refusal")
        }
    }
}
