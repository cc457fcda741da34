import AppStoreModels
import Foundation

extension JWSTransactionDecodedPayload {
    /// A transaction with the fields of a current renewal.
    static var sample: JWSTransactionDecodedPayload {
        let now = Date(timeIntervalSince1970: Date().timeIntervalSince1970.rounded())
        return JWSTransactionDecodedPayload(
            transactionId: "2000001092148094", originalTransactionId: "2000001092134138",
            webOrderLineItemId: "2000000113445522", bundleId: "com.example.app", productId: "com.example.app.monthly",
            subscriptionGroupIdentifier: "21754321", purchaseDate: now, originalPurchaseDate: now,
            expiresDate: now + 2_592_000, quantity: 1, type: .autoRenewableSubscription,
            appAccountToken: UUID(), inAppOwnershipType: .purchased, signedDate: now, environment: .sandbox,
            storefront: "USA", storefrontId: "143441", transactionReason: .renewal, currency: "USD", price: 4990,
            appTransactionId: "704500000000000000")
    }
}
