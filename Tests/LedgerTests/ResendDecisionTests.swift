import AppStoreModels
import Entitlements
import Foundation
import Ledger
import Testing

@Suite struct `Repeated events after a late one` {
    private static let renewed = EventType.subscriptionRenewed
    private static let other = EventType(rawValue: "subscription.expired")

    private static func record(_ dates: [Milliseconds], type: ProductType = .autoRenewableSubscription) throws
        -> LineageRecord
    {
        var record = LineageRecord("o")
        _ = try record.add(
            TransactionFact(
                transactionID: "t", originalTransactionID: "o", productID: "gold", type: type,
                purchaseDate: Date(milliseconds: 0), signedDate: Date(milliseconds: 0)),
            .init(id: 1) { _ in false })
        for (number, date) in dates.enumerated() { _ = record.addMention(of: Int64(number), signedDate: date) }
        return record
    }

    struct Case: CustomTestStringConvertible, Sendable {
        var testDescription: String
        /// The signing dates of notifications 0, 1, 2 …
        var dates: [Milliseconds]
        /// The notifications whose event is a renewal.
        var renewals: Set<Int64> = []
        /// The notifications whose event is about another purchase.
        var foreign: Set<Int64> = []
        /// The notifications without an event.
        var withoutEvent: Set<Int64> = []
        var repeats: [Int64]
    }

    static let cases = [
        Case(testDescription: "no newer event", dates: [10, 20, 100], repeats: []),
        Case(testDescription: "the oldest first", dates: [300, 50, 200], repeats: [2, 0]),
        Case(testDescription: "events of one instant by number", dates: [200, 200], repeats: [0, 1]),
        Case(
            testDescription: "only the newest renewal", dates: [200, 300, 400, 500], renewals: [0, 1, 3],
            repeats: [2, 3]),
        Case(testDescription: "no event of another purchase", dates: [200, 300], foreign: [1], repeats: [0]),
        Case(testDescription: "no notification without an event", dates: [200, 300], withoutEvent: [0], repeats: [1]),
        Case(
            testDescription: "a renewal of another purchase replaces none", dates: [200, 300], renewals: [0, 1],
            foreign: [1], repeats: [0]),
    ]

    private static func events(_ testCase: Case) -> (Int64) -> Numbered? {
        { number in
            if testCase.withoutEvent.contains(number) { return nil }
            return Numbered(
                number: number, type: testCase.renewals.contains(number) ? renewed : other,
                originalTransactionID: testCase.foreign.contains(number) ? "p" : "o")
        }
    }

    private struct Numbered: ResendableEvent {
        var number: Int64
        var type: EventType
        var originalTransactionID: String?
    }

    @Test(arguments: cases) func `The newer events of a purchase are repeated after a late one, the oldest first`(
        _ testCase: Case
    ) throws {
        let found = ResendDecision.after(100, in: try Self.record(testCase.dates), event: Self.events(testCase))
        #expect(found.map(\.number) == testCase.repeats)
    }

    @Test func `Events of a consumable are not repeated, because they would be counted twice`() throws {
        let testCase = Case(testDescription: "", dates: [200], repeats: [])
        let record = try Self.record(testCase.dates, type: .consumable)
        #expect(ResendDecision.after(100, in: record, event: Self.events(testCase)).isEmpty)
    }

    @Test func `Only the newest events are repeated, up to a limit, and no others are read`() throws {
        let count = LedgerEvent.maximumResentEvents
        let testCase = Case(testDescription: "", dates: (0..<Int64(2 * count)).map { 200 + $0 }, repeats: [])
        var read = 0
        let found = ResendDecision.after(100, in: try Self.record(testCase.dates)) { number in
            read += 1
            return Self.events(testCase)(number)
        }
        #expect(found.map(\.number) == Array(Int64(count)..<Int64(2 * count)))
        #expect(read == count)
    }
}
