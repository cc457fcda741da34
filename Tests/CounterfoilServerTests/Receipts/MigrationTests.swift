import AppStoreModels
import Entitlements
import Foundation
import StoreSimulator
import TestSupport
import Testing

@testable import CounterfoilServer
@testable import Ledger
@testable import LedgerServices

/// Tests the migration that `docs/migration.md` describes.
@Suite struct `Migration from notifications of version 1 to version 2` {
    /// Calls `body` with a server that receives notifications of the given version at first.
    private static func run<Value>(
        seed: UInt64 = 1, _ version: NotificationVersion, _ body: (World) async throws -> Value
    ) async throws -> Value {
        try await World.run {
            $0.catalogue = .shop
            $0.seed = seed
            $0.createsReceiptAuthorityAtStart = true
            $0.production.notificationVersion = version
            $0.production.gracePeriod = .sixteenDays
            // The tests of recovery cover rate limits.
            $0.production.enforcesRateLimits = false
        } server: {
            $0.keys = [World.backend]
            $0.apps[0].sharedSecrets = [Secret("counterfoil")]
        } _: {
            try await body($0)
        }
    }

    /// Waits until all notifications are processed, and requests the histories that version 1 notifications refer to.
    private static func processAndRecover(_ world: World) async throws {
        try await world.waitUntilIdle()
        try await world.server.core.recovery.runHistoryRequests()
    }

    private static func answer(_ world: World, _ customer: String) async throws -> String {
        let answer = try await world.call(.GET, "/v1/customers/\(customer)")
        #expect(answer.status == 200)
        return String(decoding: answer.body, as: UTF8.self)
    }

    /// Steps of which each leads to a notification in both versions.
    private static let steps: [(name: String, commands: [StoreCommand], days: Double)] = [
        ("a purchase", [.purchase(customer: "anna", product: "plus", introductory: false)], 0),
        ("a renewal", [], 31),
        ("a cancellation", [.cancel(customer: "anna")], 0),
        ("a change of mind", [.resume(customer: "anna")], 0),
        ("a downgrade", [.purchase(customer: "anna", product: "basic")], 0),
        ("an upgrade", [.purchase(customer: "anna", product: "gold")], 0),
        ("a failure", [.failBilling(customer: "anna")], 31),
        ("a recovery", [.fixBilling(customer: "anna")], 0),
        ("a price increase", [.increasePrice(product: "gold", price: 29_990, consent: true)], 0),
        ("a refund", [.approveRefund(customer: "anna")], 0),
        ("a purchase after it", [.purchase(customer: "anna", product: "plus")], 0),
    ]

    @Test func `A server's state matches the App Store after each notification of either version`() async throws {
        func performSteps(_ version: NotificationVersion) async throws -> String {
            try await Self.run(version) { world in
                // Without the price increase: the price has already risen.
                let repeated = Self.steps.dropFirst().filter { $0.name != "a price increase" }
                for (number, step) in (Self.steps + repeated).enumerated() {
                    if number == Self.steps.count { world.simulator.configure { $0.notificationVersion = .two } }
                    for command in step.commands { try await world.simulator.perform(command) }
                    if step.days > 0 { try await world.simulator.advance(by: step.days * 86_400) }
                    try await Self.processAndRecover(world)
                    let expected = try world.simulator.state(of: "anna")
                    let token = try #require(expected.appAccountToken)
                    let actual = try await world.server.core.customers.customer(
                        token, in: world.appEnvironment(), at: nil)
                    let differences = Agreement.differences(expected, actual.states)
                    #expect(differences == [], "\(version), step \(number), \(step.name)")
                }
                try await Self.importAllCustomers(world)
                try await Self.processAndRecover(world)
                let refused = world.simulator.core.read(.production) { store, _ in
                    store.notifications.count { !$0.isDelivered }
                }
                #expect(refused == 0)
                let token = try #require(try world.simulator.state(of: "anna").appAccountToken)
                return try await Self.answer(world, token)
            }
        }
        let (old, new) = (try await performSteps(.one), try await performSteps(.two))
        #expect(old == new)
    }

    @Test func `A refund of a consumable is found by the transaction that the version 1 notification names`()
        async throws
    {
        try await Self.run(.one) { world in
            let bought = try await world.simulator.perform(
                .purchase(customer: "anna", product: "coins", appAccountToken: .absent))
            // A receipt does not list finished consumables.
            try await world.simulator.perform(.finish(customer: "anna"))
            try await world.simulator.perform(.approveRefund(customer: "anna"))
            try await Self.processAndRecover(world)
            let id = try #require(bought.transactionID)
            let lineage = try #require(try await world.server.core.storage.lineage(id, in: world.appEnvironment().id))
            #expect(lineage.transactions.map(\.revocationDate) == [world.simulator.now])
        }
    }

    @Test(arguments: UInt64(1)...6)
    func `After a random history, a migrated server gives the same answers as one that always used version 2`(
        _ seed: UInt64
    ) async throws {
        let (old, new) = (try await Self.answers(seed, .one), try await Self.answers(seed, .two))
        #expect(old.count == new.count && !new.isEmpty)
        for (name, answer) in new { #expect(old[name] == answer, "seed \(seed): \(name)") }
    }

    /// Performs random commands and the migration guide's steps. Returns the server's answer for each customer.
    private static func answers(_ seed: UInt64, _ version: NotificationVersion) async throws -> [String: String] {
        try await run(seed: seed, version) { world in
            var random = RandomCommands(random: SeededGenerator(seed: seed))
            for number in 0..<50 {
                if number == 30 { world.simulator.configure { $0.notificationVersion = .two } }
                let command = withoutAccountToken(
                    world.simulator.core.read(.production) { store, _ in random.next(store) })
                do { try await world.simulator.perform(command) } catch is StoreError {}
                try await world.simulator.advance(by: random.pause() + 0.002)
                try await processAndRecover(world)
            }
            try await importAllCustomers(world)
            try await world.server.core.recovery.runNow()
            try await processAndRecover(world)
            var answers: [String: String] = [:]
            for state in world.simulator.states() {
                try await DirectLedgerWriter(world: world).claim(state.appTransactionID, for: state.customer)
                let actual = try await world.server.core.customers.customer(
                    state.customer, in: world.appEnvironment(), at: nil)
                #expect(
                    Agreement.differences(state, actual.states) == [], "seed \(seed), \(version): \(state.customer)")
                guard !state.customer.contains(where: { !$0.isLetter }) else { continue }
                answers[state.customer] = try await answer(world, state.customer)
            }
            return answers
        }
    }

    /// Returns the command; a purchase without an account token, so that any customer of the Apple account may claim it.
    private static func withoutAccountToken(_ command: StoreCommand) -> StoreCommand {
        guard
            case .purchase(
                let customer, let product, let quantity, let offer, let introductory, _, let plan, let device, _, _,
                let sign) = command
        else { return command.keepingAccount }
        return .purchase(
            customer: customer, product: product, quantity: quantity, offer: offer, introductory: introductory,
            appAccountToken: .absent, billingPlan: plan, device: device, sign: sign)
    }

    /// Imports one transaction of each customer, as the section "Import existing customers" describes.
    private static func importAllCustomers(_ world: World) async throws {
        let lines = world.simulator.core.read(.production) { store, _ in
            store.customers.values.compactMap(\.transactions.first).sorted()
        }
        let file = world.folder.appending(path: "customers.txt")
        try Data(lines.joined(separator: "\n").utf8).write(to: file)
        try await world.stopServer()
        try await world.importCustomers(file)
        try await world.startServer()
    }
}
