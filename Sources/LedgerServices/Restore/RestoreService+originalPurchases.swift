internal import AppStoreReceipts
internal import AppStoreTrust
internal import Foundation
internal import Ledger

extension RestoreService {
    /// Stores when the customer first got the app, as the report's app transaction or receipt states, and claims it for
    /// the customer.
    ///
    /// If the report names the Apple account, the account's claim covers it. Otherwise it gets a claim of its own. A
    /// refusal of that claim is no failure, because the report is about the purchases.
    func storeOriginalPurchases(
        of verified: VerifiedPurchases, for customer: String, in appEnvironment: AppEnvironment, _ takeover: Takeover,
        erasuresKnownUntil: Milliseconds
    ) async throws {
        let purchases = try originalPurchases(of: verified, for: customer, in: appEnvironment)
        guard !purchases.isEmpty else { return }
        try await storage.store(purchases)
        for purchase in purchases where OriginalPurchase.appTransactionID(ofSubject: purchase.subject) == nil {
            try await claim(
                [], purchase.subject, for: customer, in: appEnvironment, takeover, skipsRefused: true,
                erasuresKnownUntil: erasuresKnownUntil)
        }
    }

    private func originalPurchases(
        of verified: VerifiedPurchases, for customer: String, in appEnvironment: AppEnvironment
    ) throws -> [OriginalPurchase] {
        let now = now.milliseconds
        var purchases: [OriginalPurchase] = []
        if let transaction = verified.appTransaction {
            purchases.append(
                OriginalPurchase(
                    transaction, for: customer, in: appEnvironment, at: now, origin: .app))
        }
        if case .app(let receipt)? = verified.receipt?.receipt.payload,
            let purchase = try OriginalPurchase(
                receipt, for: customer, in: appEnvironment, at: now, origin: .app)
        {
            purchases.append(purchase)
        }
        return purchases
    }
}
