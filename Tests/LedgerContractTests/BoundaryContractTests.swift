import AppStoreModels
import Entitlements
import Foundation
import Ledger
import MemoryLedger
import TestSupport
import Testing

/// Values one millisecond or one row off: detects `<` instead of `<=`, `BETWEEN` and wrong `OFFSET`.
@Suite struct `The contract of boundary values` {
    private static let now: Milliseconds = 1_800_000_000_000

    /// Receives notifications, each one millisecond after the previous one.
    @discardableResult
    private static func receive(_ numbers: ClosedRange<Int>, _ ledger: any LedgerEngine, in scope: Int64) async throws
        -> [Int64]
    {
        try await ledger.commit(
            received: numbers.map { number in
                ReceivedNotification(
                    scope: scope, uuid: notificationUUID(number), type: "CONSUMPTION_REQUEST", signedDate: now,
                    receivedAt: now + Int64(number), origin: .delivered, text: "text \(number)")
            }, processed: []
        ).map(\.id)
    }

    /// Processes consumption requests.
    private static func processConsumptionRequests(_ ids: [Int64], _ ledger: any LedgerEngine, in scope: Int64)
        async throws
    {
        var facts = RandomFacts(seed: 1)
        for (index, id) in ids.enumerated() {
            let processed = ProcessedNotification(
                id: id, scope: scope, uuid: notificationUUID(index + 1), type: .consumptionRequest, signedDate: now,
                transaction: facts.transaction("1"), processedAt: now)
            _ = try await ledger.commit(received: [], processed: [processed])
        }
    }

    /// Returns the identifiers in a list, read page by page with one item each, starting after the previous item.
    private static func readInPagesOfOne(
        from start: Int64, _ page: (Int64) async throws -> [Int64]
    ) async throws -> [Int64] {
        var (found, position) = ([Int64](), start)
        while found.count < 20, let next = try await page(position).first {
            found.append(next)
            position = next
        }
        return found
    }

    @Test(arguments: Engine.allCases)
    func `A page does not contain the item at which it starts`(_ engine: Engine) async throws {
        try await engine.withLedger { ledger, appEnvironment in
            let id = appEnvironment.id
            let entry = AuditEntry(at: 1, actor: "team", action: "GET /v1/audit", result: "200")
            try await ledger.appendAudit([entry, entry, entry])
            let refusal = Refusal(receivedAt: 1, code: "no", message: "no", sender: nil, body: Data())
            try await ledger.commit([refusal, refusal, refusal])
            try await Self.processConsumptionRequests(Self.receive(1...3, ledger, in: id), ledger, in: id)
            try await Self.receive(4...6, ledger, in: id)
            let plan = RecoveryPlan.requested(id, from: 0, until: 9, filters: [], RecoverySettings())
            for instant: Milliseconds in 1...3 { _ = try await ledger.begin(plan, at: instant) }

            let lists: [String: (Int64, Int) async throws -> [Int64]] = [
                "audit": { try await ledger.audit(AuditFilter(), before: $0, limit: $1).items.map(\.id) },
                "refusals": { try await ledger.refusals(before: $0, limit: $1).map(\.id) },
                "inquiries": { try await ledger.inquiries(in: id, before: $0, limit: $1).map(\.id) },
                "recoveries": { try await ledger.recoveries(in: [id], before: $0, limit: $1).map(\.id) },
                "notifications": {
                    try await ledger.notifications(InboxFilter(scopes: [id]), before: $0, limit: $1).items.map(\.id)
                },
            ]
            for (name, list) in lists {
                let all = try await list(.max, 9)
                try #require(all.count >= 3, "\(name)")
                #expect(all == all.sorted(by: >), "\(name)")
                let found = try await Self.readInPagesOfOne(from: .max) { try await list($0, 1) }
                #expect(found == all, "\(name)")
            }
            let waiting = try await ledger.pending(after: .min, limit: 9).map(\.id)
            try #require(waiting.count == 3)
            let found = try await Self.readInPagesOfOne(from: .min) {
                try await ledger.pending(after: $0, limit: 1).map(\.id)
            }
            #expect(found == waiting)
        }
    }

