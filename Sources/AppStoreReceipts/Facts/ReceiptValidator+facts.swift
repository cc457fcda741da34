internal import AppStoreModels
public import AppStoreTrust
public import Entitlements
internal import Foundation

extension ReceiptValidator {
    /// Returns the facts of a validated receipt for `EntitlementEngine`: the purchases, and when the customer first got
    /// the app.
    ///
    /// A receipt does not contain cancelled renewals and billing retry: use the App Store Server API for them. A
    /// non-consumable that was restored on another device has the identifier and the date of the original purchase, as
    /// in signed data. The purchase of a transaction receipt counts as signed at its purchase date, the only date in
    /// the receipt.
    ///
    /// - Parameters:
    ///   - receipt: A receipt that this validator has verified.
    ///   - catalogue: Determines the product types that the receipt does not contain.
    /// - Throws: `VerificationError` with code `malformed_receipt` if a purchase lacks a required value.
    public func facts(
        of receipt: Verified<Receipt>, catalogue: ProductCatalogue = ProductCatalogue()
    ) throws(VerificationError) -> CustomerFacts {
        // Parse the receipt through the `verifyReceipt` response for it.
        let response = verifyReceiptResponse(for: receipt).json
        var facts = CustomerFacts()
        // A product type in the receipt overrides the catalogue.
        let knownTypes: [String: ProductType] = Dictionary(
            purchases(of: receipt).compactMap { purchase in
                purchase.productType.flatMap { ProductType($0) }.map { (purchase.transactionID, $0) }
            }, uniquingKeysWith: { first, _ in first })
        do {
            facts.transactions = try VerifyReceiptFacts(
                response: Data(response.utf8), received: now(), catalogue: catalogue, knownTypes: knownTypes
            ).facts.transactions
        } catch {
            throw VerificationError(.malformedReceipt, error.message)
        }
        if case .transaction(let old) = receipt.payload {
            // The response has no creation date, so the purchase would count as signed now and override a later refund.
            for index in facts.transactions.indices {
                facts.transactions[index].signedDate = min(facts.transactions[index].signedDate, old.purchaseDate)
            }
        }
        if case .app(let app) = receipt.payload, let original = app.originalPurchase {
            facts.originalPurchases = [original]
        }
        return facts
    }

    /// Returns the `verifyReceipt` response for a receipt. Adds the dates of the purchase and of its original in
    /// milliseconds, because a transaction receipt may contain them only as formatted text.
    private func verifyReceiptResponse(for receipt: Verified<Receipt>) -> VerifyReceiptResponse {
        let response = VerifyReceiptEndpoint(validator: self).response(for: receipt)
        guard case .transaction(let old) = receipt.payload, case .object(var members)? = response.receipt else {
            return response
        }
        let dates: [(name: String, date: Date?)] = [
            ("purchase_date_ms", old.purchaseDate), ("original_purchase_date_ms", old.originalPurchaseDate),
        ]
        for (name, date) in dates {
            guard let milliseconds = date?.millisecondsSince1970 else { continue }
            members.removeAll { $0.name == name }
            members.append(.init(name, .string(String(milliseconds))))
        }
        return VerifyReceiptResponse(
            status: response.status, environment: response.environment, receipt: .object(members))
    }
}

extension AppReceipt {
    /// When the customer first got the app; nil if the receipt does not contain it, like those of Xcode.
    package var originalPurchase: OriginalPurchaseFact? {
        guard originalVersion != nil || originalPurchaseDate != nil else { return nil }
        return OriginalPurchaseFact(
            applicationVersion: originalVersion, purchaseDate: originalPurchaseDate, signedDate: creationDate,
            isTestData: environment != .production)
    }
}

extension ProductType {
    fileprivate init?(_ type: ReceiptProductType) {
        switch type {
        case .nonConsumable: self = .nonConsumable
        case .consumable: self = .consumable
        case .nonRenewingSubscription: self = .nonRenewingSubscription
        case .autoRenewableSubscription: self = .autoRenewableSubscription
        default: return nil
        }
    }
}
