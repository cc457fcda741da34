import AppStoreModels
import Entitlements
import Foundation
import Ledger
import Testing

@Suite struct `The record of a purchase` {
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

    /// A version after one that was signed at 1000.
    struct Case: CustomTestStringConvertible, Sendable {
        var testDescription: String
        var signed: Milliseconds
        var isReceipt = false
        var wasReceipt = false
        var isAhead = false
        var wins: Bool
    }

    static let cases = [
        Case(testDescription: "a newer one wins", signed: 1001, wins: true),
        Case(testDescription: "an older one does not", signed: 999, isAhead: true, wins: false),
        Case(testDescription: "of one date that whose text goes first", signed: 1000, isAhead: true, wins: true),
        Case(testDescription: "of one date that which is there", signed: 1000, wins: false),
        Case(
            testDescription: "a receipt never replaces what was signed", signed: 5000, isReceipt: true, isAhead: true,
            wins: false),
        Case(testDescription: "what was signed replaces a receipt", signed: 1, wasReceipt: true, wins: true),
        Case(
            testDescription: "of two receipts the newer one wins", signed: 1001, isReceipt: true, wasReceipt: true,
            wins: true),
        Case(
            testDescription: "of two receipts the older one does not", signed: 999, isReceipt: true, wasReceipt: true,
            wins: false),
    ]

    @Test(arguments: cases) func `keeps one version of a transaction`(_ it: Case) throws {
        var record = LineageRecord("o")
        let first = try record.put(Self.transaction(), Self.source(1))
        #expect(first.isNews)
        let outcome = try record.put(
            Self.transaction(signed: it.signed),
            Self.source(2, isReceipt: it.isReceipt, wasReceipt: it.wasReceipt, isAhead: it.isAhead))
        #expect(outcome.isNews == it.wins)
        #expect(outcome.replaced == (it.wins ? 1 : nil))
        #expect(record.sources == [it.wins ? 2 : 1])
        #expect(record.lineage.transactions.map(\.signedDate.milliseconds) == [it.wins ? it.signed : 1000])
    }

    @Test func `has its transactions in the order of their identifiers, whatever came first`() throws {
        for order in [["1", "10", "2"], ["2", "10", "1"], ["10", "1", "2"]] {
            var record = LineageRecord("o")
            for (index, id) in order.enumerated() {
                _ = try record.put(Self.transaction(id), Self.source(Int64(index)))
            }
            #expect(record.lineage.transactions.map(\.transactionID) == ["1", "10", "2"])
            #expect(record.sources == ["1", "10", "2"].compactMap { order.firstIndex(of: $0).map(Int64.init) })
        }
    }

    @Test func `is of the account that the latest purchase names, and of the last Apple account`() throws {
        let (anna, ben) = (UUID(), UUID())
        let facts = [
            Self.transaction("1", bought: 10, account: anna, appTransaction: "b"),
            Self.transaction("2", bought: 20, account: ben, appTransaction: "a"), Self.transaction("3", bought: 30),
            Self.transaction("4", bought: 15, account: anna),
        ]
        for facts in [facts, facts.reversed()] {
            var record = LineageRecord("o")
            for (index, fact) in facts.enumerated() { _ = try record.put(fact, Self.source(Int64(index))) }
            #expect(record.lineage.appAccountToken == ben)
            #expect(record.lineage.appTransactionID == "b")
        }
    }

    @Test func `forgets the account of a version that was replaced`() throws {
        var record = LineageRecord("o")
        _ = try record.put(Self.transaction(account: UUID()), Self.source(1))
        _ = try record.put(Self.transaction(signed: 2000), Self.source(2))
        #expect(record.lineage.appAccountToken == nil)
    }

    @Test func `notes each notification once, with its latest date, in the order of their numbers`() {
        var record = LineageRecord("o")
        let news = [(5, 100), (2, 300), (9, 200), (5, 400), (5, 50)].map { number, date in
            record.addMention(of: Int64(number), signedDate: Milliseconds(date))
        }
        #expect(news == [true, true, true, false, false])
        #expect(record.mentions.map(\.notification) == [2, 5, 9])
        #expect(record.mentions.map(\.signedDate) == [300, 400, 200])
    }

    @Test func `knows what is late by the newest notification, whatever its number`() {
        var record = LineageRecord("o")
        #expect(!record.isLate(signedDate: 0))
        _ = record.addMention(of: 5, signedDate: 300)
        _ = record.addMention(of: 9, signedDate: 200)
        #expect([299, 300, 301].map { record.isLate(signedDate: $0) } == [true, false, false])
    }

    @Test func `is not read from what does not fit together`() {
        let lineage = Lineage(originalTransactionID: "o", transactions: [Self.transaction()])
        #expect(LineageRecord(lineage, sources: [], renewalSource: nil, mentions: []) == nil)
        #expect(LineageRecord(lineage, sources: [1], renewalSource: 1, mentions: []) == nil)
        #expect(LineageRecord(lineage, sources: [1], renewalSource: nil, mentions: []) != nil)
    }
}
