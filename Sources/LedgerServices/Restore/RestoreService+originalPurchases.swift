internal import Ledger
internal import AppStoreReceipts
internal import AppStoreTrust
internal import Foundation

extension RestoreService {
    /// Keeps what an app sent about when its customer first got it, and gives it to the customer.
    ///
    /// Where the identifier of the Apple account is known, the claims of the account say whose it is, and they are made with
    /// those of its purchases. Where it is not, there is a claim for this alone. One that is refused is no failure: the
    /// purchases are what the app asked about.
    func keepOriginalPurchases(
        of proven: ProvenPurchases, for customer: String, in scope: Scope, _ takeover: Takeover,
        erasuresKnownUntil: Milliseconds
    ) async throws {
        let purchases = try originalPurchases(of: proven, for: customer, in: scope)
        guard !purchases.isEmpty else { return }
        try await storage.keep(purchases)
        for purchase in purchases where OriginalPurchase.appTransactionID(ofSubject: purchase.subject) == nil {
            try await claim(
                [], purchase.subject, for: customer, in: scope, takeover, skipsRefused: true,
                erasuresKnownUntil: erasuresKnownUntil)
        }
    }

    private func originalPurchases(
        of proven: ProvenPurchases, for customer: String, in scope: Scope
    ) throws -> [OriginalPurchase] {
        let now = now.milliseconds
        var purchases: [OriginalPurchase] = []
        if let transaction = proven.appTransaction {
            purchases.append(
                OriginalPurchase(
                    transaction, for: customer, in: scope, at: now, origin: .app))
        }
        if case .app(let receipt)? = proven.receipt?.receipt.payload,
            let purchase = try OriginalPurchase(
                receipt, for: customer, in: scope, at: now, origin: .app)
        {
            purchases.append(purchase)
        }
        return purchases
    }
}
