import AppStoreModels
import CounterfoilServer
import Entitlements
import Foundation
import StoreSimulator
import Testing

@testable import Ledger
@testable import LedgerServices

/// Compares server and simulator after random histories. `COUNTERFOIL_AGREEMENT=17` or `=1-200` chooses the seeds;
/// `make agreement` runs more of them.
@Suite struct `Server and simulator agree` {
    private static let partitions = 3
    /// Returns the seeds in `COUNTERFOIL_AGREEMENT`, or else `standard`.
    static func seeds(default standard: ClosedRange<UInt64>) -> ClosedRange<UInt64> {
        let bounds = (ProcessInfo.processInfo.environment["COUNTERFOIL_AGREEMENT"] ?? "")
            .split(separator: "-").compactMap { UInt64($0) }
        guard let first = bounds.first, let last = bounds.last, first <= last else { return standard }
        return first...last
    }

    @Test(arguments: 0..<partitions)
    func `Server and simulator agree on every customer after random histories with faults`(_ partition: Int)
        async throws
    {
        let seeds = Self.seeds(default: 1...30).filter { Int($0) % Self.partitions == partition }
        var (lost, grants, keys) = (0, 0, 0)
        var compared = Compared()
        for seed in seeds {
            let history = try await run(seed)
            (lost, grants, keys) = (lost + history.lost, grants + history.grants, keys + history.keys)
            compared.add(history.compared)
        }
        // A few histories may have no faults by chance.
        #expect(
            (lost > 0 && grants > 0 && keys > 0 && compared.hasAll) || seeds.count < 5,
            "\(lost) notifications lost, \(grants) grants, \(keys) keys, \(compared)")
    }

    @Test func `Server and simulator agree on a customer who cancels during billing retry`() async throws {
        try await World.run { world in
            let token = UUID()
            try await world.simulator.perform(
                .purchase(
                    customer: "anna", product: "com.example.premium.monthly", introductory: false,
                    appAccountToken: AppAccountToken(token)))
            try await world.simulator.perform(.failBilling(customer: "anna"))
            try await world.simulator.advance(by: 40 * 86_400)
            try await world.simulator.perform(.cancel(customer: "anna"))
            try await world.waitUntilIdle()
            let truth = try world.simulator.state(of: "anna")
            #expect(truth.subscriptions.map(\.expirationIntent) == [.customerCancelled])
            let known = try await world.server.core.customers.customer(
                token.uuidString.lowercased(), in: world.appEnvironment(), at: nil)
            #expect(Agreement.differences(truth, known.states) == [])
        }
    }

    /// How much was compared.
    private struct Compared {
        var customers = 0
        /// The ends of access.
        var ends = 0
        /// The charges before a period.
        var charges = 0
        /// The customers who paid.
        var payers = 0

        var hasAll: Bool { customers > 0 && ends > 0 && charges > 0 && payers > 0 }

        mutating func add(_ other: Self) {
            customers += other.customers
            ends += other.ends
            charges += other.charges
            payers += other.payers
        }
    }

    /// - Returns: The numbers of notifications that never arrived, of grants and of In-App Purchase keys, and how much
    ///   was compared.
    private func run(_ seed: UInt64) async throws -> (lost: Int, grants: Int, keys: Int, compared: Compared) {
        let keys = AddedKeys()
        return try await World.run {
            RandomHistory.settings(seed, &$0)
        } server: {
            $0.keys = [World.backend]
            $0.apps[0].catalogue.entitlements = [ExpectedGrant.entitlement: [], RandomHistory.early: []]
            $0.apps[0].catalogue.originalPurchaseRules = [
                RandomHistory.early: .init(version: AppVersion(RandomHistory.boundary))
            ]
            $0.apps[0].sharedSecrets = [Secret("counterfoil")]
            keys.configure(&$0.apps[0])
        } _: { world in
            var history = RandomHistory(world, seed: seed, keys: keys)
            try await history.run(commands: 60)
            let compared = try await compare(history)
            let lost = world.simulator.core.read(.production) { store, _ in
                store.notifications.count { !$0.isDelivered }
            }
            #expect(compared.customers > 0, "seed \(seed): no customers")
            return (lost, history.expectedGrants.count, keys.count, compared)
        }
    }

    /// Compares the present and, if the seed allows to reconstruct it, the past.
    private func compare(_ history: RandomHistory) async throws -> Compared {
        var compared = Compared()
        guard let present = history.probes.last else { return compared }
        compared.customers = present.states.count
        let core = try history.world.server.core
        let appEnvironment = try history.world.appEnvironment()
        var wrong: [String] = []
        var segments: [String: Set<Segment>] = [:]
        var withdrawn: Set<String> = []
        for state in present.states {
            let customer = history.customer(state)
            try await DirectLedgerWriter(world: history.world).claim(state.appTransactionID, for: customer)
            try await DirectLedgerWriter(world: history.world).report(state.customer, for: customer)
            let now = try await core.customers.customer(customer, in: appEnvironment, at: nil)
            wrong += Agreement.differences(state, now.states).map { "\(state.customer) now: \($0)" }
            wrong += history.differences(state.customer, now.states, at: core.now)
                .map { "\(state.customer) now: \($0)" }
            let paid = SpendLaw.sums(of: state.customer, in: history.world.simulator)
            let stored = SpendLaw.sums(of: now.facts, asOf: now.states.asOf)
            if paid != stored { wrong.append("\(state.customer) paid \(paid), but \(stored) in the server") }
            if !paid.isEmpty { compared.payers += 1 }
            for one in now.states.subscriptions {
                segments[one.originalTransactionID, default: []].formUnion(one.segments.map(\.segment))
                if now.states.isSubscribed(besides: one) { withdrawn.insert(one.originalTransactionID) }
            }
            for one in now.states.purchases {
                segments[one.originalTransactionID, default: []].formUnion(one.segments.map(\.segment))
            }
            guard RandomHistory.canReconstructPast(history.seed), let first = history.probes.first else { continue }
            // Reading an instant in the past verifies every text again, so only the first probe does that.
            let grants = history.expectedGrants.filter { $0.customer == customer }
            let past = try await core.customers.customer(customer, in: appEnvironment, at: first.date)
            let engine = EntitlementEngine(catalogue: core.configuration.apps[0].catalogue)
            let own = history.probes.compactMap { probe in
                probe.states.first { $0.customer == state.customer }.map { (date: probe.date, state: $0) }
            }
            let laws = TimeLaws(
                engine: TimeLaws.engine(engine.catalogue), present: now.facts, facts: past.facts,
                asOf: now.states.asOf, probes: own)
            wrong += laws.violations.map { "\(state.customer): \($0)" }
            compared.ends += laws.endDates.count
            compared.charges += laws.chargesAhead.count
            for (position, probe) in history.probes.enumerated() {
                let known = position == 0 ? past.states : engine.state(of: past.facts, asOf: probe.date)
                guard let truth = probe.states.first(where: { $0.customer == state.customer }) else { continue }
                let differences = Agreement.differences(truth, known).filter {
                    !$0.contains(": into ") || RandomHistory.announcesLateDowngrades(history.seed)
                }
                wrong += (differences + history.differences(of: grants, known, at: probe.date))
                    .map { "\(state.customer) at \(Agreement.stamp(probe.date)): \($0)" }
            }
        }
        wrong += try await Self.differences(segments, withdrawn, core, appEnvironment)
        #expect(wrong.isEmpty, "seed \(history.seed):\n\(wrong.prefix(12).joined(separator: "\n"))")
        return compared
    }

    /// The purchases whose stored segments differ from those of their state.
    ///
    /// - Parameter withdrawn: The subscriptions without an offer because of another one. Their stored segments consider
    ///   each one alone.
    private static func differences(
        _ states: [String: Set<Segment>], _ withdrawn: Set<String>, _ core: ServerCore, _ appEnvironment: AppEnvironment
    ) async throws -> [String] {
        var lists: [String: Set<Segment>] = [:]
        for segment in Segment.allCases {
            var position: SegmentPosition?
            repeat {
                let page = try await core.storage.members(
                    SegmentQuery(segment, in: appEnvironment.id, at: core.now.milliseconds, after: position, limit: 7))
                for item in page.items { lists[item.lineage.originalTransactionID, default: []].insert(segment) }
                position = page.next
            } while position != nil
        }
        for original in withdrawn { lists[original]?.remove(.winBackEligible) }
        return states.keys.sorted().filter { lists[$0] ?? [] != states[$0] ?? [] }.map {
            "\($0) is in \(lists[$0] ?? []), its state in \(states[$0] ?? [])"
        }
    }
}

extension CustomerStates {
    /// Whether another subscription of the same group gives access or waits for the customer's payment, and this one
    /// does not give access.
    fileprivate func isSubscribed(besides one: SubscriptionState) -> Bool {
        !one.hasAccess
            && subscriptions.contains {
                ($0.hasAccess || $0.ownership == .purchased && $0.status == .billingRetry)
                    && $0.subscriptionGroupIdentifier == one.subscriptionGroupIdentifier
            }
    }
}
