import AppStoreModels
import Entitlements
import Foundation
import Ledger
import Testing

@Suite struct `Lineage records` {
    private static func transaction(
        _ id: String = "t", signed: Milliseconds = 1000, bought: Milliseconds = 0, account: UUID? = nil,
        appTransaction: String? = nil, revoked: Bool = false
    ) -> TransactionFact {
        TransactionFact(
            transactionID: id, originalTransactionID: "o", productID: "gold", type: .autoRenewableSubscription,
            purchaseDate: Date(milliseconds: bought), signedDate: Date(milliseconds: signed),
            revocationDate: revoked ? Date(milliseconds: signed) : nil, appAccountToken: account,
            appTransactionID: appTransaction)
    }

    private static func source(
        _ id: Int64, isReceipt: Bool = false, wasReceipt: Bool = false, isAhead: Bool = false
    ) -> LineageRecord.Source {
        .init(id: id, isReceipt: isReceipt, wasReceipt: { _ in wasReceipt }) { _ in isAhead }
    }

    /// A version that is added after one signed at 1000.
    struct Case: CustomTestStringConvertible, Sendable {
        var testDescription: String
        var signed: Milliseconds
        var isReceipt = false
        var wasReceipt = false
        var isAhead = false
        var wins: Bool
    }

    static let cases = [
        Case(testDescription: "the newer version wins", signed: 1001, wins: true),
        Case(testDescription: "the older version loses", signed: 999, isAhead: true, wins: false),
        Case(testDescription: "same date: the text that sorts first wins", signed: 1000, isAhead: true, wins: true),
        Case(testDescription: "same date: the existing version wins", signed: 1000, wins: false),
        Case(
            testDescription: "a receipt never replaces signed data", signed: 5000, isReceipt: true, isAhead: true,
            wins: false),
        Case(testDescription: "signed data replace a receipt", signed: 1, wasReceipt: true, wins: true),
        Case(
            testDescription: "the newer receipt wins", signed: 1001, isReceipt: true, wasReceipt: true,
            wins: true),
        Case(
            testDescription: "the older receipt loses", signed: 999, isReceipt: true, wasReceipt: true,
            wins: false),
    ]

    @Test(arguments: cases) func `A lineage record has one version of a transaction`(_ testCase: Case) throws {
        var record = LineageRecord("o")
        let first = try record.add(Self.transaction(), Self.source(1))
        #expect(first.isNew)
        let outcome = try record.add(
            Self.transaction(signed: testCase.signed),
            Self.source(2, isReceipt: testCase.isReceipt, wasReceipt: testCase.wasReceipt, isAhead: testCase.isAhead))
        #expect(outcome.isNew == testCase.wins)
        #expect(outcome.replaced == (testCase.wins ? 1 : nil))
        #expect(record.sources == [testCase.wins ? 2 : 1])
        #expect(record.lineage.transactions.map(\.signedDate.milliseconds) == [testCase.wins ? testCase.signed : 1000])
    }

    @Test func `A lineage record sorts its transactions by identifier, in any order of arrival`() throws {
        for order in [["1", "10", "2"], ["2", "10", "1"], ["10", "1", "2"]] {
            var record = LineageRecord("o")
            for (index, id) in order.enumerated() {
                _ = try record.add(Self.transaction(id), Self.source(Int64(index)))
            }
            #expect(record.lineage.transactions.map(\.transactionID) == ["1", "10", "2"])
            #expect(record.sources == ["1", "10", "2"].compactMap { order.firstIndex(of: $0).map(Int64.init) })
        }
    }

    @Test func `A lineage has the app account token of the latest purchase and the newest Apple account`() throws {
        let (anna, ben) = (UUID(), UUID())
        let facts = [
            Self.transaction("1", bought: 10, account: anna, appTransaction: "b"),
            Self.transaction("2", bought: 20, account: ben, appTransaction: "a"), Self.transaction("3", bought: 30),
            Self.transaction("4", bought: 15, account: anna),
        ]
        for facts in [facts, facts.reversed()] {
            var record = LineageRecord("o")
            for (index, fact) in facts.enumerated() { _ = try record.add(fact, Self.source(Int64(index))) }
            #expect(record.lineage.appAccountToken == ben)
            #expect(record.lineage.appTransactionID == "b")
        }
    }

    @Test func `A replaced version's app account token is removed`() throws {
        var record = LineageRecord("o")
        _ = try record.add(Self.transaction(account: UUID()), Self.source(1))
        _ = try record.add(Self.transaction(signed: 2000), Self.source(2))
        #expect(record.lineage.appAccountToken == nil)
    }

    @Test func `A lineage record lists each notification once, with its latest date, by number`() {
        var record = LineageRecord("o")
        let isNew = [(5, 100), (2, 300), (9, 200), (5, 400), (5, 50)].map { number, date in
            record.addMention(of: Int64(number), signedDate: Milliseconds(date))
        }
        #expect(isNew == [true, true, true, false, false])
        #expect(record.mentions.map(\.notification) == [2, 5, 9])
        #expect(record.mentions.map(\.signedDate) == [300, 400, 200])
    }

    @Test func `A notification is late if a newer one about the purchase is known`() {
        var record = LineageRecord("o")
        #expect(!record.isLate(signedDate: 0))
        _ = record.addMention(of: 5, signedDate: 300)
        _ = record.addMention(of: 9, signedDate: 200)
        #expect([299, 300, 301].map { record.isLate(signedDate: $0) } == [true, false, false])
    }

    @Test func `A lineage record has the last grace period that a notification named, in any order of arrival`() throws
    {
        func info(_ signed: Milliseconds, paidUntil: Milliseconds, grace: Milliseconds? = nil) -> RenewalFact {
            RenewalFact(
                originalTransactionID: "o", productID: "gold", autoRenewProductID: "gold", willRenew: true,
                isInBillingRetry: true, gracePeriodExpiresDate: grace.map { Date(milliseconds: $0) },
                renewalDate: Date(milliseconds: paidUntil), signedDate: Date(milliseconds: signed))
        }
        let last = info(46, paidUntil: 40)
        let infos: [(source: Int64, info: RenewalFact)] = [
            (1, info(10, paidUntil: 10, grace: 56)), (2, info(40, paidUntil: 40, grace: 45)),
            (3, info(41, paidUntil: 40, grace: 46)), (4, last),
            // A text that is not a notification is deleted when a newer one replaces it.
            (-5, info(42, paidUntil: 40, grace: 47)),
        ]
        for order in [infos, infos.reversed()] {
            var record = LineageRecord("o")
            for (source, info) in order { _ = try record.add(info, Self.source(source)) }
            #expect(record.lineage.renewal == last)
            let period = record.lineage.gracePeriod
            #expect(period?.start.milliseconds == 40 && period?.end.milliseconds == 46)
            #expect(record.lineage.facts().gracePeriods.first == period)
        }
    }

    @Test func `A lineage record is not created from inconsistent parts`() {
        let lineage = Lineage(originalTransactionID: "o", transactions: [Self.transaction()])
        #expect(LineageRecord(lineage, sources: [], renewalSource: nil, mentions: []) == nil)
        #expect(LineageRecord(lineage, sources: [1], renewalSource: 1, mentions: []) == nil)
        #expect(LineageRecord(lineage, sources: [1], renewalSource: nil, mentions: []) != nil)
    }
}
