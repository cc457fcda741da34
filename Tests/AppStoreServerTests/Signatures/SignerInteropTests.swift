import Crypto
import Foundation
import TestSupport
import Testing

@testable import AppStoreServer

@Suite(.enabled(if: PythonEnvironment.isEnabled, "\(PythonEnvironment.absence)"))
struct `Signatures verified by Apple's Python library` {
    private let key = P256.Signing.PrivateKey()
    private let request = #"{"operation":"CREATE_ONE_TIME_CHARGE","version":"1"}"#

    private struct Input: Encodable {
        struct Offer: Encodable {
            let account, nonce, signature: String
            let timestamp: Int64
        }

        let key, keyId, issuerId, bundleId, request: String
        let tokens: [String: String]
        let offer: Offer
    }

    @Test func `Apple's Python library signs and accepts the same headers, claims and offers`() async throws {
        let signing = SigningKey(key, keyID: "K")
        let signer = try OfferSigner(key: signing, issuerID: "I", bundleID: "B")
        let account = UUID()
        let offer = try signer.promotionalOffer(productID: "p", offerID: "o", appAccountToken: account)
        let ours = [
            "api": try APITokenSource(key: signing, issuerID: "I", bundleID: "B").token().text,
            "promotionalOffer": try signer.promotionalOfferV2(productID: "p", offerID: "o", transactionID: "1"),
            "introductoryOffer": try signer.introductoryOfferEligibility(
                productID: "p", isAllowed: true, transactionID: "1"),
            "advancedCommerce": try signer.advancedCommerce(json: Data(request.utf8)).token,
        ]
        let results = try await runScript(
            Input(
                key: key.pemRepresentation, keyId: "K", issuerId: "I", bundleId: "B", request: request, tokens: ours,
                offer: .init(
                    account: account.uuidString, nonce: offer.nonce.uuidString, signature: offer.encodedSignature,
                    timestamp: offer.timestamp)))

        // The original promotional offer, in both directions.
        #expect(results["acceptsOffer"] as? Bool == true)
        let text = try OfferSigner.promotionalOfferText(
            bundleID: "B", keyID: "K", productID: "p", offerID: "o", appAccountToken: account, nonce: offer.nonce,
            timestamp: offer.timestamp)
        let theirOffer = try #require((results["offer"] as? String).flatMap { Data(base64Encoded: $0) })
        #expect(
            key.publicKey.isValidSignature(
                try P256.Signing.ECDSASignature(derRepresentation: theirOffer), for: Data(text.utf8)))

        for kind in ours.keys {
            let mine = try part("ours", kind, of: results)
            let other = try part("theirs", kind, of: results)
            #expect(mine.header == other.header, "\(kind)")
            // The released Python client omits the documented `iat` from API tokens.
            let names = Set(mine.claims.keys).subtracting(kind == "api" ? ["iat"] : [])
            #expect(names == Set(other.claims.keys), "\(kind)")
            for name in names.subtracting(["iat", "exp", "nonce"]) {
                #expect("\(mine.claims[name] ?? "")" == "\(other.claims[name] ?? "")", "\(kind) \(name)")
            }
        }
    }

    private func part(
        _ side: String, _ kind: String, of results: [String: Any]
    ) throws -> (header: [String: String], claims: [String: Any]) {
        let sides = try #require(results[side] as? [String: [String: Any]])
        let token = try #require(sides[kind])
        return (
            try #require(token["header"] as? [String: String]), try #require(token["claims"] as? [String: Any])
        )
    }

    private func runScript(_ input: Input) async throws -> [String: Any] {
        let data = try await PythonEnvironment.run("verify_signatures.py", try JSONEncoder().encode(input))
        return try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
    }
}
