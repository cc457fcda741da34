import AppStoreModels
import Foundation
import Testing

@Suite struct `Unknown values of open enumerations` {
    @Test func `Unknown values survive decoding and encoding`() throws {
        let json = """
            {"transactionId": "1", "originalTransactionId": "1", "bundleId": "b", "productId": "p", "purchaseDate": 1,
            "originalPurchaseDate": 1, "quantity": 1, "type": "Rental", "inAppOwnershipType": "BORROWED",
            "signedDate": 1, "environment": "Moon", "revocationReason": 77, "revocationType": "ODD", "offerType": -5,
            "offerDiscountType": "BARTER", "transactionReason": "WHIM", "billingPlanType": "YEARLY"}
            """
        let payload: JWSTransactionDecodedPayload = try decode(json)
        #expect(payload.type == ProductType(rawValue: "Rental"))
        #expect(payload.type != .consumable)
        #expect(payload.offerType?.rawValue == -5)
        #expect(try encode(payload) == JSONValue(json))
    }

    @Test func `Unknown values in a notification survive decoding and encoding`() throws {
        let json = """
            {"notificationType": "SOMETHING_NEW", "subtype": "VERY_NEW", "notificationUUID": "not even a UUID",
            "version": "3.0", "signedDate": 1, "data": {"environment": "Sandbox", "bundleId": "b", "status": 9,
            "consumptionRequestReason": "BORED"}}
            """
        #expect(try encode(decode(ResponseBodyV2DecodedPayload.self, json)) == JSONValue(json))
    }

    @Test func `Unknown dictionary keys survive decoding and encoding`() throws {
        let json = #"{"TIMED_OUT": 1, "STRUCK_BY_LIGHTNING": 2}"#
        let failures: [SendAttemptResult: Int32] = try decode(json)
        #expect(failures == [.timedOut: 1, SendAttemptResult(rawValue: "STRUCK_BY_LIGHTNING"): 2])
        #expect(try encode(failures) == JSONValue(json))
    }

    @Test func `Open values are decoded and encoded in arrays`() throws {
        #expect(try decode([SubscriptionStatus].self, "[1, 42]") == [.active, SubscriptionStatus(rawValue: 42)])
        #expect(try encode([ProductType.consumable]) == .array([.string("Consumable")]))
    }

    @Test func `Open values print as on the wire`() {
        #expect("\(ProductType.consumable), \(ProductType(rawValue: "Rental"))" == "Consumable, Rental")
        #expect("\(SubscriptionStatus.active), \(SubscriptionStatus(rawValue: 42))" == "1, 42")
    }

    @Test(arguments: ["3000000000", "1.5", "\"1\"", "1e300", "true", "null"])
    func `A status of another JSON type fails to decode`(_ status: String) {
        let json =
            #"{"status": \#(status), "originalTransactionId": "", "signedTransactionInfo": "", "signedRenewalInfo": ""}"#
        #expect(throws: DecodingError.self) { try decode(LastTransactionsItem.self, json) }
    }

    @Test(arguments: [
        #"{"commitmentPrice": 9223372036854775808}"#, #"{"commitmentPrice": 1e300}"#,
        #"{"commitmentPrice": 1.5}"#, #"{"billingPeriodNumber": 2147483648}"#,
    ])
    func `Prices and counts too large for their type fail to decode`(_ json: String) {
        #expect(throws: DecodingError.self) { try decode(TransactionCommitmentInfo.self, json) }
    }

    @Test func `A 64-bit price and a negative price are decoded exactly`() throws {
        let info: TransactionCommitmentInfo = try decode(#"{"commitmentPrice": 9223372036854775807}"#)
        #expect(info.commitmentPrice == .max)
        #expect(try decode(TransactionCommitmentInfo.self, #"{"commitmentPrice": -1}"#).commitmentPrice == -1)
    }
}
