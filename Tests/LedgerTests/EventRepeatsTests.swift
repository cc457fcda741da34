import AppStoreModels
import Entitlements
import Foundation
import Ledger
import Testing

@Suite struct `Events that are sent again after a late one` {
    private static let renewed = EventType.subscriptionRenewed
    private static let other = EventType(rawValue: "subscription.expired")

    private static func record(_ dates: [Milliseconds], type: ProductType = .autoRenewableSubscription) throws
        -> LineageRecord
    {
        var record = LineageRecord("o")
        _ = try record.put(
            TransactionFact(
                transactionID: "t", originalTransactionID: "o", productID: "gold", type: type,
                purchaseDate: Date(milliseconds: 0), signedDate: Date(milliseconds: 0)),
            .init(id: 1) { _ in false })
        for (number, date) in dates.enumerated() { _ = record.addMention(of: Int64(number), signedDate: date) }
        return record
    }

    struct Case: CustomTestStringConvertible, Sendable {
        var testDescription: String
        /// When the notifications 0, 1, 2 … were signed.
        var dates: [Milliseconds]
        /// Those whose event is a renewal.
        var renewals: Set<Int64> = []
        /// Those whose event is about another purchase.
        var foreign: Set<Int64> = []
        /// Those without an event.
        var silent: Set<Int64> = []
        var repeats: [Int64]
    }

    static let cases = [
        Case(testDescription: "none is newer", dates: [10, 20, 100], repeats: []),
        Case(testDescription: "the oldest goes first", dates: [300, 50, 200], repeats: [2, 0]),
        Case(testDescription: "of one instant by their numbers", dates: [200, 200], repeats: [0, 1]),
        Case(
            testDescription: "the newest renewal alone", dates: [200, 300, 400, 500], renewals: [0, 1, 3],
            repeats: [2, 3]),
        Case(testDescription: "none of another purchase", dates: [200, 300], foreign: [1], repeats: [0]),
        Case(testDescription: "none without an event", dates: [200, 300], silent: [0], repeats: [1]),
        Case(
            testDescription: "a renewal of another purchase hides none", dates: [200, 300], renewals: [0, 1],
            foreign: [1], repeats: [0]),
    ]

    private static func events(_ it: Case) -> (Int64) -> Numbered? {
        { number in
            if it.silent.contains(number) { return nil }
            return Numbered(
                number: number, type: it.renewals.contains(number) ? renewed : other,
                originalTransactionID: it.foreign.contains(number) ? "p" : "o")
        }
    }

    private struct Numbered: RepeatableEvent {
        var number: Int64
        var type: EventType
        var originalTransactionID: String?
    }

    @Test(arguments: cases) func `are the newer ones about the purchase`(_ it: Case) throws {
        let found = EventRepeats.after(100, in: try Self.record(it.dates), event: Self.events(it))
        #expect(found.map(\.number) == it.repeats)
    }

    @Test func `are none of a consumable, which would be counted twice`() throws {
        let it = Case(testDescription: "", dates: [200], repeats: [])
        let record = try Self.record(it.dates, type: .consumable)
        #expect(EventRepeats.after(100, in: record, event: Self.events(it)).isEmpty)
    }

    @Test func `are the newest where there are very many, and no more are read`() throws {
        let count = LedgerEvent.maximumRepeats
        let it = Case(testDescription: "", dates: (0..<Int64(2 * count)).map { 200 + $0 }, repeats: [])
        var read = 0
        let found = EventRepeats.after(100, in: try Self.record(it.dates)) { number in
            read += 1
            return Self.events(it)(number)
        }
        #expect(found.map(\.number) == Array(Int64(count)..<Int64(2 * count)))
        #expect(read == count)
    }
}
