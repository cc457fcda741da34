import AppStoreModels
import Entitlements
import Foundation
import Ledger
import MemoryLedger
import TestSupport
import Testing

/// In PostgreSQL an empty list is a syntax error, and a list with duplicates can yield duplicates.
@Suite struct `The contract of lists` {
    private static let now = RandomFacts.start.milliseconds + 5 * 86_400_000

    /// Calls `body` with a ledger after a random walk.
    private static func withLedger(_ engine: Engine, _ body: (Walk) async throws -> Void) async throws {
        try await Tool.inTemporaryFolder { folder in
            var walk = try await Walk(try engine.open(in: folder))
            for step in try Step.walk(seed: 1, count: 120) { _ = try await step.run(&walk) }
            try await body(walk)
        }
    }

    @Test(arguments: Engine.allCases)
    func `An empty list returns nothing and changes nothing`(_ engine: Engine) async throws {
        try await Self.withLedger(engine) { walk in
            let (ledger, id, now) = (walk.ledger, walk.scopes[0].id, Self.now)
            let before = try await LedgerView.lines(of: ledger, in: walk.scopes, at: now)
            let noScopes: [Int64] = []
            try #require(before.count > 50)

            #expect(try await ledger.scopes(of: []).all == walk.scopes)
            #expect(try await ledger.commit(received: [], processed: []).isEmpty)
            #expect(try await ledger.commit([SignedFact]()) == 0)
            try await ledger.commit([Refusal]())
            try await ledger.store([OriginalPurchase]())
            try await ledger.add(requests: [], in: id, because: .restore, at: now)
            try await ledger.recordRequest(about: [], in: id, at: now)
            try await ledger.reprocess([], at: now)
            try await ledger.registerWebhooks([], at: now)
            try await ledger.appendAudit([])
            #expect(try await ledger.fanOut(to: [], within: .none, limit: 5, at: now) == .done)
            #expect(try await ledger.releaseDeliveries(to: [], limit: 5, at: now) == false)
            #expect(try await ledger.record([DeliveryOutcome](), disableAfter: 1, at: now).isEmpty)
            let after = try await LedgerView.lines(of: ledger, in: walk.scopes, at: now)
            let isSame = before == after
            #expect(isSame)

            #expect(try await ledger.lineages(ofAccounts: [], in: id).isEmpty)
            #expect(try await ledger.sameAccountPurchases(of: [], in: id).isEmpty)
            #expect(try await ledger.identifiersOfSameAccountPurchases(of: [], in: id).isEmpty)
            #expect(try await ledger.historyMark(of: [], in: id) == nil)
            #expect(try await ledger.openRecoveries(in: noScopes).isEmpty)
            #expect(try await ledger.recoveries(in: noScopes, before: nil, limit: 5).isEmpty)
            #expect(try await ledger.missingCounts(in: noScopes).isEmpty)
            #expect(try await ledger.failedNotifications(code: "no", in: noScopes, limit: 5).isEmpty)
            #expect(try await ledger.events(ofNotifications: []).isEmpty)
            #expect(try await ledger.inquiries(about: [], transactionID: nil, in: id, limit: 5).isEmpty)
            #expect(try await ledger.sources(of: [], notifications: true, in: id).isEmpty)
            #expect(try await ledger.status(for: []) == nil)
            #expect(try await ledger.nextDelivery(to: [], after: 0) == nil)
            let feed = try await ledger.events(FeedQuery(after: 0, scopes: [], limit: 5), within: .none)
            #expect(feed.items.isEmpty && feed.cursor > 0)
            for state in [nil, StoredNotification.State.pending, .processed, .failed] {
                for original in [nil, "1"] {
                    var filter = InboxFilter(scopes: noScopes)
                    (filter.state, filter.originalTransactionID) = (state, original)
                    #expect(try await ledger.notifications(filter, before: .max, limit: 5).items.isEmpty)
                }
            }
            let noCustomer = DeliveryFilter(customer: .init(name: "anna", scopes: []))
            for endpoint in try await ledger.webhookEndpoints() {
                let found = try await ledger.deliveries(
                    of: endpoint.id, matching: noCustomer, before: .max, limit: 5, scanLimit: 5)
                #expect(found.items.isEmpty)
            }
        }
    }

