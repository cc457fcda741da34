import AppStoreModels
import AppStoreTrust
import Basics
import Crypto
import Foundation
import Testing

@testable import AppStoreServer

@Suite struct `Signed offers` {
    static let nonce = UUID(uuid: (0xAB, 0xCD, 0xEF, 1, 2, 3, 0x4A, 5, 0x8B, 6, 7, 8, 9, 0xFA, 0xFB, 0xFC))
    static let nonceText = "abcdef01-0203-4a05-8b06-070809fafbfc"
    static let account = UUID(uuid: (0xFE, 0xDC, 0xBA, 0x98, 0, 0, 0x40, 0, 0x80, 0, 0, 0, 0, 0, 0, 1))

    let key = P256.Signing.PrivateKey()

    func signer() throws -> OfferSigner {
        try OfferSigner(
            key: SigningKey(key, keyID: TestKeys.keyID), issuerID: TestKeys.issuerID, bundleID: TestKeys.bundleID,
            now: { Date(timeIntervalSince1970: 1_700_000_000.5) }, nonce: { Self.nonce })
    }

    @Test func `An original promotional offer is signed over seven parts separated by U+2063`() throws {
        let signed = try signer().promotionalOffer(
            productID: "Pro.Monthly", offerID: "Win-Back", appAccountToken: Self.account)
        // Written by hand: E2 81 A3 is U+2063 in UTF-8.
        let separator: [UInt8] = [0xE2, 0x81, 0xA3]
        let parts = [
            "com.example.app", "ABCDEFGHIJ", "Pro.Monthly", "Win-Back", "fedcba98-0000-4000-8000-000000000001",
            "abcdef01-0203-4a05-8b06-070809fafbfc", "1700000000500",
        ]
        let text = Data(parts.map { Array($0.utf8) }.joined(separator: separator))
        let der = try #require(Data(base64Encoded: signed.encodedSignature))
        #expect(key.publicKey.isValidSignature(try P256.Signing.ECDSASignature(derRepresentation: der), for: text))
        #expect(signed.keyId == TestKeys.keyID)
        #expect(signed.nonce == Self.nonce)
        #expect(signed.productId == "Pro.Monthly")
        #expect(signed.offerIdentifier == "Win-Back")
        #expect(signed.timestamp == 1_700_000_000_500)
        #expect(signed.appAccountToken == Self.account)
    }

