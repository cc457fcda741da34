internal import AppStoreModels
package import AppStoreReceipts
package import AppStoreTrust
package import Entitlements

/// A validated receipt with its purchases.
///
/// The App Store's history and individually signed transactions contain more detail. The ledger uses the receipt's data
/// only where it has neither: see ``ReceiptFact``.
package struct VerifiedReceipt: Sendable {
    package var receipt: Verified<Receipt>
    package var audience: PurchaseAudience
    package var facts: [TransactionFact]
}

extension ReceiptLimits {
    /// The limits of receipts that are sent to the server.
    package static let server = ReceiptLimits(bytes: 4 << 20, attributes: 100_000)
}

extension PurchaseVerifier {
    /// A validator for receipts of the configured apps, from any device.
    package var receiptValidator: ReceiptValidator {
        ReceiptValidator(
            anchors: receiptAnchors, bundleIDs: Set(apps.all.map(\.bundleID)),
            limits: .server, now: clock.now)
    }

    /// Validates a receipt in base64 and reads its purchases.
    func verifyReceipt(_ text: String) throws(VerificationError) -> VerifiedReceipt {
        try read(receiptValidator.validate(base64: text))
    }

    /// Reads the purchases of a validated receipt.
    package func read(_ receipt: Verified<Receipt>) throws(VerificationError) -> VerifiedReceipt {
        // Old receipts may not name their environment. Unless it is production, treat it as the sandbox.
        let environment: AppStoreEnvironment = receipt.payload.environment == .production ? .production : .sandbox
        let catalogue = apps[receipt.payload.bundleID]?.catalogue ?? ProductCatalogue()
        return VerifiedReceipt(
            receipt: receipt,
            audience: PurchaseAudience(bundleID: receipt.payload.bundleID, environment: environment),
            facts: try receiptValidator.facts(of: receipt, catalogue: catalogue).transactions)
    }
}
