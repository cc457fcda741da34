internal import Foundation

extension OrderedJSON {
    /// Returns the `receipt` object for a unified receipt. Order and types are those of Apple's responses: members
    /// about the app may be numbers, all members of `in_app` are strings.
    static func verifyReceipt(_ receipt: AppReceipt, requestDate: Date) -> OrderedJSON {
        var members = ReceiptMembers()
        members.add("receipt_type", receipt.receiptType?.rawValue)
        members.add("adam_id", receipt.appAppleID.map(OrderedJSON.number))
        members.add("app_item_id", receipt.appAppleID.map(OrderedJSON.number))
        members.add("bundle_id", receipt.bundleID)
        members.add("application_version", receipt.version)
        members.add("download_id", receipt.downloadID.map(OrderedJSON.number))
        members.add("version_external_identifier", receipt.versionExternalID.map(OrderedJSON.number))
        members.add("receipt_creation_date", receipt.creationDate)
        members.add("request_date", requestDate)
        members.add("original_purchase_date", receipt.originalPurchaseDate)
        members.add("expiration_date", receipt.expirationDate)
        members.add("preorder_date", receipt.preorderDate)
        members.add("original_application_version", receipt.originalVersion)
        members.add("in_app", .array(receipt.purchases.map(verifyReceipt)))
        return .object(members.all)
    }

    private static func verifyReceipt(_ purchase: InAppPurchase) -> OrderedJSON {
        var members = ReceiptMembers()
        members.add("quantity", purchase.quantity.map { String($0) })
        members.add("product_id", purchase.productID)
        members.add("transaction_id", purchase.transactionID)
        members.add("original_transaction_id", purchase.originalTransactionID)
        members.add("purchase_date", purchase.purchaseDate)
        members.add("original_purchase_date", purchase.originalPurchaseDate)
        members.add("expires_date", purchase.expirationDate)
        members.add("web_order_line_item_id", purchase.webOrderLineItemID.map { String($0) })
        members.add("is_trial_period", purchase.isTrialPeriod == true)
        members.add("is_in_intro_offer_period", purchase.isInIntroductoryOfferPeriod)
        members.add("cancellation_date", purchase.cancellationDate)
        members.add("cancellation_reason", purchase.cancellationReason.map { String($0) })
        members.add("promotional_offer_id", purchase.promotionalOfferID)
        return .object(members.all)
    }

    /// Returns the `receipt` object for a transaction receipt: its fields in file order as strings, with underscores
    /// instead of hyphens. Unlike in unified receipts, `expires_date` is in milliseconds, as in Apple's responses.
    static func verifyReceipt(_ receipt: LegacyReceipt) -> OrderedJSON {
        .object(receipt.fields.map { .init($0.key.replacing("-", with: "_"), .string($0.value)) })
    }
}
