import AppStoreModels
import Testing

/// The expected event, compatible names and sentence of a kind of notification, independent of the server's table.
struct KindExpectation: Sendable, CustomTestStringConvertible {
    let type: NotificationTypeV2
    let subtype: NotificationSubtype?
    let event: String
    let compatible: [String]
    /// The sentence for a notification that the simulator makes on 1 January 2026.
    let sentence: String?
    /// The sentence for a notification without a transaction and a renewal.
    let bare: String

    init(
        _ type: String, _ subtype: String?, _ event: String, _ compatible: [String], _ sentence: String? = nil,
        bare: String
    ) {
        self.type = NotificationTypeV2(rawValue: type)
        self.subtype = subtype.map(NotificationSubtype.init)
        self.event = event
        self.compatible = compatible
        self.sentence = sentence
        self.bare = bare
    }

    var testDescription: String { type.rawValue + (subtype.map { "/" + $0.rawValue } ?? "") }
}

extension KindExpectation {
    /// Every pair of type and subtype that Apple documents.
    static let documented: [KindExpectation] = [
        .init(
            "SUBSCRIBED", "INITIAL_BUY", "subscription.started", ["INITIAL_PURCHASE"],
            "Subscribed to gold until 1 February 2026 for 19.99 USD.", bare: "Subscribed to a product."),
        .init(
            "SUBSCRIBED", "RESUBSCRIBE", "subscription.restarted", ["RENEWAL"],
            "Subscribed again to gold until 1 February 2026 for 19.99 USD.", bare: "Subscribed again to a product."),
        .init(
            "ONE_TIME_CHARGE", nil, "purchase.made", ["NON_RENEWING_PURCHASE"], "Bought coins for 0.99 USD.",
            bare: "Bought a product."),
        .init(
            "DID_CHANGE_RENEWAL_PREF", "UPGRADE", "subscription.upgraded", ["PRODUCT_CHANGE", "RENEWAL"],
            "Upgraded to gold until 1 February 2026 for 19.99 USD.", bare: "Upgraded to a product."),
        .init(
            "DID_CHANGE_RENEWAL_PREF", "DOWNGRADE", "subscription.downgrade_scheduled", ["PRODUCT_CHANGE"],
            "Will change to plus on 16 January 2026.", bare: "Will change to another product."),
        .init(
            "DID_CHANGE_RENEWAL_PREF", nil, "subscription.change_cancelled", ["PRODUCT_CHANGE"],
            "Took back the change: gold stays.", bare: "Took back the change: a product stays."),
        .init(
            "DID_CHANGE_RENEWAL_STATUS", "AUTO_RENEW_DISABLED", "subscription.cancelled", ["CANCELLATION"],
            "Cancelled: gold ends on 16 January 2026.", bare: "Cancelled: a product ends."),
        .init(
            "DID_CHANGE_RENEWAL_STATUS", "AUTO_RENEW_ENABLED", "subscription.uncancelled", ["UNCANCELLATION"],
            "Changed their mind: gold will renew again.", bare: "Changed their mind: a product will renew again."),
        .init(
            "DID_CHANGE_RENEWAL_STATUS", nil, "subscription.renewal_changed", ["CANCELLATION"],
            "Turned the renewal of gold on or off.", bare: "Turned the renewal of a product on or off."),
        .init(
            "OFFER_REDEEMED", nil, "subscription.offer_redeemed", ["PRODUCT_CHANGE", "RENEWAL"],
            "Redeemed an offer for gold.", bare: "Redeemed an offer for a product."),
        .init(
            "OFFER_REDEEMED", "UPGRADE", "subscription.offer_redeemed", ["PRODUCT_CHANGE", "RENEWAL"],
            "Redeemed an offer for gold until 1 February 2026 for 9.99 USD.", bare: "Redeemed an offer for a product."),
        .init(
            "OFFER_REDEEMED", "DOWNGRADE", "subscription.offer_redeemed", ["PRODUCT_CHANGE", "RENEWAL"],
            "Redeemed an offer and will change to plus on 16 January 2026.",
            bare: "Redeemed an offer and will change to another product."),
        .init(
            "DID_RENEW", nil, "subscription.renewed", ["RENEWAL"], "Renewed until 1 February 2026 for 19.99 USD.",
            bare: "Renewed."),
        .init(
            "DID_RENEW", "BILLING_RECOVERY", "subscription.recovered", ["RENEWAL"],
            "Paid after all: gold renewed until 1 February 2026 for 19.99 USD.",
            bare: "Paid after all: a product renewed."),
        .init(
            "DID_FAIL_TO_RENEW", "GRACE_PERIOD", "subscription.grace_period_started",
            ["BILLING_ISSUE", "CANCELLATION"],
            "The renewal of gold could not be charged; access goes on until 17 January 2026.",
            bare: "The renewal of a product could not be charged; access goes on."),
        .init(
            "DID_FAIL_TO_RENEW", nil, "subscription.billing_failed", ["BILLING_ISSUE", "CANCELLATION", "EXPIRATION"],
            "The renewal of gold could not be charged; the App Store tries again.",
            bare: "The renewal of a product could not be charged; the App Store tries again."),
        .init(
            "GRACE_PERIOD_EXPIRED", nil, "subscription.grace_period_expired", ["EXPIRATION"],
            "The billing grace period of gold ended without payment.",
            bare: "The billing grace period of a product ended without payment."),
        .init(
            "EXPIRED", "VOLUNTARY", "subscription.expired", ["EXPIRATION"], "gold expired: the customer had cancelled.",
            bare: "a product expired: the customer had cancelled."),
        .init(
            "EXPIRED", "BILLING_RETRY", "subscription.expired", ["EXPIRATION"], "gold expired: it was not paid for.",
            bare: "a product expired: it was not paid for."),
        .init(
            "EXPIRED", "PRICE_INCREASE", "subscription.expired", ["EXPIRATION"],
            "gold expired: the customer did not agree to the higher price.",
            bare: "a product expired: the customer did not agree to the higher price."),
        .init(
            "EXPIRED", "PRODUCT_NOT_FOR_SALE", "subscription.expired", ["EXPIRATION"],
            "gold expired: it was no longer for sale.", bare: "a product expired: it was no longer for sale."),
        .init("EXPIRED", nil, "subscription.expired", ["EXPIRATION"], "gold expired.", bare: "a product expired."),
        .init(
            "PRICE_INCREASE", "PENDING", "subscription.price_increase_pending", [],
            "Was asked to agree to a higher price of gold.", bare: "Was asked to agree to a higher price of a product."),
        .init(
            "PRICE_INCREASE", "ACCEPTED", "subscription.price_increase_accepted", [],
            "The higher price of gold will be charged: the customer agreed, or did not have to.",
            bare: "The higher price of a product will be charged: the customer agreed, or did not have to."),
        .init(
            "CONSUMPTION_REQUEST", nil, "refund.requested", [], "Asked for a refund of gold.",
            bare: "Asked for a refund of a product."),
        .init(
            "REFUND", nil, "purchase.refunded", ["CANCELLATION", "EXPIRATION"],
            "Refunded: gold on 1 January 2026, the period until 16 January 2026.", bare: "Refunded: a product."),
        .init(
            "REFUND_DECLINED", nil, "refund.declined", [], "A refund of gold was declined.",
            bare: "A refund of a product was declined."),
        .init(
            "REFUND_REVERSED", nil, "refund.reversed", ["REFUND_REVERSED"], "The refund of gold was reversed.",
            bare: "The refund of a product was reversed."),
        .init(
            "REVOKE", nil, "purchase.revoked", ["CANCELLATION", "EXPIRATION"],
            "Lost gold (shared by the family) on 1 January 2026: sharing ended.",
            bare: "Lost a product: sharing ended."),
        .init(
            "RENEWAL_EXTENDED", nil, "subscription.extended", ["SUBSCRIPTION_EXTENDED"],
            "The current period of gold was extended until 15 February 2026.",
            bare: "The current period of a product was extended."),
        .init(
            "RENEWAL_EXTENSION", "FAILURE", "subscription.extension_failed", [],
            "The current period of gold could not be extended.",
            bare: "The current period of a product could not be extended."),
        .init(
            "RENEWAL_EXTENSION", "SUMMARY", "app.extension_summarized", [],
            "The extension for all subscribers of a product has ended.",
            bare: "The extension for all subscribers of a product has ended."),
        .init("TEST", nil, "app.test", ["TEST"], "TEST for a product.", bare: "TEST for a product."),
        .init(
            "RESCIND_CONSENT", nil, "customer.consent_rescinded", [],
            "A parent or guardian withdrew consent for the app.",
            bare: "A parent or guardian withdrew consent for the app."),
        .init(
            "EXTERNAL_PURCHASE_TOKEN", "CREATED", "external_purchase.token_created", [],
            "EXTERNAL_PURCHASE_TOKEN CREATED for a product.", bare: "EXTERNAL_PURCHASE_TOKEN CREATED for a product."),
        .init(
            "EXTERNAL_PURCHASE_TOKEN", "ACTIVE_TOKEN_REMINDER", "external_purchase.token_active", [],
            "EXTERNAL_PURCHASE_TOKEN ACTIVE_TOKEN_REMINDER for a product.",
            bare: "EXTERNAL_PURCHASE_TOKEN ACTIVE_TOKEN_REMINDER for a product."),
        .init(
            "EXTERNAL_PURCHASE_TOKEN", "UNREPORTED", "external_purchase.token_unreported", [],
            "EXTERNAL_PURCHASE_TOKEN UNREPORTED for a product.",
            bare: "EXTERNAL_PURCHASE_TOKEN UNREPORTED for a product."),
        .init(
            "METADATA_UPDATE", nil, "subscription.metadata_changed", [], "The description of generic changed.",
            bare: "The description of a product changed."),
        .init(
            "MIGRATION", nil, "subscription.migrated", ["INITIAL_PURCHASE", "EXPIRATION"],
            "The subscription to generic moved to Advanced Commerce.",
            bare: "The subscription to a product moved to Advanced Commerce."),
        .init(
            "PRICE_CHANGE", nil, "subscription.price_changed", [], "The price of generic changed.",
            bare: "The price of a product changed."),
    ]

