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
