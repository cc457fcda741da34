package import AppStoreModels
internal import Foundation

/// When a customer cancelled after the payment for a renewal had failed. Either way the App Store no longer tries to
/// charge the customer, and a grace period ends.
enum LateCancellation {
    case inGracePeriod
    case inBillingRetry
}

/// Writes the English sentence of an explanation.
struct Sentence {
    private let product: String
    private let state: ProductState?
    private let subscription: SubscriptionState?
    private let purchase: PurchaseState?
    /// When the last of the running grants ends.
    private let grantEnd: Date?
    /// The transaction of the product if it was refunded or revoked.
    private let revoked: TransactionFact?
    /// Why the subscription to the product ended.
    private let expirationIntent: ExpirationIntent?
    private let lateCancellation: LateCancellation?

    init(
        _ state: ProductState?, _ states: CustomerStates, grantEnd: Date?, revoked: TransactionFact?,
        expirationIntent: ExpirationIntent?, lateCancellation: LateCancellation?
    ) {
        self.state = state
        self.grantEnd = grantEnd
        self.revoked = revoked
        self.expirationIntent = expirationIntent
        self.lateCancellation = lateCancellation
        product = state?.productID ?? ""
        subscription = states.subscriptions.first {
            state?.originalTransactionID?.isExactly($0.originalTransactionID) == true
        }
        purchase = states.purchases.first { state?.transactionID?.isExactly($0.transactionID) == true }
    }

    /// Returns the sentence about a rule.
    ///
    /// - Parameter isSold: Whether a product of the catalogue gives the entitlement. Others are only granted.
    func text(_ rule: ExplanationRule, isSold: Bool) -> String {
        switch rule {
        case .subscriptionActive: "The subscription to \(product)\(owner) runs until \(text(state?.until))\(renewal)."
        case .gracePeriod:
            "The payment for \(product)\(owner) failed; access continues in the billing grace period until "
                + "\(text(state?.until))."
        case .nonConsumableOwned: "\(product)\(owner) was bought on \(text(purchase?.purchaseDate)) and does not end."
        case .durationRunning: "\(product) was bought on \(text(purchase?.purchaseDate)) and \(duration)."
        case .billingRetry:
            "The payment for \(product)\(owner) failed; the period ended on \(text(subscription?.expiresDate))\(grace) "
                + "and the App Store tries again."
        case .expired: failureAndCancellation ?? "The subscription to \(product)\(owner) ended on \(ended)\(intent)."
        case .revoked: "\(product)\(owner)\(end) was revoked on \(text(revocationDate))."
        case .refunded: "\(product)\(end) was refunded\(share) on \(text(revocationDate))."
        case .replacedByUpgrade:
            "\(product)\(owner) was replaced\(replacement)\(successor), which does not give the entitlement."
        case .changedProduct:
            "\(product)\(owner) ended on \(ended); the subscription went on\(successor), "
                + "which does not give the entitlement."
        case .granted:
            grantEnd.map { "The team granted it until \(text($0))." } ?? "The team granted it without an end."
        case .durationOver: "The duration of \(product) ended on \(ended)."
        default: isSold ? "No product that gives the entitlement was bought." : "No product gives the entitlement."
        }
    }

    /// That only a part of the price was refunded.
    private var share: String {
        (purchase?.revocationType ?? revoked?.revocationType) == .refundProrated ? " in part" : ""
    }

    private var revocationDate: Date? { purchase?.revocationDate ?? revoked?.revocationDate }

    /// That access had ended before the refund or revocation.
    private var end: String {
        guard let end = state?.endedDate, let revocationDate, end < revocationDate else { return "" }
        return " ended on \(text(end)) and"
    }

    private var ended: String { text(state?.endedDate) }

    private var duration: String { state?.until.map { "lasts until \(text($0))" } ?? "does not end" }

    private var ownership: InAppOwnershipType? { subscription?.ownership ?? purchase?.ownership }

    private var owner: String { ownership?.remark ?? "" }

    private var payer: String { (ownership ?? .purchased).payer }

    private var renewal: String {
        guard let subscription, let willRenew = subscription.willRenew else { return "" }
        guard willRenew else { return " and will not renew" }
        let next = subscription.autoRenewProductID ?? product
        let isConditional = subscription.details.contains(.priceConsentPending)
        return (next.isExactly(product) ? " and will renew" : " and will renew into \(next)")
            + (isConditional ? " if \(payer) agrees to the higher price" : "")
    }

