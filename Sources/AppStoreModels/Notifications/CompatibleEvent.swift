/// An event in the vocabulary that the field knows. One kind of notification can be several of these, or none.
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
