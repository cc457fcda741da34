import AppStoreModels
import AppStoreServer
import Crypto
import Foundation
import StoreSimulator
import Testing

/// The signature that an app passes with a promotional offer, or to let its server decide the introductory offer.
@Suite struct `A signed offer` {
    /// A developer's server, each part of whose signatures can be made wrong.
    private struct Signer {
        var key = P256.Signing.PrivateKey()
        var keyID = "ABCDE12345"
        var issuer = "issuer"
        var bundle = SimulatedApp().bundleID
        var date = Shop.start
        var nonce = UUID()

        func offers() throws -> OfferSigner {
            let (date, nonce) = (date, nonce)
            return try OfferSigner(
                key: SigningKey(pem: key.pemRepresentation, keyID: keyID), issuerID: issuer, bundleID: bundle,
                now: { date }, nonce: { nonce })
        }

        func original(
            _ account: UUID?, _ product: String = "plus", _ offer: String = "loyal"
        ) throws -> OfferSignature {
            let made = try offers().promotionalOffer(productID: product, offerID: offer, appAccountToken: account)
            return .original(
                keyID: made.keyId, nonce: made.nonce.uuidString.lowercased(), timestamp: made.timestamp,
                signature: made.encodedSignature)
        }

        func jws(
            _ product: String = "plus", _ offer: String = "loyal", _ transaction: String? = nil
        ) throws -> OfferSignature {
            .jws(try offers().promotionalOfferV2(productID: product, offerID: offer, transactionID: transaction))
        }
    }

    private let signer = Signer()

    /// Returns a shop that accepts the signer's key and in which anna has a subscription.
    private func shop() throws -> Shop {
        var shop = Shop()
        let bearer = BearerCheck(
            key: signer.key.publicKey, keyID: signer.keyID, issuerID: signer.issuer, bundleID: signer.bundle)
        // The real time is years after the simulated time.
        shop.check = OfferSignatureCheck(bearer, real: Date(timeIntervalSince1970: 2_000_000_000))
        try shop.buy("plus")
        return shop
    }

    private static func purchaseCommand(_ signature: OfferSignature?) -> StoreCommand {
        .purchase(customer: "anna", product: "plus", offer: "loyal", signature: signature)
    }

    @Test func `An offer signature is checked at the purchase and stays valid while the purchase is pending`() throws {
        var shop = try shop()
        try shop.perform(.askToBuy(customer: "anna"))
        let anna = try shop.store.customer("anna")
        let signature = try signer.original(anna.accountToken)
        try shop.expectRefusal(Self.purchaseCommand(nil), .offerSignatureMissing)
        #expect(try shop.perform(Self.purchaseCommand(signature)).result == .pending)
        try shop.expectRefusal(Self.purchaseCommand(signature), .offerSignatureReused)
        shop.wait(days: 2)
        try shop.perform(.approvePurchase(customer: "anna"))
        #expect(try shop.last().renewalInfo?.offerIdentifier == "loyal")
    }

    @Test func `A signature for the introductory offer stays valid while the purchase is pending`() throws {
        var shop = try shop()
        shop.wait(days: 1)
        try shop.perform(.cancel(customer: "anna"))
        shop.wait(.month)
        try shop.perform(.purchase(customer: "anna", product: "plus"))
        #expect(try shop.last().transaction.offerType == .introductory)
        try shop.perform(.cancel(customer: "anna"))
        shop.wait(.month)
        try shop.perform(.askToBuy(customer: "anna"))
        // The offer is used up, but the developer's server may allow it again.
        try shop.perform(.purchase(customer: "anna", product: "plus", introductory: true, sign: true))
        try shop.perform(.approvePurchase(customer: "anna"))
        #expect(try shop.last().transaction.offerType == .introductory)
    }

    @Test func `An offer signature of either format can be redeemed once`() throws {
        for isOriginal in [true, false] {
            var shop = try shop()
            let anna = try shop.store.customer("anna")
            let signature =
                isOriginal
                ? try signer.original(anna.accountToken) : try signer.jws("plus", "loyal", anna.appTransactionID)
            try shop.perform(Self.purchaseCommand(signature))
            #expect(try shop.last().renewalInfo?.offerIdentifier == "loyal")
            try shop.expectRefusal(Self.purchaseCommand(signature), .offerSignatureReused)
        }
    }

