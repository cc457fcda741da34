import AppStoreModels
import Entitlements
import Foundation
import Ledger
import MemoryLedger
import TestSupport
import Testing

/// Queries about unknown rows return empty results without an error, and changes to unknown rows change nothing.
@Suite struct `The contract of missing records` {
    @Test(arguments: Engine.allCases)
    func `A query about an unknown customer or purchase returns an empty result`(_ engine: Engine) async throws {
        try await engine.withLedger { ledger, appEnvironment in
            let id = appEnvironment.id
            #expect(try await ledger.lineages(of: "anna", in: id).isEmpty)
            let present = try await ledger.snapshot(of: "anna", in: appEnvironment)
            #expect(present.lineages.isEmpty && present.context == EntitlementContext())
            #expect(try await ledger.accounts(of: "anna", in: id).isEmpty)
            #expect(try await ledger.purchases(ownedBy: "anna", in: id).isEmpty)
            #expect(try await ledger.originalPurchases(ownedBy: "anna", in: id).isEmpty)
            #expect(try await ledger.grants(of: "anna", in: id).isEmpty)
            #expect(try await ledger.usage(of: "anna", transactionID: "1", productID: "gold", in: id).isEmpty)
            #expect(try await ledger.timeline(of: "anna", in: id, after: .init(date: .max), limit: 9).isEmpty)
            #expect(try await ledger.lastErasure(of: "anna", in: appEnvironment) == nil)

            #expect(try await ledger.lineage("1", in: id) == nil)
            #expect(try await ledger.owners(of: "1", in: id).isEmpty)
            #expect(try await ledger.successors(of: "1", in: id).isEmpty)
            #expect(try await ledger.notifications(about: "1", in: id, limit: 9).isEmpty)
            #expect(try await ledger.originalTransactionID(of: "1", in: id) == nil)
            #expect(try await ledger.lineages(ofAccounts: ["x"], in: id).isEmpty)
            #expect(try await ledger.sameAccountPurchases(of: ["1"], in: id).isEmpty)
            #expect(try await ledger.identifiersOfSameAccountPurchases(of: ["1"], in: id) == ["1"])
            #expect(try await ledger.inquiries(about: ["1"], transactionID: nil, in: id, limit: 9).isEmpty)
            for notifications in [false, true] {
                let found = try await ledger.sources(of: [.init("1")], notifications: notifications, in: id)
                #expect(found.isEmpty)
            }
            #expect(try await ledger.productGroups(in: id).isEmpty)
            #expect(try await ledger.summaries(after: "", in: id, limit: 9).isEmpty)
            #expect(try await ledger.unclaimedPurchases(in: id, after: "", limit: 9).next == nil)
            #expect(try await ledger.members(SegmentQuery(.refunded, in: id, at: 0, limit: 9)).next == nil)
            #expect(try await ledger.count(of: .refunded, in: id, at: 0, limit: 9) == 0)
        }
    }