    @Test func `An offer without an account keeps the separators around the empty part`() throws {
        let text = try OfferSigner.promotionalOfferText(
            bundleID: "b", keyID: "k", productID: "p", offerID: "o", appAccountToken: nil, nonce: Self.nonce,
            timestamp: 1)
        #expect(text == "b\u{2063}k\u{2063}p\u{2063}o\u{2063}\u{2063}\(Self.nonceText)\u{2063}1")
        let signed = try signer().promotionalOffer(productID: "p", offerID: "o")
        let whole =
            "com.example.app\u{2063}ABCDEFGHIJ\u{2063}p\u{2063}o\u{2063}\u{2063}\(Self.nonceText)\u{2063}1700000000500"
        let der = try #require(Data(base64Encoded: signed.encodedSignature))
        #expect(
            key.publicKey.isValidSignature(
                try P256.Signing.ECDSASignature(derRepresentation: der), for: Data(whole.utf8)))
    }

    @Test(arguments: ["", "a\u{2063}b", "\u{2063}"])
    func `An empty part or a part with a separator is refused`(_ part: String) throws {
        let signer = try signer()
        #expect(throws: SigningError(.invalidIdentifier, "")) {
            try signer.promotionalOffer(productID: part, offerID: "o")
        }
        #expect(throws: SigningError(.invalidIdentifier, "")) {
            try signer.promotionalOffer(productID: "p", offerID: part)
        }
    }

    @Test func `A promotional offer JWS has Apple's claims, and the transaction only if known`() throws {
        var (header, claims) = try TestKeys.open(
            signer().promotionalOfferV2(productID: "p", offerID: "o", transactionID: "42"), with: key.publicKey)
        #expect(header as? [String: String] == ["alg": "ES256", "kid": TestKeys.keyID, "typ": "JWT"])
        #expect(claims.removeValue(forKey: "iat") as? Int == 1_700_000_000)
        let expected = [
            "iss": TestKeys.issuerID, "aud": "promotional-offer", "bid": TestKeys.bundleID, "nonce": Self.nonceText,
            "productId": "p", "offerIdentifier": "o", "transactionId": "42",
        ]
        #expect(claims as? [String: String] == expected)
        (_, claims) = try TestKeys.open(signer().promotionalOfferV2(productID: "p", offerID: "o"), with: key.publicKey)
        #expect(claims["transactionId"] == nil)
        #expect(claims["exp"] == nil)
    }

    @Test(arguments: [true, false])
    func `An introductory offer JWS has its eligibility as a boolean`(_ isAllowed: Bool) throws {
        let jws = try signer().introductoryOfferEligibility(productID: "p", isAllowed: isAllowed, transactionID: "42")
        var (_, claims) = try TestKeys.open(jws, with: key.publicKey)
        #expect(claims.removeValue(forKey: "allowIntroductoryOffer") as? Bool == isAllowed)
        #expect(claims.removeValue(forKey: "iat") as? Int == 1_700_000_000)
        let expected = [
            "iss": TestKeys.issuerID, "aud": "introductory-offer-eligibility", "bid": TestKeys.bundleID,
            "nonce": Self.nonceText, "productId": "p", "transactionId": "42",
        ]
        #expect(claims as? [String: String] == expected)
        let payload = try #require(Base64.decodeURL(jws.split(separator: ".")[1]))
        #expect(String(decoding: payload, as: UTF8.self).contains("\"allowIntroductoryOffer\":\(isAllowed)"))
        #expect(throws: SigningError(.invalidIdentifier, "")) {
            try signer().introductoryOfferEligibility(productID: "p", isAllowed: isAllowed, transactionID: "")
        }
    }

    @Test func `An Advanced Commerce JWS has the request in standard base64, wrapped for StoreKit`() throws {
        // 0xFB 0xFF … in base64 are '+' and '/', in which the alphabets differ. "?>" is padded with "==".
        let json = Data(#"{"operation":"X","text":"ÿþ?>ûï¿"}"#.utf8)
        let signed = try signer().advancedCommerce(json: json)
        let (_, claims) = try TestKeys.open(signed.token, with: key.publicKey)
        #expect(claims["aud"] as? String == "advanced-commerce-api")
        #expect(claims["request"] as? String == json.base64EncodedString())
        #expect(Set(claims.keys) == ["iss", "iat", "aud", "bid", "nonce", "request"])
        #expect(String(decoding: signed.data, as: UTF8.self) == #"{"signatureInfo":{"token":"\#(signed.token)"}}"#)
        #expect(Data(base64Encoded: signed.base64) == signed.data)
    }

    @Test func `An Advanced Commerce request model is encoded as JSON`() throws {
        struct Request: Encodable {
            let operation = "CREATE_ONE_TIME_CHARGE"
            let price: Int64 = 4990
        }
        let (_, claims) = try TestKeys.open(signer().advancedCommerce(Request()).token, with: key.publicKey)
        let text = try #require(claims["request"] as? String)
        let request = try #require(Data(base64Encoded: text))
        #expect(String(decoding: request, as: UTF8.self) == #"{"operation":"CREATE_ONE_TIME_CHARGE","price":4990}"#)
        #expect(throws: SigningError(.unencodable, "")) { try signer().advancedCommerce(["price": Double.nan]) }
    }
}

@Suite struct `A compact JWS` {
    @Test func `A compact JWS is signed over the exact bytes of header and payload`() throws {
        let key = P256.Signing.PrivateKey()
        let text = try CompactJWS.sign(
            header: Data(#"{"alg":"ES256"}"#.utf8), payload: Data(#"{"a":"/"}"#.utf8), with: key)
        let parts = text.split(separator: ".")
        #expect(parts.prefix(2) == ["eyJhbGciOiJFUzI1NiJ9", "eyJhIjoiLyJ9"])
        #expect(Base64.decodeURL(parts[2])?.count == 64)
        _ = try TestKeys.open(text, with: key.publicKey)
    }
}
