import AppStoreModels
import CounterfoilServer
import Entitlements
import Foundation
import StoreSimulator
import TestSupport
import Testing

@testable import Ledger
@testable import LedgerServices

extension `Server and simulator agree` {
    static let copySeeds = Array(seeds(default: 1...2))

    /// Compares the answers of a server with those of servers whose ledgers got the same facts in another way, after a
    /// random history with notifications that arrive late, reports, restores, merges, transfers, grants and erasures.
    @Test(arguments: copySeeds)
    func `A server gives the same answers from an export, a backup, a rebuilt ledger and parts of it`(_ seed: UInt64)
        async throws
    {
        try await World.run {
            RandomHistory.settings(seed, &$0)
            $0.createsReceiptAuthorityAtStart = true
        } server: {
            $0.keys = [World.backend]
            let policies = ServerConfiguration.RestorePolicy.allCases
            $0.apps[0].restorePolicy = policies[Int(seed % UInt64(policies.count))]
            $0.apps[0].catalogue.entitlements = [
                "premium": ["gold", "plus", "plus.other", "plus.yearly", "basic"], "extra": ["lamp", "season", "news"],
            ]
        } _: { world in
            var history = OwnershipHistory(world, seed: seed)
            try await history.run(steps: 80)
            let questions = history.questions
            let expected = try await Self.answers(to: questions, from: world)
            // All customers with grants may have been erased.
            let granted = try await history.grants().isEmpty ? [] : ["grant"]
            let copies = try await LedgerCopies(of: world, half: history.half)
            for copy in LedgerCopies.Kind.allCases {
                try await copies.install(copy)
                try await world.startServer()
                try await world.waitUntilIdle()
                let answers = try await Self.answers(to: questions, from: world)
                try await world.stopServer()
                let wrong = zip(questions, zip(expected, answers)).filter { $1.0 != $1.1 }
                    .map { "\($0):\n  \($1.0)\n  \($1.1)" }
                #expect(wrong.isEmpty, "seed \(seed), \(copy):\n\(wrong.prefix(4).joined(separator: "\n"))")
            }
            // Empty answers are equal too.
            for object in ["subscription", "timeline_entry", "claim", "explained_fact", "search_result"] + granted {
                let part = "\"object\":\"\(object)\""
                #expect(expected.contains { $0.contains(part) }, "seed \(seed): no answer has \(part)")
            }
            #expect(history.changes.count > 5, "seed \(seed): only \(history.changes)")
        }
    }

    /// Returns the answers as JSON with sorted members, without those that name a page or a request.
    private static func answers(to questions: [String], from world: World) async throws -> [String] {
        var answers: [String] = []
        for question in questions {
            let answer = try await world.call(.GET, question)
            var json = try JSONSerialization.jsonObject(with: answer.body) as? [String: Any] ?? [:]
            for member in ["next_page", "request_id"] { json[member] = nil }
            let body = try JSONSerialization.data(withJSONObject: json, options: .sortedKeys)
            answers.append("\(answer.status) \(String(decoding: body, as: UTF8.self))")
        }
        return answers
    }
}

/// A random history of purchases and of their owners.
private struct OwnershipHistory {
    /// A change that the server makes at the request of an app or the team.
    enum Change: CaseIterable { case report, receipt, restore, merge, transfer, grant, revocation, erasure }

    let world: World
    private let seed: UInt64
    private var random: RandomCommands
    private var lastRecovery = World.start
    /// The instant in the middle of the history.
    private var past: Date?
    /// The export of that instant.
    let half: URL
    /// The changes that the server confirmed.
    private(set) var changes: Set<Change> = []

    init(_ world: World, seed: UInt64) {
        (self.world, self.seed) = (world, seed)
        random = RandomCommands(random: SeededGenerator(seed: seed))
        half = world.folder.appending(path: "half.jsonl")
    }

    /// Performs random commands and changes, and then fetches the notifications that did not arrive.
    mutating func run(steps: Int) async throws {
        for (index, name) in random.names.enumerated() {
            try await world.simulator.perform(.createCustomer(customer: name))
            try await world.simulator.perform(
                .purchase(
                    customer: name, product: index.isMultiple(of: 2) ? "plus.yearly" : "basic",
                    appAccountToken: AppAccountToken(token(name))))
        }
        try enableFaults()
        for step in 0..<steps {
            try await pause()
            let command = next()
            // The simulator refuses many random commands.
            do { try await world.simulator.perform(command) } catch is StoreError {}
            if step.isMultiple(of: 2) {
                try await make(Change.allCases[step / 2 % Change.allCases.count])
            }
            if step == steps / 2 {
                try await world.waitUntilIdle()
                try await world.export(to: half)
                past = world.simulator.now
            }
        }
        try await world.simulator.advance(by: 3600)
        try await recover()
    }

