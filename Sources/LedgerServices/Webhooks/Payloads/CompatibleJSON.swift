internal import AppStoreModels
internal import Basics
internal import Entitlements
internal import Foundation
internal import Ledger

/// Renders an event in the compatible format: `{"api_version": "1.0", "event": {"type", "id", "app_user_id", …}}`.
enum CompatibleJSON {
    /// Returns the body; nil if `event` does not apply.
    static func body(_ context: EventContext, as event: CompatibleEvent) -> [UInt8]? {
        guard event.applies(to: context) else { return nil }
        var json = JSONWriter()
        json.object { json in
            json.member("api_version", "1.0")
            json.member("event") { write(context, event, to: &$0) }
        }
        return json.bytes
    }

    private static func write(_ context: EventContext, _ event: CompatibleEvent, to json: inout JSONWriter) {
        json.member("type", event.rawValue)
        json.member("id", context.delivery.messageID)
        if context.delivery.isRepeat { json.member("repeats", context.event.id) }
        json.member("event_timestamp_ms", context.event.occurredAt)
        json.member("app_id", context.appEnvironment?.bundleID)
        json.member("environment", context.appEnvironment?.environment == .production ? "PRODUCTION" : "SANDBOX")
        json.member("store", "APP_STORE")
        if event == .transfer { return transfer(context, to: &json) }
        let user = user(context)
        json.member("app_user_id", user)
        json.member("original_app_user_id", user)
        json.member("aliases", [user].compactMap(\.self)) { $0.string($1) }
        json.member("subscriber_attributes") { _ in }
        if let transaction = transaction(context, event) { purchase(transaction, context, event, to: &json) }
        switch event {
        case .cancellation: json.member("cancel_reason", cancelReason(context))
        case .expiration: json.member("expiration_reason", expirationReason(context))
        case .renewal: json.member("is_trial_conversion", isTrialConversion(context))
        case .productChange:
            json.member("new_product_id", context.parts?.nextProduct ?? context.parts?.transaction?.productId)
        default: break
        }
        // A family member may begin to share in a grace period: the paid period is over then.
        if event == .billingIssue || context.parts?.payload.data?.status == .billingGracePeriod {
            nullable("grace_period_expiration_at_ms", context.parts?.renewal?.gracePeriodExpiresDate, to: &json)
        }
    }

    private static func transfer(_ context: EventContext, to json: inout JSONWriter) {
        // The server wrote this JSON itself. An erasure removes it, because it may name the erased customer.
        let names = context.event.data.flatMap { text in
            do { return try JSONDecoder().decode(Transfer.self, from: Data(text.utf8)) } catch { return nil }
        }
        // The messages about a purchase without an owner had this name.
        let isLinked = context.event.type == .purchaseLinked
        let former = isLinked ? [anonymousUser(context)].compactMap(\.self) : names?.from ?? []
        let owners = names?.to ?? [user(context)].compactMap(\.self)
        json.member("original_transaction_id", context.event.originalTransactionID)
        json.member("transferred_from", former) { $0.string($1) }
        json.member("transferred_to", owners) { $0.string($1) }
    }

    private struct Transfer: Decodable {
        var from, to: [String]
    }

    private static func purchase(
        _ transaction: JWSTransactionDecodedPayload, _ context: EventContext, _ event: CompatibleEvent,
        to json: inout JSONWriter
    ) {
        let product = product(transaction, context, event)
        json.member("product_id", product)
        json.member("period_type", periodType(transaction))
        json.member("purchased_at_ms", transaction.purchaseDate)
        nullable("expiration_at_ms", endDate(transaction, context, event), to: &json)
        json.member("transaction_id", transaction.transactionId)
        json.member("original_transaction_id", transaction.originalTransactionId)
        json.member("is_family_share", transaction.inAppOwnershipType == .familyShared)
        nullable("country_code", transaction.storefront.flatMap(CountryCode.alpha2(forAlpha3:)), to: &json)
        nullable("currency", transaction.currency, to: &json)
        let amount = amount(transaction, context, event)
        // "price" is in US dollars, and the server has no exchange rates.
        number("price", transaction.currency == "USD" || amount == 0 ? amount : nil, to: &json)
        number("price_in_purchased_currency", amount, to: &json)
        let names = context.catalogue.entitlements.filter { $0.value.contains(product) }.keys.sorted()
        null("entitlement_id", to: &json)
        json.member("entitlement_ids", names) { $0.string($1) }
        null("presented_offering_id", to: &json)
        nullable("offer_code", transaction.offerType == .offerCode ? transaction.offerIdentifier : nil, to: &json)
        for member in ["takehome_percentage", "tax_percentage", "commission_percentage"] as [StaticString] {
            null(member, to: &json)
        }
    }

    // MARK: - Values of members

    /// Returns the transaction of the message. What a migration ends is the subscription that it replaces.
    private static func transaction(
        _ context: EventContext, _ event: CompatibleEvent
    ) -> JWSTransactionDecodedPayload? {
        guard var transaction = context.parts?.transaction else { return nil }
        guard event == .expiration, let original = context.migratedFrom, let old = context.previous else {
            return transaction
        }
        // The old subscription ends when the new one begins.
        let end = transaction.purchaseDate
        (transaction.originalTransactionId, transaction.transactionId) = (original, old.transactionID)
        (transaction.productId, transaction.currency) = (old.productID, old.currency)
        (transaction.purchaseDate, transaction.expiresDate) = (old.purchaseDate, old.expiresDate.map { min($0, end) })
        (transaction.offerType, transaction.offerIdentifier) = (old.offerType, old.offerIdentifier)
        transaction.offerDiscountType = old.offerDiscountType
        return transaction
    }