    @Test func `A missing, malformed or superfluous offer signature is refused`() throws {
        var shop = try shop()
        try shop.expectRefusal(Self.purchaseCommand(nil), .offerSignatureMissing)
        for token in ["", "eyJ", "a.b.c", String(repeating: "x", count: 10_000)] {
            try shop.expectRefusal(Self.purchaseCommand(.jws(token)), .offerSignatureMalformed)
        }
        let anna = try shop.store.customer("anna").accountToken
        guard case .original(let key, let nonce, let date, let signature) = try signer.original(anna) else {
            Issue.record("the signature is not of the original format")
            return
        }
        try shop.expectRefusal(
            Self.purchaseCommand(.original(keyID: key, nonce: "x", timestamp: date, signature: signature)),
            .offerSignatureMalformed)
        try shop.expectRefusal(
            Self.purchaseCommand(.original(keyID: key, nonce: nonce, timestamp: .max, signature: signature)),
            .offerSignatureMalformed)
        try shop.expectRefusal(
            Self.purchaseCommand(.original(keyID: key, nonce: nonce, timestamp: date, signature: "c2ln")),
            .offerSignatureMalformed)
        try shop.expectRefusal(
            .purchase(customer: "anna", product: "plus", offer: "PLUS", signature: .jws("eyJ")), .invalidArgument)
        try shop.expectRefusal(
            .purchase(customer: "anna", product: "plus", offer: "loyal", signature: .jws("eyJ"), sign: true),
            .invalidArgument)
        // The refused purchases have not used up the nonce.
        try shop.perform(
            Self.purchaseCommand(.original(keyID: key, nonce: nonce, timestamp: date, signature: signature)))
    }

    @Test func `An offer signature of the original format is refused with the code of its mistake`() throws {
        var shop = try shop()
        let anna = try shop.store.customer("anna").accountToken
        var (otherKeyID, otherKey, expired, future) = (signer, signer, signer, signer)
        otherKeyID.keyID = "OTHER00000"
        otherKey.key = P256.Signing.PrivateKey()
        expired.date = Shop.start - 86_401
        future.date = Shop.start + 301
        let mistakes: [(OfferSignature, StoreError.Code)] = [
            (try otherKeyID.original(anna), .offerSignatureWrongKey),
            (try otherKey.original(anna), .offerSignatureInvalid),
            (try signer.original(anna, "gold"), .offerSignatureWrongProduct),
            (try signer.original(anna, "plus", "loyaler"), .offerSignatureWrongOffer),
            (try signer.original(nil), .offerSignatureWrongAccount),
            (try expired.original(anna), .offerSignatureExpired),
            (try future.original(anna), .offerSignatureNotYetValid),
        ]
        for (signature, code) in mistakes { try shop.expectRefusal(Self.purchaseCommand(signature), code) }
        // The signature contains the account token, so another token of the same customer is refused.
        try shop.expectRefusal(
            .purchase(
                customer: "anna", product: "plus", offer: "loyal", appAccountToken: AppAccountToken(UUID()),
                signature: try signer.original(anna)), .offerSignatureWrongAccount)
    }

    @Test func `An offer signature in JWS format is refused with the code of its mistake`() throws {
        var shop = try shop()
        try shop.buy("plus", by: "ben")
        let ben = try shop.store.customer("ben").appTransactionID
        let anna = try shop.store.customer("anna").appTransactionID
        var (otherKeyID, otherKey, expired, future) = (signer, signer, signer, signer)
        var (otherIssuer, otherApp) = (signer, signer)
        otherKeyID.keyID = "OTHER00000"
        otherKey.key = P256.Signing.PrivateKey()
        expired.date = Shop.start - 86_401
        future.date = Shop.start + 301
        otherIssuer.issuer = "nobody"
        otherApp.bundle = "com.example.other"
        let eligibility = try signer.offers().introductoryOfferEligibility(
            productID: "plus", isAllowed: true, transactionID: anna)
        let mistakes: [(OfferSignature, StoreError.Code)] = [
            (try otherKeyID.jws(), .offerSignatureWrongKey), (try otherKey.jws(), .offerSignatureInvalid),
            (.jws(eligibility), .offerSignatureWrongAudience), (try otherIssuer.jws(), .offerSignatureWrongApp),
            (try otherApp.jws(), .offerSignatureWrongApp), (try signer.jws("gold"), .offerSignatureWrongProduct),
            (try signer.jws("plus", "loyaler"), .offerSignatureWrongOffer),
            (try signer.jws("plus", "loyal", ben), .offerSignatureWrongCustomer),
            (try expired.jws(), .offerSignatureExpired), (try future.jws(), .offerSignatureNotYetValid),
        ]
        for (signature, code) in mistakes { try shop.expectRefusal(Self.purchaseCommand(signature), code) }
    }

