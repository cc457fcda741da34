internal import AppStoreModels
internal import Basics
internal import Entitlements
internal import Foundation
internal import Ledger
internal import LedgerServices

/// Writes customers as JSON. Instants are milliseconds since 1970; unknown values are omitted.
enum CustomerJSON {
    /// - Parameter more: Writes additional members after the others.
    static func write(
        _ reading: CustomerReading, to json: inout JSONWriter, adding more: (inout JSONWriter) -> Void = { _ in }
    ) {
        let states = reading.states
        json.object("customer") { json in
            json.member("id", reading.customer)
            json.members(of: reading.appEnvironment)
            json.member("as_of", states.asOf)
            json.member("entitlements", states.entitlements) { entitlement(&$0, $1) }
            json.member("subscriptions", states.subscriptions) { subscription(&$0, $1) }
            json.member("groups", states.groups, group)
            json.member("products", states.products, product)
            json.member("purchases", states.purchases, purchase)
            json.member("consumables", states.consumables, balance)
            if let original = states.originalPurchase {
                json.value("original_purchase") { OriginalPurchaseJSON.write(original, to: &$0) }
            }
            json.unverified(reading.unverified)
            more(&json)
        }
    }

    static func entitlement(
        _ json: inout JSONWriter, _ state: EntitlementState, adding more: (inout JSONWriter) -> Void = { _ in }
    ) {
        json.object("entitlement") { json in
            json.member("key", state.entitlement)
            json.member("is_active", state.isActive)
            json.member("state", state.state.rawValue)
            details(&json, state.details)
            json.member("until", state.until)
            json.member("will_renew", state.willRenew)
            json.member("product_id", state.productID)
            json.member("transaction_id", state.transactionID)
            json.member("original_transaction_id", state.originalTransactionID)
            more(&json)
        }
    }

    static func subscription(
        _ json: inout JSONWriter, _ state: SubscriptionState, adding more: (inout JSONWriter) -> Void = { _ in }
    ) {
        json.object("subscription") { json in
            json.member("original_transaction_id", state.originalTransactionID)
            json.member("transaction_id", state.transactionID)
            json.member("product_id", state.productID)
            json.member("subscription_group_identifier", state.subscriptionGroupIdentifier)
            json.member(state.status)
            json.member("has_access", state.hasAccess)
            json.member("access_until", state.accessUntil)
            json.member("purchase_date", state.purchaseDate)
            json.member("expires_date", state.expiresDate)
            json.member("will_renew", state.willRenew)
            json.member("auto_renew_product_id", state.autoRenewProductID)
            if let intent = state.expirationIntent { json.member("expiration_intent", intent.rawValue) }
            json.member("is_in_billing_retry", state.isInBillingRetry)
            json.member("grace_period_expires_date", state.gracePeriodExpiresDate)
            json.member("ownership", state.ownership.rawValue)
            if let offer = state.offerType { json.member("offer_type", offer.rawValue) }
            json.member("offer_identifier", state.offerIdentifier)
            json.member("offer_discount_type", state.offerDiscountType?.rawValue)
            if let status = state.priceIncreaseStatus { json.member("price_increase_status", status.rawValue) }
            revocation(&json, state.revocationDate, state.revocationReason, state.revocationType)
            if !state.eligibleWinBackOfferIDs.isEmpty {
                json.member("eligible_win_back_offer_ids", state.eligibleWinBackOfferIDs) { $0.string($1) }
            }
            details(&json, state.details)
            json.member("next_step", state.nextStep.rawValue)
            more(&json)
        }
    }

    private static func group(_ json: inout JSONWriter, _ state: GroupState) {
        json.object("subscription_group") { json in
            json.member("subscription_group_identifier", state.subscriptionGroupIdentifier)
            json.member("state", state.state.rawValue)
            details(&json, state.details)
            json.member("until", state.until)
            json.member("product_id", state.productID)
            json.member("original_transaction_id", state.originalTransactionID)
            json.member("is_eligible_for_introductory_offer", state.isEligibleForIntroductoryOffer)
            json.member("next_step", state.nextStep.rawValue)
        }
    }

    private static func product(_ json: inout JSONWriter, _ state: ProductState) {
        json.object("product") { json in
            json.member("product_id", state.productID)
            json.member("type", state.type?.rawValue)
            json.member("state", state.state.rawValue)
            details(&json, state.details)
            json.member("until", state.until)
            json.member("ended_at", state.endedDate)
            json.member("will_renew", state.willRenew)
            json.member("transaction_id", state.transactionID)
            json.member("original_transaction_id", state.originalTransactionID)
        }
    }

    private static func purchase(_ json: inout JSONWriter, _ state: PurchaseState) {
        json.object("purchase") { json in
            json.member("transaction_id", state.transactionID)
            json.member("original_transaction_id", state.originalTransactionID)
            json.member("product_id", state.productID)
            json.member("type", state.type.rawValue)
            json.member("quantity", state.quantity)
            json.member("purchase_date", state.purchaseDate)
            json.member("ownership", state.ownership.rawValue)
            json.member("has_access", state.hasAccess)
            json.member("ends_at", state.endDate)
            if let offer = state.offerType { json.member("offer_type", offer.rawValue) }
            json.member("offer_identifier", state.offerIdentifier)
            revocation(&json, state.revocationDate, state.revocationReason, state.revocationType)
            details(&json, state.details)
        }
    }

    private static func balance(_ json: inout JSONWriter, _ state: ConsumableTotals) {
        json.object("consumable_balance") { json in
            json.member("product_id", state.productID)
            json.member("purchases", state.purchases)
            json.member("quantity", state.quantity)
            json.member("revoked_quantity", state.revokedQuantity)
        }
    }

    private static func details(_ json: inout JSONWriter, _ details: [StateDetail]) {
        json.member("details", details) { $0.string($1.rawValue) }
    }

    private static func revocation(
        _ json: inout JSONWriter, _ date: Date?, _ reason: RevocationReason?, _ type: RevocationType?
    ) {
        json.member("revocation_date", date)
        if let reason { json.member("revocation_reason", reason.rawValue) }
        json.member("revocation_type", type?.rawValue)
    }
}
