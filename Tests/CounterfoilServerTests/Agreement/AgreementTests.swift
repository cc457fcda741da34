import AppStoreModels
import CounterfoilServer
import Entitlements
import Foundation
import StoreSimulator
import Testing

/// `make agreement` lives more lives; `COUNTERFOIL_AGREEMENT=17` or `=1-200` says which.
@Suite struct `Server and simulator agree` {
    private static let lanes = 3
    private static let seeds: ClosedRange<UInt64> = {
        let bounds = (ProcessInfo.processInfo.environment["COUNTERFOIL_AGREEMENT"] ?? "1-50")
            .split(separator: "-").compactMap { UInt64($0) }
        guard let first = bounds.first, let last = bounds.last, first <= last else { return 1...50 }
        return first...last
    }()

    @Test(arguments: 0..<lanes)
    func `on what every customer has and had, whatever went wrong on the way`(_ lane: Int) async throws {
        for seed in Self.seeds where Int(seed) % Self.lanes == lane { try await live(seed) }
    }

    @Test func `on the end of who cancels while the store tries to charge, which it signs at once`() async throws {
        try await World.run { world in
            let token = UUID()
            try await world.simulator.perform(
                .purchase(
                    customer: "anna", product: "com.example.premium.monthly", introductory: false,
                    appAccountToken: AppAccountToken(token)))
            try await world.simulator.perform(.failBilling(customer: "anna"))
            try await world.simulator.advance(by: 40 * 86_400)
            try await world.simulator.perform(.cancel(customer: "anna"))
            try await world.settle()
            let truth = try world.simulator.state(of: "anna")
            #expect(truth.subscriptions.map(\.expirationIntent) == [.customerCancelled])
            let known = try await world.server.core.customer(token.uuidString.lowercased(), in: world.scope(), at: nil)
            #expect(Agreement.differences(truth, known.states) == [])
        }
    }

    private func live(_ seed: UInt64) async throws {
        try await World.run {
            Life.settings(seed, &$0)
        } server: {
            $0.keys = [World.backend]
        } _: { world in
            var life = Life(world, seed: seed)
            try await life.run(commands: 60)
            let count = try await compare(life)
            let lost = world.simulator.core.read(.production) { store, _ in
                store.notifications.count { !$0.isDelivered }
            }
            #expect(count > 0 && lost > 0, "seed \(seed): \(count) customers, \(lost) notifications lost")
        }
    }

    /// Compares the present and, unless the App Store signed what is not true, the past.
    private func compare(_ life: Life) async throws -> Int {
        guard let present = life.probes.last else { return 0 }
        let core = try life.world.server.core
        let scope = try life.world.scope()
        var wrong: [String] = []
        for state in present.states {
            let customer = life.customer(state)
            try await Recovering(world: life.world).claim(state.appTransactionId, for: customer)
            let now = try await core.customer(customer, in: scope, at: nil)
            wrong += Agreement.differences(state, now.states).map { "\(state.customer) now: \($0)" }
            guard !Life.hasFalseStatements(life.seed), let first = life.probes.first else { continue }
            // Every text is verified again for an instant in the past: once is enough.
            let past = try await core.customer(customer, in: scope, at: first.date)
            let engine = EntitlementEngine(catalogue: ProductCatalogue())
            for (place, probe) in life.probes.enumerated() {
                let known = place == 0 ? past.states : engine.state(of: past.facts, asOf: probe.date)
                guard let truth = probe.states.first(where: { $0.customer == state.customer }) else { continue }
                wrong += Agreement.differences(truth, known)
                    .map { "\(state.customer) at \(Agreement.stamp(probe.date)): \($0)" }
            }
        }
        #expect(wrong.isEmpty, "seed \(life.seed):\n\(wrong.prefix(12).joined(separator: "\n"))")
        return present.states.count
    }
}
