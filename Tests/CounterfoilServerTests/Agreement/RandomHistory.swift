import AppStoreModels
import AppStoreServer
import CounterfoilServer
import Foundation
import StoreSimulator
import TestSupport
import Testing

@testable import Ledger
@testable import LedgerServices

/// Performs random commands in a store whose notifications reach the server with faults and outages. Records the states
/// of the simulator.
///
/// Between two commands the clock advances by some milliseconds at least, so that an instant has one state.
struct RandomHistory {
    /// The states of all customers at an instant.
    struct Probe {
        var date: Date
        var states: [CustomerState]
    }

    let world: World
    let seed: UInt64
    private let keys: AddedKeys
    private var random: RandomCommands
    private(set) var probes: [Probe] = []
    /// The grants that the server confirmed.
    private(set) var expectedGrants: [ExpectedGrant] = []
    /// The first version of the app of each customer; nil for the current one.
    private(set) var versions: [String: String?] = [:]
    private var lastRecovery = World.start
    private var isServerDown = false

    init(_ world: World, seed: UInt64, keys: AddedKeys) {
        self.world = world
        self.keys = keys
        self.seed = seed
        let names = ["anna", "ben", "carl", "dora", "emil", "fred", "gina", "hans"].prefix(5 + Int(seed % 4))
        random = RandomCommands(random: SeededGenerator(seed: seed), names: Array(names))
    }

    /// Sets the store's behaviour for a seed.
    static func settings(_ seed: UInt64, _ configuration: inout SimulatorConfiguration) {
        configuration.catalogue = .shop
        configuration.seed = seed
        configuration.production.gracePeriod = [.off, .sixteenDays, .threeDays][Int(seed % 3)]
        configuration.production.gracePeriodAppliesToFreeOffers = seed % 5 > 0
        configuration.production.maximumRenewalLeadTime = seed % 4 == 0 ? 0 : 86_400
        configuration.production.maximumRenewalDelay = seed % 4 == 1 ? 7200 : 0
        configuration.production.sendsNotificationOnLateDowngrade = announcesLateDowngrades(seed)
        configuration.createsReceiptAuthorityAtStart = usesVersion1(seed)
        // Rate limits are tested with recovery.
        configuration.production.enforcesRateLimits = false
    }

    /// Whether the app gets notifications of version 1 at times. Facts that these lack are not in the notification
    /// history either, so transactions have to be fetched again, as `docs/migration.md` says.
    static func usesVersion1(_ seed: UInt64) -> Bool { seed % 6 == 1 }

    /// Whether the App Store sends a notification if the customer chooses another product for the next period on the
    /// last day of a period. Without one, no fact about that day has the choice.
    static func announcesLateDowngrades(_ seed: UInt64) -> Bool { seed % 7 > 0 }

    /// Whether the server can know past states.
    static func canReconstructPast(_ seed: UInt64) -> Bool { !signsFalseStatements(seed) && !usesVersion1(seed) }

    /// Whether the App Store sometimes signs false statements: unknown values or wrong dates. The true statement is
    /// signed too and is in the history, but has the same identifier, so the server cannot tell them apart. For these
    /// seeds only the present is compared, after everything was fetched again with a later signing date.
    static func signsFalseStatements(_ seed: UInt64) -> Bool { seed % 5 == 0 }

    /// Performs the commands, recovers, and probes the present.
    mutating func run(commands: Int) async throws {
        try await createCustomers()
        try enableFaults()
        for _ in 0..<commands {
            try await pause()
            if random.chance(6) { try await toggleServer() }
            if random.chance(2) { try world.simulator.rotateSigningKey() }
            if random.chance(3) { try await replaceKey() }
            if random.chance(5) { try await changeAdvancedCommerce() }
            let command = try await signed(next())
            if Self.usesVersion1(seed) { changeVersion() }
            // The simulator refuses many random commands.
            do { try await world.simulator.perform(command) } catch is StoreError {}
            if random.chance(10) { try await changeGrants() }
            if random.chance(25) { try await probe() }
        }
        try await world.simulator.advance(by: 3600)
        try await advanceToLastSigning()
        try await recover()
        if !Self.canReconstructPast(seed) { try await DirectLedgerWriter(world: world).refetchAll() }
        probes.append(Probe(date: world.simulator.now, states: world.simulator.states()))
    }

