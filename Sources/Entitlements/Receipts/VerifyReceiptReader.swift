internal import AppStoreModels
internal import Foundation

/// Creates facts from a `verifyReceipt` response.
struct VerifyReceiptReader {
    let response: DecodedResponse
    let received: Date
    let catalogue: ProductCatalogue
    /// Product types that are known in addition to the catalogue's, by transaction identifier.
    let knownTypes: [String: ProductType]
    let limits: VerifyReceiptLimits

    /// When the App Store answered. Everything except `in_app` dates from then.
    private var responseDate: Date { min(response.receipt?.members.date("request_date") ?? received, received) }

    /// When the receipt was created.
    private var creationDate: Date {
        min(response.receipt?.members.date("receipt_creation_date") ?? responseDate, responseDate)
    }

    func transactions() throws(VerifyReceiptError) -> [TransactionFact] {
        let latest = (response.latest?.items ?? []) + (response.latestExpired?.items ?? [])
        var facts = try read(latest, signedDate: responseDate)
        let known = Set(facts.map { ExactText($0.transactionID) })
        facts += try read(receiptItems, signedDate: creationDate).filter {
            !known.contains(ExactText($0.transactionID))
        }
        return facts
    }

    /// The purchases of the receipt itself. A receipt of a single transaction, from iOS 6 or earlier, is itself a
    /// purchase.
    private var receiptItems: [LenientObject] {
        guard let receipt = response.receipt else { return [] }
        if let purchases = receipt.purchases { return purchases.items }
        return receipt.members.text("transaction_id") == nil ? [] : [receipt.members]
    }

    func renewals() throws(VerifyReceiptError) -> [RenewalFact] {
        let items = response.renewals?.items ?? []
        try requireLimit(items.count)
        var facts = try items.map { (item) throws(VerifyReceiptError) in try renewal(item) }
        if facts.isEmpty, let fact = try legacyRenewal() { facts.append(fact) }
        return facts
    }

    private func requireLimit(_ count: Int) throws(VerifyReceiptError) {
        guard count <= limits.items else {
            throw VerifyReceiptError(.tooLarge, "a list of the response has more than \(limits.items) items")
        }
    }

    private func read(_ items: [LenientObject], signedDate: Date) throws(VerifyReceiptError) -> [TransactionFact] {
        try requireLimit(items.count)
        return try items.map { (item) throws(VerifyReceiptError) in try transaction(item, signedDate: signedDate) }
    }

    private func identifier(_ item: LenientObject, _ name: String) throws(VerifyReceiptError) -> String {
        guard let text = item.text(name), text.utf8.count <= limits.identifierBytes else {
            throw VerifyReceiptError(.malformed, "an item has no \(name), or one that is too long")
        }
        return text
    }
}

// MARK: - Transactions

extension VerifyReceiptReader {
    private func transaction(_ item: LenientObject, signedDate: Date) throws(VerifyReceiptError) -> TransactionFact {
        let id = try identifier(item, "transaction_id")
        let product = try identifier(item, "product_id")
        guard let purchaseDate = item.legacyDate("purchase_date") else {
            throw VerifyReceiptError(.malformed, "an item has no purchase_date_ms, or one that is no instant")
        }
        let original =
            item.text("original_transaction_id") == nil ? id : try identifier(item, "original_transaction_id")
        let expiresDate = try expiry(item)
        let cancellation = try date(item, "cancellation_date")
        let type =
            knownTypes[id]
            ?? catalogue.type(
                ofProductInReceipt: product, expires: expiresDate != nil,
                hasWebOrderLineItem: item.text("web_order_line_item_id").map { $0 != "0" } ?? false)
        let isRestored = Self.isRestored(type, id, original)
        return TransactionFact(
            transactionID: isRestored ? original : id, originalTransactionID: original, productID: product, type: type,
            purchaseDate: isRestored ? originalPurchaseDate(item, restored: purchaseDate) : purchaseDate,
            expiresDate: expiresDate,
            subscriptionGroupIdentifier: item.text("subscription_group_identifier"), signedDate: signedDate,
            revocationDate: cancellation,
            revocationReason: item.number("cancellation_reason").map { RevocationReason(rawValue: $0) },
            isUpgraded: item.flag("is_upgraded"),
            ownership: item.text("in_app_ownership_type").map { InAppOwnershipType(rawValue: $0) } ?? .purchased,
            offerType: offerType(item), offerIdentifier: offerIdentifier(item),
            offerDiscountType: item.flag("is_trial_period") ? .freeTrial : nil, quantity: item.number("quantity") ?? 1,
            appAccountToken: item.text("app_account_token").flatMap { UUID(text: $0) })
    }

