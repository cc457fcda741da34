import AppStoreModels
import AppStoreServer
import Crypto
import Foundation
import StoreSimulator
import Testing

/// What an app hands over with a promotional offer, or to have the introductory offer decided by its server.
@Suite struct `A signed offer` {
    /// A developer's server that makes a mistake, or none.
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

    /// A shop where anna has a subscription, and its key.
    private func shop() throws -> Shop {
        var shop = Shop()
        let bearer = BearerCheck(
            key: signer.key.publicKey, keyID: signer.keyID, issuerID: signer.issuer, bundleID: signer.bundle)
        // Years away from the simulated time.
        shop.check = OfferSignatureCheck(bearer, real: Date(timeIntervalSince1970: 2_000_000_000))
        try shop.buy("plus")
        return shop
    }

    private static func buys(_ signature: OfferSignature?) -> StoreCommand {
        .purchase(customer: "anna", product: "plus", offer: "loyal", signature: signature)
    }

    @Test func `is checked when it is handed over, and holds while the purchase waits`() throws {
        var shop = try shop()
        try shop.perform(.askToBuy(customer: "anna"))
        let anna = try shop.store.customer("anna")
        let signature = try signer.original(anna.accountToken)
        try shop.refuses(Self.buys(nil), .offerSignatureMissing)
        #expect(try shop.perform(Self.buys(signature)).result == .pending)
        try shop.refuses(Self.buys(signature), .offerSignatureReused)
        shop.wait(days: 2)
        try shop.perform(.approvePurchase(customer: "anna"))
        #expect(try shop.last().renewalInfo?.offerIdentifier == "loyal")
    }

    @Test func `for the introductory offer holds while the purchase waits`() throws {
        var shop = try shop()
        shop.wait(days: 1)
        try shop.perform(.cancel(customer: "anna"))
        shop.wait(.month)
        try shop.perform(.purchase(customer: "anna", product: "plus"))
        #expect(try shop.last().transaction.offerType == .introductory)
        try shop.perform(.cancel(customer: "anna"))
        shop.wait(.month)
        try shop.perform(.askToBuy(customer: "anna"))
        // The offer is used up, which the developer's server may decide otherwise.
        try shop.perform(.purchase(customer: "anna", product: "plus", introductory: true, sign: true))
        try shop.perform(.approvePurchase(customer: "anna"))
        #expect(try shop.last().transaction.offerType == .introductory)
    }

    @Test func `of either format is redeemed once`() throws {
        for isOriginal in [true, false] {
            var shop = try shop()
            let anna = try shop.store.customer("anna")
            let signature =
                isOriginal
                ? try signer.original(anna.accountToken) : try signer.jws("plus", "loyal", anna.appTransactionID)
            try shop.perform(Self.buys(signature))
            #expect(try shop.last().renewalInfo?.offerIdentifier == "loyal")
            try shop.refuses(Self.buys(signature), .offerSignatureReused)
        }
    }

    @Test func `is needed, can be read, and is not asked for where nothing has to be signed`() throws {
        var shop = try shop()
        try shop.refuses(Self.buys(nil), .offerSignatureMissing)
        for token in ["", "eyJ", "a.b.c", String(repeating: "x", count: 10_000)] {
            try shop.refuses(Self.buys(.jws(token)), .offerSignatureMalformed)
        }
        let anna = try shop.store.customer("anna").accountToken
        guard case .original(let key, let nonce, let date, let signature) = try signer.original(anna) else { return }
        try shop.refuses(
            Self.buys(.original(keyID: key, nonce: "x", timestamp: date, signature: signature)),
            .offerSignatureMalformed)
        try shop.refuses(
            Self.buys(.original(keyID: key, nonce: nonce, timestamp: .max, signature: signature)),
            .offerSignatureMalformed)
        try shop.refuses(
            Self.buys(.original(keyID: key, nonce: nonce, timestamp: date, signature: "c2ln")),
            .offerSignatureMalformed)
        try shop.refuses(
            .purchase(customer: "anna", product: "plus", offer: "PLUS", signature: .jws("eyJ")), .invalidArgument)
        try shop.refuses(
            .purchase(customer: "anna", product: "plus", offer: "loyal", signature: .jws("eyJ"), sign: true),
            .invalidArgument)
        // None of these has used up anything.
        try shop.perform(Self.buys(.original(keyID: key, nonce: nonce, timestamp: date, signature: signature)))
    }

