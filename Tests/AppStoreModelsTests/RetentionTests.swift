import AppStoreModels
import Foundation
import Testing

@Suite struct `Bodies of the Retention Messaging API` {
    static let uuid = "48c8b92d-ce0d-4229-bedf-e61b4f9cfc92"

    static let examples = [
        Example(RealtimeRequestBody.self, #"{"signedPayload": "j"}"#),
        Example(
            UploadMessageRequestBody.self,
            """
            {"header": "h", "body": "b", "image": {"imageIdentifier": "\(uuid)", "altText": "a"},
            "headerPosition": "ABOVE_IMAGE",
            "bulletPoints": [{"text": "t", "imageIdentifier": "\(uuid)", "altText": "a"}]}
            """),
        Example(
            GetImageListResponse.self,
            """
            {"imageIdentifiers": [{"imageIdentifier": "\(uuid)", "imageState": "PENDING", "imageSize": "FULL_SIZE"},
            {"imageIdentifier": "\(uuid)", "imageState": "PENDING_REVIEW"}]}
            """),
        Example(
            GetMessageListResponse.self,
            #"{"messageIdentifiers": [{"messageIdentifier": "\#(uuid)", "messageState": "APPROVED"}]}"#),
        Example(DefaultConfigurationRequest.self, #"{"messageIdentifier": "\#(uuid)"}"#),
        Example(DefaultConfigurationResponse.self, #"{"messageIdentifier": "\#(uuid)"}"#),
        Example(RealtimeUrlRequest.self, #"{"realtimeURL": "https://example.com/r"}"#),
        Example(RealtimeUrlResponse.self, #"{"realtimeURL": "https://example.com/r"}"#),
        Example(PerformanceTestRequest.self, #"{"originalTransactionId": "1"}"#),
        Example(PerformanceTestResponse.self, #"{"config": \#(config), "requestId": "r"}"#),
        Example(
            PerformanceTestResultResponse.self,
            """
            {"config": \(config), "target": "https://example.com", "result": "FAIL", "successRate": 98, "numPending": 0,
            "responseTimes": {"average": 1, "p50": 2, "p90": 3, "p95": 4, "p99": 5},
            "failures": {"TIMED_OUT": 3, "STRUCK_BY_LIGHTNING": 1}}
            """),
        Example(RealtimeResponseBody.self, #"{"message": {"messageIdentifier": "\#(uuid)"}}"#),
        Example(
            RealtimeResponseBody.self,
            """
            {"alternateProduct": {"messageIdentifier": "\(uuid)", "productId": "p", "billingPlanType": "MONTHLY"}}
            """),
        Example(
            RealtimeResponseBody.self,
            #"{"promotionalOffer": {"messageIdentifier": "\#(uuid)", "promotionalOfferSignatureV2": "j"}}"#),
        Example(
            RealtimeResponseBody.self,
            """
            {"promotionalOffer": {"messageIdentifier": "\(uuid)", "promotionalOfferSignatureV1": {"encodedSignature": "s",
            "productId": "p", "nonce": "\(uuid)", "timestamp": 1700000000000, "keyId": "k", "offerIdentifier": "o",
            "appAccountToken": "\(uuid)"}}}
            """),
        Example(
            RealtimeResponseBody.self,
            #"{"advancedCommerceInfo": {"messageIdentifier": "\#(uuid)", "advancedCommerceData": "e30="}}"#),
    ]

    static let config = """
        {"maxConcurrentRequests": 1, "totalRequests": 2, "totalDuration": 3, "responseTimeThreshold": 700,
        "successRateThreshold": 95}
        """

    @Test(arguments: examples)
    func `A body of the Retention Messaging API has exactly the documented keys`(_ example: Example) throws {
        #expect(try example.reencode(Data(example.json.utf8)) == JSONValue(example.json))
    }

    @Test func `The nonce of a promotional offer is encoded in lower case`() throws {
        let nonce = try #require(UUID(uuidString: "48C8B92D-CE0D-4229-BEDF-E61B4F9CFC92"))
        let signature = PromotionalOfferSignatureV1(
            encodedSignature: "s", productId: "p", nonce: nonce, timestamp: 1, keyId: "k", offerIdentifier: "o")
        let json = """
            {"encodedSignature": "s", "productId": "p", "nonce": "\(Self.uuid)", "timestamp": 1, "keyId": "k",
            "offerIdentifier": "o"}
            """
        #expect(try encode(signature) == JSONValue(json))
    }
}
