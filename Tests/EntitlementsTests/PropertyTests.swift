import AppStoreModels
import Entitlements
import Foundation
import TestSupport
import Testing

@Suite struct `Properties of the engine for random facts` {
    static let seeds = 0..<400

    @Test(arguments: [0, 1, 2, 3])
    func `States and explanations do not depend on order or repetition of facts`(_ part: UInt64) async {
        for await seed in Yielding(Self.seeds) {
            var random = SeededGenerator(seed: UInt64(seed) * 4 + part)
            let facts = CustomerFacts.random(&random)
            var mixed = facts
            for _ in 0..<3 {
                if let one = facts.transactions.randomElement(using: &random) { mixed.transactions.append(one) }
                if let one = facts.renewals.randomElement(using: &random) { mixed.renewals.append(one) }
            }
            mixed.transactions.shuffle(using: &random)
            mixed.renewals.shuffle(using: &random)
            let date = day(.random(in: -5...150, using: &random))
            #expect(engine.state(of: facts, asOf: date) == engine.state(of: mixed, asOf: date), "seed \(seed)")
            #expect(
                engine.explanation(of: "pro", facts: facts, asOf: date)
                    == engine.explanation(of: "pro", facts: mixed, asOf: date), "seed \(seed)")
        }
    }

    @Test func `A version signed after the instant changes nothing`() async {
        var added = (transactions: 0, renewals: 0)
        for await seed in Yielding(Self.seeds) {
            var random = SeededGenerator(seed: UInt64(seed))
            let facts = CustomerFacts.random(&random)
            let date = day(.random(in: -5...150, using: &random))
            var more = facts
            for fact in CustomerFacts.random(&random, count: 40).transactions
            where fact.signedDate > date
                && facts.transactions.contains(where: {
                    $0.transactionID == fact.transactionID && $0.signedDate <= date
                })
            { more.transactions.append(fact) }
            more.renewals += CustomerFacts.random(&random).renewals.filter { $0.signedDate > date }
            added.transactions += more.transactions.count - facts.transactions.count
            added.renewals += more.renewals.count - facts.renewals.count
            #expect(engine.state(of: facts, asOf: date) == engine.state(of: more, asOf: date), "seed \(seed)")
        }
        #expect(added.transactions > 50 && added.renewals > 50, "\(added)")
    }

    @Test func `Nothing gives access after all known ends`() async {
        var ended = 0
        for await seed in Yielding(Self.seeds) {
            var random = SeededGenerator(seed: UInt64(seed))
            var facts = CustomerFacts.random(&random)
            facts.transactions.removeAll { $0.type == .nonConsumable }
            let ends =
                facts.transactions.map { $0.expiresDate ?? $0.purchaseDate + 40 * 86_400 }
                + facts.renewals.compactMap(\.gracePeriodExpiresDate)
            let state = engine.state(of: facts, asOf: ends.max() ?? day(0))
            #expect(state.entitlements.allSatisfy { !$0.isActive }, "seed \(seed)")
            #expect(state.subscriptions.allSatisfy { !$0.hasAccess && $0.accessUntil == nil }, "seed \(seed)")
            #expect(state.products.allSatisfy { $0.state == .inactive }, "seed \(seed)")
            ended += state.subscriptions.count
        }
        #expect(ended > 100, "\(ended)")
    }

    @Test func `A subscription has access until its accessUntil date and not at that date`() async {
        var (seen, ended, ahead) = (0, 0, 0)
        // Few random periods are paid ahead.
        for await seed in Yielding(0..<2000 as Range<Int>) {
            var random = SeededGenerator(seed: UInt64(seed))
            let now = day(.random(in: 0...120, using: &random))
            var facts = CustomerFacts.random(&random)
            // With all facts signed by now, only time changes the state. Some periods are paid and have not begun.
            facts.transactions.removeAll { max($0.signedDate, $0.revocationDate ?? $0.signedDate) > now }
            facts.renewals.removeAll { $0.signedDate > now }
            for subscription in engine.state(of: facts, asOf: now).subscriptions {
                guard let until = subscription.accessUntil else { continue }
                seen += 1
                if let end = subscription.expiresDate, subscription.status == .active, end != until { ahead += 1 }
                let id = subscription.originalTransactionID
                func access(_ date: Date) -> Bool? {
                    engine.state(of: facts, asOf: date).subscriptions.first { $0.originalTransactionID == id }?
                        .hasAccess
                }
                #expect(until > now)
                #expect(access(until - moment) == true, "seed \(seed)")
                // A grace period may follow an active period.
                guard subscription.status != .active else { continue }
                ended += 1
                #expect(access(until) == false, "seed \(seed)")
            }
        }
        #expect(seen > 30 && ended > 0 && ahead > 0, "\(seen), \(ended), \(ahead)")
    }

    @Test func `Entitlements, products, groups and explanations agree`() async {
        for await seed in Yielding(Self.seeds) {
            var random = SeededGenerator(seed: UInt64(seed))
            let facts = CustomerFacts.random(&random)
            let date = day(.random(in: -5...150, using: &random))
            let state = engine.state(of: facts, asOf: date)
            for entitlement in state.entitlements {
                let products = catalogue.entitlements[entitlement.entitlement] ?? []
                let isActive = state.products.contains { products.contains($0.productID) && $0.state == .active }
                #expect(entitlement.isActive == isActive, "seed \(seed)")
                let why = engine.explanation(of: entitlement.entitlement, facts: facts, asOf: date)
                #expect(why.isActive == isActive, "seed \(seed)")
                #expect(why.until == entitlement.until, "seed \(seed)")
                #expect(why.facts.count { $0.kind == .transaction && $0.role == .decides } <= 1, "seed \(seed)")
                #expect((why.rule == .neverBought) == (entitlement.state == .new), "seed \(seed)")
            }
            for group in state.groups {
                let own = state.subscriptions.filter {
                    $0.subscriptionGroupIdentifier == group.subscriptionGroupIdentifier
                }
                #expect((group.state == .active) == own.contains(where: \.hasAccess), "seed \(seed)")
            }
        }
    }
}

