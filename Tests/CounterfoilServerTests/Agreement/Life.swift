@testable import LedgerServices
import AppStoreModels
import AppStoreServer
import CounterfoilServer
import Foundation
import StoreSimulator
import TestSupport
import Testing

@testable import Ledger

/// The random life of a store whose server hears of it badly, and what the simulator said on the way.
///
/// Between two commands the clock goes on by some milliseconds at least, so that an instant has one state.
struct Life {
    /// What every customer had at an instant.
    struct Probe {
        var date: Date
        var states: [CustomerState]
    }

    let world: World
    let seed: UInt64
    private let keys: LifeKeys
    private var random: RandomCommands
    private(set) var probes: [Probe] = []
    /// What the team gave.
    private(set) var gifts: [Gift] = []
    /// The version of the app that each customer got first; nil for the present one.
    private(set) var versions: [String: String?] = [:]
    private var lastRecovery = World.start
    private var isServerDown = false

    init(_ world: World, seed: UInt64, keys: LifeKeys) {
        self.world = world
        self.keys = keys
        self.seed = seed
        let names = ["anna", "ben", "carl", "dora", "emil", "fred", "gina", "hans"].prefix(5 + Int(seed % 4))
        random = RandomCommands(random: SeededGenerator(seed: seed), names: Array(names))
    }

    /// How the store of a seed behaves.
    static func settings(_ seed: UInt64, _ configuration: inout SimulatorConfiguration) {
        configuration.catalogue = .shop
        configuration.seed = seed
        configuration.production.gracePeriod = [.off, .sixteenDays, .threeDays][Int(seed % 3)]
        configuration.production.graceCoversFreeOffers = seed % 5 > 0
        configuration.production.renewalLead = seed % 4 == 0 ? 0 : 86_400
        configuration.production.renewalDelay = seed % 4 == 1 ? 7200 : 0
        configuration.production.announcesLateDowngrades = seed % 7 > 0
        configuration.makesReceiptAuthority = hearsVersion1(seed)
        // How fast one may ask is tested with recovery.
        configuration.production.enforcesRateLimits = false
    }

    /// Whether the app gets version 1 at times. What it is not told then is not in the history either: as with false statements,
    /// the App Store has to be asked anew, as `docs/migration.md` says.
    static func hearsVersion1(_ seed: UInt64) -> Bool { seed % 6 == 1 }

    /// Whether the past can be known as well as the present.
    static func knowsThePast(_ seed: UInt64) -> Bool { !hasFalseStatements(seed) && !hearsVersion1(seed) }

    /// Whether the App Store sometimes signs what is not true: values that nobody knows, a date that is wrong. The true
    /// statement is signed too, and found in the history, but nobody can tell which one that is: they have one identifier.
    /// All that can be asked for is agreement now, after the App Store was asked anew and its clock has gone on.
    static func hasFalseStatements(_ seed: UInt64) -> Bool { seed % 5 == 0 }

    /// Lives, recovers, and ends with a probe of the present.
    mutating func run(commands: Int) async throws {
        try await beginEarly()
        try switchFaultsOn()
        for _ in 0..<commands {
            try await pause()
            if random.chance(6) { try await changeServer() }
            if random.chance(2) { try world.simulator.rotateSigningKey() }
            if random.chance(3) { try await replaceKey() }
            let command = try await signed(next())
            if Self.hearsVersion1(seed) { changeVersion() }
            // Much of what is tried makes no sense and is refused.
            do { try await world.simulator.perform(command) } catch is StoreError {}
            if random.chance(10) { try await give() }
            if random.chance(25) { try await probe() }
        }
        try await world.simulator.advance(by: 3600)
        try await recover()
        if !Self.knowsThePast(seed) { try await Recovering(world: world).askAnew() }
        probes.append(Probe(date: world.simulator.now, states: world.simulator.states()))
    }