    /// The requests whose answers depend on the ledger.
    var questions: [String] {
        let tokens = world.simulator.states().compactMap(\.appAccountToken)
        let instant = past.map { "at=\($0.milliseconds)" } ?? "at=\(World.start.milliseconds)"
        var questions: [String] = []
        for customer in Set(customers + tokens).sorted() {
            let path = "/v1/customers/\(customer)"
            questions += [
                "\(path)?include=periods,spend", "\(path)?include=periods,spend&\(instant)",
                "\(path)/timeline?limit=100", "\(path)/timeline?limit=100&\(instant)", "\(path)/claims?limit=100",
                "\(path)/grants?limit=100", "\(path)/entitlements/premium/explain?limit=500",
                "\(path)/entitlements/premium/explain?\(instant)", "\(path)/entitlements/extra/explain?limit=500",
                "/v1/search?q=\(customer)",
            ]
        }
        for buyer in buyers { questions += originals(of: buyer).map { "/v1/search?q=\($0)" } }
        questions += ["/v1/segments", "/v1/purchases?claimed=false&limit=100"]
        questions += Segment.allCases.map { "/v1/segments/\($0.name)?limit=100" }
        return questions
    }

    // MARK: - The store

    /// The account token with which a customer of the store buys. Half of them have none.
    private func token(_ name: String) -> UUID? {
        guard let index = random.names.firstIndex(of: name), index.isMultiple(of: 2) else { return nil }
        return UUID(uuidString: "00000000-0000-4000-8000-00000000000\(index)")
    }

    private mutating func next() -> StoreCommand {
        if random.chance(3), let name = random.names.randomElement(using: &random.random), let account = token("carl") {
            return .setAppAccountToken(customer: name, appAccountToken: account)
        }
        let command = world.simulator.core.read(.production) { store, _ in random.next(store) }
        return command.withAccountToken(token)
    }

    private mutating func pause() async throws {
        let target = world.simulator.now + max(random.pause(), 0.005)
        // The App Store keeps its notification history for 180 days, so recovery has to run before that.
        if target.timeIntervalSince(lastRecovery) > 120 * 86_400 { try await recover() }
        try await world.simulator.advance(to: target)
    }

    private func enableFaults() throws {
        let faults: [(Fault.Effect, Double)] = [(.drop, 0.3), (.duplicate, 0.1), (.reorder, 0.1), (.unreachable, 0.1)]
        for (effect, probability) in faults {
            try world.simulator.add(Fault("notification:*", effect, probability: probability))
        }
    }

    private mutating func recover() async throws {
        try world.simulator.removeFault()
        try await world.waitUntilIdle()
        try await world.server.core.recovery.runNow()
        try await world.waitUntilIdle()
        lastRecovery = world.simulator.now
        try enableFaults()
    }

    // MARK: - Changes by apps and the team

    /// The customers of the server: those who buy, and some others.
    private var customers: [String] { random.names.map { customer($0) } + ["guest", "owner"] }

    /// A customer's ID in the server: the account token of the purchases, or else the name.
    private func customer(_ name: String) -> String { token(name)?.uuidString.lowercased() ?? name }

    /// The customers of the store who have bought something.
    private var buyers: [CustomerState] {
        world.simulator.states().filter { state in
            random.names.contains(state.customer) && !(state.subscriptions.isEmpty && state.purchases.isEmpty)
        }
    }

    private func originals(of buyer: CustomerState) -> [String] {
        buyer.subscriptions.map(\.originalTransactionID) + buyer.purchases.map(\.transactionID)
    }

    /// Requests a change. The server refuses many of them.
    private mutating func make(_ change: Change) async throws {
        guard let buyer = buyers.randomElement(using: &random.random),
            let stranger = customers.randomElement(using: &random.random)
        else { return }
        // The first change of each kind is about the customer's own purchases, so that it is seldom refused.
        let customer = changes.contains(change) ? stranger : self.customer(buyer.customer)
        let path = "/v1/customers/\(customer)"
        var request = path + "/purchases"
        var body: [String: Any] = [:]
        switch change {
        case .report:
            body["signed_transactions"] = try await world.signedTransactions(of: buyer.appTransactionID)
        case .receipt: body["receipt"] = try world.simulator.receipt(of: buyer.customer)
        case .restore:
            body["app_transaction"] = try world.appTransaction(ofCustomer: buyer.customer)
            body["restore"] = true
        case .merge:
            request = path + "/merge"
            body["from"] = customers.filter { $0 != customer }.randomElement(using: &random.random) ?? "guest"
        case .transfer:
            let original = originals(of: buyer).randomElement(using: &random.random) ?? ""
            request = path + "/purchases/\(original)/transfer"
            body["reason"] = "r"
        case .grant:
            request = path + "/grants"
            body = ["entitlement": "premium", "reason": "r", "actor": "a"]
        case .revocation:
            let grants = try await self.grants()
            guard let grant = grants.randomElement(using: &random.random) else { return }
            request = "/v1/customers/\(grant.customer)/grants/\(grant.id)/revoke"
            body = ["reason": "r", "actor": "a"]
        case .erasure:
            let answer = try await world.call(.DELETE, path)
            if answer.status == 200 { changes.insert(change) }
            return
        }
        let answer = try await world.call(.POST, request, body)
        if (200...201).contains(answer.status) { changes.insert(change) }
        try await world.waitUntilIdle()
    }

    /// The grants of all customers.
    func grants() async throws -> [Grant] {
        let (storage, scope) = (try world.server.core.storage, try world.appEnvironment().id)
        var grants: [Grant] = []
        for customer in customers { grants += try await storage.grants(of: customer, in: scope) }
        return grants
    }
}
