internal import AppStoreModels
package import AppStoreReceipts
package import AppStoreTrust
package import Entitlements
internal import Foundation

/// A receipt that was validated, and what it says was bought.
///
/// The App Store's history says more, and so does everything that it signs one by one. Where there is nothing of the kind,
/// the ledger keeps what the receipt says: see ``ReceiptFact``.
package struct ProvenReceipt: Sendable {
    package var receipt: Verified<Receipt>
    package var audience: PurchaseAudience
    package var facts: [TransactionFact]
}

extension PurchaseProver {
    /// Validates receipts of the configured apps, of any device.
    package var receiptValidator: ReceiptValidator {
        ReceiptValidator(
            anchors: receiptAnchors, bundleIDs: Set(apps.all.map(\.bundleID)),
            limits: ReceiptLimits(bytes: 4 << 20, attributes: 100_000), now: clock.now)
    }

    /// Validates a receipt in base64.
    func proveReceipt(_ text: String) throws(VerificationError) -> ProvenReceipt {
        try read(receiptValidator.validate(base64: text))
    }

    /// Reads a receipt that was validated.
    package func read(_ receipt: Verified<Receipt>) throws(VerificationError) -> ProvenReceipt {
        // Old receipts do not always say where they were made. What is not known to be production is not.
        let environment: AppStoreEnvironment = receipt.payload.environment == .production ? .production : .sandbox
        let catalogue = apps[receipt.payload.bundleID]?.catalogue ?? ProductCatalogue()
        return ProvenReceipt(
            receipt: receipt,
            audience: PurchaseAudience(bundleID: receipt.payload.bundleID, environment: environment),
            facts: try receiptValidator.facts(of: receipt, catalogue: catalogue).transactions)
    }
}
