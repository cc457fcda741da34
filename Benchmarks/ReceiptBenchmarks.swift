import AppStoreReceipts
import AppStoreServer
import Crypto
import Foundation
import StoreSimulator

/// Receipts and tokens. They have no performance target; the results show changes.
struct ReceiptBenchmarks {
    private let receipt: Data
    private let validator: ReceiptValidator
    private let signer: OfferSigner
    private let key: SigningKey
    private let rawKey = P256.Signing.PrivateKey()

    init() throws {
        let authority = try ReceiptAuthority()
        let now = Date()
        receipt = try authority.sign(
            ReceiptContents(
                bundleID: "com.example.app", version: "42", creationDate: now, deviceID: Data(count: 16),
                opaqueValue: Array(0..<16),
                purchases: (0..<10).map {
                    ReceiptPurchase(productID: "com.example.app.monthly", transactionID: "\($0)", purchaseDate: now)
                }))
        validator = ReceiptValidator(anchors: try TrustAnchors(certificates: [Data(authority.root.der)]))
        key = try SigningKey(pem: rawKey.pemRepresentation, keyID: "ABC123DEFG")
        signer = try OfferSigner(key: key, issuerID: UUID().uuidString, bundleID: "com.example.app")
    }

    var cases: [Case] {
        [
            Case(name: "receipt.validate") { n in
                for _ in 0..<n { _ = try validator.validate(contents: receipt) }
            },
            Case(name: "raw.p256.sign") { n in
                let bytes = Data(count: 256)
                for _ in 0..<n { _ = try rawKey.signature(for: bytes) }
            },
            // A source caches its token, so create a source in each iteration.
            Case(name: "token.create") { n in
                for _ in 0..<n {
                    _ = try APITokenSource(key: key, issuerID: signer.issuerID, bundleID: signer.bundleID).token()
                }
            },
            Case(name: "offer.sign") { n in
                for _ in 0..<n { _ = try signer.promotionalOfferV2(productID: "monthly", offerID: "comeback") }
            },
        ]
    }
}
