import AppStoreModels
import Foundation
import StoreSimulator

/// Notifications of a big app, signed as fast as the machine can: renewals of many customers, in the order of time.
struct LoadedStore: Sendable {
    static let bundleID = "com.example.app"
    static let start = Date(timeIntervalSince1970: 1_780_000_000)

    /// How many transactions each customer has in a filled ledger.
    static let renewals = 10

    let authority: Authority
    private let signer: PayloadSigner
    /// How many customers renew in turn.
    let customers: Int

    init(customers: Int) throws {
        authority = try Authority()
        self.customers = customers
        signer = PayloadSigner(
            generation: 1,
            chain: [authority.leaf.der, authority.intermediate.der, authority.root.der].map { Array($0) },
            key: authority.signingKey)
    }

    /// The account of a customer.
    static func token(_ customer: Int) -> UUID {
        UUID(
            uuid: (
                0xC0, 0xFF, 0, 0, 0, 0, 0x40, 0, 0x80, 0, 0, UInt8(truncatingIfNeeded: customer >> 32),
                UInt8(truncatingIfNeeded: customer >> 24), UInt8(truncatingIfNeeded: customer >> 16),
                UInt8(truncatingIfNeeded: customer >> 8), UInt8(truncatingIfNeeded: customer)
            ))
    }

    /// The number of a customer's first transaction.
    static func original(_ customer: Int) -> String { String(2_000_000_000_000_000 + customer) }

    /// The transaction number `index` of all.
    func transaction(_ index: Int) -> JWSTransactionDecodedPayload {
        let customer = index % customers
        // A customer's renewals are a month apart as far as a year goes, then a second.
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

    /// The renewal info beside it.
    func renewal(_ transaction: JWSTransactionDecodedPayload) -> JWSRenewalInfoDecodedPayload {
        JWSRenewalInfoDecodedPayload(
            originalTransactionId: transaction.originalTransactionId, productId: transaction.productId,
            autoRenewProductId: transaction.productId, autoRenewStatus: .on, renewalDate: transaction.expiresDate,
            renewalPrice: 9990, currency: "USD", recentSubscriptionStartDate: transaction.originalPurchaseDate,
            appAccountToken: transaction.appAccountToken, appTransactionId: transaction.appTransactionId,
            environment: .production, signedDate: transaction.signedDate)
    }

    /// The payload of a notification, its parts signed by `sign`.
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

    /// The JWS of a notification.
    func signedPayload(_ index: Int) throws -> String {
        try signer.sign(notification(index) { try signer.sign(json: $0) }.payload)
    }
}
