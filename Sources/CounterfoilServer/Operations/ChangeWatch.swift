internal import Basics
internal import Foundation
internal import Ledger
internal import LedgerServices
internal import WebConsole

/// Detects changes for the topics that open pages and API clients follow, and publishes the changed topics.
///
/// Each topic is compared by a few values that are cheap to read. The first comparison of a topic counts as a change.
///
/// The topics of keys that are limited to some apps or environments are compared by the values of those alone: see
/// ``Principal/audience``. So these keys do not learn when something happens elsewhere. They also do not learn of a
/// notification that was reprocessed, or an endpoint that was disabled and enabled again, between two comparisons: the
/// server counts these for all apps together.
struct ChangeWatch {
    private let core: ServerCore
    private let hub: EventHub
    /// The hash of each topic's values at the last comparison.
    private var known: [String: Int] = [:]
    /// The topics that the last poll could compare.
    private var compared: Set<String> = []
    /// The number of the last event that was published to customers' topics.
    private var event: Int64?
    /// Whether the last poll could not read everything.
    private var isUnreadable = false
    private var polls = 0
    /// A key without limits.
    private static let everything = Principal(name: "everything", scopes: [])
    /// The state at the last poll. If it is unchanged, no topic has changed.
    private var last: Snapshot?
    /// The hash of each app's and environment's completeness.
    private var completeness: [Int64: Int] = [:]
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

    init(_ core: ServerCore, _ hub: EventHub) { (self.core, self.hub) = (core, hub) }

    /// The maximum number of events that are examined one by one. After more events, the topics of all customers are
    /// published.
    private static let maximumEvents: Int64 = 100
    /// The number of polls for each read of completeness, which is slow.
    private static let pollsPerCompleteness = 5
    /// The number of notifications, deliveries and other items on a page of a list.
    private static let pageSize = 50

    /// Polls once.
    mutating func poll() async {
        let watched = hub.watched
        // Without subscribers, read nothing.
        guard !watched.isEmpty else { return }
        let problem = await core.readiness.ledgerProblem()
        let now = Snapshot(
            commits: core.storage.commits, processed: core.processor.processed, endpointChanges: core.webhooks.changes,
            minute: Int(core.now.timeIntervalSince1970 / 60), problem: problem, watched: watched)
        guard now != last || needsCompleteness else { return }
        (last, compared) = (now, [])
        do { try await compareTopics(watched, problem) } catch {
            // The ledger, or a part of it, cannot be read. Publish the topics that could not be compared, so that the
            // pages show the error, and read again next time.
            (last, isUnreadable) = (nil, true)
            known = known.filter { watched.contains($0.key) }
            for topic in watched.subtracting(compared) { compare(topic, [problem ?? "unreadable"]) }
        }
    }

    private mutating func compareTopics(_ watched: Set<String>, _ problem: String?) async throws {
        let last = try await core.storage.lastEvent()
        let audiences = audiences(of: watched)
        let names = Set(watched.map { EventHub.name(of: $0) })
        // After a failure, the rest is compared all the same.
        var failure: (any Error)?
        if names.contains(where: { $0.hasPrefix(ChangeTopic.customerPrefix) }) {
            do { try await publishCustomers(upTo: last, to: audiences.map(\.principal)) } catch { failure = error }
        }
        if !names.isDisjoint(with: [ChangeTopic.recoveries, ChangeTopic.overview]) {
            do { try await readCompleteness() } catch { (completeness, failure) = ([:], error) }
        }
        for (principal, names) in audiences {
            do { try await compareTopics(names, of: principal, last, problem) } catch { failure = error }
        }
        if let failure { throw failure }
        guard isUnreadable else { return }
        // The pages of customers show the error, and events may have been skipped. The next failure is published again.
        isUnreadable = false
        known = known.filter { !$0.key.hasPrefix(ChangeTopic.customerPrefix) }
        for (principal, _) in audiences { publishAllCustomers(to: principal) }
    }

    /// Returns the names of the watched topics for each audience, with a key of this audience. Leaves out topics whose
    /// key is no longer in the configuration.
    private func audiences(of watched: Set<String>) -> [(principal: Principal, names: Set<String>)] {
        let topics = Dictionary(grouping: watched) { EventHub.audience(of: $0) }
        return topics.compactMap { audience, topics in
            let principal =
                audience.isEmpty
                ? Self.everything
                : core.access.current.keys.values.first { $0.principal.audience == audience }?.principal
            guard let principal else { return nil }
            return (principal: principal, names: Set(topics.map { EventHub.name(of: $0) }))
        }
    }

    /// Compares the topics of an audience by what its key may see.
    private mutating func compareTopics(
        _ watched: Set<String>, of principal: Principal, _ last: Int64, _ problem: String?
    ) async throws {
        let visible = core.scopes.all.filter { principal.maySee($0) }
        var inbox: [AnyHashable?] = principal.isUnlimited ? [last] : []
        if watched.contains(ChangeTopic.inbox) || watched.contains(ChangeTopic.overview) {
            inbox += try await self.inbox(visible.map(\.id), of: principal)
            compare(ChangeTopic.inbox, of: principal, inbox)
        }
        let endpoints = try await endpoints(watched, of: principal)
        let states = visible.map { completeness[$0.id] }
        if watched.contains(ChangeTopic.recoveries) || watched.contains(ChangeTopic.overview) {
            let recoveries = try await core.storage.recoveries(
                in: visible.map(\.id), before: .max, limit: Self.pageSize)
            compare(ChangeTopic.recoveries, of: principal, [states, recoveries])
        }
        if watched.contains(ChangeTopic.overview) {
            let refused =
                principal.isUnlimited ? try await core.storage.refusals(before: .max, limit: 1).first?.id : nil
            compare(
                ChangeTopic.overview, of: principal,
                inbox + endpoints + [states, refused, self.last?.minute, problem])
        }
    }

