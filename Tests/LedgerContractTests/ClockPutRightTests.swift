import AppStoreModels
import Entitlements
import Foundation
import Ledger
import Testing

/// A clock that was ahead by more than a year, and is right again.
@Suite struct `The contract of what a clock that was ahead has put off` {
    private static let now: Milliseconds = 1_800_000_000_000
    private static let ahead = now + 400 * 86_400_000

    private static func endpoint(_ ledger: any LedgerEngine, at instant: Milliseconds) async throws -> WebhookEndpoint {
        let definition = WebhookDefinition(name: "crm", url: "https://example.com", secrets: [])
        return try #require(try await ledger.addWebhook(definition, at: instant))
    }

    private static func event(_ id: String, at instant: Milliseconds) -> LedgerEvent {
        LedgerEvent(id: id, scope: 1, type: .webhookTest, occurredAt: instant, createdAt: instant)
    }

    @Test(arguments: Engine.allCases)
    func `deliveries are due, and those that wait for their next attempt are not`(_ engine: Engine) async throws {
        try await engine.withLedger { ledger, _ in
            let endpoint = try await Self.endpoint(ledger, at: Self.now)
            let late = try #require(
                try await ledger.addWebhookTest(Self.event("evt_ahead", at: Self.ahead), to: endpoint.id))
            let waiting = try #require(
                try await ledger.addWebhookTest(Self.event("evt_now", at: Self.now), to: endpoint.id))
            _ = try await ledger.record(
                [
                    DeliveryOutcome(
                        delivery: waiting.id, endpoint: endpoint.id,
                        result: .again(at: Self.now + RetrySchedule.longestPause, body: nil))
                ], patience: .max, at: Self.now)
            let due = try await ledger.dueDeliveries(of: endpoint.id, at: Self.now, limit: 9)
            #expect(due.map(\.id) == [late.id])
            #expect(try await ledger.dueDeliveries(of: endpoint.id, at: Self.ahead, limit: 9).count == 2)
        }
    }

    @Test(arguments: Engine.allCases)
    func `what is due anyway goes first, and no more than so many`(_ engine: Engine) async throws {
        try await engine.withLedger { ledger, scope in
            let endpoint = try await Self.endpoint(ledger, at: Self.now)
            for (number, instant) in [Self.ahead, Self.now, Self.ahead + 1].enumerated() {
                _ = try await ledger.addWebhookTest(Self.event("evt_\(number)", at: instant), to: endpoint.id)
                try await ledger.add(requests: ["\(number)"], in: scope.id, because: .restore, at: instant)
            }
            for limit in 1...3 {
                let expected = Array([1, 0, 2].prefix(limit))
                let due = try await ledger.dueDeliveries(of: endpoint.id, at: Self.now, limit: limit)
                #expect(due.map(\.eventID) == expected.map { "evt_\($0)" })
                let requests = try await ledger.takeHistoryRequests(in: scope.id, at: Self.now, limit: limit)
                #expect(requests.map(\.transactionID) == expected.map { "\($0)" })
            }
        }
    }

    @Test(arguments: Engine.allCases)
    func `histories are asked for, and those that wait are not`(_ engine: Engine) async throws {
        try await engine.withLedger { ledger, scope in
            try await ledger.add(requests: ["1"], in: scope.id, because: .restore, at: Self.ahead)
            let next = Self.now + LongestDelay.historyRequest.milliseconds
            try await ledger.putAside("2", in: scope.id, code: "no", until: next, at: Self.now)
            let taken = try await ledger.takeHistoryRequests(in: scope.id, at: Self.now, limit: 9)
            #expect(taken.map(\.transactionID) == ["1"])
        }
    }

    @Test(arguments: Engine.allCases)
    func `questions before a refund are answered, and those that wait are not`(_ engine: Engine) async throws {
        try await engine.withLedger { ledger, scope in
            var facts = RandomFacts(seed: 1)
            for original in ["1", "2"] {
                var asked = facts.notification(in: scope, at: Self.now)
                let uuid = "00000000-0000-4000-8000-00000000001\(original)"
                (asked.received.uuid, asked.folded.uuid) = (uuid, uuid)
                (asked.folded.type, asked.folded.signedDate) = (.consumptionRequest, Self.now)
                (asked.folded.transaction, asked.folded.renewal) = (facts.transaction(original), nil)
                let receptions = try await ledger.commit(receiving: [asked.received], folding: [])
                asked.folded.id = try #require(receptions.first?.id)
                _ = try await ledger.commit(receiving: [], folding: [asked.folded])
            }
            // Whoever took them ended before the answer, by a clock that was ahead.
            let taken = try await ledger.takeInquiries(at: Self.ahead, leaseEnds: Self.ahead + 1, limit: 9)
            try #require(taken.count == 2)
            var waiting = taken[0]
            waiting.putOff(by: LongestDelay.inquiry.milliseconds, at: Self.now)
            try await ledger.settle(waiting, leaseEnds: Self.ahead + 1)
            let again = try await ledger.takeInquiries(at: Self.now, leaseEnds: Self.now + 1, limit: 9)
            #expect(again.map(\.id) == [taken[1].id])
            #expect(try await ledger.takeInquiries(at: Self.now, leaseEnds: Self.now + 1, limit: 9).isEmpty)
        }
    }

    @Test(arguments: Engine.allCases)
    func `an endpoint that began then is told what happens now`(_ engine: Engine) async throws {
        for isDiscarded in [false, true] {
            try await engine.withLedger { ledger, scope in
                let endpoint = try await Self.endpoint(ledger, at: isDiscarded ? 0 : Self.ahead)
                if isDiscarded {
                    try await ledger.switchWebhook(endpoint.id, nil, discardingBacklog: true, at: Self.ahead)
                    while try await ledger.runWebhookJob(limit: 10, at: Self.ahead) {}
                }
                let content = GrantEvent.Content(
                    customer: "anna", entitlement: "premium", reason: "sorry", actor: "team")
                _ = try await ledger.createGrant("g", content, in: scope.id, at: Self.now)
                let target = FanOutTarget(endpoint: endpoint.id) { _, _ in 1 }
                _ = try await ledger.fanOut(to: [target], within: .none, limit: 9, at: Self.now + 1)
                let due = try await ledger.dueDeliveries(of: endpoint.id, at: Self.now + 1, limit: 9)
                #expect(due.map(\.eventType) == [.grantCreated], "\(isDiscarded)")
            }
        }
    }

    @Test(arguments: Engine.allCases)
    func `a request with a key that was never answered is carried out`(_ engine: Engine) async throws {
        try await engine.withLedger { ledger, _ in
            func begin(_ key: String, at instant: Milliseconds) async throws -> IdempotencyDecision {
                try await ledger.beginRequest(
                    key, of: "c", about: nil, fingerprint: Data([1]), at: instant, patience: 10)
            }
            let first = try await begin("one", at: Self.ahead)
            #expect(first == .proceed)
            #expect(try await begin("one", at: Self.now) == .proceed)
            // A clock that goes back by a little has nothing done twice at once.
            #expect(try await begin("two", at: Self.now) == .proceed)
            #expect(try await begin("two", at: Self.now - 10) == .isUnderWay)
            #expect(try await begin("two", at: Self.now - 11) == .proceed)
        }
    }
}
