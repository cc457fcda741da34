import AppStoreReceipts
import AppStoreTrust
package import Foundation

/// What must hold for any receipt, of either format.
package struct ReceiptProperties: Sendable {
    private let validator: ReceiptValidator
    /// What was really signed: the seeds and the genuine receipts.
    private var signed: Set<SignedPart> = []

    /// - Parameter targets: The targets whose seeds there are.
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
        Property.require(signed.count >= targets.count * 2, "the seeds are authentic")
    }

    /// Reads and validates `contents`, and holds the answers against each other.
    package func check(_ contents: Data) {
        let content = (try? UnverifiedReceipt(contents: contents))?.content
        let verified = try? validator.authenticate(contents: contents)
        if let verified {
            Property.require(verified.payload == content, "two ways to read a receipt read two receipts")
            Property.require(signed.contains(SignedPart(verified.payload)), "nobody signed this")
            Property.requireJSON(
                VerifyReceiptEndpoint(validator: validator).response(about: verified).json, "verifyReceipt gives JSON")
            _ = try? validator.validate(contents: contents, deviceID: Data([1, 2, 3, 4, 5, 6]))
        }
        guard let content else { return }
        Property.requireJSON(ReceiptDocument(content).json, "the document is JSON")
        let transaction = Property.success("a receipt that can be read has a transaction, or none") {
            try UnverifiedReceipt.transactionID(inContents: contents)
        }
        switch content {
        case .app(let receipt):
            Property.require(transaction == receipt.purchases.first?.transactionID, "the first purchase counts")
        case .transaction(let receipt):
            Property.require(transaction == receipt.transactionID, "the transaction counts")
        }
        requireSame(content, contents)
    }

    /// The same receipt as bytes and as base64.
    private func requireSame(_ content: Receipt, _ contents: Data) {
        guard contents.first == 0x30 || contents.first == UInt8(ascii: "{") else { return }
        let text = contents.base64EncodedString(options: [.lineLength64Characters])
        let again = Property.success("base64 of a receipt is a receipt") { try UnverifiedReceipt(base64: text) }
        Property.require(again.content == content, "bytes and base64 give the same receipt")
    }

    /// Answers `verifyReceipt`.
    package func answer(_ body: Data) {
        let endpoint = VerifyReceiptEndpoint(validator: validator, environment: .production, sharedSecrets: ["secret"])
        let response = endpoint.response(body: body)
        Property.requireJSON(response.json, "verifyReceipt gives JSON")
        Property.require(
            (response.receipt == nil) == (response.status != .valid && response.status != .expiredSubscription),
            "only what is genuine is shown")
    }
}

/// What a signature covers.
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
