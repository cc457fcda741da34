/// The signed data that an app sends about its customer's purchases.
package struct PurchaseReport: Sendable {
    /// The transactions of the device: `Transaction.all`, `Transaction.currentEntitlements` or a new purchase, as JWS.
    package var signedTransactions: [Item] = []
    /// `Product.SubscriptionInfo.Status.renewalInfo` of the subscriptions, as JWS.
    package var signedRenewals: [Item] = []
    /// `AppTransaction.shared`, as JWS.
    package var appTransaction: String?
    /// The app receipt, or an old transaction receipt, in base64.
    package var receipt: String?

    package init() {}

    /// One text of a list.
    package struct Item: Sendable, Hashable {
        package var text: String
        /// The position in the request, such as `signed_transactions[3]`.
        package var parameter: String

        package init(text: String, parameter: String) { (self.text, self.parameter) = (text, parameter) }
    }
}

/// Which purchases move from another customer to this one, if the app's restore policy allows it.
package enum Takeover: Sendable {
    /// All purchases of the Apple account: the customer requested a restore.
    case everything
    /// The purchases in the report, except those whose account token names another customer. Purchases that only the
    /// App Store's history contains are claimed only if no customer owns them.
    case reportedPurchases
    /// None. Purchases of another customer stay there, and the response lists them.
    case nothing

    package init(restore: Bool?) {
        switch restore {
        case true?: self = .everything
        case nil: self = .reportedPurchases
        case false?: self = .nothing
        }
    }
}
