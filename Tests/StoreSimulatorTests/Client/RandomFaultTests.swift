import AppStoreModels
import AppStoreServer
import Foundation
import StoreSimulator
import Testing

/// Faults that are injected at random when `randomFaults` is set, the same ones for the same seed.
@Suite struct `Random fault levels` {
    /// Runs a few subscriptions. Returns the number of notifications and the identifiers of the received ones in order.
    private static func receivedNotifications(_ level: RandomFaultLevel?, seed: UInt64) async throws -> (
        sent: Int, received: [String]
    ) {
        try await Simulator.runWithReceiver {
            $0.randomFaults = level
            $0.seed = seed
        } _: { simulator, receiver in
            for number in 0..<10 {
                try await simulator.buy("com.example.premium.monthly", for: "c\(number)")
                try await simulator.advance(by: 3600)
            }
            try await simulator.advance(by: Period(3, .month) ?? .year)
            try await simulator.advance(by: 10 * 86_400)
            let verifier = try simulator.verifier()
            var identifiers: [String] = []
            for payload in try receiver.payloads {
                identifiers.append(try await verifier.notification(payload).payload.notificationUUID)
            }
            return (simulator.core.read(.production) { store, _ in store.notifications.count }, identifiers)
        }
    }

    @Test func `The level high loses, repeats and reorders notifications, and none loses nothing`() async throws {
        var isShuffled = false
        // With so few notifications, not every seed reorders two of them.
        for seed in UInt64(3)...5 {
            let orderly = try await Self.receivedNotifications(nil, seed: seed)
            #expect(orderly.received.count == orderly.sent)
            let disorderly = try await Self.receivedNotifications(.high, seed: seed)
            let unique = Set(disorderly.received)
            #expect(unique.count < disorderly.sent)
            #expect(disorderly.received.count > unique.count)
            // The identifiers are the same, because delivery does not influence the store.
            #expect(unique.isSubset(of: orderly.received))
            let firsts = orderly.received.filter(unique.contains)
            var seen: Set<String> = []
            if disorderly.received.filter({ seen.insert($0).inserted }) != firsts { isShuffled = true }
        }
        #expect(isShuffled)
    }

    @Test func `Random faults lose and repeat the same notifications for the same seed`() async throws {
        let one = try await Self.receivedNotifications(.medium, seed: 5)
        let other = try await Self.receivedNotifications(.medium, seed: 5)
        #expect(one.received.sorted() == other.received.sorted())
    }

    @Test(arguments: RandomFaultLevel.allCases)
    func `The faults of a level can be added to the registry`(_ level: RandomFaultLevel) throws {
        var faults = FaultRegistry(seed: 1)
        for fault in level.faults { _ = try faults.add(fault) }
        #expect(FaultRegistry(seed: 1, randomFaults: level).entries.map(\.fault) == level.faults)
    }

    @Test func `A transaction moves between pages of the history while it is read`() async throws {
        try await Simulator.run { simulator in
            let first = try await simulator.buy("com.example.coins.100")
            for _ in 0..<30 { try await simulator.buy("com.example.coins.100") }
            try simulator.add(Fault("route:transaction-history", .changeHistory, count: 1))
            var texts: [String] = []
            for try await text in try simulator.client().transactionHistory(of: first).items { texts.append(text) }
            let verifier = try simulator.verifier()
            var identifiers: [String] = []
            for text in texts { identifiers.append(try await verifier.transaction(text).payload.transactionId) }
            // The first transaction has moved to the end, and none is missing.
            #expect(identifiers.last == first)
            #expect(Set(identifiers).count == 31)
        }
    }

    @Test func `A scenario accepts a known level of random faults and refuses an unknown one`() throws {
        let scenario = try Scenario(yaml: "name: x\ndisorder: high\nsteps: [{advance: 1d}]")
        #expect(scenario.text.contains("high"))
        #expect(throws: ScenarioError.self) { try Scenario(yaml: "name: x\ndisorder: total\nsteps: [{advance: 1d}]") }
    }
}
