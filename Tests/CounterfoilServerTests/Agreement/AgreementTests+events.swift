import AppStoreModels
import CounterfoilServer
import Entitlements
import Foundation
import StoreSimulator
import TestSupport
import Testing

@testable import LedgerServices

extension `Server and simulator agree` {
    static let eventSeeds = Array(seeds(default: 1...16))

    /// Compares what the compatible events say with what the server says, after each command, when all events are
    /// delivered.
    @Test(arguments: eventSeeds)
    func `A receiver of compatible events knows what each customer has`(_ seed: UInt64) async throws {
        try await WebhookReceiver.run { messages in
            let webhook = Self.compatibleWebhook(messages.url)
            try await World.run {
                RandomHistory.settings(seed, &$0)
            } server: {
                $0.webhooks = [webhook]
            } _: { world in
                var random = RandomCommands(random: SeededGenerator(seed: seed))
                var receiver = CompatibleReceiver(consumables: ["coins"])
                var (wrong, held, isAnyoneSubscribed) = ([String](), 0, false)
                for _ in 0..<60 where wrong.isEmpty {
                    try await world.simulator.advance(by: max(random.pause(), 0.005))
                    let command = world.simulator.core.read(.production) { store, _ in
                        random.next(store).keepingAccount
                    }
                    // The simulator refuses many random commands.
                    do { try await world.simulator.perform(command) } catch is StoreError {}
                    if random.chance(20), let state = world.simulator.states().randomElement(using: &random.random) {
                        try await DirectLedgerWriter(world: world).claim(state.appTransactionID, for: state.backendName)
                    }
                    try await world.deliverWebhooks()
                    for message in messages.take() { receiver.take(message) }
                    let compared = try await Self.compare(world, receiver)
                    held += compared.held
                    let states = world.simulator.states()
                    if states.contains(where: { $0.subscriptions.contains(where: \.hasAccess) }) {
                        isAnyoneSubscribed = true
                    }
                    wrong = compared.differences.map { "\($0) after \(command)" }
                }
                // Empty answers agree too, but in few histories does nobody buy anything.
                #expect(held > 0 || !isAnyoneSubscribed)
                #expect(wrong.isEmpty, "seed \(seed):\n\(wrong.joined(separator: "\n"))")
            }
        }
    }

    private static func compatibleWebhook(_ url: String) -> ServerConfiguration.Webhook {
        var webhook = World.webhook("compatible", url + "/compatible")
        webhook.payload = .compatible
        return webhook
    }

    /// Returns the number of purchases that give access, and about which of them the receiver errs.
    private static func compare(
        _ world: World, _ receiver: CompatibleReceiver
    ) async throws -> (held: Int, differences: [String]) {
        let (core, appEnvironment) = (try world.server.core, try world.appEnvironment())
        var (held, wrong) = (0, [String]())
        for state in world.simulator.states() {
            let name = state.backendName
            let states = try await core.customers.customer(name, in: appEnvironment, at: nil).states
            let subscriptions = states.subscriptions.filter(\.hasAccess)
                .map { "\($0.originalTransactionID) \($0.productID)" }
            let purchases = states.purchases.filter(\.hasAccess).map { "\($0.originalTransactionID) \($0.productID)" }
            let known = Set(subscriptions + purchases)
            held += known.count
            wrong += known.symmetricDifference(receiver.access(of: name, at: states.asOf)).sorted().map { one in
                let messages = receiver.messages[String(one.prefix { $0 != " " })] ?? []
                return "\(state.customer): \(one) only in the \(known.contains(one) ? "server" : "events"):\n"
                    + messages.joined(separator: "\n")
            }
        }
        return (held, wrong)
    }
}

extension CustomerState {
    /// The customer's identifier in the server.
    fileprivate var backendName: String { appAccountToken ?? customer }
}
