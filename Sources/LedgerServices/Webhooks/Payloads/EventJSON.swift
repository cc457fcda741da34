internal import AppStoreModels
internal import Basics
internal import Foundation
internal import Ledger

/// Renders an event in Counterfoil's own format: `{"type", "data"}`, with the names and date format of the API. Members
/// have a fixed order, so the same facts produce the same bytes.
enum EventJSON {
    static func body(_ context: EventContext) -> [UInt8] {
        var json = JSONWriter()
        json.object { json in
            json.member("type", context.event.type.rawValue)
            json.member("data") { data(&$0, context) }
        }
        return json.bytes
    }

    private static func data(_ json: inout JSONWriter, _ context: EventContext) {
        json.member("object", "event")
        json.member("id", context.delivery.messageID)
        if context.delivery.isRepeat { json.member("repeats", context.event.id) }
        json.member("sequence", context.delivery.event)
        json.member("app", context.appEnvironment?.bundleID)
        json.member("environment", context.appEnvironment?.environment.rawValue)
        json.member("customer", context.event.namedCustomer)
        json.member("original_transaction_id", context.event.originalTransactionID)
        json.member("occurred_at", context.event.occurredAt)
        json.member("created_at", context.event.createdAt)
        if let parts = context.parts { write(parts, hidesAccountToken: context.hidesAccountToken, to: &json) }
        if let details = context.event.data { json.value("details") { $0.raw(details.utf8) } }
    }

    private static func write(_ parts: NotificationParts, hidesAccountToken: Bool, to json: inout JSONWriter) {
        let payload = parts.payload
        json.member("notification") { json in
            json.member("type", payload.notificationType.rawValue)
            json.member("subtype", payload.subtype?.rawValue)
            json.member("uuid", payload.notificationUUID)
            json.member("signed_date", payload.signedDate)
        }
        if let status = payload.data?.status { json.member(status) }
        json.member("consumption_request_reason", payload.data?.consumptionRequestReason?.rawValue)
        if let transaction = parts.transaction {
            json.member("transaction") { write(transaction, hidesAccountToken: hidesAccountToken, to: &$0) }
        }
        if let renewal = parts.renewal { json.member("renewal") { write(renewal, to: &$0) } }
        if let app = parts.appTransaction { json.member("app_transaction") { write(app, to: &$0) } }
        if let summary = payload.summary { json.member("summary") { write(summary, to: &$0) } }
        if let token = payload.externalPurchaseToken {
            json.member("external_purchase_token") { json in
                json.member("external_purchase_id", token.externalPurchaseId)
                json.member("token_creation_date", token.tokenCreationDate)
                json.member("token_expiration_date", token.tokenExpirationDate)
                json.member("token_type", token.tokenType?.rawValue)
            }
        }
    }

    private static func write(
        _ transaction: JWSTransactionDecodedPayload, hidesAccountToken: Bool, to json: inout JSONWriter
    ) {
        json.member("transaction_id", transaction.transactionId)
        json.member("original_transaction_id", transaction.originalTransactionId)
        json.member("previous_original_transaction_id", transaction.previousOriginalTransactionId)
        json.member("product_id", transaction.productId)
        json.member("type", transaction.type.rawValue)
        json.member("subscription_group_identifier", transaction.subscriptionGroupIdentifier)
        json.member("purchase_date", transaction.purchaseDate)
        json.member("original_purchase_date", transaction.originalPurchaseDate)
        json.member("expires_date", transaction.expiresDate)
        json.member("quantity", transaction.quantity)
        json.member("reason", transaction.transactionReason?.rawValue)
        json.member("ownership", transaction.inAppOwnershipType.rawValue)
        if !hidesAccountToken { json.member("app_account_token", transaction.appAccountToken) }
        json.member("app_transaction_id", transaction.appTransactionId)
        json.member("storefront", transaction.storefront)
        json.member("currency", transaction.currency)
        json.member("price_milliunits", transaction.price)
        if let offer = transaction.offerType { json.member("offer_type", offer.rawValue) }
        json.member("offer_identifier", transaction.offerIdentifier)
        json.member("offer_discount_type", transaction.offerDiscountType?.rawValue)
        json.member("offer_period", transaction.offerPeriod)
        json.member("billing_plan_type", transaction.billingPlanType?.rawValue)
        if let info = transaction.advancedCommerceInfo { json.member("advanced_commerce") { write(info, to: &$0) } }
        json.member("is_upgraded", transaction.isUpgraded)
        json.member("revocation_date", transaction.revocationDate)
        if let reason = transaction.revocationReason { json.member("revocation_reason", reason.rawValue) }
        json.member("revocation_type", transaction.revocationType?.rawValue)
        json.member("revocation_percentage", transaction.revocationPercentage.map { Int64($0) })
        json.member("signed_date", transaction.signedDate)
    }

