import AppStoreModels
import Entitlements
import Foundation
import Ledger
import MemoryLedger
import TestSupport
import Testing

extension `The contract of every database` {
    private static func test(
        _ endpoint: WebhookEndpoint, _ ledger: any LedgerEngine, at now: Milliseconds
    ) async throws -> WebhookDelivery {
        let event = LedgerEvent(id: "evt_test_\(now)", scope: 1, type: .webhookTest, occurredAt: now, createdAt: now)
        return try #require(try await ledger.addWebhookTest(event, to: endpoint.id))
    }

    /// Engines may reuse the identifiers of deliveries.
    @Test(arguments: Engine.allCases)
    func `A late attempt for a removed endpoint does not change another endpoint's delivery, even with the same number`(
        _ engine: Engine
    ) async throws {
        try await engine.withLedger { ledger, _ in
            let (removed, other) = (
                try await ledger.addEndpoint("removed"), try await ledger.addEndpoint("other")
            )
            let underWay = try await Self.test(removed, ledger, at: 1)
            try await ledger.removeWebhook(removed.id)
            while try await ledger.runWebhookJob(limit: 10, at: 2) {}
            let waiting = try await Self.test(other, ledger, at: 3)
            if engine == .sqlite { try #require(waiting.id == underWay.id) }
            let results: [DeliveryOutcome.Result] = [.retry(at: 9, body: Data("wrong".utf8)), .delivered]
            for result in results {
                var outcome = DeliveryOutcome(delivery: underWay.id, endpoint: removed.id, result: result)
                outcome.attempt = DeliveryAttempt(at: 4, milliseconds: 1)
                _ = try await ledger.record([outcome], disableAfter: .max, at: 4)
                #expect(try await ledger.dueDeliveries(of: other.id, at: 5, limit: 2) == [waiting], "\(result)")
                #expect(try await ledger.attempts(of: waiting.id, limit: 2).isEmpty, "\(result)")
            }
        }
    }

    /// Engines may reuse the identifiers of deliveries.
    @Test(arguments: Engine.allCases)
    func `Deliveries made after a backlog was discarded are sent, even if another endpoint was removed meanwhile`(
        _ engine: Engine
    ) async throws {
        try await engine.withLedger { ledger, _ in
            let (removed, other) = (
                try await ledger.addEndpoint("removed"), try await ledger.addEndpoint("other")
            )
            for instant: Milliseconds in 1...2 { _ = try await Self.test(other, ledger, at: instant) }
            // The endpoint with the newest delivery is removed.
            _ = try await Self.test(removed, ledger, at: 3)
            try await ledger.switchWebhook(other.id, nil, discardingBacklog: true, at: 4)
            try await ledger.removeWebhook(removed.id)
            // The job of the removed endpoint runs first.
            for _ in 0..<2 { _ = try await ledger.runWebhookJob(limit: 1, at: 4) }
            let new = try await Self.test(other, ledger, at: 5)
            #expect(try await ledger.dueDeliveries(of: other.id, at: 6, limit: 9).map(\.id) == [new.id])
            while try await ledger.runWebhookJob(limit: 1, at: 6) {}
            #expect(try await ledger.dueDeliveries(of: other.id, at: 6, limit: 9).map(\.id) == [new.id])
            let discarded = try await ledger.deliveries(of: other.id, in: .discarded, limit: 9)
            #expect(discarded.map(\.eventID) == ["evt_test_2", "evt_test_1"])
        }
    }

    @Test(arguments: Engine.allCases)
    func `The age of the backlog includes events without deliveries`(_ engine: Engine) async throws {
        try await engine.withLedger { ledger, appEnvironment in
            let endpoint = try await ledger.addEndpoint()
            let content = GrantEvent.Content(
                customer: "anna", entitlement: "premium", reason: "sorry", actor: "team")
            for instant: Milliseconds in 5...6 {
                _ = try await ledger.createGrant("grant \(instant)", content, in: appEnvironment.id, at: instant)
            }
            let waiting = WebhookBacklog(deliveries: 0, oldest: 5, disabledEndpoints: 0)
            #expect(try await ledger.webhookBacklog(without: []) == waiting)
            #expect(try await ledger.webhookBacklog(without: [endpoint.id]).oldest == nil)
            try await ledger.switchWebhook(
                endpoint.id, .init(reason: .requested, since: 7), discardingBacklog: false, at: 7)
            #expect(try await ledger.webhookBacklog(without: []).oldest == nil)
            try await ledger.switchWebhook(endpoint.id, nil, discardingBacklog: false, at: 8)
            #expect(try await ledger.webhookBacklog(without: []) == waiting)
            let target = FanOutTarget(endpoint: endpoint.id) { _, _ in 0 }
            _ = try await ledger.fanOut(to: [target], within: .none, limit: 9, at: 9)
            #expect(try await ledger.webhookBacklog(without: []).oldest == nil)
        }
    }

    @Test(arguments: Engine.allCases)
    func `An endpoint is not disabled for one failure long ago`(_ engine: Engine) async throws {
        try await engine.withLedger { ledger, _ in
            let endpoint = try await ledger.addEndpoint()
            let begin: Milliseconds = 1_800_000_000_000
            let delivery = try await Self.test(endpoint, ledger, at: begin)
            func fail(at instant: Milliseconds) async throws -> [Int64: DisableReason] {
                let outcome = DeliveryOutcome(
                    delivery: delivery.id, endpoint: endpoint.id, result: .retry(at: instant, body: nil))
                return try await ledger.record([outcome], disableAfter: RetrySchedule.disableAfter, at: instant)
            }
            let day: Milliseconds = 86_400_000
            #expect(try await fail(at: begin).isEmpty)
            #expect(try await fail(at: begin + day).isEmpty)
            // The server was down for three weeks, so the endpoint has failed for one day only.
            let back = begin + 22 * day
            #expect(try await fail(at: back).isEmpty)
            let shown = try await ledger.webhookEndpoints().first?.failingSince
            #expect(shown == back - day)
            for days: Milliseconds in 1...3 { #expect(try await fail(at: back + days * day).isEmpty) }
            #expect(try await fail(at: back + 4 * day) == [endpoint.id: .failing])
        }
    }

    @Test(arguments: Engine.allCases)
    func `Ended deliveries and their attempts are removed after 30 days, and waiting ones never`(
        _ engine: Engine
    ) async throws {
        try await engine.withLedger { ledger, _ in
            let endpoint = try await ledger.addEndpoint()
            var ended: [WebhookDelivery] = []
            let results: [DeliveryOutcome.Result] = [.delivered, .failed, .discarded]
            for (index, result) in results.enumerated() {
                let delivery = try await Self.test(endpoint, ledger, at: Int64(index + 1))
                var outcome = DeliveryOutcome(delivery: delivery.id, endpoint: endpoint.id, result: result)
                outcome.attempt = DeliveryAttempt(at: 10, milliseconds: 1)
                _ = try await ledger.record([outcome], disableAfter: .max, at: 10)
                ended.append(delivery)
            }
            let waiting = try await Self.test(endpoint, ledger, at: 5)
            let disabled = WebhookEndpoint.Disabled(reason: .requested, since: 11)
            try await ledger.switchWebhook(endpoint.id, disabled, discardingBacklog: false, at: 11)
            func remaining(at instant: Milliseconds) async throws -> [String] {
                _ = try await ledger.removeExpired(at: instant, limit: 9)
                return try await ledger.deliveries(of: endpoint.id, limit: 9).map(\.eventID)
            }
            let kept = try await remaining(at: 10 + WebhookDelivery.retention)
            #expect(kept == ([waiting] + ended.reversed()).map(\.eventID))
            let rest = try await remaining(at: 11 + WebhookDelivery.retention)
            #expect(rest == [waiting.eventID])
            for delivery in ended {
                #expect(try await ledger.attempts(of: delivery.id, limit: 9).isEmpty)
                let found = try await ledger.deliveries(ofEvent: delivery.eventID, limit: 9, attempts: 9)
                #expect(found?.isEmpty == true)
            }
            #expect(try await ledger.dueDeliveries(of: endpoint.id, at: 20, limit: 9) == [waiting])
        }
    }

    @Test(arguments: Engine.allCases)
    func `Expired deliveries and requests are deleted a limited number at a time`(_ engine: Engine) async throws {
        try await engine.withLedger { ledger, _ in
            let endpoint = try await ledger.addEndpoint()
            for instant: Milliseconds in 1...3 {
                let delivery = try await Self.test(endpoint, ledger, at: instant)
                let outcome = DeliveryOutcome(delivery: delivery.id, endpoint: endpoint.id, result: .delivered)
                _ = try await ledger.record([outcome], disableAfter: .max, at: 10)
            }
            for key in ["a", "b"] {
                _ = try await ledger.beginRequest(
                    key, of: "c", about: nil, fingerprint: Data([1]), at: 10, lockTimeout: 10)
            }
            #expect(try await ledger.removeExpired(at: 11, limit: 9) == 0)
            var counts: [Int] = []
            for _ in 0..<4 {
                counts.append(try await ledger.removeExpired(at: 11 + WebhookDelivery.retention, limit: 2))
            }
            #expect(counts == [2, 2, 1, 0])
            #expect(try await ledger.deliveries(of: endpoint.id, limit: 9).isEmpty)
        }
    }

    @Test(arguments: Engine.allCases)
    func `Each event gets one delivery, even if fan-out is interrupted or has an endpoint twice`(
        _ engine: Engine
    ) async throws {
        try await engine.withLedger { ledger, appEnvironment in
            let endpoint = try await ledger.addEndpoint().id
            for customer in ["anna", "bob", "carl"] {
                let content = GrantEvent.Content(customer: customer, entitlement: "pro", reason: "sorry", actor: "team")
                _ = try await ledger.createGrant(customer, content, in: appEnvironment.id, at: 1)
            }
            let target = FanOutTarget(endpoint: endpoint) { _, _ in 1 }
            #expect(try await ledger.fanOut(to: [target], within: .none, limit: 2, at: 2) == .more)
            #expect(try await ledger.webhookBacklog(without: []).deliveries == 2)
            #expect(try await ledger.fanOut(to: [target, target], within: .none, limit: 2, at: 2) == .done)
            #expect(try await ledger.webhookBacklog(without: []).deliveries == 3)
            #expect(try await ledger.fanOut(to: [target], within: .none, limit: 2, at: 2) == .done)
            #expect(try await ledger.webhookBacklog(without: []).deliveries == 3)
        }
    }

    @Test(arguments: Engine.allCases)
    func `The first final outcome of a delivery counts, later ones only add attempts`(_ engine: Engine) async throws {
        try await engine.withLedger { ledger, appEnvironment in
            let endpoint = try await ledger.addEndpoint().id
            for number: Milliseconds in 1...2 {
                let content = GrantEvent.Content(customer: "anna", entitlement: "pro", reason: "sorry", actor: "team")
                _ = try await ledger.createGrant("g\(number)", content, in: appEnvironment.id, at: number)
            }
            let target = FanOutTarget(endpoint: endpoint) { _, _ in 1 }
            #expect(try await ledger.fanOut(to: [target], within: .none, limit: 9, at: 3) == .done)
            let due = try await ledger.dueDeliveries(of: endpoint, at: 9, limit: 9)
            #expect(try await ledger.dueDeliveries(of: endpoint, at: 9, limit: 9) == due)
            let first = try #require(due.first)
            #expect(due.count == 1)
            let again = DeliveryOutcome.Result.retry(at: 5, body: Data("again".utf8))
            let results: [DeliveryOutcome.Result] = [again, .delivered, again, .failed, .discarded, .delivered]
            for result in results {
                var outcome = DeliveryOutcome(delivery: first.id, endpoint: endpoint, result: result)
                outcome.attempt = DeliveryAttempt(at: 4, milliseconds: 1)
                _ = try await ledger.record([outcome], disableAfter: .max, at: 4)
            }
            let ended = try #require(try await ledger.delivery(first.id, of: endpoint))
            #expect(ended.state == .delivered && ended.attempts == 2 && ended.due == nil && ended.body == nil)
            #expect(try await ledger.attempts(of: first.id, limit: 9).count == 2)
            let next = try await ledger.dueDeliveries(of: endpoint, at: 9, limit: 9)
            let numbers = try await ledger.firstEvents().map { $0.number }
            #expect([first.event] + next.map(\.event) == numbers)
        }
    }

    /// An engine that reads the endpoint before its transaction skips events that the endpoint receives by then.
    @Test(arguments: Engine.allCases)
    func `Deliveries are created by the endpoint as it is stored, and without a target its events wait`(
        _ engine: Engine
    ) async throws {
        try await engine.withLedger { ledger, appEnvironment in
            let endpoint = try await ledger.addEndpoint().id
            let changed = WebhookDefinition(name: "crm", url: "https://example.com/new", secrets: [])
            try await ledger.changeWebhook(endpoint, to: changed)
            let content = GrantEvent.Content(customer: "anna", entitlement: "pro", reason: "sorry", actor: "team")
            _ = try await ledger.createGrant("g", content, in: appEnvironment.id, at: 1)
            let waiting = try await ledger.fanOut(to: [endpoint], by: { _ in nil }, within: .none, limit: 9, at: 2)
            #expect(waiting == .done)
            #expect(try await ledger.status(for: [endpoint]) != nil)
            _ = try await ledger.fanOut(
                to: [endpoint],
                by: { stored in
                    FanOutTarget(endpoint: stored.id) { _, _ in stored.definition?.url == changed.url ? 1 : 0 }
                }, within: .none, limit: 9, at: 3)
            #expect(try await ledger.dueDeliveries(of: endpoint, at: 3, limit: 9).count == 1)
            let disabled = WebhookEndpoint.Disabled(reason: .requested, since: 4)
            try await ledger.switchWebhook(endpoint, disabled, discardingBacklog: false, at: 4)
            _ = try await ledger.createGrant("h", content, in: appEnvironment.id, at: 5)
            let target = FanOutTarget(endpoint: endpoint) { _, _ in 1 }
            #expect(try await ledger.fanOut(to: [target], within: .none, limit: 9, at: 6) == .done)
            try await ledger.switchWebhook(endpoint, nil, discardingBacklog: false, at: 7)
            #expect(try await ledger.status(for: [endpoint]) != nil)
        }
    }

    /// An engine that stores only one of the two changes.
    @Test(arguments: Engine.allCases)
    func `An endpoint gets a new definition while it is disabled or enabled, unless it is configured`(
        _ engine: Engine
    ) async throws {
        try await engine.withLedger { ledger, _ in
            try await ledger.registerWebhooks(["backend"], at: 0)
            let backend = try #require(try await ledger.webhookEndpoints().first).id
            let crm = try await ledger.addEndpoint().id
            let disabled = WebhookEndpoint.Disabled(reason: .requested, since: 1)
            let steps: [(WebhookEndpoint.Disabled?, String)] = [
                (disabled, "https://example.com/a"), (nil, "https://example.com/b"),
            ]
            for (state, url) in steps {
                let changed = WebhookDefinition(name: "crm", url: url, secrets: [])
                for id in [backend, crm] {
                    try await ledger.switchWebhook(id, state, discardingBacklog: false, changingTo: changed, at: 1)
                }
                let stored = try await ledger.webhookEndpoints()
                #expect(stored.map(\.name) == ["backend", "crm"])
                #expect(stored.map(\.disabled) == [state, state])
                #expect(stored.map { $0.definition?.url } == [nil, url])
            }
        }
    }

    /// Detects engines that create a second endpoint, or that begin a new one.
    @Test(arguments: Engine.allCases)
    func `An endpoint of the API becomes one of the configuration, and keeps its deliveries`(_ engine: Engine)
        async throws
    {
        try await engine.withLedger { ledger, _ in
            let crm = try await ledger.addEndpoint(at: 1)
            let delivery = try await Self.test(crm, ledger, at: 2)
            try await ledger.registerWebhooks(["data", "crm"], at: 3)
            let stored = try await ledger.webhookEndpoints()
            #expect(stored.map(\.name) == ["crm", "data"])
            #expect(stored.map(\.isConfigured) == [true, true])
            #expect(stored.map(\.createdAt) == [1, 3])
            #expect(stored.first?.id == crm.id && stored.first?.definition == nil)
            #expect(try await ledger.dueDeliveries(of: crm.id, at: 4, limit: 9) == [delivery])
        }
    }

    @Test(arguments: Engine.allCases)
    func `A filtered search returns each delivery once for every page size and scan limit`(
        _ engine: Engine
    ) async throws {
        try await engine.withLedger { ledger, _ in
            let endpoint = try await ledger.addEndpoint()
            let results: [DeliveryOutcome.Result?] = [.delivered, nil, .failed, .delivered, nil, .discarded, .failed]
            for (index, result) in results.enumerated() {
                let delivery = try await Self.test(endpoint, ledger, at: Int64(index + 1))
                guard let result else { continue }
                let outcome = DeliveryOutcome(delivery: delivery.id, endpoint: endpoint.id, result: result)
                _ = try await ledger.record([outcome], disableAfter: .max, at: 9)
            }
            let filters = [
                DeliveryFilter(), DeliveryFilter(eventType: .webhookTest), DeliveryFilter(state: .failed),
                DeliveryFilter(eventType: .subscriptionRenewed), DeliveryFilter(scopes: [0, 1]),
                DeliveryFilter(scopes: [2]),
            ]
            let all: [Milliseconds] = [7, 6, 5, 4, 3, 2, 1]
            for (filter, expected) in zip(filters, [all, all, [7, 3], [], all, []]) {
                for (limit, scanLimit) in [(1, 1), (1, 3), (2, 1), (3, 2), (9, 2), (9, 9)] {
                    var (found, before): ([Milliseconds], Int64?) = ([], .max)
                    while let place = before {
                        let page = try await ledger.deliveries(
                            of: endpoint.id, matching: filter, before: place, limit: limit, scanLimit: scanLimit)
                        #expect(page.items.count <= limit)
                        found += page.items.map(\.createdAt)
                        before = page.next
                    }
                    #expect(found == expected, "\(filter), \(limit) of \(scanLimit)")
                }
            }
        }
    }
}
