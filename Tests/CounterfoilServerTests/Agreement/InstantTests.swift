import AppStoreModels
import CounterfoilServer
import Entitlements
import Foundation
import StoreSimulator
import TestSupport
import Testing

@testable import Ledger
@testable import LedgerServices

/// Performs several commands at one instant of a frozen clock and compares the server with the simulator.
@Suite struct `Server and simulator agree on one instant` {
    struct CommandSequence: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let commands: [StoreCommand]

        init(_ name: String, _ product: String, _ commands: [StoreCommand]) {
            testDescription = name
            self.commands = [Self.purchaseCommand(product)] + commands
        }

        /// A purchase without an account token, so that any customer may claim it.
        private static func purchaseCommand(_ product: String) -> StoreCommand {
            .purchase(customer: "anna", product: product, introductory: false, appAccountToken: .absent)
        }

        static let all = [
            CommandSequence(
                "a refund, taken back", "plus", [.approveRefund(customer: "anna"), .reverseRefund(customer: "anna")]),
            CommandSequence(
                "a refund of coins, taken back", "coins",
                [
                    .approveRefund(customer: "anna"), .reverseRefund(customer: "anna"),
                ]),
            CommandSequence(
                "a cancellation, taken back", "plus", [.cancel(customer: "anna"), .resume(customer: "anna")]),
            CommandSequence(
                "a cancellation, taken back and repeated", "plus",
                [
                    .cancel(customer: "anna"), .resume(customer: "anna"), .cancel(customer: "anna"),
                ]),
            CommandSequence("a downgrade", "plus", [purchaseCommand("basic")]),
            CommandSequence(
                "a downgrade, withdrawn", "plus",
                [
                    purchaseCommand("basic"),
                    purchaseCommand("plus"),
                ]),
            CommandSequence("an upgrade", "plus", [purchaseCommand("gold")]),
        ]
    }

    /// How the server learns of the commands.
    enum Source: CaseIterable, Sendable { case notified, notifiedInReverse, recovered, fetchedBetween }

    @Test(arguments: CommandSequence.all, Source.allCases)
    func `Several commands at one instant leave server and simulator in the same state`(
        _ sequence: CommandSequence, _ source: Source
    ) async throws {
        try await World.run {
            $0.catalogue = .shop
        } _: { world in
            let simulator = world.simulator
            // The purchase is made a day earlier, so that the server can fetch it before the changes.
            let rest = Array(sequence.commands.dropFirst())
            if source != .notified, let first = sequence.commands.first {
                try await simulator.perform(first)
                try await simulator.advance(by: 86_400)
            }
            if source == .notifiedInReverse || source == .recovered {
                try simulator.add(Fault("notification:*", .drop))
            }
            for command in source == .notified ? sequence.commands : rest {
                if source == .fetchedBetween { try await DirectLedgerWriter(world: world).refetchAll() }
                try await simulator.perform(command)
            }
            if source == .fetchedBetween { try await DirectLedgerWriter(world: world).refetchAll() }
            try simulator.removeFault()
            if source == .notifiedInReverse { try await world.resendInReverse() }
            try await world.waitUntilIdle()
            try await world.server.core.recovery.runNow()
            try await world.waitUntilIdle()

            #expect(try await world.completeness().state == .complete)
            let truth = try simulator.state(of: "anna")
            try await DirectLedgerWriter(world: world).claim(truth.appTransactionID, for: "anna")
            let known = try await world.server.core.customers.customer("anna", in: world.appEnvironment(), at: nil)
            #expect(Agreement.differences(truth, known.states) == [])
        }
    }
}

extension World {
    /// Sends every notification again, newest first.
    fileprivate func resendInReverse() async throws {
        let count = simulator.core.read(.production) { store, _ in store.notifications.count }
        for number in (0..<count).reversed() {
            try simulator.core.resend(number, in: .production)
            try await simulator.processDueEvents()
        }
    }
}
