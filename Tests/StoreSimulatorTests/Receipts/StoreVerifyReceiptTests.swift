import AppStoreModels
import AppStoreReceipts
import AppStoreTrust
import Foundation
import StoreSimulator
import Testing

@Suite("verifyReceipt, answered by the store")
struct StoreVerifyReceiptTests {
    /// The members of a response that clients read.
    struct Answer: Decodable {
        struct Receipt: Decodable { let in_app: [[String: String]] }
        let status: Int
        let environment: String?
        let receipt: Receipt?
        let latest_receipt: String?
        let latest_receipt_info: [[String: String]]?
        let pending_renewal_info: [[String: String]]?
    }

    static func verify(
        _ shop: inout APIShop, _ receipt: Data, secret: String? = nil, secrets: Set<String> = [], newest: Bool = false,
        at environment: AppStoreEnvironment? = nil, method: String = "POST"
    ) throws -> Answer {
        let endpoint = VerifyReceiptEndpoint(
            validator: try ReceiptContentsTests.validator(now: shop.now),
            environment: environment ?? (shop.store.isSandbox ? .sandbox : .production), sharedSecrets: secrets)
        let request = VerifyReceiptRequest(
            receiptData: receipt.base64EncodedString(), password: secret, excludesOldTransactions: newest)
        let authority = try ReceiptContentsTests.authority.get()
        shop.store.run(until: shop.now)
        let check = ReceiptCheck(method: method, body: try JSONEncoder().encode(request), endpoint: endpoint)
        let answer = try check.json(with: shop.store.update(of: check, at: shop.now), sign: authority.sign)
        return try JSONDecoder().decode(Answer.self, from: Data(answer.utf8))
    }

    @Test func `For an old receipt, verifyReceipt returns all purchases, newest first, and a new receipt`() throws {
        var shop = APIShop()
        let first = try shop.buy("plus")
        let old = try ReceiptContentsTests.receipt(shop)
        shop.advance(days: 100)
        let lamp = try shop.buy("lamp")
        let answer = try Self.verify(&shop, old)
        #expect(answer.status == 0 && answer.environment == "Production")
        #expect(answer.receipt?.in_app.map { $0["transaction_id"] } == [first])
        let rows = try #require(answer.latest_receipt_info)
        let bought = try #require(shop.store.customers["anna"]?.transactions)
        #expect(rows.compactMap { $0["transaction_id"] } == bought.reversed())
        #expect(rows.first?["transaction_id"] == lamp && rows.last?["transaction_id"] == first)
        #expect(rows.allSatisfy { $0["in_app_ownership_type"] == "PURCHASED" })
        let newest = try Self.verify(&shop, old, newest: true).latest_receipt_info?.compactMap { $0["transaction_id"] }
        #expect(newest == [lamp, try #require(shop.store.subscriptions[first]?.current)])
        let text = try #require(answer.latest_receipt)
        let receipt = try ReceiptContentsTests.validator(now: shop.now).validate(base64: text)
        #expect(receipt.appReceipt?.payload.purchases.count == rows.count)
    }

    @Test func `A row of latest_receipt_info has Apple's fields and three formats of each date`() throws {
        var shop = APIShop()
        let id = try shop.buy("trial")
        try shop.perform(.approveRefund(customer: "anna", reason: .issueWithApp))
        let rows = try #require(try Self.verify(&shop, ReceiptContentsTests.receipt(shop)).latest_receipt_info)
        let line = try #require(shop.store.transactions[id]?.payload.webOrderLineItemId)
        let start = ["2026-01-01 00:00:00 Etc/GMT", "1767225600000", "2025-12-31 16:00:00 America/Los_Angeles"]
        let end = ["2026-01-08 00:00:00 Etc/GMT", "1767830400000", "2026-01-07 16:00:00 America/Los_Angeles"]
        var expected = [
            "quantity": "1", "product_id": "trial", "transaction_id": id, "original_transaction_id": id,
            "web_order_line_item_id": line, "is_trial_period": "true", "is_in_intro_offer_period": "false",
            "subscription_group_identifier": APIShop.other, "in_app_ownership_type": "PURCHASED",
            "cancellation_reason": "1",
        ]
        expected["app_account_token"] =
            shop.store.transactions[id]?.payload.appAccountToken?.uuidString.lowercased()
        let dates = [
            ("purchase_date", start), ("original_purchase_date", start), ("cancellation_date", start),
            ("expires_date", end),
        ]
        for (name, forms) in dates {
            for (suffix, form) in zip(["", "_ms", "_pst"], forms) { expected[name + suffix] = form }
        }
        #expect(rows == [expected])
    }

