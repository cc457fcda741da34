@testable import LedgerServices
import AppStoreModels
import CounterfoilServer
import Entitlements
import Foundation
import StoreSimulator
import TestSupport
import Testing

@testable import Ledger

extension `Server and simulator agree` {
    static let receiptSeeds = Array(seeds(default: 1...3))

    /// Compares everything that tells of the purchases of one customer: the receipt, `verifyReceipt` of the App Store
    /// and of the server, and the App Store Server API. Every third seed does so in the sandbox.
    @Test(arguments: receiptSeeds)
    func `Receipts, verifyReceipt and the App Store Server API say the same about each customer`(_ seed: UInt64)
        async throws
    {
        let environment: AppStoreEnvironment = seed.isMultiple(of: 3) ? .sandbox : .production
        try await World.run {
            RandomHistory.settings(seed, &$0)
            $0.sandbox = $0.production
            $0.createsReceiptAuthorityAtStart = true
        } server: {
            $0.apps[0].sharedSecrets = [Secret(ReceiptLaw.secret)]
            $0.apps[0].catalogue.consumables = ["coins"]
            $0.apps[0].catalogue.durations = ["season": .month]
        } _: { world in
            var random = RandomCommands(random: SeededGenerator(seed: seed))
            var law = ReceiptLaw(world: world, environment: environment)
            for number in 1...90 where law.violations.isEmpty {
                try await world.simulator.advance(by: max(random.pause(), 0.005))
                let command = world.simulator.core.read(environment) { store, _ in random.next(store) }
                // The simulator refuses many random commands.
                do { try await world.simulator.perform(command, in: environment) } catch is StoreError {}
                if number.isMultiple(of: 30) { try await law.compare() }
            }
            // Empty answers agree too.
            for subject in ReceiptLaw.Subject.allCases {
                #expect(law.compared[subject, default: 0] > 0, "seed \(seed): nothing compared: \(subject)")
            }
            #expect(law.violations.isEmpty, "seed \(seed):\n\(law.violations.prefix(12).joined(separator: "\n"))")
        }
    }
}
