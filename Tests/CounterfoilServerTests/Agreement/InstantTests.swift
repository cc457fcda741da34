@testable import LedgerServices
import AppStoreModels
import CounterfoilServer
import Entitlements
import Foundation
import StoreSimulator
import TestSupport
import Testing

@testable import Ledger

/// What happens at one instant of a clock that stands still ends as it was commanded, however the server hears of it.
@Suite struct `Server and simulator agree on one instant` {
    struct Story: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let commands: [StoreCommand]

        init(_ name: String, _ product: String, _ commands: [StoreCommand]) {
            testDescription = name
            self.commands = [Self.buys(product)] + commands
        }

        /// A purchase that names no account, so that anybody may claim it.
        private static func buys(_ product: String) -> StoreCommand {
            .purchase(customer: "anna", product: product, introductory: false, appAccountToken: .absent)
        }

        static let all = [
            Story(
                "a refund, taken back", "plus", [.approveRefund(customer: "anna"), .reverseRefund(customer: "anna")]),
            Story(
                "a refund of coins, taken back", "coins",
                [
                    .approveRefund(customer: "anna"), .reverseRefund(customer: "anna"),
                ]),
            Story("a cancellation, taken back", "plus", [.cancel(customer: "anna"), .resume(customer: "anna")]),
            Story(
                "a cancellation, taken back and repeated", "plus",
                [
                    .cancel(customer: "anna"), .resume(customer: "anna"), .cancel(customer: "anna"),
                ]),
            Story("a downgrade", "plus", [buys("basic")]),
            Story(
                "a downgrade, withdrawn", "plus",
                [
                    buys("basic"),
                    buys("plus"),
                ]),
            Story("an upgrade", "plus", [buys("gold")]),
        ]
    }

    /// How the server hears of it.
    enum Hearing: CaseIterable, Sendable { case told, toldInReverse, recovered, askedBetween }

    @Test(arguments: Story.all, Hearing.allCases)
    func `as it was commanded`(_ story: Story, _ hearing: Hearing) async throws {
        try await World.run {
            $0.catalogue = .shop
        } _: { world in
            let simulator = world.simulator
            // Something to refund, and a day on which the server may ask before anything changes.
            let rest = Array(story.commands.dropFirst())
            if hearing != .told, let first = story.commands.first {
                try await simulator.perform(first)
                try await simulator.advance(by: 86_400)
            }
            if hearing == .toldInReverse || hearing == .recovered {
                try simulator.add(Fault("notification:*", .drop))
            }
            for command in hearing == .told ? story.commands : rest {
                if hearing == .askedBetween { try await Recovering(world: world).askAnew() }
                try await simulator.perform(command)
            }
            if hearing == .askedBetween { try await Recovering(world: world).askAnew() }
            try simulator.removeFault()
            if hearing == .toldInReverse { try await world.resendInReverse() }
            try await world.settle()
            try await world.server.core.recovery.runNow()
            try await world.settle()

            #expect(try await world.completeness().state == .complete)
            let truth = try simulator.state(of: "anna")
            try await Recovering(world: world).claim(truth.appTransactionID, for: "anna")
            let known = try await world.server.core.customers.customer("anna", in: world.scope(), at: nil)
            #expect(Agreement.differences(truth, known.states) == [])
        }
    }
}

extension World {
    /// Sends every notification once more, the last one first.
    fileprivate func resendInReverse() async throws {
        let count = simulator.core.read(.production) { store, _ in store.notifications.count }
        for number in (0..<count).reversed() {
            try simulator.core.resend(number, in: .production)
            try await simulator.settle()
        }
    }
}