    private mutating func compare(_ name: String, of principal: Principal, _ values: [AnyHashable?]) {
        compare(EventHub.topic(name, for: principal.audience), values)
    }

    private mutating func compare(_ topic: String, _ values: [AnyHashable?]) {
        compared.insert(topic)
        let hash = values.hashValue
        guard known[topic] != hash else { return }
        known[topic] = hash
        hub.publish(topic)
    }

    /// Publishes the topics of the customers whose events are new. After a failure, the next call reads them again.
    private mutating func publishCustomers(upTo last: Int64, to audiences: [Principal]) async throws {
        guard let previous = event, last - previous <= Self.maximumEvents else {
            event = last
            for principal in audiences { publishAllCustomers(to: principal) }
            return
        }
        guard last > previous else { return }
        var (topics, all) = (Set<String>(), Set<String>())
        for number in (previous + 1)...last {
            guard let found = try await core.storage.event(number)?.event else { continue }
            let audiences = audiences.filter { principal in
                principal.isUnlimited || core.scopes[id: found.scope].map { principal.maySee($0) } ?? false
            }
            guard !audiences.isEmpty else { continue }
            // A transfer concerns two customers, but the event contains only one.
            if found.type == .purchaseTransferred {
                all.formUnion(audiences.map(\.audience))
                continue
            }
            var customers = Set([found.customer].compactMap(\.self))
            // A shared purchase has several owners, but the event contains only one.
            if let original = found.originalTransactionID {
                customers.formUnion(try await core.storage.owners(of: original, in: found.scope))
            }
            for customer in customers {
                topics.formUnion(audiences.map { EventHub.topic(ChangeTopic.customer(customer), for: $0.audience) })
            }
        }
        event = last
        for audience in all { hub.publish(prefix: ChangeTopic.customerPrefix, for: audience) }
        for topic in topics { hub.publish(topic) }
    }

    private func publishAllCustomers(to principal: Principal) {
        hub.publish(prefix: ChangeTopic.customerPrefix, for: principal.audience)
    }

    private func inbox(_ scopes: [Int64], of principal: Principal) async throws -> [AnyHashable?] {
        let newest = try await core.storage.notifications(
            InboxFilter(scopes: scopes), before: .max, limit: principal.isUnlimited ? 1 : Self.pageSize
        ).items
        var values: [AnyHashable?] = newest.flatMap { [$0.id, $0.state] as [AnyHashable?] }
        if principal.isUnlimited {
            let backlog = try await core.storage.backlog()
            let waiting: [AnyHashable?] = [last?.processed, backlog.count, backlog.oldest]
            values += waiting
        }
        for scope in scopes {
            values.append(try await core.storage.inquiries(in: scope, before: .max, limit: Self.pageSize))
        }
        return values
    }

    /// Returns the state of the endpoints that the key may manage, and compares the topics of single endpoints.
    private mutating func endpoints(
        _ watched: Set<String>, of principal: Principal
    ) async throws -> [AnyHashable?] {
        guard
            watched.contains(where: { $0.hasPrefix(ChangeTopic.deliveries) })
                || watched.contains(ChangeTopic.overview)
        else { return [] }
        let endpoints = try await core.webhooks.managedWebhooks().filter { principal.mayManage($0.definition) }
        var states: [AnyHashable?] = principal.isUnlimited ? [last?.endpointChanges] : []
        for endpoint in endpoints {
            let stored = endpoint.stored
            let state: [AnyHashable?] = [stored.id, stored.disabled, stored.failingSince]
            states += state
            let topic = ChangeTopic.deliveries(of: stored.name)
            guard watched.contains(topic) else { continue }
            let deliveries = try await core.storage.deliveries(
                of: stored.id, matching: DeliveryFilter(), before: .max, limit: Self.pageSize, scanLimit: Self.pageSize)
            let backlog = principal.isUnlimited ? try await core.webhooks.webhookBacklog() : nil
            compare(topic, of: principal, state + [deliveries, backlog, endpoint.pausedUntil])
        }
        compare(ChangeTopic.deliveries, of: principal, states + [endpoints.map(\.definition.url)])
        return states
    }

    private mutating func readCompleteness() async throws {
        // Until completeness is read, poll the ledger even if nothing else changes.
        needsCompleteness = polls % Self.pollsPerCompleteness != 0
        guard !needsCompleteness else { return polls += 1 }
        for item in try await core.recovery.completeness(of: core.scopes.all) {
            // Exclude the age, which grows all the time.
            let values: [AnyHashable?] = [item.state, item.reason, item.mark, item.missing]
            completeness[item.appEnvironment.id] = values.hashValue
        }
        // Not after a failure, so that the next poll reads again.
        polls += 1
    }
}
