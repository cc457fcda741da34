import AppStoreModels
import Entitlements
import Foundation
import Logging
import MemoryLedger
import StoreSimulator
import TestSupport

@testable import CounterfoilServer
@testable import Ledger
@testable import LedgerServices

/// A ledger that receives notifications in random order while it sends webhooks to two naive receivers. Some messages,
/// responses and delivery outcomes are lost.
struct OrderWorld {
    private struct Waiting {
        var endpoint: Int64
        var delivery: WebhookDelivery
    }

    let ledger: TestLedger
    private(set) var receivers: [Int64: NaiveReceiver] = [:]
    private let targets: [FanOutTarget]
    private let payloads: [Int64: ServerConfiguration.WebhookPayload]
    private let renderer: EventRenderer
    private var random: SeededGenerator
    private var unreceived: [(ReceivedNotification, ProcessedNotification)] = []
    private var processed: [ProcessedNotification] = []
    private var now = World.start.milliseconds + 400 * 86_400_000

    /// Returns notifications of several customers. No two facts about a purchase have the same signing date, because
    /// their order would be undefined.
    static func history() async throws -> RandomStoreHistory {
        try await RandomStoreHistory.make(seed: 11, commands: 70)
    }

    init(_ history: RandomStoreHistory, in folder: URL, seed: UInt64) async throws {
        random = SeededGenerator(seed: seed)
        ledger = try await TestLedger(in: folder)
        let storage = ledger.storage
        try await storage.registerWebhooks(["own", "compatible"], at: 0)
        let scopes = ledger.scopes
        var (targets, payloads): ([FanOutTarget], [Int64: ServerConfiguration.WebhookPayload]) = ([], [:])
        for endpoint in try await storage.webhookEndpoints() {
            var webhook = World.webhook(endpoint.name, "http://127.0.0.1/")
            webhook.payload = endpoint.name == "own" ? .counterfoil : .compatible
            payloads[endpoint.id] = webhook.payload
            targets.append(
                FanOutTarget(endpoint: endpoint.id) { [webhook] in webhook.deliveries(of: $0, scopes[id: $1]) })
            receivers[endpoint.id] = NaiveReceiver()
        }
        (self.targets, self.payloads) = (targets, payloads)
        renderer = EventRenderer(
            storage: storage, scopes: scopes, verifier: history.verifier, apps: Apps([]),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        var instants: Set<String> = []
        for case .notification(let received, let processed) in try await ledger.arrivals(
            of: history, signedFactInterval: .max)
        {
            let isConsumable = processed.transaction?.type == .consumable
            guard let original = processed.originalTransactionID, !isConsumable,
                instants.insert("\(original) \(processed.signedDate)").inserted
            else { continue }
            unreceived.append((received, processed))
        }
    }

    /// Receives, processes and delivers all notifications in random order.
    mutating func live() async throws {
        unreceived.shuffle(using: &random)
        while !unreceived.isEmpty || !processed.isEmpty {
            try await process(Int.random(in: 0...6, using: &random), processed: Int.random(in: 0...6, using: &random))
            if chance(10) { try await claim() }
            if chance(60) { _ = try await fanOut(limit: Int.random(in: 1...9, using: &random)) }
            if chance(30) { try await releaseDeliveries() }
            if chance(70) { try await send(failing: true) }
        }
        try await deliverEverything(failing: true)
    }

    mutating func processEverything() async throws {
        unreceived.shuffle(using: &random)
        while !unreceived.isEmpty || !processed.isEmpty { try await process(9, processed: 9) }
    }

    mutating func deliverEverything(failing: Bool = false) async throws {
        while try await fanOut(limit: 9) != .done {}
        try await releaseDeliveries()
        while try await ledger.storage.webhookBacklog(without: []).deliveries > 0 { try await send(failing: failing) }
    }

    func isAllDelivered() async throws -> Bool {
        for target in targets {
            let all = try await ledger.storage.deliveries(of: target.endpoint, limit: 100_000)
            guard all.allSatisfy({ $0.state == .delivered || $0.state == .discarded }) else { return false }
        }
        return true
    }

    // MARK: - Steps

    private mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }

    private mutating func process(_ count: Int, processed limit: Int) async throws {
        let batch = Array(unreceived.suffix(count))
        unreceived.removeLast(batch.count)
        processed.shuffle(using: &random)
        let done = Array(processed.suffix(limit))
        processed.removeLast(done.count)
        let insertions = try await ledger.storage.commit(received: batch.map(\.0), processed: done)
        for (insertion, (_, notification)) in zip(insertions, batch) {
            var notification = notification
            notification.id = insertion.id
            processed.append(notification)
        }
    }

    /// Transfers a purchase to another customer, which changes the lane of its deliveries.
    private mutating func claim() async throws {
        guard let original = processed.randomElement(using: &random)?.originalTransactionID else { return }
        let claim = Claim(
            customer: "customer-\(Int.random(in: 0..<3, using: &random))", scope: ledger.appEnvironment.id,
            originalTransactionIDs: [original], policy: .transfer, claimedAt: now)
        _ = try await ledger.storage.claim(claim) { _ in false }
    }

    private mutating func fanOut(limit: Int) async throws -> FanOutProgress {
        now += 1
        return try await ledger.storage.fanOut(
            to: targets.map(\.endpoint), by: { [targets] stored in targets.first { $0.endpoint == stored.id } },
            within: .none, limit: limit, at: now)
    }

    private mutating func releaseDeliveries() async throws {
        now += 1
        while try await ledger.storage.releaseDeliveries(to: targets.map(\.endpoint), limit: 5, at: now) {}
    }

    /// Sends due deliveries. If `failing` is true, about a third of them fail in some way.
    private mutating func send(failing: Bool) async throws {
        var waiting: [Waiting] = []
        for target in targets {
            for delivery in try await ledger.storage.dueDeliveries(of: target.endpoint, at: now, limit: 8) {
                waiting.append(Waiting(endpoint: target.endpoint, delivery: delivery))
            }
        }
        var outcomes: [DeliveryOutcome] = []
        for item in waiting.shuffled(using: &random) {
            let (isLost, isForgotten, isUnanswered) = (
                failing && chance(10), failing && chance(10), failing && chance(10)
            )
            var outcome = DeliveryOutcome(
                delivery: item.delivery.id, endpoint: item.endpoint, result: .discarded, isInternalFailure: true)
            if let body = try await body(of: item) {
                if !isLost { receivers[item.endpoint]?.take(item.delivery.messageID, body) }
                outcome.result = isLost || isUnanswered ? .retry(at: now, body: body) : .delivered
                outcome.event = try await ledger.storage.event(item.delivery.event)?.event
            }
            if !isForgotten { outcomes.append(outcome) }
        }
        _ = try await ledger.storage.record(outcomes, disableAfter: .max, at: now)
    }

    private func body(of item: Waiting) async throws -> Data? {
        if let body = item.delivery.body { return body }
        guard let loaded = try await ledger.storage.event(item.delivery.event) else { return nil }
        return try await renderer.body(
            loaded.event, loaded.notification, as: item.delivery, payload: payloads[item.endpoint] ?? .counterfoil)
    }
}
