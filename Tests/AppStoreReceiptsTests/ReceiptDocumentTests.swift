import AppStoreReceipts
import Foundation
import Testing

@Suite struct `Receipts as JSON objects` {
    private static func date(_ second: Double) -> Date { Date(timeIntervalSince1970: second) }

    private func members(_ json: String) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any])
    }

    @Test func `Every property of a unified receipt is a member of its document`() throws {
        let purchase = InAppPurchase(
            quantity: 10, productID: "p", transactionID: "t", purchaseDate: Self.date(11), originalTransactionID: "o",
            originalPurchaseDate: Self.date(12), productType: .autoRenewableSubscription,
            expirationDate: Self.date(14), productAppleID: 15, webOrderLineItemID: 16,
            cancellationDate: Self.date(17), isTrialPeriod: true, isInIntroductoryOfferPeriod: false,
            cancellationReason: 18, promotionalOfferID: "f",
            otherAttributes: [ReceiptAttribute(type: 1722, value: Data([2, 1, 0]))])
        let receipt = AppReceipt(
            receiptType: .productionVPP, appAppleID: 1, bundleID: "com.example.app", version: "3",
            opaqueValue: Data([0xAB]), deviceHash: Data([0xCD]), downloadDate: Self.date(2), signingServiceVersion: 3,
            ageRating: "4+", vendorID: 4, creationDate: Self.date(5), systemVersion: 6, deviceKind: 7, downloadID: 8,
            versionExternalID: 9, purchases: [purchase], originalPurchaseDate: Self.date(19), originalVersion: "1",
            expirationDate: Self.date(20), volumePurchaseDate: Self.date(21), volumePurchaseOrganization: "Example",
            platform: 22, preorderDate: Self.date(23),
            otherAttributes: [ReceiptAttribute(type: 6, version: 2, value: Data([0xEF]))])
        let expected = """
            {"bundle_id":"com.example.app","application_version":"3","original_application_version":"1",
            "receipt_creation_date_ms":5000,"environment":"Production","receipt_type":"ProductionVPP",
            "app_apple_id":1,"download_id":8,"version_external_identifier":9,"original_purchase_date_ms":19000,
            "expiration_date_ms":20000,"preorder_date_ms":23000,"download_date_ms":2000,
            "volume_purchase_date_ms":21000,"volume_purchase_organization":"Example","age_rating":"4+","vendor_id":4,
            "platform":22,"system_version":6,"device_kind":7,"signing_service_version":3,
            "unique_vendor_identifier":null,"opaque_value":"ab","sha1_hash":"cd",
            "in_app":[{"product_id":"p","transaction_id":"t","original_transaction_id":"o","purchase_date_ms":11000,
            "original_purchase_date_ms":12000,"expires_date_ms":14000,"cancellation_date_ms":17000,"quantity":10,
            "cancellation_reason":18,"product_type":3,"product_apple_id":15,"is_trial_period":true,
            "is_in_intro_offer_period":false,"web_order_line_item_id":"16","promotional_offer_id":"f",
            "other_attributes":[{"type":1722,"version":1,"value":"020100"}]}],
            "other_attributes":[{"type":6,"version":2,"value":"ef"}]}
            """
        let ours = try members(ReceiptDocument(.app(receipt)).json) as NSDictionary
        let wanted = try members(expected) as NSDictionary
        #expect(ours == wanted)
    }

    @Test func `A transaction receipt has the same members as a unified one`() throws {
        let device = try #require(UUID(uuidString: "00010203-0405-0607-0809-0A0B0C0D0E0F"))
        let unified = AppReceipt(
            bundleID: "com.example.app", version: "3", creationDate: Self.date(5),
            purchases: [InAppPurchase(productID: "p", transactionID: "t", purchaseDate: Self.date(11))])
        let transaction = LegacyReceipt(
            bundleID: "com.example.app", productID: "p", itemID: "15", transactionID: "t", purchaseDate: Self.date(11),
            uniqueVendorIdentifier: device)
        let app = try members(ReceiptDocument(.app(unified)).json)
        let old = try members(ReceiptDocument(.transaction(transaction)).json)
        #expect(Set(old.keys) == Set(app.keys))
        #expect(old["unique_vendor_identifier"] as? String == "00010203-0405-0607-0809-0a0b0c0d0e0f")
        let purchases = try #require(old["in_app"] as? [[String: Any]])
        let others = try #require(app["in_app"] as? [[String: Any]])
        #expect(purchases.map { Set($0.keys) } == others.map { Set($0.keys) } && purchases.count == 1)
        #expect(purchases.first?["product_apple_id"] as? Int == 15)
    }
}