    /// The developer chooses another version of notifications.
    private mutating func changeVersion() {
        guard random.chance(8) else { return }
        world.simulator.configure { $0.notificationVersion = $0.notificationVersion == .one ? .two : .one }
    }

    /// A customer's ID in the server: the app account token of the purchases, or else the name, with which the app
    /// claims the Apple account.
    func customer(_ state: CustomerState) -> String { customer(named: state.customer) }
    func customer(named name: String) -> String { token(name)?.uuidString.lowercased() ?? name }

    private func token(_ name: String) -> UUID? {
        guard let index = random.names.firstIndex(of: name), index.isMultiple(of: 2) else { return nil }
        return UUID(uuidString: "00000000-0000-4000-8000-00000000000\(index)")
    }

    /// Creates customers who got the app before or after it became free.
    private mutating func createCustomers() async throws {
        try await world.simulator.perform(.releaseVersion(version: Self.boundary))
        for name in random.names {
            let version = ["1.9", "1.10", Self.boundary, nil].randomElement(using: &random.random) ?? nil
            try await world.simulator.perform(.createCustomer(customer: name, firstVersion: version))
            versions[name] = .some(version)
        }
    }

    /// Creates or revokes a grant. Records the change only if the server confirms it.
    private mutating func changeGrants() async throws {
        guard !isServerDown else { return }
        let now = try world.server.core.now.milliseconds
        let given = expectedGrants.indices.filter { expectedGrants[$0].revoked == nil }
        if random.chance(40), let index = given.randomElement(using: &random.random) {
            let grant = expectedGrants[index]
            let answer = try await world.call(
                .POST, "/v1/customers/\(grant.customer)/grants/\(grant.id)/revoke", ["reason": "r", "actor": "a"])
            // The server refuses to revoke a grant that has expired.
            if answer.status == 200 { expectedGrants[index].revoked = now }
            return
        }
        let customer = customer(named: random.names.randomElement(using: &random.random) ?? "anna")
        let until = random.chance(70) ? now + .random(in: 1...90, using: &random.random) * 86_400_000 : nil
        var body: [String: Any] = ["entitlement": ExpectedGrant.entitlement, "reason": "r", "actor": "a"]
        if let until { body["until"] = until }
        let answer = try await world.call(.POST, "/v1/customers/\(customer)/grants", body)
        guard let id = answer.text("id") else {
            Issue.record("seed \(seed): the server refuses the grant: \(answer.status) \(answer.text("code") ?? "")")
            return
        }
        expectedGrants.append(ExpectedGrant(customer: customer, id: id, from: now, until: until))
    }

    private mutating func pause() async throws {
        let seconds = max(random.pause(), 0.005)
        let target = world.simulator.now + seconds
        // The App Store keeps its notification history for 180 days, so recovery has to run before that.
        if target.timeIntervalSince(lastRecovery) > 120 * 86_400 { try await recover() }
        try await world.simulator.advance(to: target)
    }

    private mutating func probe() async throws {
        if random.chance(50) {
            try await world.simulator.advance(by: .random(in: 0.002...200_000, using: &random.random))
        }
        try await advanceToLastSigning()
        probes.append(Probe(date: world.simulator.now, states: world.simulator.states()))
        try await world.simulator.advance(by: 0.005)
    }

    /// Advances the clock to the last signing date: statements that are signed later are not known at an instant.
    private func advanceToLastSigning() async throws {
        while let signed = world.simulator.core.read(.production, { store, _ in store.lastSigned }),
            signed > world.simulator.now
        {
            try await world.simulator.advance(to: signed)
        }
    }

    private mutating func next() -> StoreCommand {
        if random.chance(2) { return advancedCommerce() }
        let command = world.simulator.core.read(.production) { store, _ in random.next(store) }
        return command.withAccountToken(token)
    }

    /// Adds the server's signature to a purchase with a promotional offer, if the server runs. Even seeds use the
    /// original format, odd seeds the JWS.
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
            Issue.record("seed \(seed): the server does not sign: \(answer.status) \(answer.text("code") ?? "")")
            return command
        }
        return .purchase(
            customer: customer, product: product, quantity: quantity, offer: offer, introductory: introductory,
            appAccountToken: account, billingPlan: plan, signature: signature)
    }

    /// Requests a change of a subscription through the Advanced Commerce API, if the server runs.
    private mutating func changeAdvancedCommerce() async throws {
        let subscriptions = world.simulator.states().flatMap(\.subscriptions)
        guard !isServerDown, let one = subscriptions.randomElement(using: &random.random),
            let change = AdvancedCommerceChange.allCases.randomElement(using: &random.random)
        else { return }
        try await change.requestDespiteFaults(of: one.transactionID, from: world.appStoreClient())
        try await world.simulator.advance(by: 0.005)
    }

    private mutating func advancedCommerce() -> StoreCommand {
        let name = random.names.randomElement(using: &random.random) ?? "anna"
        return .advancedCommerce(for: name, token(name))
    }
}