    /// Returns the customer, or a stable name derived from the original transaction ID if the customer is unknown or
    /// was erased.
    private static func user(_ context: EventContext) -> String? {
        context.event.namedCustomer ?? anonymousUser(context)
    }

    private static func anonymousUser(_ context: EventContext) -> String? {
        context.event.originalTransactionID.map { "anonymous:" + $0 }
    }

    /// Returns the product of the event. For a product change this is the old product.
    private static func product(
        _ transaction: JWSTransactionDecodedPayload, _ context: EventContext, _ event: CompatibleEvent
    ) -> String {
        guard event == .productChange, context.parts?.payload.subtype == .upgrade else { return transaction.productId }
        return context.previous?.productID ?? transaction.productId
    }

    /// Returns what the event charges or, negative, gives back, in thousandths. Zero for events without a payment, so
    /// that a receiver can add the amounts of all events: somebody else paid for what is shared or assigned.
    private static func amount(
        _ transaction: JWSTransactionDecodedPayload, _ context: EventContext, _ event: CompatibleEvent
    ) -> Int64? {
        guard transaction.inAppOwnershipType == .purchased else { return 0 }
        switch event {
        case .initialPurchase, .renewal, .nonRenewingPurchase, .refundReversed: return transaction.price
        case .cancellation where context.event.type.rawValue == "purchase.refunded":
            return transaction.price.map {
                -Int64(clamping: $0.magnitude).refundedAmount(percentage: transaction.revocationPercentage)
            }
        default: return 0
        }
    }

    /// Returns when the purchase ends. A refund or the loss of a family share ends a period before its date.
    private static func endDate(
        _ transaction: JWSTransactionDecodedPayload, _ context: EventContext, _ event: CompatibleEvent
    ) -> Date? {
        guard let end = transaction.expiresDate ?? catalogueEndDate(transaction, context) else { return nil }
        guard event == .cancellation || event == .expiration, let revoked = transaction.revocationDate else {
            return end
        }
        // A period that was paid for in advance can be refunded before it begins.
        return max(transaction.purchaseDate, min(end, revoked))
    }

    /// Returns when a non-renewing subscription ends, by the catalogue; the App Store signs no date.
    private static func catalogueEndDate(
        _ transaction: JWSTransactionDecodedPayload, _ context: EventContext
    ) -> Date? {
        guard transaction.type == .nonRenewingSubscription else { return nil }
        return context.catalogue.durations[transaction.productId]?.date(after: transaction.purchaseDate)
    }

    private static func periodType(_ transaction: JWSTransactionDecodedPayload) -> String {
        if transaction.offerDiscountType == .freeTrial { return "TRIAL" }
        return transaction.offerType == .introductory ? "INTRO" : "NORMAL"
    }

    private static func isTrialConversion(_ context: EventContext) -> Bool {
        context.parts?.transaction?.transactionReason == .renewal
            && context.previous?.offerDiscountType == .freeTrial
    }

    private static func cancelReason(_ context: EventContext) -> String {
        switch context.event.type.rawValue {
        case "purchase.refunded": "CUSTOMER_SUPPORT"
        case "purchase.revoked": "UNKNOWN"
        case "subscription.billing_failed", "subscription.grace_period_started": "BILLING_ERROR"
        default:
            context.parts?.renewal?.expirationIntent == .priceIncreaseNotAccepted ? "PRICE_INCREASE" : "UNSUBSCRIBE"
        }
    }

    private static func expirationReason(_ context: EventContext) -> String {
        switch (context.event.type.rawValue, context.parts?.payload.subtype) {
        case ("purchase.refunded", _): "CUSTOMER_SUPPORT"
        case ("subscription.billing_failed", _), ("subscription.grace_period_expired", _): "BILLING_ERROR"
        case (_, .voluntary?): "UNSUBSCRIBE"
        case (_, .billingRetry?): "BILLING_ERROR"
        case (_, .priceIncrease?): "PRICE_INCREASE"
        default: "UNKNOWN"
        }
    }

    // MARK: - Values that may be null

    private static func nullable(_ name: StaticString, _ value: Date?, to json: inout JSONWriter) {
        if let value { json.member(name, value) } else { null(name, to: &json) }
    }

    private static func nullable(_ name: StaticString, _ value: String?, to json: inout JSONWriter) {
        if let value { json.member(name, value) } else { null(name, to: &json) }
    }

    private static func null(_ name: StaticString, to json: inout JSONWriter) {
        json.key(name)
        json.null()
    }

    /// Writes thousandths as an exact decimal number.
    private static func number(_ name: StaticString, _ thousandths: Int64?, to json: inout JSONWriter) {
        guard let thousandths else { return null(name, to: &json) }
        let (whole, rest) = thousandths.magnitude.quotientAndRemainder(dividingBy: 1000)
        let digits = String(1000 + rest).dropFirst()
        let fraction = digits.prefix(through: digits.lastIndex { $0 != "0" } ?? digits.startIndex)
        json.key(name)
        json.raw("\(thousandths < 0 ? "-" : "")\(whole)\(rest == 0 ? "" : ".\(fraction)")".utf8)
    }
}