    @Test(arguments: Engine.allCases)
    func `A new ledger has no inbox, events, deliveries, recoveries or history passes`(_ engine: Engine) async throws {
        try await engine.withLedger { ledger, appEnvironment in
            let id = appEnvironment.id
            let backlog = try await ledger.backlog()
            #expect(backlog.count == 0 && backlog.oldest == nil && backlog.oldestCode == nil)
            #expect(try await ledger.inquiryBacklogs(in: [id], dueBefore: .max, without: []).isEmpty)
            #expect(try await ledger.pending(after: .min, limit: 9).isEmpty)
            #expect(try await ledger.notification("00000000-0000-4000-8000-000000000001") == nil)
            #expect(try await ledger.isNotification(7, inTimelineOf: "anna", in: id) == false)
            #expect(try await ledger.otherTexts(of: 7, limit: 9).isEmpty)
            #expect(try await ledger.notifications(InboxFilter(scopes: [id]), before: .max, limit: 9).next == nil)

            #expect(try await ledger.lastEvent() == 0)
            for number: Int64 in [-1, 0, 1] { #expect(try await ledger.event(number)?.event == nil) }
            #expect(try await ledger.eventNumber("evt_1") == nil)
            #expect(try await ledger.deliveries(ofEvent: "evt_1", limit: 9, attempts: 9) == nil)
            // The cursor may be from a ledger with more events.
            let page = try await ledger.events(FeedQuery(after: 7, scopes: [id], limit: 9), within: .none)
            #expect(page.items.isEmpty && page.cursor == 7 && !page.hasMore)
            #expect(try await ledger.status() == FanOutStatus(newest: 0, recoveries: []))
            #expect(try await ledger.status(for: [7]) == nil)
            #expect(try await ledger.webhookBacklog(without: []) == WebhookBacklog(deliveries: 0, disabledEndpoints: 0))
            #expect(try await ledger.webhookActivity(since: 0, limit: 9).isEmpty)
            #expect(try await ledger.delivery(7, of: 7) == nil)
            #expect(try await ledger.attempts(of: 7, limit: 9).isEmpty)
            #expect(try await ledger.dueDeliveries(of: 7, at: 0, limit: 9).isEmpty)
            #expect(try await ledger.nextDelivery(to: [7], after: 0) == nil)
            #expect(try await ledger.deliveries(of: 7, limit: 9).isEmpty)

            #expect(try await ledger.completenessMarks().isEmpty)
            #expect(try await ledger.unverifiedSpans(in: id) == UnverifiedSpans())
            #expect(try await ledger.missingCounts(in: [id, 99]) == [id: MissingCounts(), 99: MissingCounts()])
            #expect(try await ledger.missingItems(in: id) == MissingItems())
            #expect(try await ledger.recovery(7) == nil)
            #expect(try await ledger.openWindows(of: 7).isEmpty)
            #expect(try await ledger.windows(of: 7, limit: 9).isEmpty)
            #expect(try await ledger.historyMark(of: ["1"], in: id) == nil)
            #expect(try await ledger.historyPass(in: id) == nil)
        }
    }

    /// Detects engines that insert a row where there is none to update, or that fail because the row is missing.
    @Test(arguments: Engine.allCases)
    func `A change to an unknown row leaves the ledger unchanged`(_ engine: Engine) async throws {
        try await Tool.inTemporaryFolder { folder in
            var walk = try await Walk(try engine.open(in: folder))
            for step in try Step.walk(seed: 1, count: 120) { _ = try await step.run(&walk) }
            let (ledger, id, unknown) = (walk.ledger, walk.scopes[0].id, Int64(1) << 40)
            let now = RandomFacts.start.milliseconds + 5 * 86_400_000
            let before = try await LedgerView.lines(of: ledger, in: walk.scopes, at: now)
            let digest = try await ledger.digest()
            try #require(before.count > 50)

            try await ledger.changeWebhook(unknown, to: .init(name: "new", url: "https://example.com", secrets: []))
            let disabled = WebhookEndpoint.Disabled(reason: .requested, since: now)
            try await ledger.switchWebhook(unknown, disabled, discardingBacklog: true, at: now)
            try await ledger.switchWebhook(unknown, nil, discardingBacklog: false, at: now)
            try await ledger.resumeDeliveries(to: unknown, at: now)
            try await ledger.removeWebhook(unknown)
            while try await ledger.runWebhookJob(limit: 9, at: now) {}
            let outcome = DeliveryOutcome(delivery: unknown, endpoint: unknown, result: .delivered)
            #expect(try await ledger.record([outcome], disableAfter: 1, at: now).isEmpty)
            let target = FanOutTarget(endpoint: unknown) { _, _ in 1 }
            #expect(try await ledger.fanOut(to: [target], within: .none, limit: 9, at: now) == .done)
            #expect(try await ledger.releaseDeliveries(to: [unknown], limit: 9, at: now) == false)
            #expect(try await ledger.replay(.event(1), to: target, at: now) == ReplayOutcome(deliveries: 0))
            let test = LedgerEvent(id: "evt_t", scope: id, type: .webhookTest, occurredAt: now, createdAt: now)
            #expect(try await ledger.addWebhookTest(test, to: unknown) == nil)

            let backlog = try await ledger.backlog().count
            try await ledger.fail(unknown, code: "no", message: "it cannot be believed", at: now)
            try await ledger.reprocess([unknown, -unknown], at: now)
            #expect(try await ledger.backlog().count == backlog)
            try await ledger.finish(request: unknown)
            try await ledger.fail(request: unknown, code: "never", at: now)
            var window = RecoveryWindow(stage: 0, from: 0, until: 9)
            (window.id, window.recovery) = (unknown, unknown)
            let page = PageOutcome(isLast: true, counts: RecoveryCounts(pages: 1), unverified: [])
            try await ledger.record(page, of: window, at: now)
            try await ledger.restart(window: window)
            try await ledger.clip(window: window, to: 5)
            try await ledger.skip(window: window)
            try await ledger.record(failure: "no", of: unknown, isGivenUp: true, at: now)
            let error = await #expect(throws: StorageError.self) {
                try await ledger.finish(recovery: unknown, until: now, limit: 0, at: now)
            }
            #expect(error?.code == .failed)
            let inquiry = ConsumptionInquiry(
                id: unknown, scope: id, transactionID: "1", originalTransactionID: "1", requestedAt: 0, deadline: 9,
                state: .sent, attempts: 1, nextAttemptAt: 0)
            try await ledger.recordOutcome(of: inquiry, leaseEnds: now)
            let reason = GrantEvent.Content(reason: "over", actor: "team")
            let revocation = try await ledger.revokeGrant("none", of: "anna", because: reason, in: id, at: now)
            #expect(revocation == .unknown)
            #expect(try await ledger.merge("nobody", into: "anna", in: id, at: now).isEmpty)
            let answer = IdempotentRequest.StoredResponse(status: 201, type: nil, body: Data())
            try await ledger.endRequest("k", of: "c", begunAt: 0, with: answer)
            try await ledger.endRequest("k", of: "c", begunAt: 0, with: nil)

            let after = try await LedgerView.lines(of: ledger, in: walk.scopes, at: now)
            let isSame = before == after
            #expect(isSame)
            let digestAfter = try await ledger.digest()
            #expect(digestAfter == digest)
            let decision = try await ledger.beginRequest(
                "k", of: "c", about: nil, fingerprint: Data([1]), at: 0, lockTimeout: 9)
            #expect(decision == .proceed)
        }
    }
}