extension StoreCommand {
    /// Returns the purchase of an Advanced Commerce subscription.
    static func advancedCommerce(for customer: String, _ token: UUID?) -> StoreCommand {
        .subscribeAdvancedCommerce(
            customer: customer, product: "generic",
            request: .init(
                requestInfo: .init(requestReferenceId: UUID(), appAccountToken: token), currency: "USD",
                descriptors: .init(description: "Everything", displayName: "All"),
                items: [.init(sku: "tv", displayName: "TV", description: "TV", price: 5000)], period: .p1m,
                taxCode: "C003-00-2"))
    }

    /// Returns the command, or another one if the developer would set the account token of a purchase. No notification
    /// says so: the server learns the new owner with the next fact of the purchase.
    var keepingAccount: StoreCommand {
        guard case .setAppAccountToken(let customer, _, let transaction) = self else { return self }
        return .finish(customer: customer, transaction: transaction)
    }

    /// Returns a purchase with the customer's account token, or the command that sets this token; other commands
    /// unchanged.
    func withAccountToken(_ token: (_ customer: String) -> UUID?) -> StoreCommand {
        if case .setAppAccountToken(let customer, _, let transaction) = self, let token = token(customer) {
            return .setAppAccountToken(customer: customer, appAccountToken: token, transaction: transaction)
        }
        guard
            case .purchase(
                let customer, let product, let quantity, let offer, let introductory, _, let plan, _, _, _, let sign) =
                self
        else { return keepingAccount }
        return .purchase(
            customer: customer, product: product, quantity: quantity, offer: offer, introductory: introductory,
            appAccountToken: AppAccountToken(token(customer)), billingPlan: plan, sign: sign)
    }
}

// MARK: - Faults

extension RandomHistory {
    private func enableFaults() throws {
        let faults: [(Fault.Effect, Double)] = [
            (.drop, 0.15), (.delay(seconds: 0.01), 0.1), (.duplicate, 0.15), (.reorder, 0.15), (.unreachable, 0.1),
            (.truncate, 0.08), (.invalidSignature, 0.08), (.wrongChain, 0.05), (.extraFields, 0.1),
        ]
        let falsehoods: [(Fault.Effect, Double)] = [
            (.unknownValues, 0.05), (.clockSkew(seconds: 90), 0.05), (.clockSkew(seconds: -7200), 0.05),
        ]
        for (effect, probability) in faults + (Self.signsFalseStatements(seed) ? falsehoods : []) {
            try world.simulator.add(Fault("notification:*", effect, probability: probability))
        }
        for (effect, probability) in [(Fault.Effect.status(code: 500), 0.05), (.truncate, 0.03), (.drop, 0.03)] {
            try world.simulator.add(Fault("route:*", effect, probability: probability))
        }
    }

    /// Stops the server, or starts it again.
    private mutating func toggleServer() async throws {
        if isServerDown {
            try await world.startServer()
        } else {
            try await world.stopServer()
        }
        isServerDown.toggle()
    }

    /// Adds an In-App Purchase key. The server reads it by a reload or at its next start, and falls back on the former
    /// key. Half of the former keys are revoked.
    private mutating func replaceKey() async throws {
        let former = try keys.add { id in try SigningKey(pem: world.simulator.addAPIKey(id), keyID: id) }
        if !isServerDown {
            let current = try world.configuration()
            try await world.server.reload { current }
        }
        if let former, random.chance(50) { world.simulator.revokeAPIKey(former) }
    }

    /// Starts the server if necessary, and recovers missed notifications without faults.
    private mutating func recover() async throws {
        if isServerDown { try await toggleServer() }
        try world.simulator.removeFault()
        let core = try world.server.core
        try await world.waitUntilIdle()
        try await core.recovery.runNow()
        try await world.waitUntilIdle()
        lastRecovery = world.simulator.now
        try enableFaults()
    }
}