extension CustomerFacts {
    /// Random facts with many versions, equal dates and skewed clocks.
    static func random(_ random: inout SeededGenerator, count: Int = 12) -> CustomerFacts {
        var facts = CustomerFacts()
        for _ in 0..<Int.random(in: 0...count, using: &random) {
            facts.transactions.append(transaction(&random))
            if Bool.random(using: &random) { facts.renewals.append(renewalInfo(&random)) }
        }
        return facts
    }

    private static func transaction(_ random: inout SeededGenerator) -> TransactionFact {
        // The type, original identifier and purchase date of a transaction never change.
        let number = Int.random(in: 1...9, using: &random)
        let from = Double(number * 13 % 100)
        let signed = from + Double(Int.random(in: -1...6, using: &random)) * 10
        let isTakenBack = Int.random(in: 0..<4, using: &random) == 0
        let change: (inout TransactionFact) -> Void = {
            if isTakenBack { $0.revocationDate = day(from + 15) }
            if number == 5 { $0.ownership = .familyShared }
        }
        if number >= 7 {
            let (product, type): (String, ProductType) =
                [("map", .nonConsumable), ("pro.season", .nonRenewingSubscription), ("coins", .consumable)][number - 7]
            return purchase("\(number)", product, type, on: from, signed: signed, change: change)
        }
        let product = ["pro.month", "pro.year", "basic.month"].randomElement(using: &random) ?? ""
        let end = from + Double.random(in: 10...40, using: &random).rounded()
        var fact = period(
            "\(number)", of: number > 4 ? "\(number)" : "1", product, from, end, signed: signed, change: change)
        fact.isUpgraded = Int.random(in: 0..<5, using: &random) == 0
        return fact
    }

    private static func renewalInfo(_ random: inout SeededGenerator) -> RenewalFact {
        let signed = Double(Int.random(in: 0...15, using: &random)) * 10
        let original = ["1", "5", "6"].randomElement(using: &random) ?? ""
        return renewal(of: original, on: signed, renews: Bool.random(using: &random)) {
            $0.isInBillingRetry = Bool.random(using: &random)
            if Bool.random(using: &random) { $0.gracePeriodExpiresDate = day(signed + 16) }
            $0.expirationIntent = Bool.random(using: &random) ? .billingError : nil
        }
    }
}
