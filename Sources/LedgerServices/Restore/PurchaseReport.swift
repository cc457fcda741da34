/// What an app sends about its customer's purchases.
package struct PurchaseReport: Sendable {
    /// What the device has: `Transaction.all`, `Transaction.currentEntitlements` or the one just bought, as JWS.
    package var signedTransactions: [Item] = []
    /// `Product.SubscriptionInfo.Status.renewalInfo` of its subscriptions, as JWS.
    package var signedRenewals: [Item] = []
    /// `AppTransaction.shared`, as JWS.
    package var appTransaction: String?
    /// The app receipt, or an old transaction receipt, in base64.
    package var receipt: String?

    package init() {}

    /// One text of a list.
    package struct Item: Sendable, Hashable {
        package var text: String
        /// Where it is, such as `signed_transactions[3]`.
        package var parameter: String

        package init(text: String, parameter: String) { (self.text, self.parameter) = (text, parameter) }
    }
}

/// What is taken from another customer, under the app's restore policy.
package enum Takeover: Sendable {
    /// The customer asked for it: all that the Apple account has.
    case everything
    /// What the app sent, unless the App Store signed it for another account by its account token. What the App Store adds
    /// to it only if it is nobody's.
    case whatWasSent
    /// Nothing: what is another's stays there, and the answer names it.
    case nothing

    package init(restore: Bool?) {
        switch restore {
        case true?: self = .everything
        case nil: self = .whatWasSent
        case false?: self = .nothing
        }
    }
}
