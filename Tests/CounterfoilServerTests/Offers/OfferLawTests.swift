import AppStoreModels
import CounterfoilServer
import Entitlements
import Foundation
import StoreSimulator
import TestSupport
import Testing

@testable import LedgerServices

/// Compares what the server says about offers with the purchases that the simulator allows.
@Suite struct `Server and simulator agree on offers` {
    @Test func `A customer gets exactly the offers for which the server says that they are eligible`() async throws {
        var (eligible, ineligible): ([OfferLife.Kind: Int], [OfferLife.Kind: Int]) = ([:], [:])
        for seed in 1...3 as ClosedRange<UInt64> {
            let life = try await OfferLife.run(seed: seed)
            eligible.merge(life.eligible, uniquingKeysWith: +)
            ineligible.merge(life.ineligible, uniquingKeysWith: +)
            #expect(life.violations.isEmpty, "seed \(seed):\n\(life.violations.prefix(8).joined(separator: "\n"))")
        }
        for kind in OfferLife.Kind.allCases {
            #expect(eligible[kind] ?? 0 > 0, "\(kind): nobody was eligible")
            #expect(ineligible[kind] ?? 0 > 0, "\(kind): everybody was eligible")
        }
    }
}

/// The random lives of customers who cancel, fail to pay, share with the family and move to another storefront. At
/// times one of them asks the server for an offer, and then buys it.
private struct OfferLife {
    /// An offer, and how it is requested.
    enum Kind: CaseIterable { case introductory, signedIntroductory, promotional, originalPromotional, winBack }

    private let world: World
    private var random: SeededGenerator
    /// How often the server said that a customer is eligible.
    private(set) var eligible: [Kind: Int] = [:]
    /// How often the server said that a customer is not eligible.
    private(set) var ineligible: [Kind: Int] = [:]
    private(set) var violations: [String] = []

    private static let names = ["anna", "ben", "carl"]
    private static let group = "21"

    static func run(seed: UInt64) async throws -> OfferLife {
        try await World.run {
            $0.catalogue = .shop
            $0.seed = seed
            $0.production.gracePeriod = seed.isMultiple(of: 2) ? .sixteenDays : .off
            $0.production.enforcesRateLimits = false
        } server: {
            $0.keys = [World.backend]
            $0.apps[0].catalogue.groups = ["gold": group, "plus": group, "basic": group, "news": "22"]
        } _: { world in
            var life = OfferLife(world, seed: seed)
            try await life.createCustomers()
            for _ in 0..<120 { try await life.step() }
            return life
        }
    }

    private init(_ world: World, seed: UInt64) {
        self.world = world
        random = SeededGenerator(seed: seed)
    }

    /// Creates customers of the app who have bought nothing.
    private func createCustomers() async throws {
        for name in Self.names {
            try await world.simulator.perform(.createCustomer(customer: name))
            let account = try world.simulator.state(of: name).appTransactionID
            try await DirectLedgerWriter(world: world).claim(account, for: Self.customer(name))
        }
    }

    private static func token(_ name: String) -> UUID? {
        UUID(uuidString: "00000000-0000-4000-8000-00000000000\(names.firstIndex(of: name) ?? 9)")
    }

    private static func customer(_ name: String) -> String { token(name)?.uuidString.lowercased() ?? name }

