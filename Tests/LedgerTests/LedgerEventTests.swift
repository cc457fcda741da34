import AppStoreModels
import Entitlements
import Foundation
import Ledger
import Testing

@Suite struct `The events of notifications and claims` {
    private static func notification(account: String? = nil) -> ProcessedNotification {
        let date = Date(milliseconds: 40)
        let transaction = TransactionFact(
            transactionID: "t", originalTransactionID: "o", productID: "gold", type: .autoRenewableSubscription,
            purchaseDate: date, signedDate: date)
        return ProcessedNotification(
            id: 7, scope: 1, uuid: "u", type: .didRenew, signedDate: 50,
            transaction: account == nil ? transaction : nil,
            appTransactionID: account ?? "a", processedAt: 60)
    }

    @Test(arguments: [(true, true, true), (false, true, false), (true, false, false), (false, false, false)])
    func `A notification has one event, which is created when it is first processed`(
        _ waited: Bool, _ isNew: Bool, _ isCreated: Bool
    ) {
        let event = LedgerEvent(
            of: Self.notification(), number: 7, waited: waited, isNew: isNew, isLate: true, customer: { _ in nil })
        #expect((event != nil) == isCreated)
        #expect(event.map { $0.isLate && $0.id == "evt_u" && $0.type == .subscriptionRenewed } ?? !isCreated)
        #expect(event.map { $0.occurredAt == 50 && $0.createdAt == 60 && $0.notification == 7 } ?? !isCreated)
    }

    @Test func `The product of an event is that of the transaction, or else of the renewal info`() {
        var notification = Self.notification()
        func product() -> String? {
            LedgerEvent(
                of: notification, number: 7, waited: true, isNew: true, isLate: false, customer: { _ in nil }
            )?.productID
        }
        notification.renewal = RenewalFact(
            originalTransactionID: "o", productID: "silver", autoRenewProductID: "bronze", willRenew: true,
            signedDate: Date(milliseconds: 40))
        #expect(product() == "gold")
        notification.transaction = nil
        #expect(product() == "silver")
        notification.renewal = nil
        #expect(product() == nil)
    }

    @Test func `Only an event about an Apple account names the customer of the account`() {
        for account in [nil, "b"] {
            var accounts: [String] = []
            let event = LedgerEvent(
                of: Self.notification(account: account), number: 7, waited: true, isNew: true, isLate: false
            ) { name in
                accounts.append(name)
                return "anna"
            }
            #expect(event?.customer == (account == nil ? nil : "anna"))
            #expect(accounts == (account.map { [$0] } ?? []))
            #expect(event?.originalTransactionID == (account == nil ? "o" : nil))
        }
    }

    @Test(
        arguments: [([], .purchaseLinked), (["anna"], .purchaseTransferred)] as [([String], EventType)])
    func `The event of a change of ownership occurs at the instant of the claims, and names the former owners`(
        _ owners: [String], _ type: EventType
    ) {
        let claims = [ClaimEvent(at: 40, .take, "ben")]
        let event = LedgerEvent(of: claims, to: "ben", on: "o", from: owners, learned: 50, in: 1)
        #expect(event.type == type)
        #expect(event.occurredAt == 40 && event.createdAt == 50)
        #expect(event.customer == "ben" && event.originalTransactionID == "o" && event.notification == nil)
        let former = owners.map { "\"\($0)\"" }.joined()
        #expect(event.data == "{\"from\":[\(former)],\"to\":[\"ben\"]}")
    }

    private static func purchase(token: UUID?, account: String?) -> Lineage {
        Lineage(originalTransactionID: "o", transactions: [], appAccountToken: token, appTransactionID: account)
    }

    @Test func `The event of a change of the signed account occurs when the server learns of it`() throws {
        let (former, present) = (Self.purchase(token: UUID(), account: "a"), Self.purchase(token: UUID(), account: "a"))
        let change = LedgerEvent(from: former, to: present, learned: 50, in: 1) { $0 == former ? ["anna"] : ["ben"] }
        let event = try #require(change)
        #expect(event.type == .purchaseTransferred)
        #expect(event.occurredAt == 50 && event.createdAt == 50 && event.scope == 1)
        #expect(event.customer == "ben" && event.originalTransactionID == "o" && event.notification == nil)
        #expect(event.data == #"{"from":["anna"],"to":["ben"]}"#)
    }

    @Test(
        arguments: [([], ["ben"]), (["anna"], []), (["anna"], ["anna"]), (["anna", "ben"], ["anna", "ben"])]
            as [([String], [String])])
    func `A change of the signed account has no event without two different owners`(
        _ lost: [String], _ present: [String]
    ) {
        let (former, changed) = (Self.purchase(token: nil, account: "a"), Self.purchase(token: nil, account: "b"))
        #expect(LedgerEvent(from: former, to: changed, learned: 50, in: 1) { $0 == former ? lost : present } == nil)
    }

    @Test func `The owners are read only if the account of a purchase changed`() {
        let token = UUID()
        for (former, present, isChanged) in [
            (Self.purchase(token: token, account: "\u{E9}"), Self.purchase(token: token, account: "\u{E9}"), false),
            (Self.purchase(token: token, account: "\u{E9}"), Self.purchase(token: token, account: "e\u{301}"), true),
            (Self.purchase(token: nil, account: nil), Self.purchase(token: token, account: "a"), false),
            (Self.purchase(token: token, account: nil), Self.purchase(token: token, account: "a"), true),
            (Self.purchase(token: token, account: "a"), Self.purchase(token: nil, account: "a"), true),
        ] {
            var wasRead = false
            let event = LedgerEvent(from: former, to: present, learned: 50, in: 1) { _ in
                wasRead = true
                return ["anna"]
            }
            #expect(event == nil && wasRead == isChanged, "\(former) \(present)")
        }
    }
}
