@testable import LedgerServices
import AppStoreModels
@testable import CounterfoilServer
import Entitlements
import Foundation
import StoreSimulator
import TestSupport
import Testing

@testable import Ledger
@testable import LedgerSQLite

/// The move that `docs/migration.md` describes.
@Suite struct `An app that moves from version 1 to version 2` {
    /// How a server lives with a simulator of which it hears in version 1 first.
    private static func run<Value>(
        seed: UInt64 = 1, _ version: NotificationVersion, _ body: (World) async throws -> Value
    ) async throws -> Value {
        try await World.run {
            $0.catalogue = .shop
            $0.seed = seed
            $0.makesReceiptAuthority = true
            $0.production.notificationVersion = version
            $0.production.gracePeriod = .sixteenDays
            // How fast one may ask is tested with recovery.
            $0.production.enforcesRateLimits = false
        } server: {
            $0.keys = [World.backend]
            $0.apps[0].sharedSecrets = [Secret("counterfoil")]
        } _: {
            try await body($0)
        }
    }

    /// What is heard has been dealt with: what version 1 tells has to be asked for.
    private static func settle(_ world: World) async throws {
        try await world.settle()
        try await world.server.core.recovery.runHistoryRequests()
    }

    private static func answer(_ world: World, _ customer: String) async throws -> String {
        let answer = try await world.call(.GET, "/v1/customers/\(customer)")
        #expect(answer.status == 200)
        return String(decoding: answer.body, as: UTF8.self)
    }

    /// A life in which every step is told in both versions.
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

    @Test func `knows after each notification of version 1 what the App Store knows, and after the switch as well`()
        async throws
    {
        func live(_ version: NotificationVersion) async throws -> String {
            try await Self.run(version) { world in
                // The price has risen by then.
                let again = Self.steps.dropFirst().filter { $0.name != "a price increase" }
                for (number, step) in (Self.steps + again).enumerated() {
                    if number == Self.steps.count { world.simulator.configure { $0.notificationVersion = .two } }
                    for command in step.commands { try await world.simulator.perform(command) }
                    if step.days > 0 { try await world.simulator.advance(by: step.days * 86_400) }
                    try await Self.settle(world)
                    let truth = try world.simulator.state(of: "anna")
                    let token = try #require(truth.appAccountToken)
                    let known = try await world.server.core.customers.customer(token, in: world.scope(), at: nil)
                    let differences = Agreement.differences(truth, known.states)
                    #expect(differences == [], "\(version), step \(number), \(step.name)")
                }
                try await Self.importEverybody(world)
                try await Self.settle(world)
                let refused = world.simulator.core.read(.production) { store, _ in
                    store.notifications.count { !$0.isDelivered }
                }
                #expect(refused == 0)
                let token = try #require(try world.simulator.state(of: "anna").appAccountToken)
                return try await Self.answer(world, token)
            }
        }
        let (old, new) = (try await live(.one), try await live(.two))
        #expect(old == new)
    }

    @Test func `asks once more about what it is told of while it asks`() async throws {
        try await Tool.inTemporaryFolder { folder in
            let ledger = try await TestLedger(in: folder)
            let (storage, scope) = (ledger.storage, ledger.scope.id)
            try await storage.add(requests: ["1", "2"], in: scope, because: .notificationV1, at: 1)
            let taken = try await storage.takeHistoryRequests(in: scope, at: 1, limit: 10)
            try await storage.add(requests: ["1"], in: scope, because: .notificationV1, at: 1)
            for request in taken { try await storage.finish(request: request.id) }
            let left = try await storage.takeHistoryRequests(in: scope, at: 1, limit: 10)
            #expect(taken.count == 2 && left.map(\.transactionID) == ["1"])
            for request in left { try await storage.finish(request: request.id) }
            #expect(try await storage.takeHistoryRequests(in: scope, at: 1, limit: 10).isEmpty)
        }
    }

    @Test func `hears of a refund that no receipt lists, since the notification names the purchase`() async throws {
        try await Self.run(.one) { world in
            let bought = try await world.simulator.perform(
                .purchase(customer: "anna", product: "coins", appAccountToken: .absent))
            // A receipt has no consumables that the app has finished.
            try await world.simulator.perform(.finish(customer: "anna"))
            try await world.simulator.perform(.approveRefund(customer: "anna"))
            try await Self.settle(world)
            let id = try #require(bought.transactionID)
            let lineage = try #require(try await world.server.core.storage.lineage(id, in: world.scope().id))
            #expect(lineage.transactions.map(\.revocationDate) == [world.simulator.now])
        }
    }

    @Test(arguments: UInt64(1)...6)
    func `answers at the end of any life as one that had version 2 from the start`(_ seed: UInt64) async throws {
        let (old, new) = (try await Self.live(seed, .one), try await Self.live(seed, .two))
        #expect(old.count == new.count && !new.isEmpty)
        for (name, answer) in new { #expect(old[name] == answer, "seed \(seed): \(name)") }
    }

    /// A random life, with the steps of the guide at its end; what the server answers about each customer.
    private static func live(_ seed: UInt64, _ version: NotificationVersion) async throws -> [String: String] {
        try await run(seed: seed, version) { world in
            var random = RandomCommands(random: SeededGenerator(seed: seed))
            for number in 0..<50 {
                if number == 30 { world.simulator.configure { $0.notificationVersion = .two } }
                let command = anonymous(world.simulator.core.read(.production) { store, _ in random.next(store) })
                do { try await world.simulator.perform(command) } catch is StoreError {}
                try await world.simulator.advance(by: random.pause() + 0.002)
                try await settle(world)
            }
            try await importEverybody(world)
            try await world.server.core.recovery.runNow()
            try await settle(world)
            var answers: [String: String] = [:]
            for state in world.simulator.states() {
                try await Recovering(world: world).claim(state.appTransactionID, for: state.customer)
                let known = try await world.server.core.customers.customer(state.customer, in: world.scope(), at: nil)
                #expect(Agreement.differences(state, known.states) == [], "seed \(seed), \(version): \(state.customer)")
                guard !state.customer.contains(where: { !$0.isLetter }) else { continue }
                answers[state.customer] = try await answer(world, state.customer)
            }
            return answers
        }
    }

    /// A purchase that names no account, so that whoever has the Apple account may claim it.
    private static func anonymous(_ command: StoreCommand) -> StoreCommand {
        guard
            case .purchase(
                let customer, let product, let quantity, let offer, let introductory, _, let plan, let device, _, _,
                let sign) = command
        else { return command }
        return .purchase(
            customer: customer, product: product, quantity: quantity, offer: offer, introductory: introductory,
            appAccountToken: .absent, billingPlan: plan, device: device, sign: sign)
    }

    /// "Customers from before": a line for each, any transaction.
    private static func importEverybody(_ world: World) async throws {
        let lines = world.simulator.core.read(.production) { store, _ in
            store.customers.values.compactMap(\.transactions.first).sorted()
        }
        let file = world.folder.appending(path: "customers.txt")
        try Data(lines.joined(separator: "\n").utf8).write(to: file)
        try await world.stopServer()
        let simulator = world.simulator
        try await OfflineServer.run(try world.configuration(), clock: .showing { simulator.core.now }) { core in
            _ = try await FileImport(core.importer(core.recovery.recoverable), file: file, ledger: "").run { _ in }
        }
        try await world.startServer()
    }
}
