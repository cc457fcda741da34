internal import Foundation
internal import Ledger
internal import LedgerServices
internal import WebConsole

/// Detects changes for the topics that open pages and API clients follow, and publishes the changed topics.
///
/// Each topic is compared by a few values that are cheap to read. The first comparison of a topic counts as a change.
struct ChangeWatch {
    private let storage: any LedgerEngine
    private let processor: NotificationProcessor
    private let webhooks: WebhookDispatcher
    private let recovery: Recovery
    private let readiness: Readiness
    private let scopes: AppEnvironmentRegistry
    private let clock: ServerClock
    private let hub: EventHub
    /// The hash of each topic's values at the last comparison.
    private var known: [String: Int] = [:]
    /// The number of the last event that was published to customers' topics.
    private var event: Int64?
    private var polls = 0
    /// The state at the last poll. If it is unchanged, no topic has changed.
    private var last: Snapshot?
    private var completeness = 0
    /// Whether something changed after completeness was read.
    private var needsCompleteness = false

    private struct Snapshot: Equatable {
        var commits: Int
        /// Detects a reprocessed notification: its state is the same as before, but a page may show it as waiting.
        var processed: Int
        /// Detects an endpoint that was disabled and enabled again.
        var endpointChanges: Int
        /// Detects that waiting notifications get older and deadlines come nearer.
        var minute: Int
        var problem: String?
        var watched: Set<String>
    }

    init(_ core: ServerCore, _ hub: EventHub) {
        (storage, processor) = (core.storage, core.processor)
        (webhooks, recovery) = (core.webhooks, core.recovery)
        (readiness, scopes, clock) = (core.readiness, core.scopes, core.clock)
        self.hub = hub
    }

    /// The maximum number of events that are examined one by one. After more events, the topics of all customers are
    /// published.
    private static let maximumEvents: Int64 = 100
    /// The number of polls for each read of completeness, which is slow.
    private static let pollsPerCompleteness = 5
    /// The number of deliveries on the page of an endpoint.
    private static let listedDeliveries = 50

    /// Polls once.
    mutating func poll() async {
        let watched = hub.watched
        // Without subscribers, read nothing.
        guard !watched.isEmpty else { return }
        let problem = await readiness.ledgerProblem()
        let now = Snapshot(
            commits: storage.commits, processed: processor.processed, endpointChanges: webhooks.changes,
            minute: Int(clock.now().timeIntervalSince1970 / 60), problem: problem, watched: watched)
        guard now != last || needsCompleteness else { return }
        last = now
        do { try await compareTopics(watched, problem) } catch {
            // The ledger cannot be read. Publish all topics, so that the pages show the error, and read again next
            // time.
            last = nil
            known = known.filter { watched.contains($0.key) }
            for topic in watched { compare(topic, [problem ?? "unreadable"]) }
        }
    }

    private mutating func compareTopics(_ watched: Set<String>, _ problem: String?) async throws {
        let last = try await storage.lastEvent()
        if watched.contains(where: { $0.hasPrefix(ChangeTopic.customerPrefix) }) {
            try await publishCustomers(upTo: last)
        }
        var inbox: [AnyHashable?] = [last]
        if watched.contains(ChangeTopic.inbox) || watched.contains(ChangeTopic.overview) {
            inbox += try await self.inbox()
            compare(ChangeTopic.inbox, inbox)
        }
        let endpoints = try await endpoints(watched)
        if watched.contains(ChangeTopic.recoveries) || watched.contains(ChangeTopic.overview) {
            try await readCompleteness()
            let recoveries = try await recoveries()
            compare(ChangeTopic.recoveries, [completeness, recoveries])
        }
        if watched.contains(ChangeTopic.overview) {
            let refused = try await storage.refusals(before: .max, limit: 1).first?.id
            compare(ChangeTopic.overview, inbox + endpoints + [completeness, refused, self.last?.minute, problem])
        }
    }

    private mutating func compare(_ topic: String, _ values: [AnyHashable?]) {
        let hash = values.hashValue
        guard known[topic] != hash else { return }
        known[topic] = hash
        hub.publish(topic)
    }

    private mutating func publishCustomers(upTo last: Int64) async throws {
        let previous = event
        event = last
        guard let previous, last - previous <= Self.maximumEvents else {
            return hub.publish(prefix: ChangeTopic.customerPrefix)
        }
        guard last > previous else { return }
        for number in (previous + 1)...last {
            guard let found = try await storage.event(number)?.event else { continue }
            // A transfer concerns two customers, but the event contains only one.
            if found.type == .purchaseTransferred { return hub.publish(prefix: ChangeTopic.customerPrefix) }
            var customers = Set([found.customer].compactMap(\.self))
            // A shared purchase has several owners, but the event contains only one.
            if let original = found.originalTransactionID {
                customers.formUnion(try await storage.owners(of: original, in: found.scope))
            }
            for customer in customers { hub.publish(ChangeTopic.customer(customer)) }
        }
    }

    private func inbox() async throws -> [AnyHashable?] {
        let backlog = try await storage.backlog()
        let scopes = scopes.all.map(\.id)
        let newest = try await storage.notifications(InboxFilter(scopes: scopes), before: .max, limit: 1).items
        var values: [AnyHashable?] = [
            last?.processed, backlog.count, backlog.oldest, newest.first?.id, newest.first?.state,
        ]
        for scope in scopes {
            values.append(try await storage.inquiries(in: scope, before: .max, limit: Self.listedDeliveries))
        }
        return values
    }

    /// Returns the state of all endpoints, and compares the topics of single endpoints.
    private mutating func endpoints(_ watched: Set<String>) async throws -> [AnyHashable?] {
        guard
            watched.contains(where: { $0.hasPrefix(ChangeTopic.deliveries) })
                || watched.contains(ChangeTopic.overview)
        else { return [] }
        let endpoints = try await webhooks.managedWebhooks()
        var states: [AnyHashable?] = [last?.endpointChanges]
        for endpoint in endpoints {
            let stored = endpoint.stored
            let state: [AnyHashable?] = [stored.id, stored.disabled, stored.failingSince]
            states += state
            let topic = ChangeTopic.deliveries(of: stored.name)
            guard watched.contains(topic) else { continue }
            let deliveries = try await storage.deliveries(
                of: stored.id, matching: DeliveryFilter(), before: .max, limit: Self.listedDeliveries,
                scanLimit: Self.listedDeliveries)
            let backlog = try await webhooks.webhookBacklog()
            compare(topic, state + [deliveries, backlog, endpoint.pausedUntil])
        }
        compare(ChangeTopic.deliveries, states + [endpoints.map(\.definition.url)])
        return states
    }

    private mutating func readCompleteness() async throws {
        defer { polls += 1 }
        // Until completeness is read, poll the ledger even if nothing else changes.
        needsCompleteness = polls % Self.pollsPerCompleteness != 0
        guard !needsCompleteness else { return }
        // Exclude the age, which grows all the time.
        completeness = try await recovery.completeness(of: scopes.all).map {
            [$0.appEnvironment.id, $0.state, $0.reason, $0.mark, $0.missing] as [AnyHashable?]
        }.hashValue
    }

    private func recoveries() async throws -> [RecoveryRun] {
        try await storage.recoveries(in: scopes.all.map(\.id), before: .max, limit: Self.listedDeliveries)
    }
}