    private mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }
    private mutating func one<T>(_ values: [T]) -> T { values[Int.random(in: values.indices, using: &random)] }

    private mutating func step() async throws {
        let name = one(Self.names)
        let days = chance(50) ? Double.random(in: 0...45, using: &random) : 0
        try await world.simulator.advance(by: 1 + days * 86_400)
        if chance(50) { return try await check(name) }
        let member = one(Self.names)
        switch Int.random(in: 0..<10, using: &random) {
        case 0..<4: try await attempt(.cancel(customer: name))
        case 4, 5:
            let own = try world.simulator.state(of: name).subscriptions.last { $0.inAppOwnershipType == .purchased }
            guard let own else { return }
            try await attempt(.failBilling(customer: name, subscription: own.originalTransactionID))
        case 6: try await attempt(.shareWithFamily(customer: name, member: member))
        case 7: try await attempt(.stopSharing(customer: name, member: member))
        case 8: try await attempt(.approveRefund(customer: name))
        default: try await attempt(.changeStorefront(customer: name, storefront: chance(50) ? "USA" : "DEU"))
        }
    }

    /// Performs a command. Returns nil if the simulator refuses it.
    @discardableResult
    private func attempt(_ command: StoreCommand) async throws -> StoreOutcome? {
        do { return try await world.simulator.perform(command) } catch is StoreError { return nil }
    }

    private mutating func check(_ name: String) async throws {
        try await world.waitUntilIdle()
        let reading = try await world.server.core.customers.customer(
            Self.customer(name), in: world.appEnvironment(), at: nil)
        let kind = one(Kind.allCases)
        switch kind {
        case .introductory, .signedIntroductory: try await checkIntroductory(kind, name, reading.states)
        case .promotional, .originalPromotional: try await checkPromotional(kind, name, reading.states)
        case .winBack: try await checkWinBack(name, reading.states)
        }
    }

    private mutating func compare(_ kind: Kind, _ name: String, _ isEligible: Bool, _ isGiven: Bool) throws {
        if isEligible { eligible[kind, default: 0] += 1 } else { ineligible[kind, default: 0] += 1 }
        guard isEligible != isGiven else { return }
        let summary = try world.simulator.state(of: name).summary
        violations.append("\(kind): eligible \(isEligible), given \(isGiven), to \(name): \(summary)")
    }

    private func payload(_ outcome: StoreOutcome?) -> JWSTransactionDecodedPayload? {
        guard let id = outcome?.transactionID else { return nil }
        return world.simulator.core.read(.production) { store, _ in store.transactions[id]?.payload }
    }

    private mutating func checkIntroductory(_ kind: Kind, _ name: String, _ states: CustomerStates) async throws {
        let (product, group) = chance(50) ? ("plus", Self.group) : ("news", "22")
        let answer = try await world.call(
            .POST, "/v1/customers/\(Self.customer(name))/offers/introductory",
            [
                "product_id": product, "allow": true,
                "transaction_id": try world.simulator.state(of: name).appTransactionID,
            ])
        let isEligible = states.groups.first { $0.subscriptionGroupIdentifier == group }?.isEligibleForIntroductoryOffer
        guard isEligible == (answer.status == 200) else {
            violations.append("\(name), \(product): the state says \(isEligible ?? false), the route \(answer.status)")
            return
        }
        let before = world.simulator.core.read(.production) { store, _ in store.customers[name]?.transactions ?? [] }
        let outcome = try await attempt(
            .purchase(
                customer: name, product: product, appAccountToken: AppAccountToken(Self.token(name)),
                introductorySignature: kind == .signedIntroductory ? answer.text("jws") : nil))
        // A purchase may also pay for a failed renewal, or change what comes after the current period.
        let bought = payload(outcome)
        let isNew = bought.map { $0.transactionReason == .purchase && !before.contains($0.transactionId) } ?? false
        try compare(kind, name, answer.status == 200, isNew && bought?.offerType == .introductory)
    }

    private mutating func checkPromotional(_ kind: Kind, _ name: String, _ states: CustomerStates) async throws {
        let (product, offer) = one([("plus", "loyal"), ("gold", "goldfish"), ("basic", "small")])
        var body: [String: Any] = ["product_id": product, "offer_id": offer]
        if kind == .originalPromotional {
            body["format"] = "original"
            body["app_account_token"] = Self.customer(name)
        }
        let answer = try await world.call(.POST, "/v1/customers/\(Self.customer(name))/offers/promotional", body)
        // The server signs for subscribers of any group: see docs/app.md.
        let hasSubscribed = states.subscriptions.contains {
            $0.ownership == .purchased && $0.subscriptionGroupIdentifier == Self.group
        }
        guard answer.status != 200 || hasSubscribed else { return }
        let outcome = try await attempt(
            .purchase(
                customer: name, product: product, offer: offer, appAccountToken: AppAccountToken(Self.token(name)),
                signature: answer.offerSignature, sign: answer.status == 200 ? nil : true))
        var isGiven = payload(outcome)?.offerIdentifier == offer
        if let original = outcome?.originalTransactionID {
            let next = world.simulator.core.read(.production) { store, now in
                store.subscriptions[original].flatMap { store.renewalInfo(of: $0, at: now).offerIdentifier }
            }
            isGiven = isGiven || next == offer
        }
        try compare(kind, name, answer.status == 200, isGiven)
    }

    private mutating func checkWinBack(_ name: String, _ states: CustomerStates) async throws {
        let offer = "return"
        let isNamed = states.subscriptions.contains { $0.eligibleWinBackOfferIDs.contains(offer) }
        let outcome = try await attempt(
            .purchase(
                customer: name, product: "plus", offer: offer, appAccountToken: AppAccountToken(Self.token(name))))
        try compare(.winBack, name, isNamed, payload(outcome)?.offerIdentifier == offer)
    }
}
