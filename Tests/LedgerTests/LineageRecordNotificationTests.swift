import AppStoreModels
import Entitlements
import Foundation
import Ledger
import Testing

@Suite struct `Notifications in lineage records` {
    /// Returns a notification with the number 7 about these purchases.
    private static func notification(transaction: String?, renewal: String?) -> ProcessedNotification {
        ProcessedNotification(
            id: 7, scope: 1, uuid: "n", type: .didRenew, signedDate: 100,
            transaction: transaction.map { Self.transaction(of: $0, signed: 100) },
            renewal: renewal.map {
                RenewalFact(
                    originalTransactionID: $0, productID: "gold", autoRenewProductID: "gold", willRenew: true,
                    signedDate: Date(milliseconds: 100))
            }, processedAt: 100)
    }

    private static func transaction(of original: String, signed: Milliseconds) -> TransactionFact {
        TransactionFact(
            transactionID: "t", originalTransactionID: original, productID: "gold", type: .autoRenewableSubscription,
            purchaseDate: Date(milliseconds: 0), signedDate: Date(milliseconds: signed))
    }

    private static func source(_ id: Int64) -> LineageRecord.Source { .init(id: id) { _ in false } }

    @Test(
        arguments: [
            (nil, nil, []), ("o", nil, ["o"]), (nil, "o", ["o"]), ("o", "o", ["o"]), ("o", "p", ["o", "p"]),
        ] as [(String?, String?, [String])])
    func `A notification changes the records of the purchases that its facts name, each once`(
        _ transaction: String?, _ renewal: String?, _ originals: [String]
    ) {
        #expect(Self.notification(transaction: transaction, renewal: renewal).originals == originals)
    }

    @Test func `Each record gets the facts about its purchase, and the first lists the notification`() throws {
        let notification = Self.notification(transaction: "o", renewal: "p")
        var (first, second) = (LineageRecord("o"), LineageRecord("p"))
        var outcome = NotificationOutcome()
        try first.add(notification, Self.source(7), &outcome)
        try second.add(notification, Self.source(7), &outcome)
        #expect(first.mentions.map(\.notification) == [7])
        #expect(first.lineage.transactions.count == 1 && first.lineage.renewal == nil)
        #expect(second.mentions.isEmpty)
        #expect(second.lineage.transactions.isEmpty && second.lineage.renewal != nil)
        #expect(outcome.isNew && !outcome.isLate && outcome.replaced.isEmpty)
        #expect(outcome.lineage == first.lineage && outcome.former == LineageRecord("o").lineage)
    }

    @Test func `A notification is new once, and late after a newer one; what it replaces is named`() throws {
        let notification = Self.notification(transaction: "o", renewal: "o")
        var record = LineageRecord("o")
        _ = try record.add(Self.transaction(of: "o", signed: 1), Self.source(-3))
        _ = record.addMention(of: 9, signedDate: 200)
        var outcome = NotificationOutcome()
        try record.add(notification, Self.source(7), &outcome)
        #expect(outcome.isNew && outcome.isLate)
        #expect(outcome.replaced == [-3])
        #expect(outcome.lineage?.transactions.map(\.signedDate.milliseconds) == [100])
        var again = NotificationOutcome()
        try record.add(notification, Self.source(7), &again)
        #expect(!again.isNew && again.replaced.isEmpty)
    }
}
