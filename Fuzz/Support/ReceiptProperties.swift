import AppStoreReceipts
import AppStoreTrust
package import Foundation

/// Properties of any receipt, of either format.
package struct ReceiptProperties: Sendable {
    private let validator: ReceiptValidator
    /// The signed parts of the seeds and of the genuine receipts.
    private var signed: Set<SignedPart> = []

    /// - Parameter targets: The targets whose seeds are read.
    package init(targets: [String]) throws {
        let issuers = try [.receiptRoot, .receiptIntermediate, .receiptOldIntermediate].map(Material.certificate)
        let genuineIssuers = try Material.contents(of: Material.fixtures.appending(path: "receipts/certs"))
        validator = ReceiptValidator(
            anchors: TrustAnchors.apple.union(try TrustAnchors(certificates: [issuers[0]])),
            intermediates: try CertificatePool(certificates: issuers + genuineIssuers),
            xcodeCertificates: try TrustAnchors(certificates: [Material.certificate(.receiptXcode)]),
            environments: [.production, .sandbox, .xcode], now: { present })
        let genuine = try Material.contents(of: Material.fixtures.appending(path: "receipts"))
        for data in try targets.flatMap(Material.seeds) + genuine {
            if let verified = try? validator.authenticate(contents: data) {
                signed.insert(SignedPart(verified.payload))
            }
        }
        Property.require(signed.count >= targets.count * 2, "the seeds verify")
    }

    /// Reads and validates `contents`, and compares the results.
    package func check(_ contents: Data) {
        let content = (try? UnverifiedReceipt(contents: contents))?.content
        let verified = try? validator.authenticate(contents: contents)
        if let verified {
            Property.require(verified.payload == content, "the unverified and the verified receipt differ")
            Property.require(
                signed.contains(SignedPart(verified.payload)), "a receipt without a valid signature is accepted")
            Property.requireJSON(
                VerifyReceiptEndpoint(validator: validator).response(for: verified).json,
                "the response of verifyReceipt is JSON")
            _ = try? validator.validate(contents: contents, deviceID: Data([1, 2, 3, 4, 5, 6]))
        }
        guard let content else { return }
        Property.requireJSON(ReceiptDocument(content).json, "the document is JSON")
        let transaction = Property.success("the transaction ID of a readable receipt can be read") {
            try UnverifiedReceipt.transactionID(inContents: contents)
        }
        switch content {
        case .app(let receipt):
            Property.require(
                transaction == receipt.purchases.first?.transactionID,
                "the transaction ID is that of the first purchase")
        case .transaction(let receipt):
            Property.require(transaction == receipt.transactionID, "the transaction ID is that of the receipt")
        }
        requireSame(content, contents)
    }

    /// Requires that the receipt is the same when it is read from base64.
    private func requireSame(_ content: Receipt, _ contents: Data) {
        guard contents.first == 0x30 || contents.first == UInt8(ascii: "{") else { return }
        let text = contents.base64EncodedString(options: [.lineLength64Characters])
        let again = Property.success("a receipt in base64 can be read") { try UnverifiedReceipt(base64: text) }
        Property.require(again.content == content, "bytes and base64 are read as the same receipt")
    }

    /// Sends a request to `verifyReceipt`.
    package func requestVerifyReceipt(_ body: Data) {
        let endpoint = VerifyReceiptEndpoint(validator: validator, environment: .production, sharedSecrets: ["secret"])
        let response = endpoint.response(body: body)
        Property.requireJSON(response.json, "the response of verifyReceipt is JSON")
        Property.require(
            (response.receipt == nil) == (response.status != .valid && response.status != .expiredSubscription),
            "the response has a receipt exactly if the receipt is genuine")
    }
}

/// The content that a receipt's signature covers.
private enum SignedPart: Hashable {
    case app(AppReceipt)
    case transaction([LegacyReceipt.Field])

    init(_ receipt: Receipt) {
        switch receipt {
        case .app(let receipt): self = .app(receipt)
        case .transaction(let receipt): self = .transaction(receipt.fields)
        }
    }
}
