internal import Foundation
internal import Ledger
internal import LedgerServices
internal import WebConsole

/// Looks for what changed of what open pages and programs follow, and publishes their topics.
///
/// What a page shows is compared in a few values that are cheap to read. A topic of which nothing is known yet counts as
/// changed.
struct ChangeWatch {
    private let storage: any LedgerEngine
    private let processor: NotificationProcessor
    private let webhooks: WebhookDispatcher
    private let recovery: Recovery
    private let readiness: Readiness
    private let scopes: ScopeRegistry
    private let clock: ServerClock
    private let hub: EventHub
    /// The hash of what each topic was the last time.
    private var known: [String: Int] = [:]
    /// The number of the last event that was published to customers' pages.
    private var event: Int64?
    private var looks = 0
    /// What was the case at the last look: where all of it is so still, nothing has changed.
    private var last: Circumstances?
    private var completeness = 0
    /// Whether something changed since completeness was read.
    private var owesCompleteness = false

    private struct Circumstances: Equatable {
        var commits: Int
        /// A notification that is reprocessed ends as it was, but a page may have been made while it waited.
        var processed: Int
        /// So does an endpoint that is switched off and on again.
        var endpointChanges: Int
        /// What waits gets older, and deadlines come nearer.
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

    /// As many events are looked at one by one; after more of them every customer's page fetches itself.
    private static let maximumEvents: Int64 = 100
    /// Completeness takes more than a moment: it is read at each fifth look.
    private static let looksBetweenCompleteness = 5
    /// As many deliveries as the page of an endpoint lists.
    private static let listedDeliveries = 50

    /// Looks once.
    mutating func look() async {
        let watched = hub.watched
        // Nobody looks: nothing is asked.
        guard !watched.isEmpty else { return }
        let problem = await readiness.ledgerProblem()
        let now = Circumstances(
            commits: storage.commits, processed: processor.processed, endpointChanges: webhooks.changes,
            minute: Int(clock.now().timeIntervalSince1970 / 60), problem: problem, watched: watched)
        guard now != last || owesCompleteness else { return }
        last = now
        do { try await look(at: watched, problem) } catch {
            // The pages themselves say what is wrong with the ledger, which is looked at again.
            last = nil
            known = known.filter { watched.contains($0.key) }
            for topic in watched { compare(topic, [problem ?? "unreadable"]) }
        }
    }

    private mutating func look(at watched: Set<String>, _ problem: String?) async throws {
        let last = try await storage.lastEvent()
        if watched.contains(where: { $0.hasPrefix(ChangeTopic.customers) }) { try await publishCustomers(upTo: last) }
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
        let first = event
        event = last
        guard let first, last - first <= Self.maximumEvents else { return hub.publish(prefix: ChangeTopic.customers) }
        guard last > first else { return }
        for number in (first + 1)...last {
            guard let found = try await storage.event(number)?.event else { continue }
            // It is about two customers, and names one.
            if found.type == .purchaseTransferred { return hub.publish(prefix: ChangeTopic.customers) }
            var customers = Set([found.customer].compactMap(\.self))
            // A purchase that is shared has several owners, of which an event names one.
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

    /// The state of all endpoints, after comparing those whose pages are open.
    private mutating func endpoints(_ watched: Set<String>) async throws -> [AnyHashable?] {
        guard
            watched.contains(where: { $0.hasPrefix(ChangeTopic.deliveries) })
                || watched.contains(ChangeTopic.overview)
        else { return [] }
        let endpoints = try await webhooks.managed()
        var states: [AnyHashable?] = [last?.endpointChanges]
        for endpoint in endpoints {
            let stored = endpoint.stored
            let state: [AnyHashable?] = [stored.id, stored.disabled, stored.failingSince]
            states += state
            let topic = ChangeTopic.deliveries(of: stored.name)
            guard watched.contains(topic) else { continue }
            let deliveries = try await storage.deliveries(
                of: stored.id, in: nil, before: .max, limit: Self.listedDeliveries)
            let backlog = try await webhooks.webhookBacklog()
            compare(topic, state + [deliveries, backlog, endpoint.pausedUntil])
        }
        compare(ChangeTopic.deliveries, states + [endpoints.map(\.definition.url)])
        return states
    }

    private mutating func readCompleteness() async throws {
        defer { looks += 1 }
        // Until its turn comes the ledger is looked at even if nothing else changes.
        owesCompleteness = looks % Self.looksBetweenCompleteness != 0
        guard !owesCompleteness else { return }
        // The age alone is no change: it grows all the time.
        completeness = try await recovery.completeness(of: scopes.all).map {
            [$0.scope.id, $0.state, $0.reason, $0.mark, $0.missing] as [AnyHashable?]
        }.hashValue
    }

    private func recoveries() async throws -> [RecoveryRun] {
        try await storage.recoveries(in: scopes.all.map(\.id), before: .max, limit: Self.listedDeliveries)
    }
}
