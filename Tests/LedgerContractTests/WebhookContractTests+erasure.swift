import AppStoreModels
import Entitlements
import Foundation
import Ledger
import TestSupport
import Testing

// Deliveries and the erasure of their customer.
extension `The contract of every database` {
    @Test(arguments: Engine.allCases)
    func `An erasure removes the stored body and the customer's name from deliveries that wait for a retry`(
        _ engine: Engine
    ) async throws {
        try await engine.withLedger { ledger, appEnvironment in
            let endpoint = try await ledger.addEndpoint().id
            func fanOut() async throws {
                let target = FanOutTarget(endpoint: endpoint) { _, _ in 1 }
                let progress = try await ledger.fanOut(to: [target], within: .none, limit: 9, at: 5)
                #expect(progress == .done)
            }
            func send(_ result: DeliveryOutcome.Result) async throws {
                let due = try await ledger.dueDeliveries(of: endpoint, at: 9, limit: 9)
                var outcomes: [DeliveryOutcome] = []
                for delivery in due {
                    var outcome = DeliveryOutcome(delivery: delivery.id, endpoint: endpoint, result: result)
                    outcome.event = try await ledger.event(delivery.event)?.event
                    outcomes.append(outcome)
                }
                _ = try await ledger.record(outcomes, disableAfter: .max, at: 9)
            }
            // Ben's event names the previous owner of the purchase.
            for (customer, instant) in [("anna", 2), ("ben", 3)] as [(String, Milliseconds)] {
                let claim = Claim(
                    customer: customer, scope: appEnvironment.id, originalTransactionIDs: ["1"], policy: .transfer,
                    claimedAt: instant)
                _ = try await ledger.claim(claim) { _ in false }
            }
            try await fanOut()
            try await send(.delivered)
            let content = GrantEvent.Content(customer: "anna", entitlement: "pro", reason: "sorry", actor: "team")
            _ = try await ledger.createGrant("g", content, in: appEnvironment.id, at: 4)
            try await fanOut()
            try await send(.retry(at: 9, body: Data("anna".utf8)))
            let waiting = try await ledger.dueDeliveries(of: endpoint, at: 9, limit: 9)
            try #require(waiting.map(\.eventType) == [.purchaseTransferred, .grantCreated])
            try #require(waiting.allSatisfy { $0.body != nil })
            _ = try await ledger.erase("anna", in: appEnvironment, at: 10)
            let remaining = try await ledger.dueDeliveries(of: endpoint, at: 10, limit: 9)
            #expect(remaining.map(\.id) == waiting.map(\.id) && remaining.allSatisfy { $0.body == nil })
            let lanes = try await engine.lanesOfPendingDeliveries(in: ledger)
            #expect(lanes.count == 2 && !lanes.contains { $0.hasSuffix("anna") }, "\(lanes)")
        }
    }

    @Test(arguments: Engine.allCases)
    func `An attempt that began before an erasure does not store its body`(_ engine: Engine) async throws {
        try await engine.withLedger { ledger, appEnvironment in
            let endpoint = try await ledger.addEndpoint().id
            let content = GrantEvent.Content(customer: "anna", entitlement: "pro", reason: "sorry", actor: "team")
            _ = try await ledger.createGrant("g", content, in: appEnvironment.id, at: 2)
            let target = FanOutTarget(endpoint: endpoint) { _, _ in 1 }
            _ = try await ledger.fanOut(to: [target], within: .none, limit: 9, at: 3)
            let due = try await ledger.dueDeliveries(of: endpoint, at: 3, limit: 9)
            let delivery: WebhookDelivery = try #require(due.first)
            func currentEvent() async throws -> LedgerEvent? {
                let stored = try await ledger.event(delivery.event)
                return stored?.event
            }
            /// Records a failed attempt; returns the stored body.
            func fail(_ body: String, builtFrom event: LedgerEvent?) async throws -> String? {
                var outcome = DeliveryOutcome(
                    delivery: delivery.id, endpoint: endpoint, result: .retry(at: 4, body: Data(body.utf8)))
                outcome.event = event
                _ = try await ledger.record([outcome], disableAfter: .max, at: 4)
                let stored = try await ledger.delivery(delivery.id, of: endpoint)?.body
                return stored.map { String(decoding: $0, as: UTF8.self) }
            }
            let before = try #require(try await currentEvent())
            _ = try await ledger.erase("anna", in: appEnvironment, at: 5)
            // The body was built for this attempt, or stored by an earlier one.
            for event in [before, nil] { #expect(try await fail("anna", builtFrom: event) == nil) }
            let after = try #require(try await currentEvent())
            try #require(after != before)
            #expect(try await fail("erased", builtFrom: after) == "erased")
            for event in [after, nil] { #expect(try await fail("other", builtFrom: event) == "erased") }
        }
    }
}