    /// The end of the billing grace period, if it was later than that of the period.
    private var grace: String {
        guard let end = subscription?.accessEndDate, end != subscription?.expiresDate else { return "" }
        return ", the billing grace period on \(text(end)),"
    }

    private var replacement: String { state?.endedDate.map { " on \(text($0))" } ?? "" }

    private var successor: String {
        guard let subscription, !subscription.productID.isExactly(product) else { return " by another subscription" }
        return state?.details.contains(.changedProduct) == true
            ? " with \(subscription.productID)" : " by \(subscription.productID)"
    }

    /// The subscription, if it is still in the period that explains the answer.
    private var current: SubscriptionState? {
        subscription.flatMap { state?.transactionID?.isExactly($0.transactionID) == true ? $0 : nil }
    }

    /// That the payment had failed when the customer cancelled.
    private var failureAndCancellation: String? {
        guard let lateCancellation else { return nil }
        let end = current?.expiresDate ?? state?.endedDate
        let failure = "The payment for \(product)\(owner) failed; the period ended on \(text(end))"
        return switch lateCancellation {
        case .inGracePeriod: failure + ", and \(payer) cancelled in the billing grace period, which ended access."
        case .inBillingRetry: failure + ", and \(payer) cancelled while the App Store tried again."
        }
    }

    private var intent: String {
        switch expirationIntent {
        case .customerCancelled?: ": \(payer) had cancelled"
        case .billingError?: ": the payment failed"
        case .priceIncreaseNotAccepted?: ": \(payer) did not agree to the higher price"
        case .productNotAvailable?: ": the product was no longer for sale"
        // The renewal may have been missed, or the instant is in the future.
        case nil: current?.willRenew == true ? ": it was to renew, but no renewal is known" : ""
        default: ""
        }
    }

    /// Describes the result of the rule for customers who got the app early.
    static func text(_ original: ExplainedOriginalPurchase) -> String {
        let version = original.fact?.applicationVersion.map { " at version \($0)" } ?? ""
        let date = original.fact?.purchaseDate.map { " on \(text($0))" } ?? ""
        return switch original.finding {
        case .before: "The customer first got the app\(version)\(date), which is early enough."
        case .notBefore: "The customer first got the app\(version)\(date), which is not early enough."
        case .testData: "The sandbox reports the same original version for everybody, so it does not count."
        case .versionUnknown: "The customer's original version of the app is not known."
        case .dateUnknown: "It is not known when the customer first got the app."
        default: "It is not known when the customer first got the app: no app transaction was reported."
        }
    }

    /// Names products that the customer has and that give no entitlement, the first three of them; nil if there are
    /// none.
    static func text(withoutEntitlement products: [String]) -> String? {
        guard !products.isEmpty else { return nil }
        let names = products.prefix(3).joined(separator: ", ")
        let more = products.count > 3 ? " and \(products.count - 3) more" : ""
        return "The customer has \(names)\(more), for which no entitlement is configured."
    }

    /// Describes a purchase of a type that gives no access because this version does not know it.
    static func text(ofUnknownType purchase: PurchaseState) -> String {
        "\(purchase.productID) was bought on \(text(purchase.purchaseDate)), but this version does not know its type "
            + "\(purchase.type.rawValue.debugDescription), so it gives no access."
    }

    /// Describes a grant that ended.
    static func text(_ grant: GrantFact) -> String {
        grant.end == grant.revokedAt
            ? "The team revoked its grant on \(text(grant.end))." : "The team's grant ended on \(text(grant.end))."
    }

    private func text(_ date: Date?) -> String { Self.text(date) }

    private static func text(_ date: Date?) -> String {
        // A date outside the range of milliseconds cannot be formatted.
        guard let date, date.millisecondsSince1970 != nil else { return "an unknown date" }
        return date.formatted(.iso8601)
    }
}

extension InAppOwnershipType {
    /// A remark about a purchase that the customer did not pay for, for a sentence; otherwise empty.
    package var remark: String {
        switch self {
        case .familyShared: " (shared by the family)"
        case .assigned: " (assigned)"
        default: ""
        }
    }

    /// Who pays, for a sentence about a customer. A member of a family or an assignee cannot cancel a subscription or
    /// agree to a price: whoever bought it does.
    package var payer: String { remark.isEmpty ? "the customer" : "the purchaser" }
}
