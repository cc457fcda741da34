import AppStoreModels
import Foundation
import Testing

@Suite struct `Bodies of the Advanced Commerce API` {
    static let uuid = "7e3fb20b-4cdb-47cc-936d-99d65f608138"
    static let info = #"{"requestReferenceId": "\#(uuid)", "appAccountToken": "\#(uuid)", "consistencyToken": "c"}"#
    static let offer = #"{"period": "P2W", "periodCount": 2, "price": 990, "reason": "RETENTION"}"#
    static let names = #""displayName": "n", "description": "d""#
    static let signed = #"{"signedRenewalInfo": "r", "signedTransactionInfo": "t"}"#

    static let inApp = [
        Example(
            AdvancedCommerceOneTimeChargeCreateRequest.self,
            """
            {"operation": "CREATE_ONE_TIME_CHARGE", "version": "1", "requestInfo": \(info), "currency": "USD",
            "item": {"SKU": "s", \(names), "price": 4990}, "taxCode": "C003-00-2", "storefront": "USA"}
            """),
        Example(
            AdvancedCommerceSubscriptionCreateRequest.self,
            """
            {"operation": "CREATE_SUBSCRIPTION", "version": "1", "requestInfo": \(info), "currency": "USD",
            "descriptors": {\(names)}, "items": [{"SKU": "s", \(names), "price": 1, "offer": \(offer)}],
            "period": "P6M", "taxCode": "C", "previousTransactionId": "1", "storefront": "USA"}
            """),
        Example(
            AdvancedCommerceSubscriptionModifyInAppRequest.self,
            """
            {"operation": "MODIFY_SUBSCRIPTION", "version": "1", "requestInfo": \(info), "transactionId": "1",
            "retainBillingCycle": true, "addItems": [{"SKU": "s", \(names), "price": 1, "offer": \(offer),
            "proratedPrice": 2}], "changeItems": [{"currentSKU": "s", "SKU": "t", \(names), "effective":
            "NEXT_BILL_CYCLE", "reason": "APPLY_OFFER", "price": 3, "offer": \(offer), "proratedPrice": 4}],
            "removeItems": [{"SKU": "u"}], "periodChange": {"effective": "IMMEDIATELY", "period": "P1Y"},
            "descriptors": {"effective": "IMMEDIATELY", \(names)}, "currency": "USD", "storefront": "USA",
            "taxCode": "C"}
            """),
        Example(
            AdvancedCommerceSubscriptionReactivateInAppRequest.self,
            """
            {"operation": "REACTIVATE_SUBSCRIPTION", "version": "1", "requestInfo": \(info), "transactionId": "1",
            "items": [{"SKU": "s"}], "storefront": "USA"}
            """),
    ]

    static let server = [
        Example(
            AdvancedCommerceSubscriptionCancelRequest.self, #"{"requestInfo": \#(info), "storefront": "USA"}"#),
        Example(
            AdvancedCommerceSubscriptionRevokeRequest.self,
            """
            {"requestInfo": \(info), "refundReason": "LEGAL", "refundRiskingPreference": true, "refundType": "PRORATED",
            "storefront": "USA"}
            """),
        Example(
            AdvancedCommerceRequestRefundRequest.self,
            """
            {"requestInfo": \(info), "items": [{"SKU": "s", "refundReason": "SIMULATE_REFUND_DECLINE",
            "refundType": "CUSTOM", "revoke": false, "refundAmount": 1500}], "refundRiskingPreference": false,
            "currency": "USD", "storefront": "USA"}
            """),
        Example(
            AdvancedCommerceSubscriptionChangeMetadataRequest.self,
            """
            {"requestInfo": \(info), "descriptors": {"effective": "NEXT_BILL_CYCLE", \(names)}, "items":
            [{"currentSKU": "s", "effective": "IMMEDIATELY", "SKU": "t", \(names)}], "storefront": "USA",
            "taxCode": "C"}
            """),
        Example(
            AdvancedCommerceSubscriptionPriceChangeRequest.self,
            """
            {"requestInfo": \(info), "items": [{"SKU": "s", "price": 1, "dependentSKUs": ["t", "u"]}],
            "currency": "USD", "storefront": "USA"}
            """),
        Example(
            AdvancedCommerceSubscriptionMigrateRequest.self,
            """
            {"requestInfo": \(info), "descriptors": {\(names)}, "items": [{"SKU": "s", \(names)}],
            "targetProductId": "p", "taxCode": "C", "renewalItems": [{"SKU": "t", \(names)}], "storefront": "USA"}
            """),
        Example(AdvancedCommerceSubscriptionCancelResponse.self, signed),
        Example(AdvancedCommerceSubscriptionRevokeResponse.self, signed),
        Example(AdvancedCommerceSubscriptionChangeMetadataResponse.self, signed),
        Example(AdvancedCommerceSubscriptionPriceChangeResponse.self, signed),
        Example(AdvancedCommerceSubscriptionMigrateResponse.self, signed),
        Example(AdvancedCommerceRequestRefundResponse.self, signed),
        Example(AdvancedCommerceRequestRefundResponse.self, #"{"signedTransactionInfo": "t"}"#),
    ]

    @Test(arguments: inApp + server)
    func `A body of the Advanced Commerce API has exactly the documented keys`(_ example: Example) throws {
        #expect(try example.reencode(Data(example.json.utf8)) == JSONValue(example.json))
    }

    @Test func `An in-app request encodes its operation and version by default`() throws {
        let identifier = try #require(UUID(uuidString: Self.uuid))
        let request = AdvancedCommerceOneTimeChargeCreateRequest(
            requestInfo: .init(requestReferenceId: identifier), currency: "USD",
            item: .init(sku: "s", displayName: "n", description: "d", price: 4990), taxCode: "C003-00-2")
        let json = """
            {"operation": "CREATE_ONE_TIME_CHARGE", "version": "1", "requestInfo": {"requestReferenceId":
            "\(Self.uuid)"}, "currency": "USD", "item": {"SKU": "s", \(Self.names), "price": 4990},
            "taxCode": "C003-00-2"}
            """
        #expect(try encode(request) == JSONValue(json))
    }

    @Test func `An explicit null, as Apple's Java library sends it, is decoded as missing`() throws {
        let json =
            #"{"requestInfo": {"requestReferenceId": "\#(Self.uuid)", "appAccountToken": null}, "storefront": null}"#
        let request: AdvancedCommerceSubscriptionCancelRequest = try decode(json)
        #expect(request.storefront == nil && request.requestInfo.appAccountToken == nil)
        #expect(
            try encode(request) == JSONValue(#"{"requestInfo": {"requestReferenceId": "\#(Self.uuid)"}}"#))
    }

    @Test func `A refund amount beyond 32 bits fails to decode`() {
        let json =
            #"{"SKU": "s", "refundReason": "OTHER", "refundType": "CUSTOM", "revoke": true, "refundAmount": 2147483648}"#
        #expect(throws: DecodingError.self) { try decode(AdvancedCommerceRequestRefundItem.self, json) }
    }
}