    @Test(arguments: Engine.allCases)
    func `An item that is due at an instant is due at that instant, and not a millisecond earlier`(_ engine: Engine)
        async throws
    {
        try await engine.withLedger { ledger, appEnvironment in
            let (id, now) = (appEnvironment.id, Self.now)
            let endpoint = try await ledger.addEndpoint(at: now).id
            let test = LedgerEvent(id: "evt_t", scope: id, type: .webhookTest, occurredAt: now, createdAt: now)
            let delivery = try #require(try await ledger.addWebhookTest(test, to: endpoint))
            #expect(try await ledger.dueDeliveries(of: endpoint, at: now - 1, limit: 9).isEmpty)
            #expect(try await ledger.dueDeliveries(of: endpoint, at: now, limit: 9) == [delivery])
            #expect(try await ledger.nextDelivery(to: [endpoint], after: now - 1) == now)
            #expect(try await ledger.nextDelivery(to: [endpoint], after: now) == nil)

            try await ledger.add(requests: ["1"], in: id, because: .restore, at: now)
            #expect(try await ledger.dueHistoryRequests(in: id, at: now - 1, limit: 9).isEmpty)
            #expect(try await ledger.dueHistoryRequests(in: id, at: now, limit: 9).count == 1)

            let content = GrantEvent.Content(
                customer: "anna", entitlement: "pro", until: now, reason: "sorry", actor: "team")
            _ = try await ledger.createGrant("g", content, in: id, at: now - 5)
            for (instant, count) in [(now - 1, 0), (now, 1), (now, 0)] {
                #expect(try await ledger.emitExpiredGrants(at: instant, limit: 9).count == count)
            }

            try await Self.processConsumptionRequests(Self.receive(1...1, ledger, in: id), ledger, in: id)
            let leaseEnds = now + 100
            #expect(try await ledger.leaseInquiries(at: now, leaseEnds: leaseEnds, limit: 9).count == 1)
            #expect(try await ledger.leaseInquiries(at: leaseEnds - 1, leaseEnds: leaseEnds, limit: 9).isEmpty)
            let taken = try await ledger.leaseInquiries(at: leaseEnds, leaseEnds: now + 200, limit: 9)
            var inquiry = try #require(taken.first)
            inquiry.nextAttemptAt = now + 150
            try await ledger.recordOutcome(of: inquiry, leaseEnds: now + 200)
            #expect(try await ledger.leaseInquiries(at: now + 149, leaseEnds: now + 300, limit: 9).isEmpty)
            #expect(try await ledger.leaseInquiries(at: now + 150, leaseEnds: now + 300, limit: 9).count == 1)
        }
    }

    @Test(arguments: Engine.allCases)
    func `A period includes its first millisecond and excludes its end`(_ engine: Engine) async throws {
        try await engine.withLedger { ledger, appEnvironment in
            let (id, now) = (appEnvironment.id, Self.now)
            try await Self.receive(1...3, ledger, in: id)
            var filter = InboxFilter(scopes: [id])
            for state in [nil, StoredNotification.State.pending] {
                (filter.from, filter.to, filter.state) = (now + 2, now + 3, state)
                #expect(try await ledger.notifications(filter, before: .max, limit: 9).items.map(\.text) == ["text 2"])
            }

            // An endpoint receives the events from the instant at which it was added.
            let endpoint = try await ledger.addEndpoint(at: now).id
            for (grant, instant) in [("early", now - 1), ("first", now)] {
                let content = GrantEvent.Content(
                    customer: grant, entitlement: "pro", reason: "sorry", actor: "team")
                _ = try await ledger.createGrant(grant, content, in: id, at: instant)
            }
            let last = try await ledger.lastEvent()
            let target = FanOutTarget(endpoint: endpoint) { _, _ in 1 }
            #expect(try await ledger.fanOut(to: [target], within: .none, limit: 9, at: now + 9) == .done)
            let due = try await ledger.dueDeliveries(of: endpoint, at: now + 9, limit: 9)
            #expect(due.map(\.event) == [last])

            let ranges: [(ReplayRange, Int)] = [
                (.init(from: now, to: now + 1, after: last - 1, through: last, limit: 9), 1),
                (.init(from: .min, to: .max, after: last - 1, through: last, limit: 9), 1),
                (.init(from: now, to: now, after: last - 1, through: last, limit: 9), 0),
                (.init(from: now + 1, to: .max, after: last - 1, through: last, limit: 9), 0),
                (.init(from: now, to: now + 1, after: last, through: last, limit: 9), 0),
                (.init(from: now, to: now + 1, after: 0, through: last - 1, limit: 9), 0),
            ]
            for (range, count) in ranges {
                #expect(try await ledger.countReplay(range, to: target).deliveries == count, "\(range)")
            }

            let outcomes = due.map { DeliveryOutcome(delivery: $0.id, endpoint: endpoint, result: .delivered) }
            _ = try await ledger.record(outcomes, disableAfter: .max, at: now + 9)
            for (since, count) in [(now + 9, 1), (now + 10, 0)] {
                #expect(try await ledger.webhookActivity(since: since, limit: 9)[endpoint]?.delivered == count)
            }
        }
    }

