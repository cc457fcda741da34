import AppStoreModels
import Foundation
import Testing

@Suite struct `Signed payloads` {
    static let minimal = """
        {"transactionId": "1", "originalTransactionId": "1", "bundleId": "b", "productId": "p", "purchaseDate": 1,
        "originalPurchaseDate": 1, "quantity": 1, "type": "Consumable", "inAppOwnershipType": "PURCHASED",
        "signedDate": 1, "environment": "Production"
        """

    @Test(arguments: SignedPayloadExamples.all)
    func `A signed payload has every documented field`(_ example: Example) throws {
        #expect(try example.reencode(Data(example.json.utf8)) == JSONValue(example.json))
    }

    @Test func `A payload signed by Xcode decodes`() throws {
        let json = """
            {"bundleId": "com.example.app", "deviceVerification": "QUJD", "deviceVerificationNonce":
            "48C8B92D-CE0D-4229-BEDF-E61B4F9CFC92", "environment": "Xcode", "expiresDate": 1697679936049.7297,
            "inAppOwnershipType": "PURCHASED", "isUpgraded": false, "originalPurchaseDate": -62135769600000,
            "originalTransactionId": "0", "productId": "pass.premium", "purchaseDate": 1697679936049.7297,
            "quantity": 1, "requestDate": 1697679936049.7297, "signedDate": 1697679936056.4849,
            "subscriptionGroupIdentifier": "6F3A93AB", "transactionId": "0", "type": "Auto-Renewable Subscription"}
            """
        let payload: JWSTransactionDecodedPayload = try decode(json)
        #expect(payload.environment == .xcode)
        #expect(payload.purchaseDate.millisecondsSince1970 == 1_697_679_936_049)
        #expect(payload.signedDate.millisecondsSince1970 == 1_697_679_936_056)
        #expect(payload.originalPurchaseDate.millisecondsSince1970 == -62_135_769_600_000)
        // The only keys of Xcode that the model does not have.
        let unknown = ["deviceVerification", "deviceVerificationNonce", "requestDate"]
        #expect(try encode(payload).keys == JSONValue(json).removing(unknown).keys)
    }

    @Test func `A null member decodes as a missing one`() throws {
        let optional = [
            "previousOriginalTransactionId", "webOrderLineItemId", "subscriptionGroupIdentifier", "expiresDate",
            "appAccountToken", "revocationReason", "revocationDate", "revocationType", "revocationPercentage",
            "isUpgraded", "offerType", "offerIdentifier", "storefront", "price", "advancedCommerceInfo",
            "commitmentInfo",
        ]
        let nulls = optional.map { ", \"\($0)\": null" }.joined()
        let payload: JWSTransactionDecodedPayload = try decode(Self.minimal + nulls + "}")
        #expect(try payload == decode(Self.minimal + "}"))
        #expect(try encode(payload) == JSONValue(Self.minimal + "}"))
    }

    @Test(arguments: [
        "transactionId", "originalTransactionId", "bundleId", "productId", "purchaseDate", "originalPurchaseDate",
        "quantity", "type", "inAppOwnershipType", "signedDate", "environment",
    ])
    func `A payload without a required field fails to decode, and the error names the field`(_ key: String) throws {
        let json = (Self.minimal + "}").replacing("\"\(key)\"", with: "\"x\"")
        do {
            _ = try decode(JWSTransactionDecodedPayload.self, json)
            Issue.record("decoded without \(key)")
        } catch DecodingError.keyNotFound(let missing, _) {
            #expect(missing.stringValue == key)
        }
    }

    @Test func `A UUID is decoded in any case and encoded in lower case`() throws {
        let text = "7E3FB20B-4CDB-47CC-936D-99D65F608138"
        for spelling in [text, text.lowercased()] {
            let payload: JWSTransactionDecodedPayload = try decode(
                Self.minimal + #", "appAccountToken": "\#(spelling)"}"#)
            #expect(payload.appAccountToken == UUID(uuidString: text))
            #expect(try encode(payload) == JSONValue(Self.minimal + #", "appAccountToken": "\#(text.lowercased())"}"#))
        }
    }

    @Test(arguments: ["", "customer 17", "7E3FB20B"])
    func `A transaction decodes although its account token is not a UUID`(_ text: String) throws {
        let payload: JWSTransactionDecodedPayload = try decode(Self.minimal + #", "appAccountToken": "\#(text)"}"#)
        #expect(payload.appAccountToken == nil)
        #expect(payload.transactionId == "1")
    }

    @Test func `An app transaction decodes although its device nonce is not a UUID`() throws {
        let json = """
            {"receiptType": "Sandbox", "bundleId": "b", "receiptCreationDate": 1, "originalPurchaseDate": 1,
            "originalApplicationVersion": "1", "deviceVerificationNonce": "?"}
            """
        #expect(try decode(AppTransaction.self, json).deviceVerificationNonce == nil)
    }

    @Test(arguments: [("SANDBOX_1", true), ("1", false)])
    func `An external purchase token is for the sandbox if its identifier says so`(
        _ identifier: String, _ isSandbox: Bool
    ) {
        let token = ExternalPurchaseToken(
            externalPurchaseId: identifier, tokenCreationDate: .distantPast, appAppleId: 1, bundleId: "b")
        #expect(token.isSandbox == isSandbox)
    }
}
