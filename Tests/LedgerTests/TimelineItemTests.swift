import Entitlements
import Foundation
import Testing

@testable import Ledger

@Suite struct `The entries of a timeline` {
    private static func owned(by customers: [String], on date: Milliseconds?) -> OwnedOriginalPurchase {
        let fact = OriginalPurchaseFact(
            applicationVersion: "1.0", purchaseDate: date.map { Date(milliseconds: $0) }, appTransactionID: "a",
            signedDate: Date(milliseconds: 900), isTestData: false)
        let purchase = OriginalPurchase(
            scope: 1, subject: "a", kind: .appTransaction, fact: fact, origin: .app, receivedAt: 900, text: "text")
        let claims = customers.enumerated().map { ClaimEvent(at: Milliseconds($0.offset), .take, $0.element) }
        return OwnedOriginalPurchase(
            purchase, Ownership(claims: ClaimHistory([]), named: nil, account: ClaimHistory(claims)))
    }

    @Test(
        arguments: [
            (["anna"], 500, true), (["ben", "anna"], 500, true), (["anna", "ben"], 500, false), (["anna"], nil, false),
        ] as [([String], Milliseconds?, Bool)])
    func `An original purchase of the app is an entry of its present customer, if it has a date`(
        _ customers: [String], _ date: Milliseconds?, _ isEntry: Bool
    ) {
        let item = TimelineItem(Self.owned(by: customers, on: date), for: "anna")
        #expect(item?.position == (isEntry ? TimelinePosition(date: 500, number: 0, name: "a") : nil))
    }

    @Test func `An entry precedes the notifications of its instant`() {
        let change = Ownership.Change(instant: 5, from: [], to: ["anna"])
        let item = TimelineItem(change, of: "o")
        #expect(item.position < TimelinePosition(LineageRecord.Mention(notification: 1, signedDate: 5)))
        #expect(item.position > TimelinePosition(LineageRecord.Mention(notification: 1, signedDate: 4)))
        #expect(item.originalTransactionID == "o")
    }
}