    /// Detects engines that delete entries by their instant alone and so leave gaps in the hash chain.
    @Test(arguments: Engine.allCases)
    func `Entries of the audit log are deleted after 400 days, in the order in which they were added`(
        _ engine: Engine
    ) async throws {
        try await engine.withLedger { ledger, _ in
            func append(_ instants: [Milliseconds]) async throws {
                try await ledger.appendAudit(
                    instants.map { AuditEntry(at: $0, actor: "team", action: "GET /v1/audit", result: "200") })
            }
            /// Deletes entries that are older than an instant; returns their number, and the instants of the others.
            func remove(before instant: Milliseconds, limit: Int = 99) async throws -> [[Milliseconds]] {
                let count = try await ledger.removeExpired(at: instant + AuditEntry.retention, limit: limit)
                let remaining = try await ledger.audit(AuditFilter(), before: .max, limit: 99).items.reversed()
                let isChained = remaining.allSatisfy(\.isChained)
                #expect(isChained)
                return [[Milliseconds(count)], remaining.map(\.entry.at)]
            }
            // The clock was set back between the entries.
            try await append([10, 5, 20, 7])
            #expect(try await remove(before: 10) == [[0], [10, 5, 20, 7]])
            #expect(try await remove(before: 11, limit: 1) == [[1], [5, 20, 7]])
            #expect(try await remove(before: 11) == [[1], [20, 7]])
            #expect(try await remove(before: 21) == [[2], []])
            // The clock was ahead at an entry, which is deleted with the entries after it.
            let ahead = 60 + 2 * AuditEntry.retention
            try await append([ahead, 50])
            #expect(try await remove(before: 50) == [[0], [ahead, 50]])
            #expect(try await remove(before: 51) == [[2], []])
            // The clock was ahead at more entries than are deleted at once.
            try await append([ahead, ahead, ahead, 50, ahead, 70])
            #expect(try await remove(before: 50, limit: 2) == [[0], [ahead, ahead, ahead, 50, ahead, 70]])
            #expect(try await remove(before: 51, limit: 2) == [[2], [ahead, 50, ahead, 70]])
            #expect(try await remove(before: 51, limit: 2) == [[2], [ahead, 70]])
            #expect(try await remove(before: 51, limit: 1) == [[0], [ahead, 70]])
        }
    }

    @Test(arguments: Engine.allCases)
    func `The newest thousand usage reports of a customer are stored, and always the one about all purchases`(
        _ engine: Engine
    ) async throws {
        try await engine.withLedger { ledger, appEnvironment in
            let (id, most) = (appEnvironment.id, UsageReport.maximumCount)
            func report(_ number: Int, of customer: String = "anna", at now: Milliseconds) async throws {
                // Half of the reports are about transactions, the others about products.
                let isAboutTransaction = number.isMultiple(of: 2)
                let report = UsageReport(
                    transactionID: isAboutTransaction ? "t\(number)" : nil,
                    productID: isAboutTransaction ? nil : "p\(number)", consumptionPercentage: Int32(number),
                    reportedAt: now)
                try await ledger.record(report, of: customer, in: id)
            }
            func isStored(_ number: Int, of customer: String = "anna") async throws -> Bool {
                let reports = try await ledger.usage(
                    of: customer, transactionID: "t\(number)", productID: "p\(number)", in: id)
                return reports.contains { $0.consumptionPercentage == Int32(number) }
            }
            try await ledger.record(UsageReport(customerConsented: true, reportedAt: 0), of: "anna", in: id)
            try await report(1, of: "ben", at: 0)
            for number in 1...most { try await report(number, at: Int64(number)) }
            #expect(try await isStored(1))
            try await report(most + 1, at: Int64(most + 1))
            var stored = [try await isStored(1), try await isStored(2), try await isStored(most + 1)]
            #expect(stored == [false, true, true])
            // A report about a known subject replaces the earlier one, so there is room for it.
            try await report(2, at: Int64(most + 2))
            #expect(try await isStored(3))
            try await report(most + 3, at: Int64(most + 3))
            stored = [try await isStored(2), try await isStored(3), try await isStored(4)]
            #expect(stored == [true, false, true])
            #expect(try await isStored(1, of: "ben"))
            let consents = try await ledger.usage(of: "anna", transactionID: "", productID: "", in: id)
            #expect(consents.first?.customerConsented == true)
        }
    }
}