    @Test func `The rows of in_app and latest_receipt_info agree about each purchase`() throws {
        var shop = APIShop()
        try shop.buy("plus")
        shop.advance(days: 200)
        try shop.perform(.cancel(customer: "anna"))
        try shop.perform(.approveRefund(customer: "anna", reason: .issueWithApp))
        let answer = try Self.verify(&shop, ReceiptContentsTests.receipt(shop))
        let latest = Dictionary(
            uniqueKeysWithValues: (answer.latest_receipt_info ?? []).map { ($0["transaction_id"], $0) })
        let rows = try #require(answer.receipt?.in_app)
        #expect(rows.count == 7)
        #expect(rows.compactMap { $0["cancellation_reason"] } == ["1"])
        for row in rows {
            let other = try #require(latest[row["transaction_id"]])
            for (name, value) in row { #expect(other[name] == value, "\(name)") }
        }
    }

    @Test func `latest_receipt_info has at most 100 rows`() throws {
        var shop = APIShop()
        try shop.buy("plus")
        for _ in 0..<120 { try shop.buy("pass") }
        let answer = try Self.verify(&shop, ReceiptContentsTests.receipt(shop))
        #expect(answer.latest_receipt_info?.count == 100)
        #expect(answer.receipt?.in_app.count == 121)
    }

    @Test func `pending_renewal_info follows price consent, grace period and expiration`() throws {
        var shop = APIShop()
        shop.store.settings.gracePeriod = .sixteenDays
        let id = try shop.buy("plus")
        let receipt = try ReceiptContentsTests.receipt(shop)
        var expected = [
            "auto_renew_product_id": "plus", "original_transaction_id": id, "product_id": "plus",
            "auto_renew_status": "1",
        ]
        #expect(try Self.verify(&shop, receipt).pending_renewal_info == [expected])

        try shop.perform(.increasePrice(product: "plus", price: 19990, consent: true))
        expected["price_consent_status"] = "0"
        expected["price_increase_status"] = "0"
        #expect(try Self.verify(&shop, receipt).pending_renewal_info == [expected])
        try shop.perform(.acceptPrice(customer: "anna"))
        expected["price_consent_status"] = "1"
        expected["price_increase_status"] = "1"
        #expect(try Self.verify(&shop, receipt).pending_renewal_info == [expected])

        try shop.perform(.failBilling(customer: "anna"))
        shop.advance(days: 35)
        let grace = try #require(try Self.verify(&shop, receipt).pending_renewal_info?.first)
        #expect(grace["expiration_intent"] == "2" && grace["is_in_billing_retry_period"] == "1")
        let ends = try #require(shop.store.subscriptions[id]?.graceEnds)
        #expect(grace["grace_period_expires_date_ms"] == "\(APIShop.milliseconds(ends))")
        #expect(grace["grace_period_expires_date_pst"]?.hasSuffix("America/Los_Angeles") == true)

        shop.advance(days: 100)
        let expired = try #require(try Self.verify(&shop, receipt).pending_renewal_info?.first)
        #expect(expired["auto_renew_status"] == "0" && expired["is_in_billing_retry_period"] == "0")
        #expect(expired["grace_period_expires_date"] == nil)
    }

    @Test func `pending_renewal_info leaves out a price increase that the next renewal does not have`() throws {
        var shop = APIShop()
        shop.store.catalogue.products.append(
            Product(
                id: "less", type: .autoRenewableSubscription, price: 4990,
                subscription: SubscriptionTerms(group: APIShop.group, level: 9, period: .month)))
        let id = try shop.buy("plus")
        try shop.perform(.increasePrice(product: "plus", price: 19990, consent: true))
        try shop.buy("less")
        let subscription = try #require(shop.store.subscriptions[id])
        #expect(shop.store.renewalInfo(of: subscription, at: shop.now).priceIncreaseStatus == nil)
        let pending = try #require(try Self.verify(&shop, ReceiptContentsTests.receipt(shop)).pending_renewal_info)
        #expect(pending.map { $0["auto_renew_product_id"] } == ["less"])
        #expect(pending.map { $0["price_increase_status"] } == [nil])
    }

    @Test func `pending_renewal_info leaves out a subscription cancelled in its grace period`()
        throws
    {
        var shop = APIShop()
        shop.store.settings.gracePeriod = .sixteenDays
        try shop.buy("plus")
        let receipt = try ReceiptContentsTests.receipt(shop)
        try shop.perform(.failBilling(customer: "anna"))
        shop.advance(days: 35)
        #expect(try Self.verify(&shop, receipt).pending_renewal_info?.count == 1)
        try shop.perform(.cancel(customer: "anna"))
        #expect(try Self.verify(&shop, receipt).pending_renewal_info?.isEmpty == true)
        try shop.perform(.fixBilling(customer: "anna"))
        try shop.buy("plus")
        #expect(try Self.verify(&shop, receipt).pending_renewal_info?.count == 1)
        // A subscription that was cancelled before its end stays listed.
        try shop.perform(.cancel(customer: "anna"))
        shop.advance(days: 35)
        #expect(try Self.verify(&shop, receipt).pending_renewal_info?.first?["expiration_intent"] == "1")
    }

    @Test func `Without auto-renewable subscriptions, verifyReceipt returns the receipt only`() throws {
        var shop = APIShop(.sandbox)
        try shop.buy("lamp")
        let answer = try Self.verify(&shop, ReceiptContentsTests.receipt(shop))
        #expect(answer.status == 0 && answer.environment == "Sandbox" && answer.receipt?.in_app.count == 1)
        #expect(answer.latest_receipt_info == nil && answer.latest_receipt == nil)
        #expect(answer.pending_renewal_info == nil)
    }

    @Test func `Each refusal of verifyReceipt has the documented status`() throws {
        var shop = APIShop()
        try shop.buy("plus")
        let receipt = try ReceiptContentsTests.receipt(shop)
        #expect(try Self.verify(&shop, receipt, method: "GET").status == 21000)
        #expect(try Self.verify(&shop, Data("{".utf8)).status == 21002)
        var forged = receipt
        forged[forged.count - 1] ^= 1
        #expect(try Self.verify(&shop, forged).status == 21003)
        #expect(try Self.verify(&shop, receipt, secret: "x", secrets: ["y"]).status == 21004)
        #expect(try Self.verify(&shop, receipt, secrets: ["y"]).status == 21004)
        #expect(try Self.verify(&shop, receipt, secret: "y", secrets: ["y"]).status == 0)
        #expect(try Self.verify(&shop, receipt, at: .sandbox).status == 21008)
        var sandbox = APIShop(.sandbox)
        try sandbox.buy("plus")
        let other = try ReceiptContentsTests.receipt(sandbox)
        #expect(try Self.verify(&shop, other).status == 21007)
        // A valid receipt of a customer whose purchases were deleted.
        #expect(try Self.verify(&sandbox, other).status == 0)
        try sandbox.perform(.clearHistory(customer: "anna"))
        let deleted = try Self.verify(&sandbox, other)
        #expect(deleted.status == 21010 && deleted.receipt == nil)
    }
}
