import AppStoreModels
import AppStoreServer
import AppStoreTrust
import Crypto
import Foundation
import StoreSimulator
import Testing

@Suite struct `Evaluation of real-time responses` {
    func exchange(isAdvancedCommerce: Bool = false, locale: String = "en-US") throws -> RealtimeExchange {
        RealtimeExchange(
            DecodedRealtimeRequestBody(
                originalTransactionId: "1", appAppleId: 1, productId: "pro", userLocale: locale,
                requestIdentifier: try Sample.uuid(5), environment: .sandbox, signedDate: Sample.now),
            isAdvancedCommerce: isAdvancedCommerce, alternatives: ["plus"])
    }

    func answer(_ json: String, status: Int = 200, milliseconds: Int64 = 700) -> RealtimeExchange.ServerResult {
        .response(status: status, body: Array(json.utf8), milliseconds: milliseconds)
    }

    /// Message 1 has an image, message 2 has none and is the default in American English, message 3 is rejected.
    func messaging() throws -> RetentionMessaging {
        var messaging = try Sample.messaging()
        try messaging.uploadMessage(Sample.id(3), body: Sample.body(#"{"header":"h","body":"b"}"#))
        try messaging.decide(message: Sample.uuid(3), .rejected)
        try messaging.setDefaultMessage(
            product: "pro", locale: "en-US", body: Sample.body(#"{"messageIdentifier":"\#(Sample.id(2))"}"#),
            isSubscription: Sample.isSubscription)
        return messaging
    }

    static func message(_ id: Int, _ more: String = "") -> String {
        #"{"messageIdentifier":"\#(Sample.id(id))"\#(more)}"#
    }

    static func data(changes: Int = 1) throws -> String {
        let item = AdvancedCommerceSubscriptionModifyChangeItem(
            currentSKU: "a", sku: "b", displayName: "n", description: "d", effective: .immediately, reason: .upgrade,
            price: 1)
        let request = AdvancedCommerceSubscriptionModifyInAppRequest(
            requestInfo: AdvancedCommerceRequestInfo(requestReferenceId: try Sample.uuid(1)), transactionId: "1",
            retainBillingCycle: true, changeItems: Array(repeating: item, count: changes))
        let claims: [String: Any] = [
            "iss": "i", "iat": 1_760_000_000, "bid": "b", "aud": "advanced-commerce-api",
            "nonce": UUID().uuidString, "request": try JSONEncoder().encode(request).base64EncodedString(),
        ]
        let token = try CompactJWS.sign(
            header: Array(#"{"alg":"ES256","kid":"k"}"#.utf8),
            payload: JSONSerialization.data(withJSONObject: claims), with: P256.Signing.PrivateKey())
        return Data(#"{"signatureInfo":{"token":"\#(token)"}}"#.utf8).base64EncodedString()
    }

    /// Returns a response with a promotional offer for a product, signed as a JWS.
    static func offer(for product: String, message number: Int = 2) throws -> String {
        let key = try SigningKey(pem: P256.Signing.PrivateKey().pemRepresentation, keyID: "ABCDE12345")
        let token = try OfferSigner(key: key, issuerID: "i", bundleID: "b")
            .promotionalOfferV2(productID: product, offerID: "o")
        return #"{"promotionalOffer":\#(message(number, #","promotionalOfferSignatureV2":"\#(token)""#))}"#
    }

    @Test func `A valid realtime response is shown to the customer`() throws {
        let messaging = try messaging()
        let plain = try exchange().evaluate(answer(#"{"message":\#(Self.message(1))}"#), messaging)
        let (first, second) = (try Sample.uuid(1), try Sample.uuid(2))
        #expect(plain.content == .message && plain.messageIdentifier == first)
        #expect(plain.result == .success && plain.rejectionReason == nil)
        let product = #"{"alternateProduct":\#(Self.message(2, #","productId":"plus""#)),"unknown":1}"#
        let alternate = try exchange().evaluate(answer(product), messaging)
        #expect(alternate.content == .alternateProduct && alternate.messageIdentifier == second)
        for product in ["pro", "plus"] {
            let discount = try exchange().evaluate(answer(Self.offer(for: product)), messaging)
            #expect(discount.content == .promotionalOffer && discount.messageIdentifier == second)
        }
        let change = #"{"advancedCommerceInfo":\#(Self.message(1, #","advancedCommerceData":"\#(try Self.data())""#))}"#
        let advanced = try exchange(isAdvancedCommerce: true).evaluate(answer(change), messaging)
        #expect(advanced.content == .advancedCommerce && advanced.messageIdentifier == first)
    }

    @Test(arguments: [
        "", "[]", "{}", #"{"message":{}}"#, #"{"message":{"messageIdentifier":"x"}}"#,
        #"{"message":\#(message(9))}"#, #"{"message":\#(message(3))}"#,
        #"{"message":\#(message(1)),"alternateProduct":\#(message(2, #","productId":"plus""#))}"#,
        #"{"alternateProduct":\#(message(1, #","productId":"plus""#))}"#,
        #"{"alternateProduct":\#(message(2, #","productId":"pro""#))}"#,
        #"{"alternateProduct":\#(message(2, #","productId":"other""#))}"#,
        #"{"promotionalOffer":\#(message(2))}"#,
        #"{"promotionalOffer":\#(message(2, #","promotionalOfferSignatureV2":"a.b.c""#))}"#,
        #"{"advancedCommerceInfo":\#(message(1, #","advancedCommerceData":"e30=""#))}"#,
    ])
    func `An invalid realtime response shows the default message`(_ json: String) throws {
        let outcome = try exchange().evaluate(answer(json), messaging())
        let second = try Sample.uuid(2)
        #expect(outcome.content == .defaultMessage && outcome.messageIdentifier == second)
        #expect(outcome.result == .invalidResponse)
        #expect(outcome.rejectionReason != nil)
    }

    @Test func `A promotional offer for a product of another group, or with an image, is an invalid response`() throws {
        for offer in [try Self.offer(for: "other"), try Self.offer(for: "pro", message: 1)] {
            #expect(try exchange().evaluate(answer(offer), messaging()).result == .invalidResponse)
        }
    }

    @Test func `Advanced Commerce data that does not change exactly one item is an invalid response`() throws {
        for data in ["", "e30=", "x", try Self.data(changes: 0), try Self.data(changes: 2)] {
            let json = #"{"advancedCommerceInfo":\#(Self.message(1, #","advancedCommerceData":"\#(data)""#))}"#
            let outcome = try exchange(isAdvancedCommerce: true).evaluate(answer(json), messaging())
            #expect(outcome.result == .invalidResponse)
        }
    }

    @Test func `A realtime response that is late, missing, too large or not status 200 has the matching result`() throws
    {
        let messaging = try messaging()
        let json = #"{"message":\#(Self.message(1))}"#
        #expect(try exchange().evaluate(answer(json, milliseconds: 701), messaging).result == .timedOut)
        #expect(try exchange().evaluate(answer(json, status: 201), messaging).result == .unsuccessfulHTTPResponseCode)
        #expect(try exchange().evaluate(.failure(.noResponse), messaging).result == .noResponse)
        let large = String(repeating: " ", count: 64 * 1024) + json
        #expect(try exchange().evaluate(answer(large), messaging).result == .invalidResponse)
        let refused = try exchange().evaluate(answer(json), messaging) { _ in "the signature is not valid" }
        #expect(refused.rejectionReason == "the signature is not valid")
        let second = try Sample.uuid(2)
        #expect(refused.content == .defaultMessage && refused.messageIdentifier == second)
    }

    @Test func `A failed realtime response shows nothing without an approved default message`() throws {
        var messaging = try messaging()
        let silent = try exchange(locale: "de").evaluate(.failure(.timedOut), messaging)
        #expect(silent.content == .nothing && silent.messageIdentifier == nil)
        #expect(try exchange(locale: "").evaluate(.failure(.timedOut), messaging).content == .nothing)
        try messaging.decide(message: Sample.uuid(2), .rejected)
        #expect(try exchange().evaluate(.failure(.timedOut), messaging).content == .nothing)
    }
}