    @Test(arguments: Engine.allCases)
    func `A filter for an empty subtype does not match a missing subtype`(_ engine: Engine) async throws {
        try await engine.withLedger { ledger, appEnvironment in
            var facts = RandomFacts(seed: 1)
            for (number, subtype) in ([nil, "", "VOLUNTARY"] as [String?]).enumerated() {
                let uuid = notificationUUID(number)
                let received = ReceivedNotification(
                    scope: appEnvironment.id, uuid: uuid, type: "EXPIRED", subtype: subtype, signedDate: Self.now,
                    receivedAt: Self.now, origin: .delivered, text: "text \(number)")
                let insertion = try #require(try await ledger.commit(received: [received], processed: []).first)
                let processed = ProcessedNotification(
                    id: insertion.id, scope: appEnvironment.id, uuid: uuid, type: .expired, signedDate: Self.now,
                    transaction: facts.transaction("1"), processedAt: Self.now)
                _ = try await ledger.commit(received: [], processed: [processed])
            }
            for (subtype, count) in [(nil, 3), ("", 1), ("VOLUNTARY", 1)] as [(String?, Int)] {
                for original in [nil, "1"] {
                    var filter = InboxFilter(scopes: [appEnvironment.id])
                    (filter.subtype, filter.originalTransactionID) = (subtype, original)
                    let found = try await ledger.notifications(filter, before: .max, limit: 5).items
                    #expect(found.count == count, "\(subtype ?? "any") about \(original ?? "any")")
                }
            }
        }
    }