    private static func write(_ info: AdvancedCommerceTransactionInfo, to json: inout JSONWriter) {
        json.member("request_reference_id", info.requestReferenceId)
        json.member("period", info.period?.rawValue)
        json.member("tax_code", info.taxCode)
        json.member("tax_rate", info.taxRate)
        json.member("tax_exclusive_price_milliunits", info.taxExclusivePrice)
        json.member("estimated_tax_milliunits", info.estimatedTax)
        json.member("items", info.items ?? []) { json, item in json.object { write(item, to: &$0) } }
    }

    private static func write(_ item: AdvancedCommerceTransactionItem, to json: inout JSONWriter) {
        json.member("sku", item.sku)
        json.member("display_name", item.displayName)
        json.member("price_milliunits", item.price)
        json.member("revocation_date", item.revocationDate)
        json.member("refunds", item.refunds ?? []) { json, refund in
            json.object { json in
                json.member("amount_milliunits", refund.refundAmount)
                json.member("refund_date", refund.refundDate)
                json.member("reason", refund.refundReason?.rawValue)
                json.member("type", refund.refundType?.rawValue)
            }
        }
    }

    private static func write(_ renewal: JWSRenewalInfoDecodedPayload, to json: inout JSONWriter) {
        json.member("product_id", renewal.productId)
        json.member("auto_renew_product_id", renewal.autoRenewProductId)
        json.member("will_renew", renewal.autoRenewStatus != .off)
        if let intent = renewal.expirationIntent { json.member("expiration_intent", intent.rawValue) }
        json.member("is_in_billing_retry", renewal.isInBillingRetryPeriod ?? false)
        json.member("grace_period_expires_date", renewal.gracePeriodExpiresDate)
        if let status = renewal.priceIncreaseStatus { json.member("price_increase_status", status.rawValue) }
        json.member("renewal_date", renewal.renewalDate)
        json.member("renewal_price_milliunits", renewal.renewalPrice)
        json.member("currency", renewal.currency)
        if let offer = renewal.offerType { json.member("offer_type", offer.rawValue) }
        json.member("offer_identifier", renewal.offerIdentifier)
        json.member("signed_date", renewal.signedDate)
    }

    private static func write(_ app: AppTransaction, to json: inout JSONWriter) {
        json.member("app_transaction_id", app.appTransactionId)
        json.member("original_purchase_date", app.originalPurchaseDate)
        json.member("original_application_version", app.originalApplicationVersion)
        json.member("signed_date", app.receiptCreationDate)
    }

    private static func write(_ summary: NotificationSummary, to json: inout JSONWriter) {
        json.member("request_identifier", summary.requestIdentifier)
        json.member("product_id", summary.productId)
        if let codes = summary.storefrontCountryCodes { json.member("storefronts", codes) { $0.string($1) } }
        json.member("succeeded_count", summary.succeededCount)
        json.member("failed_count", summary.failedCount)
    }
}
