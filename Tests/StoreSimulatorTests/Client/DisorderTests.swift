import AppStoreModels
import AppStoreServer
import Foundation
import StoreSimulator
import Testing

/// What goes wrong by itself when it is asked for, and always the same for the same seed.
@Suite struct `Disorder by default` {
    /// What a receiver hears of a few lives, by the identifiers of the notifications.
    private static func heard(_ disorder: Disorder?, seed: UInt64) async throws -> (sent: Int, heard: [String]) {
        try await Simulator.runWithReceiver {
            $0.disorder = disorder
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

    @Test func `loses, doubles and shuffles notifications, and without it nothing`() async throws {
        var isShuffled = false
        // Whether two change places is a matter of luck with so few.
        for seed in UInt64(3)...5 {
            let orderly = try await Self.heard(nil, seed: seed)
            #expect(orderly.heard.count == orderly.sent)
            let disorderly = try await Self.heard(.high, seed: seed)
            let unique = Set(disorderly.heard)
            #expect(unique.count < disorderly.sent)
            #expect(disorderly.heard.count > unique.count)
            // The same identifiers, as nothing that happens depends on who hears of it.
            #expect(unique.isSubset(of: orderly.heard))
            let firsts = orderly.heard.filter(unique.contains)
            var seen: Set<String> = []
            if disorderly.heard.filter({ seen.insert($0).inserted }) != firsts { isShuffled = true }
        }
        #expect(isShuffled)
    }

    @Test func `is the same for the same seed`() async throws {
        let one = try await Self.heard(.medium, seed: 5)
        let other = try await Self.heard(.medium, seed: 5)
        #expect(one.heard.sorted() == other.heard.sorted())
    }

    @Test(arguments: Disorder.allCases)
    func `is made of faults that can strike`(_ disorder: Disorder) throws {
        var faults = FaultRegistry(seed: 1)
        for fault in disorder.faults { _ = try faults.add(fault) }
        #expect(FaultRegistry(seed: 1, disorder: disorder).entries.map(\.fault) == disorder.faults)
    }

    @Test func `changes pages while they are read`() async throws {
        try await Simulator.run { simulator in
            let first = try await simulator.buy("com.example.coins.100")
            for _ in 0..<30 { try await simulator.buy("com.example.coins.100") }
            try simulator.add(Fault("route:transaction-history", .revise, count: 1))
            var texts: [String] = []
            for try await text in try simulator.client().transactionHistory(of: first).items { texts.append(text) }
            let verifier = try simulator.verifier()
            var identifiers: [String] = []
            for text in texts { identifiers.append(try await verifier.transaction(text).payload.transactionId) }
            // The first one has moved to the end; nothing is missing.
            #expect(identifiers.last == first)
            #expect(Set(identifiers).count == 31)
        }
    }

    @Test func `is a word of a scenario`() throws {
        let scenario = try Scenario(yaml: "name: x\ndisorder: high\nsteps: [{advance: 1d}]")
        #expect(scenario.text.contains("high"))
        #expect(throws: ScenarioError.self) { try Scenario(yaml: "name: x\ndisorder: total\nsteps: [{advance: 1d}]") }
    }
}