    /// Whether an item is a copy that a restore made of an earlier purchase. Such an item counts as the original
    /// purchase, with the identifier and date that the App Store signs. A refund of the original then ends it, and no
    /// second customer can claim it.
    ///
    /// Only non-consumables are read as their original, including products of an unknown type, which count as
    /// non-consumables. The App Store does not restore consumables and non-renewing subscriptions. If one of them has
    /// another original anyway, it is a separate purchase. It belongs to the customer who has the original, because
    /// every product type is stored under its original transaction, as in signed data.
    private static func isRestored(_ type: ProductType, _ id: String, _ original: String) -> Bool {
        type == .nonConsumable && !original.isExactly(id)
    }

    /// Returns the original date of a restored purchase. Old sandbox receipts have original dates that are too late.
    private func originalPurchaseDate(_ item: LenientObject, restored: Date) -> Date {
        min(item.legacyDate("original_purchase_date") ?? restored, restored)
    }

    private func expiry(_ item: LenientObject) throws(VerifyReceiptError) -> Date? {
        if let date = item.legacyDate("expires_date") { return date }
        return try date(item, "expires_date")
    }

    /// Returns a date that may be missing. Throws if it is present but unreadable: otherwise a cancelled purchase would
    /// become active again.
    private func date(_ item: LenientObject, _ name: String) throws(VerifyReceiptError) -> Date? {
        if let date = item.date(name) { return date }
        let names = [name, name + "_ms"]
        guard names.allSatisfy({ item.text($0) == nil && !item.isUnreadable($0) }) else {
            throw VerifyReceiptError(.malformed, "an item has a \(name) without an instant in \(name)_ms")
        }
        return nil
    }

    /// Returns the offer type. A free or reduced introductory period uses up the introductory offer according to
    /// Apple's documentation, even if the item names another offer too.
    private func offerType(_ item: LenientObject) -> OfferType? {
        let isIntroductory = item.flag("is_in_intro_offer_period") || item.flag("is_trial_period")
        return isIntroductory ? .introductory : namedOfferType(item)
    }

    /// Returns the type of the offer that an item names.
    private func namedOfferType(_ item: LenientObject) -> OfferType? {
        if item.text("promotional_offer_id") != nil { return .promotional }
        return item.text("offer_code_ref_name") == nil ? nil : .offerCode
    }

    private func offerIdentifier(_ item: LenientObject) -> String? {
        item.text("promotional_offer_id") ?? item.text("offer_code_ref_name")
    }
}

// MARK: - Renewals

extension VerifyReceiptReader {
    private func renewal(_ item: LenientObject) throws(VerifyReceiptError) -> RenewalFact {
        let next = item.text("auto_renew_product_id")
        let product = item.text("product_id") ?? next
        guard let product, product.utf8.count <= limits.identifierBytes else {
            throw VerifyReceiptError(.malformed, "a pending renewal has no product_id, or one that is too long")
        }
        return RenewalFact(
            originalTransactionID: try identifier(item, "original_transaction_id"), productID: product,
            autoRenewProductID: next ?? product, willRenew: item.willRenew,
            expirationIntent: item.number("expiration_intent").map { ExpirationIntent(rawValue: $0) },
            isInBillingRetry: item.flag("is_in_billing_retry_period"),
            gracePeriodExpiresDate: item.date("grace_period_expires_date"),
            priceIncreaseStatus: (item.number("price_increase_status") ?? item.number("price_consent_status")).map {
                PriceIncreaseStatus(rawValue: $0)
            },
            offerType: namedOfferType(item), offerIdentifier: offerIdentifier(item), signedDate: responseDate)
    }

    /// Returns the renewal info of a very old response, which is about one subscription and has its renewal members at
    /// the top level.
    private func legacyRenewal() throws(VerifyReceiptError) -> RenewalFact? {
        let members = response.members
        guard members.text("auto_renew_status") != nil, let receipt = response.receipt?.members,
            receipt.text("product_id") != nil
        else { return nil }
        let product = try identifier(receipt, "product_id")
        let isOriginal = receipt.text("original_transaction_id") == nil
        return RenewalFact(
            originalTransactionID: try identifier(receipt, isOriginal ? "transaction_id" : "original_transaction_id"),
            productID: product, autoRenewProductID: members.text("auto_renew_product_id") ?? product,
            willRenew: members.willRenew,
            expirationIntent: members.number("expiration_intent").map { ExpirationIntent(rawValue: $0) },
            isInBillingRetry: members.flag("is_in_billing_retry_period"), signedDate: responseDate)
    }
}

extension LenientObject {
    /// Whether `auto_renew_status` is not off. As in signed data, a value that is unknown today does not say that the
    /// customer turned renewal off.
    fileprivate var willRenew: Bool {
        let status = text("auto_renew_status")
        return status != "0" && status != "false"
    }
}
