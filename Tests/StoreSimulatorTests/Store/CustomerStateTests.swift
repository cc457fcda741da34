import AppStoreModels
import Foundation
import StoreSimulator
import Testing

/// The state of a customer as JSON and as text.
@Suite struct CustomerStateTests {
    @Test func `A customer's state is encoded with Apple's member names, and dates in milliseconds`() throws {
        var shop = Shop()
        let id = try shop.buy("plus", offer: "NEWCOMER")
        try shop.buy("coins")
        try shop.perform(.finish(customer: "anna", transaction: "coins"))
        let state = try shop.store.state(of: "anna", at: shop.now)
        let encoder = JSONEncoder()
        let json = try encoder.encode(state)
        let object = try #require(try JSONSerialization.jsonObject(with: json) as? [String: Any])
        let subscription = try #require((object["subscriptions"] as? [[String: Any]])?.first)
        #expect(subscription["originalTransactionId"] as? String == id)
        #expect(subscription["productId"] as? String == "plus")
        #expect(subscription["status"] as? Int == 1)
        #expect(subscription["hasAccess"] as? Bool == true)
        #expect(subscription["expiresDate"] as? Int64 == 1_769_904_000_000)
        #expect(subscription["autoRenewStatus"] as? Int == 1)
        #expect(subscription["offerType"] as? Int == 3)
        #expect(subscription["offerIdentifier"] as? String == "NEWCOMER")
        #expect(subscription["inAppOwnershipType"] as? String == "PURCHASED")
        let purchase = try #require((object["purchases"] as? [[String: Any]])?.first)
        #expect(purchase["purchaseDate"] as? Int64 == 1_767_225_600_000)
        #expect(purchase["isFinished"] as? Bool == true)
        #expect(purchase["revocationDate"] == nil)
        #expect(try JSONDecoder().decode(CustomerState.self, from: json) == state)
    }

    @Test func `The summary describes each purchase of a customer in one line`() throws {
        var shop = Shop { $0.gracePeriod = .threeDays }
        func line(_ customer: String = "anna") throws -> String {
            try shop.store.state(of: customer, at: shop.now).summary
        }
        try shop.perform(.createCustomer(customer: "anna"))
        #expect(try line() == "nothing bought")
        try shop.buy("plus")
        #expect(try line() == "plus active until 2026-02-01, renews")
        try shop.buy("basic")
        #expect(try line() == "plus active until 2026-02-01, renews into basic")
        try shop.perform(.cancel(customer: "anna"))
        #expect(try line() == "plus active until 2026-02-01, does not renew")
        try shop.buy("plus")
        try shop.perform(.shareWithFamily(customer: "anna", member: "ben"))
        #expect(try line("ben") == "plus (shared) active until 2026-02-01, renews")
        try shop.perform(.failBilling(customer: "anna"))
        shop.wait(.month)
        #expect(try line() == "plus in grace period until 2026-02-04; billing fails")
        shop.wait(days: 3)
        #expect(try line() == "plus in billing retry since 2026-02-01; billing fails")
        try shop.perform(.stopSharing(customer: "anna", member: "ben"))
        #expect(try line("ben") == "plus (shared) revoked on 2026-02-04")
        try shop.perform(.cancel(customer: "anna"))
        try shop.perform(.fixBilling(customer: "anna"))
        #expect(try line() == "plus expired on 2026-02-01")
        try shop.perform(.approveRefund(customer: "anna"))
        try shop.perform(.purchase(customer: "anna", product: "coins", quantity: 2))
        #expect(try line() == "plus refunded on 2026-02-04; 2 × coins")
        #expect(shop.store.states(at: shop.now).map(\.customer) == ["anna", "ben"])
        let unknown = #expect(throws: StoreError.self) { try shop.store.state(of: "nobody", at: shop.now) }
        #expect(unknown?.code == .unknownCustomer)
    }

    @Test func `The summary shows the time of day if periods last minutes`() throws {
        var shop = Shop(.sandbox) { $0.rate = .monthlyEvery5Minutes }
        try shop.buy("plus")
        #expect(
            try shop.store.state(of: "anna", at: shop.now).summary
                == "plus active until 2026-01-01 00:05:00 UTC, renews")
    }
}