    /// The developer chooses another version of notifications.
    private mutating func changeVersion() {
        guard random.chance(8) else { return }
        world.simulator.configure { $0.notificationVersion = $0.notificationVersion == .one ? .two : .one }
    }

    /// How the server knows a customer: the account that the app names with purchases, or the app's own name for whoever
    /// claims the Apple account.
    func customer(_ state: CustomerState) -> String { customer(named: state.customer) }
    func customer(named name: String) -> String { token(name)?.uuidString.lowercased() ?? name }

    private func token(_ name: String) -> UUID? {
        guard let place = random.names.firstIndex(of: name), place.isMultiple(of: 2) else { return nil }
        return UUID(uuidString: "00000000-0000-4000-8000-00000000000\(place)")
    }

    /// Customers get the app before and after it became free.
    private mutating func beginEarly() async throws {
        try await world.simulator.perform(.releaseVersion(version: Self.boundary))
        for name in random.names {
            let version = ["1.9", "1.10", Self.boundary, nil].randomElement(using: &random.random) ?? nil
            try await world.simulator.perform(.createCustomer(customer: name, firstVersion: version))
            versions[name] = .some(version)
        }
    }

    /// The team gives somebody something, or takes it back. What the server does not confirm did not happen.
    private mutating func give() async throws {
        guard !isServerDown else { return }
        let now = try world.server.core.now.milliseconds
        let given = gifts.indices.filter { gifts[$0].revoked == nil }
        if random.chance(40), let index = given.randomElement(using: &random.random) {
            let gift = gifts[index]
            let answer = try await world.call(
                .POST, "/v1/customers/\(gift.customer)/grants/\(gift.id)/revoke", ["reason": "r", "actor": "a"])
            // What has ended by itself cannot be taken back.
            if answer.status == 200 { gifts[index].revoked = now }
            return
        }
        let customer = customer(named: random.names.randomElement(using: &random.random) ?? "anna")
        let until = random.chance(70) ? now + .random(in: 1...90, using: &random.random) * 86_400_000 : nil
        var body: [String: Any] = ["entitlement": Gift.entitlement, "reason": "r", "actor": "a"]
        if let until { body["until"] = until }
        let answer = try await world.call(.POST, "/v1/customers/\(customer)/grants", body)
        guard let id = answer.text("id") else {
            Issue.record("seed \(seed): the server gives nothing: \(answer.status) \(answer.text("code") ?? "")")
            return
        }
        gifts.append(Gift(customer: customer, id: id, from: now, until: until))
    }

    private mutating func pause() async throws {
        let seconds = max(random.pause(), 0.005)
        let target = world.simulator.now + seconds
        // The App Store forgets what is older than half a year, and so does whoever asks too late.
        if target.timeIntervalSince(lastRecovery) > 120 * 86_400 { try await recover() }
        try await world.simulator.advance(to: target)
    }

    private mutating func probe() async throws {
        if random.chance(50) {
            try await world.simulator.advance(by: .random(in: 0.002...200_000, using: &random.random))
        }
        // Until the clock shows what the last signature says: what is signed later nobody knows yet.
        while let signed = world.simulator.core.read(.production, { store, _ in store.lastSigned }),
            signed > world.simulator.now
        {
            try await world.simulator.advance(to: signed)
        }
        probes.append(Probe(date: world.simulator.now, states: world.simulator.states()))
        try await world.simulator.advance(by: 0.005)
    }

    private mutating func next() -> StoreCommand {
        if random.chance(2) { return advancedCommerce() }
        let command = world.simulator.core.read(.production) { store, _ in random.next(store) }
        guard
            case .purchase(
                let customer, let product, let quantity, let offer, let introductory, _, let plan, _, _, _, let sign) =
                command
        else { return command }
        return .purchase(
            customer: customer, product: product, quantity: quantity, offer: offer, introductory: introductory,
            appAccountToken: AppAccountToken(token(customer)), billingPlan: plan, sign: sign)
    }

