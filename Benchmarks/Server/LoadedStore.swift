import AppStoreModels
import Foundation
import StoreSimulator

/// Generates the notifications of a large app: renewals of many customers, in chronological order, with fast signing.
struct LoadedStore: Sendable {
    static let bundleID = "com.example.app"
    static let start = Date(timeIntervalSince1970: 1_780_000_000)

    /// The number of transactions of each customer in a ledger made by `fill`.
    static let renewals = 10

    let authority: Authority
    private let signer: PayloadSigner
    /// The number of customers.
    let customers: Int

    init(customers: Int) throws {
        authority = try Authority()
        self.customers = customers
        signer = PayloadSigner(
            generation: 1,
            chain: [authority.leaf.der, authority.intermediate.der, authority.root.der].map { Array($0) },
            key: authority.signingKey)
    }

    /// Returns the account token of a customer.
    static func token(_ customer: Int) -> UUID {
        UUID(
            uuid: (
                0xC0, 0xFF, 0, 0, 0, 0, 0x40, 0, 0x80, 0, 0, UInt8(truncatingIfNeeded: customer >> 32),
                UInt8(truncatingIfNeeded: customer >> 24), UInt8(truncatingIfNeeded: customer >> 16),
                UInt8(truncatingIfNeeded: customer >> 8), UInt8(truncatingIfNeeded: customer)
            ))
    }

    /// Returns the original transaction ID of a customer.
    static func original(_ customer: Int) -> String { String(2_000_000_000_000_000 + customer) }

    /// Returns the transaction with a number.
    func transaction(_ index: Int) -> JWSTransactionDecodedPayload {
        let customer = index % customers
        // A customer's first 12 renewals are a month apart, the later ones a second.
        let period = index / customers
        let date = Self.start + Double(min(period, 12)) * 2_592_000 + Double(period) + Double(customer % 86_400)
        return JWSTransactionDecodedPayload(
            transactionId: String(2_000_000_000_000_000 + index), originalTransactionId: Self.original(customer),
            webOrderLineItemId: String(2_000_000_000_000 + index), bundleId: Self.bundleID,
            productId: "com.example.premium.monthly", subscriptionGroupIdentifier: "21754321", purchaseDate: date,
            originalPurchaseDate: Self.start + Double(customer), expiresDate: date + 2_592_000, quantity: 1,
            type: .autoRenewableSubscription, appAccountToken: Self.token(customer), inAppOwnershipType: .purchased,
            signedDate: date, environment: .production, storefront: "USA", storefrontId: "143441",
            transactionReason: .renewal, currency: "USD", price: 9990,
            appTransactionId: String(704_500_000_000_000_000 + customer))
    }

    /// Returns the renewal info of a transaction.
    func renewal(_ transaction: JWSTransactionDecodedPayload) -> JWSRenewalInfoDecodedPayload {
        JWSRenewalInfoDecodedPayload(
            originalTransactionId: transaction.originalTransactionId, productId: transaction.productId,
            autoRenewProductId: transaction.productId, autoRenewStatus: .on, renewalDate: transaction.expiresDate,
            renewalPrice: 9990, currency: "USD", recentSubscriptionStartDate: transaction.originalPurchaseDate,
            appAccountToken: transaction.appAccountToken, appTransactionId: transaction.appTransactionId,
            environment: .production, signedDate: transaction.signedDate)
    }

    /// Returns the payload of a notification, with the inner data signed by `sign`.
    func notification(
        _ index: Int, sign: ([UInt8]) throws -> String
    ) throws -> (payload: ResponseBodyV2DecodedPayload, transaction: JWSTransactionDecodedPayload) {
        let transaction = transaction(index)
        let data = NotificationData(
            environment: .production, appAppleId: 1, bundleId: Self.bundleID, bundleVersion: "1",
            signedTransactionInfo: try sign(transaction.jsonBytes()),
            signedRenewalInfo: try sign(renewal(transaction).jsonBytes()), status: .active)
        let payload = ResponseBodyV2DecodedPayload(
            notificationType: .didRenew, notificationUUID: UUID().uuidString.lowercased(), version: "2.0",
            signedDate: transaction.signedDate, data: data)
        return (payload, transaction)
    }

    /// Returns the JWS of a notification.
    func signedPayload(_ index: Int) throws -> String {
        try signer.sign(notification(index) { try signer.sign(json: $0) }.payload)
    }
}
