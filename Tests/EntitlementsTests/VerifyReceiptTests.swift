import AppStoreModels
import Entitlements
import Foundation
import TestSupport
import Testing

@Suite struct `A verifyReceipt response` {
    static let unified = """
        {"status":0,"environment":"Production","latest_receipt":"xx","receipt":{"receipt_type":"Production","adam_id":1,
        "bundle_id":"com.example.app","receipt_creation_date_ms":"1700100000000","request_date_ms":"1702700000000",
        "in_app":[
        {"quantity":"1","product_id":"pro.month","transaction_id":"1","original_transaction_id":"1",
        "purchase_date":"2023-11-14 22:13:20 Etc/GMT","purchase_date_ms":"1700000000000",
        "expires_date_ms":"1700604800000","web_order_line_item_id":"10","is_trial_period":"true",
        "is_in_intro_offer_period":"false"},
        {"quantity":"3","product_id":"coins","transaction_id":"2","purchase_date_ms":"1700000000000"},
        {"quantity":1,"product_id":"pro.season","transaction_id":"4","purchase_date_ms":1700000000000}]},
        "latest_receipt_info":[
        {"quantity":"1","product_id":"pro.month","transaction_id":"1","original_transaction_id":"1",
        "purchase_date_ms":"1700000000000","expires_date_ms":"1700604800000","is_trial_period":"true",
        "subscription_group_identifier":"g","in_app_ownership_type":"PURCHASED","is_upgraded":"true"},
        {"quantity":"1","product_id":"pro.year","transaction_id":"5","original_transaction_id":"1",
        "purchase_date_ms":"1700604800000","expires_date_ms":"1702600000000","is_trial_period":"false",
        "promotional_offer_id":"deal","subscription_group_identifier":"g",
        "app_account_token":"6f3f1c9e-8a0e-4c9b-9d53-0a6a0f4f2f11"},
        {"quantity":"1","product_id":"map","transaction_id":"3","original_transaction_id":"3",
        "purchase_date_ms":"1700000000000","cancellation_date_ms":"1700200000000","cancellation_reason":"1"}],
        "pending_renewal_info":[{"product_id":"pro.year","original_transaction_id":"1","auto_renew_status":"1",
        "auto_renew_product_id":"pro.month","is_in_billing_retry_period":"1","expiration_intent":"2",
        "grace_period_expires_date_ms":"1703000000000","price_consent_status":"0"}]}
        """
    static let received = Date(timeIntervalSince1970: 1_702_800_000)

    private func read(
        _ text: String, received: Date = received, limits: VerifyReceiptLimits = .init()
    ) throws(VerifyReceiptError) -> VerifyReceiptFacts {
        try VerifyReceiptFacts(response: Data(text.utf8), received: received, catalogue: catalogue, limits: limits)
    }

