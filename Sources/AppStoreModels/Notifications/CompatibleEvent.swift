/// An event with the names that other subscription services use. One kind of notification corresponds to several
/// events, one or none.
package enum CompatibleEvent: String, Sendable, Hashable {
    case test = "TEST"
    case initialPurchase = "INITIAL_PURCHASE"
    case renewal = "RENEWAL"
    case cancellation = "CANCELLATION"
    case uncancellation = "UNCANCELLATION"
    case nonRenewingPurchase = "NON_RENEWING_PURCHASE"
    case billingIssue = "BILLING_ISSUE"
    case productChange = "PRODUCT_CHANGE"
    case expiration = "EXPIRATION"
    case subscriptionExtended = "SUBSCRIPTION_EXTENDED"
    case transfer = "TRANSFER"
    case refundReversed = "REFUND_REVERSED"
}