    /// Undocumented pairs, and a type that may be added later.
    static let others: [KindExpectation] = [
        .init("CONSUMPTION_REQUEST", "NEW", "refund.requested", [], bare: "Asked for a refund of a product."),
        .init(
            "DID_CHANGE_RENEWAL_PREF", "NEW", "notification.did_change_renewal_pref", [],
            bare: "DID_CHANGE_RENEWAL_PREF NEW for a product."),
        .init(
            "DID_CHANGE_RENEWAL_STATUS", "NEW", "subscription.renewal_changed", ["CANCELLATION"],
            bare: "Turned the renewal of a product on or off."),
        .init(
            "DID_FAIL_TO_RENEW", "NEW", "subscription.billing_failed", ["BILLING_ISSUE", "CANCELLATION", "EXPIRATION"],
            bare: "The renewal of a product could not be charged; the App Store tries again."),
        .init("DID_RENEW", "NEW", "subscription.renewed", ["RENEWAL"], bare: "Renewed."),
        .init("EXPIRED", "NEW", "subscription.expired", ["EXPIRATION"], bare: "a product expired."),
        .init(
            "EXTERNAL_PURCHASE_TOKEN", nil, "external_purchase.token_unreported", [],
            bare: "EXTERNAL_PURCHASE_TOKEN for a product."),
        .init(
            "EXTERNAL_PURCHASE_TOKEN", "NEW", "notification.external_purchase_token", [],
            bare: "EXTERNAL_PURCHASE_TOKEN NEW for a product."),
        .init(
            "GRACE_PERIOD_EXPIRED", "NEW", "subscription.grace_period_expired", ["EXPIRATION"],
            bare: "The billing grace period of a product ended without payment."),
        .init(
            "METADATA_UPDATE", "NEW", "subscription.metadata_changed", [], bare: "The description of a product changed."
        ),
        .init(
            "MIGRATE", nil, "subscription.migrated", ["INITIAL_PURCHASE", "EXPIRATION"],
            bare: "The subscription to a product moved to Advanced Commerce."),
        .init(
            "MIGRATION", "NEW", "subscription.migrated", ["INITIAL_PURCHASE", "EXPIRATION"],
            bare: "The subscription to a product moved to Advanced Commerce."),
        .init(
            "OFFER_REDEEMED", "NEW", "subscription.offer_redeemed", ["PRODUCT_CHANGE", "RENEWAL"],
            bare: "Redeemed an offer for a product."),
        .init("ONE_TIME_CHARGE", "NEW", "purchase.made", ["NON_RENEWING_PURCHASE"], bare: "Bought a product."),
        .init("PRICE_CHANGE", "NEW", "subscription.price_changed", [], bare: "The price of a product changed."),
        .init(
            "PRICE_INCREASE", nil, "subscription.price_increase_pending", [],
            bare: "A higher price of a product was announced."),
        .init("PRICE_INCREASE", "NEW", "notification.price_increase", [], bare: "PRICE_INCREASE NEW for a product."),
        .init("REFUND", "NEW", "purchase.refunded", ["CANCELLATION", "EXPIRATION"], bare: "Refunded: a product."),
        .init("REFUND_DECLINED", "NEW", "refund.declined", [], bare: "A refund of a product was declined."),
        .init(
            "REFUND_REVERSED", "NEW", "refund.reversed", ["REFUND_REVERSED"],
            bare: "The refund of a product was reversed."),
        .init(
            "RENEWAL_EXTENDED", "NEW", "subscription.extended", ["SUBSCRIPTION_EXTENDED"],
            bare: "The current period of a product was extended."),
        .init(
            "RENEWAL_EXTENSION", nil, "subscription.extension_failed", [],
            bare: "The current period of a product could not be extended."),
        .init(
            "RENEWAL_EXTENSION", "NEW", "notification.renewal_extension", [],
            bare: "RENEWAL_EXTENSION NEW for a product."),
        .init(
            "RESCIND_CONSENT", "NEW", "customer.consent_rescinded", [],
            bare: "A parent or guardian withdrew consent for the app."),
        .init(
            "REVOKE", "NEW", "purchase.revoked", ["CANCELLATION", "EXPIRATION"], bare: "Lost a product: sharing ended."),
        .init("SUBSCRIBED", nil, "subscription.started", ["INITIAL_PURCHASE"], bare: "Subscribed to a product."),
        .init("SUBSCRIBED", "NEW", "subscription.started", ["INITIAL_PURCHASE"], bare: "Subscribed to a product."),
        .init("TEST", "NEW", "app.test", ["TEST"], bare: "TEST NEW for a product."),
        .init("LATER", nil, "notification.later", [], bare: "LATER for a product."),
        .init("LATER", "NEW", "notification.later", [], bare: "LATER NEW for a product."),
    ]
}