    @Test func `A verifyReceipt response yields each purchase once, with its type, from the newer list`() throws {
        let read = try read(Self.unified)
        #expect(read.bundleID == "com.example.app")
        #expect(read.environment == .production)
        let facts = read.facts.transactions
        #expect(facts.map(\.transactionID) == ["1", "5", "3", "2", "4"])
        #expect(
            facts.map(\.type) == [
                .autoRenewableSubscription, .autoRenewableSubscription, .nonConsumable, .consumable,
                .nonRenewingSubscription,
            ])
        #expect(
            facts.map(\.signedDate.timeIntervalSince1970) == [
                1_702_700_000, 1_702_700_000, 1_702_700_000, 1_700_100_000, 1_700_100_000,
            ])
        #expect(facts.map(\.isUpgraded) == [true, false, false, false, false])
        #expect(facts[0].offerType == .introductory && facts[0].offerDiscountType == .freeTrial)
        #expect(facts[1].offerType == .promotional && facts[1].offerIdentifier == "deal")
        #expect(facts[1].appAccountToken != nil && facts[1].subscriptionGroupIdentifier == "g")
        #expect(facts[2].revocationDate?.timeIntervalSince1970 == 1_700_200_000)
        #expect(facts[2].revocationReason == RevocationReason(rawValue: 1) && facts[2].originalTransactionID == "3")
        #expect(facts[3].quantity == 3)
    }

    @Test func `A verifyReceipt response yields renewals and the customer's states`() throws {
        let facts = try read(Self.unified).facts
        #expect(facts.renewals.count == 1)
        let info = try #require(facts.renewals.first)
        #expect(info.willRenew && info.isInBillingRetry && info.autoRenewProductID == "pro.month")
        #expect(info.priceIncreaseStatus == .pending && info.expirationIntent == .billingError)
        let state = engine.state(of: facts, asOf: Self.received)
        #expect(state.status == .billingGracePeriod)
        #expect(state.entitlement("map")?.isActive == false)
        #expect(!state.group("g").isEligibleForIntroductoryOffer)
    }

    @Test func `A verifyReceipt response counts as signed no later than it was received`() throws {
        let early = Date(timeIntervalSince1970: 1_700_050_000)
        let facts = try read(Self.unified, received: early).facts
        #expect(Set(facts.transactions.map(\.signedDate)) == [early])
        #expect(Set(facts.renewals.map(\.signedDate)) == [early])
    }

    @Test func `A response of the old format yields its purchases and its expired state`() throws {
        let text = """
            {"status":21006,"auto_renew_status":0,"expiration_intent":"1","auto_renew_product_id":"pro.month",
            "receipt":{"product_id":"pro.month","transaction_id":"7","original_transaction_id":"6","quantity":"1",
            "bid":"com.example.app","purchase_date_ms":"1700000000000","expires_date":"1700600000000"},
            "latest_expired_receipt_info":{"product_id":"pro.month","transaction_id":"8","original_transaction_id":"6",
            "purchase_date_ms":"1700600000000","expires_date":"1700700000000",
            "expires_date_formatted":"2023-11-23 00:40:00 Etc/GMT"}}
            """
        let read = try read(text)
        #expect(read.bundleID == "com.example.app")
        #expect(read.facts.transactions.map(\.transactionID) == ["8", "7"])
        #expect(read.facts.transactions.allSatisfy { $0.type == .autoRenewableSubscription })
        let state = engine.state(of: read.facts, asOf: Self.received)
        #expect(state.subscriptions.map(\.transactionID) == ["8"])
        #expect(state.subscriptions.first?.details == [.expired, .cancelled])
    }

    @Test(arguments: [
        (#""0""#, false), ("0", false), ("false", false), (#""1""#, true), ("1", true), ("true", true), (#""2""#, true),
        (#""paused""#, true), ("null", true), ("[]", true),
    ])
    func `Only auto_renew_status 0 says that a subscription will not renew`(_ status: String, _ willRenew: Bool) throws
    {
        let text = #"""
            {"status":0,"pending_renewal_info":[{"product_id":"pro.month","original_transaction_id":"1",
            "auto_renew_status":\#(status)}]}
            """#
        #expect(try read(text).facts.renewals.map(\.willRenew) == [willRenew])
    }

    @Test func `A pending renewal without auto_renew_status will renew, and an old response without it says nothing`()
        throws
    {
        let pending = try read(
            #"{"status":0,"pending_renewal_info":[{"product_id":"pro.month","original_transaction_id":"1"}]}"#)
        #expect(pending.facts.renewals.map(\.willRenew) == [true])
        let old = try read(
            """
            {"status":0,"auto_renew_product_id":"pro.month","receipt":{"product_id":"pro.month","transaction_id":"7",
            "original_transaction_id":"6","quantity":"1","bid":"com.example.app","purchase_date_ms":"1700000000000",
            "expires_date":"1700600000000"}}
            """)
        #expect(old.facts.transactions.map(\.transactionID) == ["7"] && old.facts.renewals.isEmpty)
        let states = engine.state(of: old.facts, asOf: Self.received)
        #expect(states.subscriptions.map(\.willRenew) == [nil])
    }

    /// The fact from a receipt made on a day that lists a product as bought on day 1 and originally on the given date.
    private func restored(
        _ product: String, more: String = "", original date: String? = "1700000000000", made: Double = 1.5
    ) throws -> TransactionFact {
        let originally = date.map { #","original_purchase_date_ms":"\#($0)""# } ?? ""
        let text = #"""
            {"status":0,"receipt":{"receipt_creation_date_ms":"\#(Int(day(made).timeIntervalSince1970) * 1000)","in_app":[
            {"product_id":"\#(product)","transaction_id":"9","original_transaction_id":"3",
            "purchase_date_ms":"1700086400000"\#(originally)\#(more)}]}}
            """#
        let facts = try read(text).facts.transactions
        #expect(facts.count == 1)
        return try #require(facts.first)
    }

    @Test(arguments: ["map", "not in the catalogue"])
    func `A restored non-consumable is read as its original purchase`(_ product: String) throws {
        let fact = try restored(product)
        #expect(fact.transactionID == "3" && fact.originalTransactionID == "3" && fact.type == .nonConsumable)
        #expect(fact.purchaseDate == day(0))
        // The original purchase cannot be later than its restoration.
        #expect(try restored(product, original: "1700086401000").purchaseDate == day(1))
        #expect(try restored(product, original: nil).purchaseDate == day(1))
    }

    @Test(arguments: [
        ("coins", ProductType.consumable), ("pro.season", .nonRenewingSubscription),
        ("pro.month", .autoRenewableSubscription),
    ])
    func `A transaction of another product type keeps its own identifier`(
        _ product: String, _ type: ProductType
    ) throws {
        let more = type == .autoRenewableSubscription ? #","expires_date_ms":"1702600000000""# : ""
        let fact = try restored(product, more: more)
        #expect(fact.transactionID == "9" && fact.originalTransactionID == "3" && fact.type == type)
        #expect(fact.purchaseDate == day(1))
    }

    @Test func `A restored non-consumable is listed once`() throws {
        let text = """
            {"status":0,"receipt":{"in_app":[
            {"product_id":"map","transaction_id":"9","original_transaction_id":"3","purchase_date_ms":"1700086400000"}]},
            "latest_receipt_info":[
            {"product_id":"map","transaction_id":"3","original_transaction_id":"3","purchase_date_ms":"1700000000000"}]}
            """
        #expect(try read(text).facts.transactions.map(\.purchaseDate) == [day(0)])
        // The receipt of a single transaction.
        let single = """
            {"status":0,"receipt":{"product_id":"map","transaction_id":"9","original_transaction_id":"3",
            "purchase_date_ms":"1700086400000","original_purchase_date_ms":"1700000000000"}}
            """
        let fact = try #require(try read(single).facts.transactions.first)
        #expect(fact.transactionID == "3" && fact.purchaseDate == day(0))
    }

    @Test func `A receipt from before a refund does not undo the refund`() throws {
        func isActive(_ receipt: TransactionFact) -> Bool? {
            let refund = purchase("3", "map", .nonConsumable, on: 0) { $0.refund(on: 5) }
            return states([receipt, refund], on: day(20)).entitlement("map")?.isActive
        }
        let (before, after) = (try restored("map", made: 4), try restored("map", made: 6))
        #expect(isActive(before) == false)
        // A receipt from after the refund is newer than the signed refund.
        #expect(isActive(after) == true)
    }

    @Test func `A verifyReceipt response without purchases has no facts`() throws {
        #expect(try read(#"{"status":0,"receipt":{"in_app":[]}}"#).facts == CustomerFacts())
        #expect(try read(#"{"status":"0"}"#).facts == CustomerFacts())
    }

    @Test(arguments: [
        (21000, false), (21002, false), (21003, false), (21005, true), (21007, false), (21009, true), (-1, false),
    ])
    func `A verifyReceipt response with an error status throws an error with the status`(
        _ status: Int, _ isRetryable: Bool
    ) throws {
        let error = #expect(throws: VerifyReceiptError.self) { try read(#"{"status":\#(status)}"#) }
        #expect(error?.code == .badStatus && error?.status == status && error?.isRetryable == isRetryable)
        let retry = #expect(throws: VerifyReceiptError.self) { try read(#"{"status":21100,"is-retryable":true}"#) }
        #expect(retry?.isRetryable == true)
    }

    @Test(arguments: [
        ("", VerifyReceiptError.Code.badJSON), ("[]", .badJSON), ("{}", .badJSON), (#"{"status":null}"#, .badJSON),
        (#"{"status":1e99}"#, .badJSON), (#"{"status":0,"latest_receipt_info":7}"#, .badJSON),
        (#"{"status":0,"latest_receipt_info":[{}]}"#, .malformed),
        (#"{"status":0,"latest_receipt_info":[{"transaction_id":"1","product_id":"p"}]}"#, .malformed),
        (
            #"{"status":0,"receipt":{"in_app":[{"transaction_id":"1","product_id":"p","purchase_date_ms":"9e9"}]}}"#,
            .malformed
        ),
        (
            #"{"status":0,"receipt":{"in_app":[{"transaction_id":"1","product_id":"p","purchase_date_ms":"1","cancellation_date_ms":"x"}]}}"#,
            .malformed
        ),
        (
            #"{"status":0,"receipt":{"in_app":[{"transaction_id":"1","product_id":"p","purchase_date_ms":"1","cancellation_date_ms":[1]}]}}"#,
            .malformed
        ),
        (
            #"{"status":0,"receipt":{"in_app":[{"transaction_id":"1","product_id":"p","purchase_date_ms":"1","cancellation_date":"2023"}]}}"#,
            .malformed
        ),
        (
            #"{"status":0,"receipt":{"in_app":[{"transaction_id":"1","product_id":"p","purchase_date_ms":"9223372036854775807"}]}}"#,
            .malformed
        ),
        (#"{"status":0,"pending_renewal_info":[{"auto_renew_status":"1"}]}"#, .malformed),
    ])
    func `An invalid verifyReceipt response throws an error`(_ text: String, _ code: VerifyReceiptError.Code) {
        #expect(throws: VerifyReceiptError.self) { try read(text) }
        do { _ = try read(text) } catch { #expect(error.code == code) }
    }

    @Test func `Errors about verifyReceipt responses are equal if their codes and statuses are equal`() {
        let refused = VerifyReceiptError(.badStatus, "the status is 21003", status: 21003)
        let same = VerifyReceiptError(.badStatus, "another text", status: 21003)
        let unavailable = VerifyReceiptError(.badStatus, "the status is 21005", status: 21005, isRetryable: true)
        #expect(refused == same && refused != unavailable)
        #expect(Set([refused, same, unavailable, VerifyReceiptError(.malformed, "")]).count == 3)
    }

    @Test func `A verifyReceipt response is limited in bytes, items, identifier length and depth`() {
        for limits in [
            VerifyReceiptLimits(bytes: 100), VerifyReceiptLimits(items: 2),
        ] {
            let error = #expect(throws: VerifyReceiptError.self) { try read(Self.unified, limits: limits) }
            #expect(error?.code == .tooLarge)
        }
        let error = #expect(throws: VerifyReceiptError.self) {
            try read(Self.unified, limits: VerifyReceiptLimits(identifierBytes: 4))
        }
        #expect(error?.code == .malformed)
        let deep = #"{"status":0,"receipt":"# + String(repeating: "[", count: 100_000)
        #expect(throws: VerifyReceiptError.self) { try read(deep) }
    }

    @Test func `A mutated verifyReceipt response yields usable facts or an error`() async {
        var random = SeededGenerator(seed: 7)
        var refused = 0
        for await _ in Yielding(0..<3000) {
            let bytes = random.mutated(Array(Self.unified.utf8))
            do {
                let read = try VerifyReceiptFacts(
                    response: Data(bytes), received: Self.received, catalogue: catalogue)
                _ = engine.state(of: read.facts, asOf: Self.received)
                _ = engine.explanation(of: "pro", facts: read.facts, asOf: Self.received)
            } catch {
                refused += 1
                #expect(!error.message.isEmpty)
            }
        }
        #expect((1..<3000).contains(refused))
    }
}