    @Test(
        arguments: [
            ("algorithm", ["alg": "ES384"], [:]), ("type", ["typ": "JOSE"], [:]), ("nonce", [:], ["nonce": "1"]),
            ("seconds", [:], ["iat": 1_760_000_000_000]),
        ] as [(String, [String: String], [String: any Sendable])])
    func `An offer signature in JWS format with a wrong header, nonce or date is malformed`(
        _ reason: String, _ header: [String: String], _ claims: [String: any Sendable]
    ) throws {
        var shop = try shop()
        func token(_ header: [String: String], _ claims: [String: any Sendable]) throws -> OfferSignature {
            let right: [String: any Sendable] = [
                "iss": signer.issuer, "iat": Shop.start.timeIntervalSince1970, "aud": "promotional-offer",
                "bid": signer.bundle, "nonce": UUID().uuidString, "productId": "plus", "offerIdentifier": "loyal",
            ]
            let header = ["alg": "ES256", "kid": signer.keyID, "typ": "JWT"].merging(header) { $1 }
            return .jws(
                try CompactJWS.sign(
                    header: JSONSerialization.data(withJSONObject: header),
                    payload: JSONSerialization.data(withJSONObject: right.merging(claims) { $1 }), with: signer.key))
        }
        let error = #expect(throws: StoreError.self) { try shop.perform(Self.purchaseCommand(token(header, claims))) }
        #expect(error?.code == .offerSignatureMalformed)
        #expect(error?.message.contains(reason) == true)
        try shop.perform(Self.purchaseCommand(token([:], [:])))
    }

    @Test func `An offer signature is accepted up to 24 hours after its date by the real clock`() throws {
        var shop = try shop()
        var signer = signer
        signer.date = Date(timeIntervalSince1970: 2_000_000_000 - 86_399)
        try shop.perform(Self.purchaseCommand(signer.jws()))
    }

    @Test func `A signature for the introductory offer overrides the App Store's rule`() throws {
        var shop = try shop()
        let anna = try shop.store.customer("anna").appTransactionID
        func purchaseCommand(_ allow: Bool, _ transaction: String) throws -> StoreCommand {
            var signer = signer
            (signer.nonce, signer.date) = (UUID(), shop.now)
            return .purchase(
                customer: "anna", product: "plus",
                introductorySignature: try signer.offers().introductoryOfferEligibility(
                    productID: "plus", isAllowed: allow, transactionID: transaction))
        }
        func endAndBuy(_ command: StoreCommand) throws -> OfferType? {
            try shop.perform(.approveRefund(customer: "anna"))
            let outcome = try shop.perform(command)
            return try shop.transaction(try #require(outcome.transactionID)).offerType
        }
        try shop.expectRefusal(try purchaseCommand(true, "704000000000000001"), .offerSignatureWrongCustomer)
        #expect(try endAndBuy(purchaseCommand(false, anna)) == nil)
        // The App Store's rule allows the offer once in a group.
        #expect(try endAndBuy(.purchase(customer: "anna", product: "plus")) == .introductory)
        #expect(try endAndBuy(.purchase(customer: "anna", product: "plus")) == nil)
        #expect(try endAndBuy(purchaseCommand(true, anna)) == .introductory)
        #expect(
            try endAndBuy(.purchase(customer: "anna", product: "plus", introductory: true, sign: true)) == .introductory
        )
        try shop.expectRefusal(
            .purchase(customer: "anna", product: "plus", offer: "loyal", introductorySignature: "eyJ"),
            .invalidArgument)
    }

    @Test func `An offer signature is encoded as text or as an object`() throws {
        let purchases = [
            #"{"purchase":{"customer":"a","product":"p","signature":"eyJ"}}"#,
            #"{"purchase":{"customer":"a","product":"p","signature":{"keyId":"K","nonce":"n","signature":"s","timestamp":1}}}"#,
        ]
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        for text in purchases {
            let command = try JSONDecoder().decode(StoreCommand.self, from: Data(text.utf8))
            #expect(String(decoding: try encoder.encode(command), as: UTF8.self) == text)
        }
    }

    @Test(arguments: [-86_400.0, 300])
    func `An offer signature is accepted for 24 hours, and five minutes before its date`(_ age: TimeInterval) throws {
        for isOriginal in [true, false] {
            var shop = try shop()
            var signer = signer
            signer.date = Shop.start + age
            let anna = try shop.store.customer("anna").accountToken
            let signature = isOriginal ? try signer.original(anna) : try signer.jws()
            try shop.perform(Self.purchaseCommand(signature))
            #expect(try shop.last().renewalInfo?.offerIdentifier == "loyal")
        }
    }
}