    /// The same with the server's signature for a promotional offer, while the server runs: one format in one life, the
    /// other in the next.
    private func signed(_ command: StoreCommand) async throws -> StoreCommand {
        guard
            case .purchase(
                let customer, let product, let quantity, let offer?, let introductory, let account, let plan, _, _, _, _
            ) =
                command, !isServerDown,
            Catalogue.shop.product(product)?.offer(offer)?.type == .promotional
        else { return command }
        let id = token(customer)?.uuidString.lowercased() ?? "nobody"
        var body: [String: Any] = ["product_id": product, "offer_id": offer, "force": true]
        if seed.isMultiple(of: 2) {
            body["format"] = "original"
            body["app_account_token"] = token(customer)?.uuidString
        }
        let answer = try await world.call(.POST, "/v1/customers/\(id)/offers/promotional", body)
        guard let signature = answer.offerSignature else {
            Issue.record("seed \(seed): the server signs nothing: \(answer.status) \(answer.text("code") ?? "")")
            return command
        }
        return .purchase(
            customer: customer, product: product, quantity: quantity, offer: offer, introductory: introductory,
            appAccountToken: account, billingPlan: plan, signature: signature)
    }

    private mutating func advancedCommerce() -> StoreCommand {
        let name = random.names.randomElement(using: &random.random) ?? "anna"
        return .subscribeAdvancedCommerce(
            customer: name, product: "generic",
            request: .init(
                requestInfo: .init(requestReferenceId: UUID(), appAccountToken: token(name)), currency: "USD",
                descriptors: .init(description: "Everything", displayName: "All"),
                items: [.init(sku: "tv", displayName: "TV", description: "TV", price: 5000)], period: .p1m,
                taxCode: "C003-00-2"))
    }
}

// MARK: - What goes wrong

extension Life {
    private func switchFaultsOn() throws {
        let faults: [(Fault.Effect, Double)] = [
            (.drop, 0.15), (.delay(seconds: 0.01), 0.1), (.duplicate, 0.15), (.reorder, 0.15), (.unreachable, 0.1),
            (.truncate, 0.08), (.invalidSignature, 0.08), (.wrongChain, 0.05), (.extraFields, 0.1),
        ]
        let falsehoods: [(Fault.Effect, Double)] = [
            (.unknownValues, 0.05), (.clockSkew(seconds: 90), 0.05), (.clockSkew(seconds: -7200), 0.05),
        ]
        for (effect, probability) in faults + (Self.hasFalseStatements(seed) ? falsehoods : []) {
            try world.simulator.add(Fault("notification:*", effect, probability: probability))
        }
        for (effect, probability) in [(Fault.Effect.status(code: 500), 0.05), (.truncate, 0.03), (.drop, 0.03)] {
            try world.simulator.add(Fault("route:*", effect, probability: probability))
        }
    }

    /// Switches the server off, or on again.
    private mutating func changeServer() async throws {
        if isServerDown {
            try await world.startServer()
        } else {
            try await world.stopServer()
        }
        isServerDown.toggle()
    }

    /// The team makes another In-App Purchase key. The server reads it while it runs or at its next start, and asks with the
    /// former one where it has to; half of those are revoked.
    private mutating func replaceKey() async throws {
        let former = try keys.add { id in try SigningKey(pem: world.simulator.addAPIKey(id), keyID: id) }
        if !isServerDown {
            let taken = try world.configuration()
            try await world.server.reload { taken }
        }
        if let former, random.chance(50) { world.simulator.revokeAPIKey(former) }
    }

    /// The server starts if it does not run, and looks for what it has missed.
    private mutating func recover() async throws {
        if isServerDown { try await changeServer() }
        try world.simulator.removeFault()
        let core = try world.server.core
        try await world.settle()
        try await core.recovery.runNow()
        try await world.settle()
        lastRecovery = world.simulator.now
        try switchFaultsOn()
    }
}
