import AppStoreReceipts
import AppStoreServer
import AppStoreTrust
internal import Basics
import Crypto
import Foundation
import StoreSimulator
import X509

/// The generated data of the tour: a certificate authority, a transaction signed by it, and a verifier that trusts it.
struct TourSamples {
    let authority: Authority
    let verifier: SignedDataVerifier
    let payload: JWSTransactionDecodedPayload
    let transaction: String

    static let bundleID = "com.example.tour"

    init() throws {
        authority = try Authority(name: "Tour")
        let now = Date(timeIntervalSince1970: Date().timeIntervalSince1970.rounded(.down))
        payload = JWSTransactionDecodedPayload(
            transactionId: "2000000000000002", originalTransactionId: "2000000000000001",
            webOrderLineItemId: "2000000000000009", bundleId: Self.bundleID, productId: "com.example.tour.monthly",
            subscriptionGroupIdentifier: "21000001", purchaseDate: now - 60, originalPurchaseDate: now - 60,
            expiresDate: now + 30 * 86_400, quantity: 1, type: .autoRenewableSubscription,
            inAppOwnershipType: .purchased, signedDate: now, environment: .sandbox, storefront: "USA",
            storefrontId: "143441", transactionReason: .purchase, currency: "USD", price: 4990)
        transaction = try authority.sign(payload)
        verifier = try SignedDataVerifier(Self.configuration(authority))
    }

    /// Makes a verifier without a cache of certificate chains.
    func verifierWithoutCache() throws -> SignedDataVerifier {
        var configuration = try Self.configuration(authority)
        configuration.chainCacheCapacity = 0
        return try SignedDataVerifier(configuration)
    }

    /// Makes a receipt, validates it, and validates it again on another device, with a changed byte and under Apple's
    /// roots.
    ///
    /// - Returns: A line for each validation.
    func receiptLines(_ style: Style) throws -> [String] {
        let authority = try ReceiptAuthority(name: "Tour")
        let (device, other) = (Data(repeating: 7, count: 16), Data(repeating: 8, count: 16))
        var purchase = ReceiptPurchase(
            productID: payload.productId, transactionID: payload.transactionId, purchaseDate: payload.purchaseDate)
        purchase.originalTransactionID = payload.originalTransactionId
        purchase.expirationDate = payload.expiresDate
        let receipt = try authority.sign(
            ReceiptContents(
                type: .productionSandbox, bundleID: Self.bundleID, version: "42", creationDate: payload.signedDate,
                deviceID: device, opaqueValue: Array(0..<16), purchases: [purchase]))
        var validator = ReceiptValidator(
            anchors: try TrustAnchors(certificates: [Data(authority.root.der)]), bundleIDs: [Self.bundleID])
        let valid = try validator.validate(contents: receipt, deviceID: device)
        let purchases = validator.purchases(of: valid).map { "\($0.productID) (\($0.transactionID))" }
        var lines = [
            "\(style.good("valid")) \(receipt.count) bytes for \(valid.payload.bundleID): \(purchases.joined())"
        ]

        func attempt(_ name: String, _ receipt: Data, _ device: Data) {
            do {
                _ = try validator.validate(contents: receipt, deviceID: device)
                lines.append("\(name.padded(to: 44)) \(style.bad("accepted: this must not happen"))")
            } catch {
                lines.append("\(name.padded(to: 44)) \(style.good("refused")) \(error.code)")
            }
        }
        attempt("copied to another device", receipt, other)
        attempt("one byte changed", receipt.replacing("monthly", with: "forever"), device)
        validator.anchors = .apple
        attempt("validated with Apple's roots", receipt, device)
        return lines
    }

    /// Returns JWS that differ from the valid one in one respect each.
    func forgeries() throws -> [(name: String, text: String)] {
        let parts = transaction.split(separator: ".").map(String.init)
        let otherProduct = String(decoding: Base64.decodeURL(parts[1]) ?? [], as: UTF8.self)
            .replacingOccurrences(of: "monthly", with: "forever")
        let stranger = try Authority(name: "Tour")
        var foreign = payload
        foreign.bundleId = "com.example.other"
        let none = Base64.encodeURL(Array(authority.header().replacingOccurrences(of: "ES256", with: "none").utf8))
        return [
            ("another product in the payload", "\(parts[0]).\(Base64.encodeURL(Array(otherProduct.utf8))).\(parts[2])"),
            ("alg: none", "\(none).\(parts[1]).\(parts[2])"),
            ("another authority of the same name", try stranger.sign(payload)),
            ("another app's transaction", try authority.sign(foreign)),
            ("a line break at the end", transaction + "\n"),
            ("a developer's certificate instead of Apple's", try developerAuthority().sign(payload)),
        ]
    }

    /// Makes an authority under the right root whose leaf certificate lacks the marker for signing receipts, as the
    /// certificates of developers do.
    private func developerAuthority() throws -> Authority {
        var template = Authority.leafTemplate("Tour", Date())
        template.markers = []
        let key = P256.Signing.PrivateKey()
        let leaf = try template.issue(for: .init(key), by: authority.intermediate)
        return Authority(
            root: authority.root, intermediate: authority.intermediate, leaf: leaf, signingKey: key)
    }

    private static func configuration(_ authority: Authority) throws -> SignedDataVerifier.Configuration {
        var configuration = SignedDataVerifier.Configuration(apps: .only([App(bundleID: bundleID)]))
        configuration.anchors = try TrustAnchors(certificates: [Data(authority.root.der)])
        return configuration
    }
}

extension Data {
    /// Returns the bytes with each occurrence of `text` replaced by `other`, which must have the same length.
    fileprivate func replacing(_ text: String, with other: String) -> Data {
        var result = self
        while let range = result.range(of: Data(text.utf8)) { result.replaceSubrange(range, with: Data(other.utf8)) }
        return result
    }
}
