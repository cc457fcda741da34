import AppStoreModels
import Entitlements
import Foundation
import Ledger
import MemoryLedger
import Testing

/// Instants recorded while the clock was more than a year ahead must not delay anything after it was corrected.
@Suite struct `The contract of work postponed by a clock that was ahead` {
    private static let now: Milliseconds = 1_800_000_000_000
    private static let ahead = now + 400 * 86_400_000

    private static func event(_ id: String, at instant: Milliseconds) -> LedgerEvent {
        LedgerEvent(id: id, scope: 1, type: .webhookTest, occurredAt: instant, createdAt: instant)
    }

    @Test(arguments: Engine.allCases)
    func `Deliveries scheduled far in the future are due, and delayed retries are not`(_ engine: Engine) async throws {
        try await engine.withLedger { ledger, _ in
            let endpoint = try await ledger.addEndpoint(at: Self.now)
            let late = try #require(
                try await ledger.addWebhookTest(Self.event("evt_ahead", at: Self.ahead), to: endpoint.id))
            let waiting = try #require(
                try await ledger.addWebhookTest(Self.event("evt_now", at: Self.now), to: endpoint.id))
            _ = try await ledger.record(
                [
                    DeliveryOutcome(
                        delivery: waiting.id, endpoint: endpoint.id,
                        result: .retry(at: Self.now + RetrySchedule.longestPause, body: nil))
                ], disableAfter: .max, at: Self.now)
            let due = try await ledger.dueDeliveries(of: endpoint.id, at: Self.now, limit: 9)
            #expect(due.map(\.id) == [late.id])
            #expect(try await ledger.dueDeliveries(of: endpoint.id, at: Self.ahead, limit: 9).count == 2)
        }
    }

    /// An engine that resumes the deliveries of all endpoints, or enables the endpoint.
    @Test(arguments: Engine.allCases)
    func `Resumed deliveries are due at once, and the failures and the state of their endpoint stay`(
        _ engine: Engine
    ) async throws {
        try await engine.withLedger { ledger, _ in
            let endpoints = [
                try await ledger.addEndpoint("one", at: Self.now), try await ledger.addEndpoint("two", at: Self.now),
            ].map(\.id)
            for id in endpoints {
                let delivery = try #require(
                    try await ledger.addWebhookTest(Self.event("evt_\(id)", at: Self.now), to: id))
                let outcome = DeliveryOutcome(
                    delivery: delivery.id, endpoint: id, result: .retry(at: Self.now + 9, body: nil), isGone: true)
                let disabled = try await ledger.record([outcome], disableAfter: .max, at: Self.now)
                try #require(disabled == [id: .gone])
            }
            try await ledger.resumeDeliveries(to: endpoints[0], at: Self.now + 1)
            while try await ledger.runWebhookJob(limit: 9, at: Self.now + 1) {}
            #expect(try await ledger.dueDeliveries(of: endpoints[0], at: Self.now + 1, limit: 9).count == 1)
            #expect(try await ledger.dueDeliveries(of: endpoints[1], at: Self.now + 1, limit: 9).isEmpty)
            let stored = try await ledger.webhookEndpoints()
            #expect(stored.map(\.failingSince) == [Self.now, Self.now])
            #expect(stored.map(\.disabled?.reason) == [.gone, .gone])
        }
    }

    @Test(arguments: Engine.allCases)
    func `Regularly due deliveries and history requests come before those scheduled far in the future, up to the limit`(
        _ engine: Engine
    ) async throws {
        try await engine.withLedger { ledger, appEnvironment in
            let endpoint = try await ledger.addEndpoint(at: Self.now)
            for (number, instant) in [Self.ahead, Self.now, Self.ahead + 1].enumerated() {
                _ = try await ledger.addWebhookTest(Self.event("evt_\(number)", at: instant), to: endpoint.id)
                try await ledger.add(requests: ["\(number)"], in: appEnvironment.id, because: .restore, at: instant)
            }
            for limit in 1...3 {
                let expected = Array([1, 0, 2].prefix(limit))
                let due = try await ledger.dueDeliveries(of: endpoint.id, at: Self.now, limit: limit)
                #expect(due.map(\.eventID) == expected.map { "evt_\($0)" })
                let requests = try await ledger.dueHistoryRequests(in: appEnvironment.id, at: Self.now, limit: limit)
                #expect(requests.map(\.transactionID) == expected.map { "\($0)" })
            }
        }
    }

    @Test(arguments: Engine.allCases)
    func `A history request scheduled far in the future is due, and a delayed retry is not`(_ engine: Engine)
        async throws
    {
        try await engine.withLedger { ledger, appEnvironment in
            try await ledger.add(requests: ["1"], in: appEnvironment.id, because: .restore, at: Self.ahead)
            let next = Self.now + LongestDelay.historyRequest.milliseconds
            try await ledger.scheduleRetry(of: "2", in: appEnvironment.id, code: "no", until: next, at: Self.now)
            let taken = try await ledger.dueHistoryRequests(in: appEnvironment.id, at: Self.now, limit: 9)
            #expect(taken.map(\.transactionID) == ["1"])
        }
    }

    @Test(arguments: Engine.allCases)
    func `A consumption inquiry leased far into the future is due again, and a postponed one is not`(_ engine: Engine)
        async throws
    {
        try await engine.withLedger { ledger, appEnvironment in
            var facts = RandomFacts(seed: 1)
            for original in ["1", "2"] {
                var request = facts.notification(in: appEnvironment, at: Self.now)
                let uuid = "00000000-0000-4000-8000-00000000001\(original)"
                (request.received.uuid, request.processed.uuid) = (uuid, uuid)
                (request.processed.type, request.processed.signedDate) = (.consumptionRequest, Self.now)
                (request.processed.transaction, request.processed.renewal) = (facts.transaction(original), nil)
                let insertions = try await ledger.commit(received: [request.received], processed: [])
                request.processed.id = try #require(insertions.first?.id)
                _ = try await ledger.commit(received: [], processed: [request.processed])
            }
            // The process that leased them ended before it answered; its clock was ahead.
            let taken = try await ledger.leaseInquiries(at: Self.ahead, leaseEnds: Self.ahead + 1, limit: 9)
            try #require(taken.count == 2)
            var waiting = taken[0]
            waiting.postpone(by: LongestDelay.inquiry.milliseconds, at: Self.now)
            try await ledger.recordOutcome(of: waiting, leaseEnds: Self.ahead + 1)
            let again = try await ledger.leaseInquiries(at: Self.now, leaseEnds: Self.now + 1, limit: 9)
            #expect(again.map(\.id) == [taken[1].id])
            #expect(try await ledger.leaseInquiries(at: Self.now, leaseEnds: Self.now + 1, limit: 9).isEmpty)
        }
    }

    @Test(arguments: Engine.allCases)
    func `An endpoint that was added or discarded its backlog with a clock ahead receives current events`(
        _ engine: Engine
    ) async throws {
        for isDiscarded in [false, true] {
            try await engine.withLedger { ledger, appEnvironment in
                let endpoint = try await ledger.addEndpoint(at: isDiscarded ? 0 : Self.ahead)
                if isDiscarded {
                    try await ledger.switchWebhook(endpoint.id, nil, discardingBacklog: true, at: Self.ahead)
                    while try await ledger.runWebhookJob(limit: 10, at: Self.ahead) {}
                }
                let content = GrantEvent.Content(
                    customer: "anna", entitlement: "premium", reason: "sorry", actor: "team")
                _ = try await ledger.createGrant("g", content, in: appEnvironment.id, at: Self.now)
                let target = FanOutTarget(endpoint: endpoint.id) { _, _ in 1 }
                _ = try await ledger.fanOut(to: [target], within: .none, limit: 9, at: Self.now + 1)
                let due = try await ledger.dueDeliveries(of: endpoint.id, at: Self.now + 1, limit: 9)
                #expect(due.map(\.eventType) == [.grantCreated], "\(isDiscarded)")
            }
        }
    }

    @Test(arguments: Engine.allCases)
    func `A request with an idempotency key that started in the future and has no response may be repeated`(
        _ engine: Engine
    ) async throws {
        try await engine.withLedger { ledger, _ in
            func begin(_ key: String, at instant: Milliseconds) async throws -> IdempotencyDecision {
                try await ledger.beginRequest(
                    key, of: "c", about: nil, fingerprint: Data([1]), at: instant, lockTimeout: 10)
            }
            let first = try await begin("one", at: Self.ahead)
            #expect(first == .proceed)
            #expect(try await begin("one", at: Self.now) == .proceed)
            // If the clock is set back only a little, the request still counts as running.
            #expect(try await begin("two", at: Self.now) == .proceed)
            #expect(try await begin("two", at: Self.now - 10) == .isInProgress)
            #expect(try await begin("two", at: Self.now - 11) == .proceed)
        }
    }
}