    @Test func `of the original format is refused for its own reason`() throws {
        var shop = try shop()
        let anna = try shop.store.customer("anna").accountToken
        var (other, stranger, late, early) = (signer, signer, signer, signer)
        other.keyID = "OTHER00000"
        stranger.key = P256.Signing.PrivateKey()
        late.date = Shop.start - 86_401
        early.date = Shop.start + 301
        let mistakes: [(OfferSignature, StoreError.Code)] = [
            (try other.original(anna), .offerSignatureWrongKey),
            (try stranger.original(anna), .offerSignatureInvalid),
            (try signer.original(anna, "gold"), .offerSignatureWrongProduct),
            (try signer.original(anna, "plus", "loyaler"), .offerSignatureWrongOffer),
            (try signer.original(nil), .offerSignatureWrongAccount),
            (try late.original(anna), .offerSignatureExpired), (try early.original(anna), .offerSignatureNotYetValid),
        ]
        for (signature, code) in mistakes { try shop.refuses(Self.buys(signature), code) }
        // The account is part of it, so another one of the same customer is another mistake.
        try shop.refuses(
            .purchase(
                customer: "anna", product: "plus", offer: "loyal", appAccountToken: AppAccountToken(UUID()),
                signature: try signer.original(anna)), .offerSignatureWrongAccount)
    }

    @Test func `as a JWS is refused for its own reason`() throws {
        var shop = try shop()
        try shop.buy("plus", by: "ben")
        let ben = try shop.store.customer("ben").appTransactionID
        let anna = try shop.store.customer("anna").appTransactionID
        var (other, stranger, late, early, issuer, app) = (signer, signer, signer, signer, signer, signer)
        other.keyID = "OTHER00000"
        stranger.key = P256.Signing.PrivateKey()
        late.date = Shop.start - 86_401
        early.date = Shop.start + 301
        issuer.issuer = "nobody"
        app.bundle = "com.example.other"
        let eligibility = try signer.offers().introductoryOfferEligibility(
            productID: "plus", isAllowed: true, transactionID: anna)
        let mistakes: [(OfferSignature, StoreError.Code)] = [
            (try other.jws(), .offerSignatureWrongKey), (try stranger.jws(), .offerSignatureInvalid),
            (.jws(eligibility), .offerSignatureWrongAudience), (try issuer.jws(), .offerSignatureWrongApp),
            (try app.jws(), .offerSignatureWrongApp), (try signer.jws("gold"), .offerSignatureWrongProduct),
            (try signer.jws("plus", "loyaler"), .offerSignatureWrongOffer),
            (try signer.jws("plus", "loyal", ben), .offerSignatureWrongCustomer),
            (try late.jws(), .offerSignatureExpired), (try early.jws(), .offerSignatureNotYetValid),
        ]
        for (signature, code) in mistakes { try shop.refuses(Self.buys(signature), code) }
    }

    @Test func `is good by the real clock too, for 24 hours`() throws {
        var shop = try shop()
        var signer = signer
        signer.date = Date(timeIntervalSince1970: 2_000_000_000 - 86_399)
        try shop.perform(Self.buys(signer.jws()))
    }

    @Test func `decides about the introductory offer in the place of the group's rule`() throws {
        var shop = try shop()
        let anna = try shop.store.customer("anna").appTransactionID
        func buys(_ allow: Bool, _ transaction: String) throws -> StoreCommand {
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
        try shop.refuses(try buys(true, "704000000000000001"), .offerSignatureWrongCustomer)
        #expect(try endAndBuy(buys(false, anna)) == nil)
        // Once in a group by the App Store's rule.
        #expect(try endAndBuy(.purchase(customer: "anna", product: "plus")) == .introductory)
        #expect(try endAndBuy(.purchase(customer: "anna", product: "plus")) == nil)
        #expect(try endAndBuy(buys(true, anna)) == .introductory)
        #expect(
            try endAndBuy(.purchase(customer: "anna", product: "plus", introductory: true, sign: true)) == .introductory
        )
        try shop.refuses(
            .purchase(customer: "anna", product: "plus", offer: "loyal", introductorySignature: "eyJ"),
            .invalidArgument)
    }

    @Test func `is written as text or as an object`() throws {
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
}
