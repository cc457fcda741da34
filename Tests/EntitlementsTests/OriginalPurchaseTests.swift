import AppStoreModels
import Entitlements
import Foundation
import Testing

@Suite struct `Entitlements of early customers` {
    private static let version = OriginalPurchaseRule(version: AppVersion("2.0"))
    private static let date = OriginalPurchaseRule(date: day(0))
    private static let both = OriginalPurchaseRule(version: AppVersion("2.0"), date: day(0))

    private static func fact(_ version: String?, _ date: Double?, test: Bool = false) -> OriginalPurchaseFact {
        OriginalPurchaseFact(
            applicationVersion: version, purchaseDate: date.map { day($0) }, signedDate: day(50), isTestData: test)
    }

    private static func state(
        _ rule: OriginalPurchaseRule, _ facts: [OriginalPurchaseFact], _ transactions: [TransactionFact] = [],
        on date: Date = day(60)
    ) throws -> EntitlementState {
        let all = CustomerFacts(transactions: transactions, originalPurchases: facts)
        return try #require(engine(rule).state(of: all, asOf: date).entitlement("pro"))
    }

    private static func engine(_ rule: OriginalPurchaseRule) -> EntitlementEngine {
        EntitlementEngine(
            catalogue: ProductCatalogue(entitlements: ["pro": ["pro.month"]], originalPurchaseRules: ["pro": rule]))
    }

    @Test func `The original purchase rule compares version and date with its limits`() throws {
        let cases: [(OriginalPurchaseRule, OriginalPurchaseFact, OriginalPurchaseFinding)] = [
            (Self.version, Self.fact("1.9", 10), .before), (Self.version, Self.fact("1.99999", nil), .before),
            (Self.version, Self.fact("2.0b1", nil), .before), (Self.version, Self.fact("2", -9), .notBefore),
            (Self.version, Self.fact("2.0.0", nil), .notBefore), (Self.version, Self.fact("10", nil), .notBefore),
            (Self.date, Self.fact("9", -moment), .before), (Self.date, Self.fact("1", 0), .notBefore),
            (Self.date, OriginalPurchaseFact(purchaseDate: day(0) - moment, signedDate: day(1)), .before),
            (Self.both, Self.fact("1.9", -1), .before), (Self.both, Self.fact("1.9", 0), .notBefore),
            (Self.both, Self.fact("2.0", -1), .notBefore),
        ]
        for (rule, fact, finding) in cases {
            #expect(rule.finding(in: [fact], asOf: day(60)) == finding, "\(fact)")
            #expect(try Self.state(rule, [fact]).isActive == (finding == .before), "\(fact)")
        }
    }

    @Test func `Without usable app transaction data the original purchase is unknown`() throws {
        let cases: [(OriginalPurchaseRule, [OriginalPurchaseFact], OriginalPurchaseFinding)] = [
            (Self.version, [], .noFacts), (Self.version, [Self.fact(nil, -9)], .versionUnknown),
            (Self.version, [Self.fact("later", -9)], .versionUnknown),
            (Self.date, [Self.fact("1", nil)], .dateUnknown), (Self.both, [Self.fact("1", nil)], .dateUnknown),
            (Self.both, [Self.fact(nil, -1)], .versionUnknown),
            (Self.version, [Self.fact("1.0", -900, test: true)], .testData),
        ]
        for (rule, facts, finding) in cases {
            #expect(rule.finding(in: facts, asOf: day(60)) == finding)
            let state = try Self.state(rule, facts)
            #expect(!state.isActive && state.state == .new && state.details == [.originalPurchaseUnknown])
        }
        // If one condition fails, the rule fails whatever the other one is.
        #expect(Self.both.finding(in: [Self.fact("2.0", nil)], asOf: day(60)) == .notBefore)
        #expect(Self.both.finding(in: [Self.fact(nil, 0)], asOf: day(60)) == .notBefore)
    }

    @Test func `Test data counts for the original purchase only if the rule says so`() throws {
        var rule = Self.version
        rule.countsTestData = true
        #expect(try Self.state(rule, [Self.fact("1.0", -900, test: true)]).isActive)
    }

    @Test func `The best original purchase of several Apple accounts counts, if known at the instant`() throws {
        let accounts = [Self.fact("3", 5), Self.fact("1", -5), Self.fact(nil, -3)]
        for facts in [accounts, accounts.reversed()] {
            #expect(Self.version.finding(in: facts, asOf: day(60)) == .before)
            #expect(try Self.state(Self.version, facts).isActive)
        }
        #expect(Self.version.finding(in: [accounts[0], accounts[2]], asOf: day(60)) == .versionUnknown)
        #expect(Self.version.finding(in: accounts, asOf: day(-6)) == .noFacts)
    }

    @Test func `The original purchase does not depend on the order of the facts`() throws {
        func original(_ facts: [OriginalPurchaseFact]) -> OriginalPurchaseFact? {
            Self.engine(Self.version).state(of: CustomerFacts(originalPurchases: facts), asOf: day(60)).originalPurchase
        }
        // Versions that are only canonically equivalent, and data that only the environment distinguishes.
        let pairs = [
            [Self.fact("1\u{E9}", 0), Self.fact("1e\u{301}", 0)], [Self.fact("1", 0), Self.fact("1", 0, test: true)],
        ]
        for pair in pairs {
            let (one, other) = (try #require(original(pair)), try #require(original(pair.reversed())))
            #expect(one.isTestData == other.isTestData)
            #expect(one.applicationVersion?.unicodeScalars.count == other.applicationVersion?.unicodeScalars.count)
        }
    }

    @Test func `An early original purchase gives lasting access, beside other purchases`() throws {
        let month = [period("1", 0, 30)]
        let early = [Self.fact("1", -9)]
        let both = try Self.state(Self.version, early, month, on: day(1))
        #expect(both.isActive && both.until == nil && both.details == [.qualifyingOriginalPurchase])
        #expect(both.productID == "pro.month" && both.transactionID == "1")
        let after = try Self.state(Self.version, early, month, on: day(31))
        #expect(after.isActive && after.state == .active && after.until == nil && after.productID == nil)
        let late = try Self.state(Self.version, [Self.fact("2", -9)], month, on: day(31))
        #expect(!late.isActive && late.details == [.expired])
    }

    @Test func `The explanation states whether the original purchase was early enough`() throws {
        func why(_ facts: [OriginalPurchaseFact], _ transactions: [TransactionFact] = []) -> Explanation {
            Self.engine(Self.version).explanation(
                of: "pro", facts: CustomerFacts(transactions: transactions, originalPurchases: facts), asOf: day(1))
        }
        let early = why([Self.fact("1.9", -9)], [period("1", 0, 30)])
        #expect(early.rule == .qualifyingOriginalPurchase && early.isActive && early.until == nil)
        #expect(early.originalPurchase?.finding == .before && early.facts.count == 1)
        #expect(early.sentence.hasPrefix("The customer first got the app at version 1.9 on 2023-11-05"))
        let late = why([Self.fact("2.0", -9)])
        #expect(late.rule == .neverBought && late.originalPurchase?.finding == .notBefore)
        #expect(late.sentence.contains("at version 2.0") && late.sentence.hasSuffix("which is not early enough."))
        #expect(why([]).sentence.hasSuffix("no app transaction was reported."))
        let subscriber = why([], [period("1", 0, 30)])
        #expect(subscriber.rule == .subscriptionActive && !subscriber.sentence.contains("app transaction"))
    }
}
