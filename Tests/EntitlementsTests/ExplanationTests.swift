import AppStoreModels
import Entitlements
import Foundation
import Testing

@Suite struct `An explanation` {
    func why(_ transactions: [TransactionFact], _ renewals: [RenewalFact] = [], on date: Date) -> Explanation {
        why("pro", transactions, renewals, on: date)
    }

    func why(
        _ entitlement: String, _ transactions: [TransactionFact], _ renewals: [RenewalFact] = [], on date: Date
    ) -> Explanation {
        engine.explanation(
            of: entitlement, facts: CustomerFacts(transactions: transactions, renewals: renewals), asOf: date)
    }

    @Test func `An explanation names the rule of a subscription's state`() {
        let month = [period("1", 0, 30)]
        #expect(why(month, on: day(1)).rule == .subscriptionActive)
        #expect(why(month, [failure(on: 30, grace: 46)], on: day(31)).rule == .gracePeriod)
        #expect(why(month, [failure(on: 30)], on: day(31)).rule == .billingRetry)
        #expect(why(month, on: day(31)).rule == .expired)
        #expect(why([period("1", 0, 30) { $0.refund(on: 1) }], on: day(2)).rule == .refunded)
        #expect(
            why(
                [
                    period("1", 0, 30) {
                        $0.refund(on: 1)
                        $0.ownership = .familyShared
                    }
                ], on: day(2)
            ).rule == .revoked)
        let upgraded = [period("1", 0, 30), period("2", "other", 5, 35)]
        #expect(why(upgraded, on: day(6)).rule == .replacedByUpgrade)
        #expect(why([period("1", 0, 30), period("2", "other", 30, 60)], on: day(31)).rule == .changedProduct)
    }

    @Test func `An explanation names the rule of other purchases and of missing ones`() {
        #expect(why("map", [purchase("1", "map", .nonConsumable, on: 0)], on: day(1)).rule == .nonConsumableOwned)
        let season = [purchase("1", "pro.season", .nonRenewingSubscription, on: 0)]
        #expect(why(season, on: day(1)).rule == .durationRunning)
        #expect(why(season, on: day(40)).rule == .durationOver)
        #expect(why([], on: day(1)).rule == .neverBought)
        #expect(why("tea", [], on: day(1)).rule == .unknownEntitlement)
    }

    @Test func `An explanation does not ask for a purchase of an entitlement that is only granted`() {
        let engine = EntitlementEngine(catalogue: ProductCatalogue(entitlements: ["beta": []]))
        let ended = GrantFact(id: "g", entitlement: "beta", from: day(0), until: day(1))
        let cases: [([GrantFact], String)] = [
            ([], ""), ([ended], " The team's grant ended on 2023-11-15T22:13:20Z."),
        ]
        for (grants, remark) in cases {
            let why = engine.explanation(of: "beta", facts: CustomerFacts(grants: grants), asOf: day(2))
            #expect(why.rule == .neverBought)
            #expect(why.sentence == "No product gives the entitlement." + remark)
        }
    }

    @Test func `An explanation names a purchase that gives no access because its type is unknown`() {
        let rental = purchase("1", "map", ProductType(rawValue: "Rental"), on: 0)
        let alone = why("map", [rental], on: day(1))
        #expect(!alone.isActive && alone.rule == .neverBought)
        #expect(alone.sentence.contains("map was bought on "))
        #expect(alone.sentence.hasSuffix(#"this version does not know its type "Rental", so it gives no access."#))
        let both = [rental, purchase("2", "map", .nonConsumable, on: 0)]
        #expect(!why("map", both, on: day(1)).sentence.contains("Rental"))
    }

    @Test func `An explanation names a grant only if no purchase gives access for longer`() {
        func why(_ bought: [TransactionFact], grantedUntil end: Double?) -> Explanation {
            let grant = GrantFact(id: "g", entitlement: "basic", from: day(0), until: end.map(day))
            let facts = CustomerFacts(transactions: bought, grants: [grant])
            return engine.explanation(of: "basic", facts: facts, asOf: day(1))
        }
        // The product of the higher level represents the entitlement, and the other one lasts longer.
        let both = [period("1", 0, 30), period("2", of: "2", "basic.month", 0, 90)]
        for end in [20.0, 60] {
            #expect(why(both, grantedUntil: end).rule == .subscriptionActive)
            #expect(why(both, grantedUntil: end).until == day(90))
        }
        #expect(why(both, grantedUntil: 120).rule == .granted)
        #expect(why(both, grantedUntil: 120).until == day(120))
        #expect(why(both, grantedUntil: nil).sentence == "The team granted it without an end.")
        let lasting = [period("1", 0, 30), purchase("2", "basic.month", .nonConsumable, on: 0)]
        #expect(why(lasting, grantedUntil: 60).rule == .subscriptionActive)
        #expect(why([], grantedUntil: 60).rule == .granted)
    }

    @Test func `An explanation says when a grant ended, unless a purchase gave access for longer`() {
        func sentence(_ grants: [GrantFact], after bought: [TransactionFact] = [], on date: Double) -> String {
            let facts = CustomerFacts(transactions: bought, grants: grants)
            return engine.explanation(of: "basic", facts: facts, asOf: day(date)).sentence
        }
        func grant(until end: Double?, revoked: Double? = nil) -> GrantFact {
            GrantFact(
                id: "g", entitlement: "basic", from: day(0), until: end.map(day), revokedAt: revoked.map(day))
        }
        let none = "No product that gives the entitlement was bought."
        #expect(sentence([grant(until: 5)], on: -1) == none)
        #expect(sentence([grant(until: 5)], on: 4) == "The team granted it until 2023-11-19T22:13:20Z.")
        let ended = "The team's grant ended on 2023-11-19T22:13:20Z."
        #expect(sentence([grant(until: 5)], on: 9) == "\(none) \(ended)")
        #expect(sentence([grant(until: 2), grant(until: 5)], on: 9) == "\(none) \(ended)")
        let revoked = "The team revoked its grant on 2023-11-17T22:13:20Z."
        #expect(sentence([grant(until: 5, revoked: 3)], on: 9) == "\(none) \(revoked)")
        #expect(sentence([grant(until: nil, revoked: 3)], on: 9) == "\(none) \(revoked)")
        let expired = "The subscription to pro.month ended on 2023-12-14T22:13:20Z."
        #expect(sentence([grant(until: 5)], after: [period("1", 0, 30)], on: 41) == expired)
        #expect(
            sentence([grant(until: 40)], after: [period("1", 0, 30)], on: 41)
                == "\(expired) The team's grant ended on 2023-12-24T22:13:20Z.")
    }

    @Test func `An explanation names products that the customer has and that give no entitlement`() {
        let none = "No product that gives the entitlement was bought."
        let plus = [period("1", "plus.month", 0, 30)]
        #expect(
            why(plus, on: day(1)).sentence
                == "\(none) The customer has plus.month, for which no entitlement is configured.")
        #expect(why(plus, on: day(31)).sentence == none)
        let extras = (1...5).map { purchase("\($0)", "extra.\($0)", .nonConsumable, on: 0) }
        #expect(
            why(extras, on: day(1)).sentence
                == "\(none) The customer has extra.1, extra.2, extra.3 and 2 more, for which no entitlement is configured."
        )
        // The map gives another entitlement, and consumables give none.
        let others = [purchase("1", "map", .nonConsumable, on: 0), purchase("2", "coins", .consumable, on: 0)]
        #expect(why(others, on: day(1)).sentence == none)
    }

    @Test func `An explanation names the end of an upgrade, also after the replaced period would have ended`() {
        func why(_ transactions: [TransactionFact], on date: Double) -> Explanation {
            self.why("basic", transactions, on: day(date))
        }
        // Both products give the entitlement, and the old transaction was never signed again.
        let refunded = [
            period("1", "basic.month", 0, 30), period("2", 3, 33) { $0.reason = .purchase },
            period("2", 3, 33) { $0.refund(on: 4) },
        ]
        for date in [5.0, 29, 31, 34] {
            #expect(why(refunded, on: date).rule == .refunded)
            #expect(why(refunded, on: date).sentence == "pro.month was refunded on 2023-11-18T22:13:20Z.")
        }
        let expired = [period("1", "basic.month", 0, 365), period("2", 10, 40)]
        for date in [50.0, 366] {
            #expect(why(expired, on: date).sentence == "The subscription to pro.month ended on 2023-12-24T22:13:20Z.")
        }
        // A renewal that was paid for in advance, and replaced before it began.
        let ahead = [
            period("1", "basic.month", 0, 30),
            period("2", "basic.month", 30, 60, signed: 29.5) { $0.reason = .renewal },
            period("3", 29.7, 59.7) { $0.reason = .purchase },
        ]
        let info = renewal(on: 29.7) { $0.renewalDate = day(59.7) }
        for date in [59.8, 61] {
            let explanation = self.why("basic", ahead, [info], on: day(date))
            #expect(explanation.rule == .expired && explanation.transactionID == "3")
        }
        // One that was refunded before it began.
        let never = [
            period("1", 0, 31), period("2", "basic.month", 30, 60, signed: 29.5) { $0.revocationDate = day(29.6) },
        ]
        #expect(states(never, on: day(30.5)).product("basic.month").details == [.refunded])
        // Other products do not give the entitlement.
        let replaced = [period("1", 0, 30), period("2", "other", 5, 35)]
        #expect(why(replaced, on: 31).rule == .replacedByUpgrade)
        #expect(
            why(replaced, on: 36).sentence
                == "pro.month was replaced on 2023-11-19T22:13:20Z by other, which does not give the entitlement.")
        #expect(states(replaced, on: day(36)).product("pro.month").endedDate == day(5))
        // Another purchase that ended earlier does not explain the end.
        let season = purchase("9", "pro.season", .nonRenewingSubscription, on: -40)
        #expect(self.why([season] + replaced, on: day(6)).rule == .replacedByUpgrade)
        // A renewal with another product replaces nothing, even if it begins a moment early.
        let renewed = [period("1", 0, 30), period("2", "other", 29.99, 60) { $0.reason = .renewal }]
        #expect(why(renewed, on: 31).rule == .changedProduct)
        #expect(states(renewed, on: day(31)).product("pro.month").endedDate == day(29.99))
    }

    @Test func `An explanation names the last product of a subscription that moved to Advanced Commerce`() {
        let facts = [
            period("1", 0, 30), period("2", "pro.year", 5, 370),
            period("5", of: "5", "generic", 100, 465) { $0.previousOriginalTransactionID = "1" },
        ]
        let explanation = why(facts, on: day(101))
        #expect(explanation.rule == .replacedByUpgrade && explanation.productID == "pro.year")
        #expect(
            explanation.sentence
                == "pro.year was replaced by another subscription, which does not give the entitlement.")
        #expect(states(facts, on: day(101)).entitlement("pro")?.transactionID == "2")
    }

    @Test func `An explanation lists every fact with its role`() {
        let facts = [
            period("1", 0, 30), period("1", 0, 30) { $0.refund(on: 31) }, period("2", 30, 60),
            period("2", 30, 70, signed: 65), period("3", "pro.year", 40, 400), period("4", 500, 530),
            period("5", of: "5", 0, 90) { $0.ownership = .familyShared }, period("6", of: "6", 0, 20),
            purchase("7", "pro.lifetime", .nonConsumable, on: 0) { $0.refund(on: 1) },
            purchase("8", "pro.lifetime", .nonConsumable, on: 0), purchase("9", "coins", .consumable, on: 0),
            purchase("99", "pro.season", .consumable, on: 0),
        ]
        let infos = [renewal(on: 0), renewal(on: 40), renewal(on: 66), renewal(of: "5", on: 0)]
        let factRoles = why(facts, infos, on: day(50)).facts
        let roles = factRoles.map {
            "\($0.identifier)@\(Int($0.signedDate.timeIntervalSince(day(0)) / 86_400)) \($0.role.rawValue)"
        }
        #expect(
            roles == [
                "1@0 older_version", "1@31 taken_back", "2@30 earlier_period", "2@65 signed_later", "3@40 decides",
                "4@500 not_yet", "5@0 goes_behind", "6@0 over", "7@1 taken_back", "8@0 goes_behind",
                "99@0 never_entitles", "1@0 older_version", "1@40 decides", "1@66 signed_later",
                "5@0 other_subscription",
            ])
        #expect(factRoles.prefix(11).allSatisfy { $0.kind == .transaction })
        #expect(factRoles.suffix(4).allSatisfy { $0.kind == .renewalInfo })
    }

    @Test func `An explanation gives roles to upgrades, other products, later periods and earlier renewal infos`() {
        let upgraded = [
            period("1", 0, 30) { $0.isUpgraded = true }, period("2", "pro.year", 5, 35),
            period("3", 35, 65, signed: 34.5),
        ]
        #expect(why(upgraded, on: day(34.6)).facts.map(\.role) == [.upgraded, .decides, .laterPeriod])
        // The replaced renewal was charged ahead and not signed again.
        let charged = [
            period("1", 0, 30) { $0.reason = .purchase }, period("2", 30, 60, signed: 29.5) { $0.reason = .renewal },
            period("3", "pro.year", 29.7, 394.7) { $0.reason = .purchase },
        ]
        for date in [29.8, 45] {
            #expect(why(charged, on: day(date)).facts.map(\.role) == [.earlierPeriod, .upgraded, .decides])
        }
        let left = [period("1", 0, 30), period("2", "other", 30, 60)]
        #expect(
            why(left, [renewal(on: 0)], on: day(31)).facts.map(\.role) == [.decides, .otherProduct, .earlierPeriod])
    }
}