    @Test(arguments: Engine.allCases)
    func `A duplicate in a list of arguments yields no duplicate results`(_ engine: Engine) async throws {
        try await engine.withLedger { ledger, appEnvironment in
            var facts = RandomFacts(seed: 1)
            for number in 0..<3 {
                let uuid = notificationUUID(number)
                let received = ReceivedNotification(
                    scope: appEnvironment.id, uuid: uuid, type: "CONSUMPTION_REQUEST", signedDate: Self.now,
                    receivedAt: Self.now, origin: .delivered, text: "text \(number)")
                let insertion = try #require(try await ledger.commit(received: [received], processed: []).first)
                let processed = ProcessedNotification(
                    id: insertion.id, scope: appEnvironment.id, uuid: uuid, type: .consumptionRequest,
                    signedDate: Self.now,
                    transaction: facts.transaction("1"), processedAt: Self.now)
                _ = try await ledger.commit(received: [], processed: [processed])
            }
            let recovery = try await ledger.begin(
                .requested(appEnvironment.id, from: 0, until: 1000, filters: [], RecoverySettings()), at: 0)
            let twice = [appEnvironment.id, appEnvironment.id]
            #expect(
                try await ledger.inquiries(about: ["1", "1"], transactionID: nil, in: appEnvironment.id, limit: 9).count
                    == 3)
            #expect(try await ledger.sameAccountPurchases(of: ["1", "1"], in: appEnvironment.id).count == 1)
            #expect(try await ledger.openRecoveries(in: twice).map(\.id) == [recovery])
            #expect(try await ledger.recoveries(in: twice, before: nil, limit: 9).map(\.id) == [recovery])
            #expect(try await ledger.missingCounts(in: twice).count == 1)
            for original in [nil, "1"] {
                var filter = InboxFilter(scopes: twice)
                filter.originalTransactionID = original
                for limit in 1...6 {
                    let page = try await ledger.notifications(filter, before: .max, limit: limit)
                    #expect(page.items.map(\.text) == Array(["text 2", "text 1", "text 0"].prefix(limit)), "\(limit)")
                }
            }
        }
    }

    /// The number of items in each limited list.
    private static func counts(_ walk: Walk, limit: Int) async throws -> [String: Int] {
        let (ledger, id) = (walk.ledger, walk.scopes[0].id)
        var counts: [String: Int] = [:]
        counts["pending"] = try await ledger.pending(after: .min, limit: limit).count
        counts["about"] = try await ledger.notifications(about: "1", in: id, limit: limit).count
        counts["inbox"] = try await ledger.notifications(InboxFilter(scopes: [id]), before: .max, limit: limit).items
            .count
        var filter = InboxFilter(scopes: [id])
        filter.originalTransactionID = "1"
        counts["inbox of 1"] = try await ledger.notifications(filter, before: .max, limit: limit).items.count
        counts["failed"] = try await ledger.failedNotifications(code: "no", in: [id], limit: limit).count
        counts["others"] = try await ledger.otherTexts(of: 1, limit: limit).count
        counts["summaries"] = try await ledger.summaries(after: "", in: id, limit: limit).count
        counts["unclaimed"] = try await ledger.unclaimedPurchases(in: id, after: "", limit: limit).items.count
        for segment in Segment.allCases {
            let query = SegmentQuery(segment, in: id, at: now, limit: limit)
            counts["\(segment)"] = try await ledger.members(query).items.count
            counts["count of \(segment)"] = try await ledger.count(of: segment, in: id, at: now, limit: limit)
        }
        let end = TimelinePosition(date: .max)
        counts["timeline"] = try await ledger.timeline(of: "anna", in: id, after: end, limit: limit).count
        counts["refusals"] = try await ledger.refusals(before: .max, limit: limit).count
        counts["audit"] = try await ledger.audit(AuditFilter(), before: .max, limit: limit).items.count
        var audit = AuditFilter()
        audit.targets = [ExactText("anna")]
        audit.actor = "support"
        counts["audit of anna"] = try await ledger.audit(audit, before: .max, limit: limit).items.count
        counts["recoveries"] = try await ledger.recoveries(in: [id], before: nil, limit: limit).count
        counts["requests"] = try await ledger.dueHistoryRequests(in: id, at: now, limit: limit).count
        counts["waiting"] = try await ledger.pendingInquiries(in: id, after: nil, limit: limit).count
        counts["asked"] = try await ledger.inquiries(in: id, before: .max, limit: limit).count
        counts["asked about"] =
            try await ledger.inquiries(about: ["1", "2"], transactionID: nil, in: id, limit: limit).count
        counts["last"] = try await ledger.lastEventsOfCustomers(in: id, limit: limit, amongLast: 99).count
        let query = FeedQuery(after: 0, scopes: [id], limit: limit)
        counts["feed"] = try await ledger.events(query, within: .none).items.count
        for endpoint in try await ledger.webhookEndpoints() {
            let (number, name) = (endpoint.id, endpoint.name)
            counts["due to \(name)"] = try await ledger.dueDeliveries(of: number, at: now, limit: limit).count
            counts["all to \(name)"] =
                try await ledger.deliveries(
                    of: number, matching: DeliveryFilter(), before: .max, limit: limit, scanLimit: 1000
                ).items.count
        }
        return counts
    }

    @Test(arguments: Engine.allCases)
    func `A limit of 0 returns nothing, and a very large limit returns everything`(_ engine: Engine) async throws {
        try await Self.withLedger(engine) { walk in
            try await walk.ledger.commit([
                Refusal(receivedAt: 0, code: "no", message: "no", sender: nil, body: Data())
            ])
            let nothing = try await Self.counts(walk, limit: 0)
            #expect(nothing.filter { $0.value != 0 } == [:])
            let all = try await Self.counts(walk, limit: 1000)
            try #require(all.count { $0.value > 0 } > 10, "\(all)")
            #expect(try await Self.counts(walk, limit: 1 << 40) == all)
            let later = Self.now + 1_000_000_000_000
            #expect(try await walk.ledger.leaseInquiries(at: later, leaseEnds: later + 1, limit: 0).isEmpty)
            #expect(try await walk.ledger.emitExpiredGrants(at: later, limit: 0).count == 0)
            #expect(try await walk.ledger.removeExpired(at: later, limit: 0) == 0)
        }
    }
}
