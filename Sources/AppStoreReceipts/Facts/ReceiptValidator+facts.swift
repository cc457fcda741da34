internal import AppStoreModels
public import AppStoreTrust
public import Entitlements
internal import Foundation

extension ReceiptValidator {
    /// What a validated receipt says of its customer, for `EntitlementEngine`: the purchases, and when the app was first got. A
    /// receipt says nothing of renewals that were switched off or of billing retry: ask the App Store Server API. A purchase
    /// that was restored on another device has the identifier and the date of its original, as in signed data. What a
    /// transaction receipt says counts as signed when its purchase was made: it names no other date.
    ///
    /// - Parameters:
    ///   - receipt: The receipt, of this validator.
    ///   - catalogue: Tells the kinds of products apart where the receipt does not.
    /// - Throws: `VerificationError` with code `malformed_receipt` where a purchase lacks what every purchase has.
    public func facts(
        of receipt: Verified<Receipt>, catalogue: ProductCatalogue = ProductCatalogue()
    ) throws(VerificationError) -> CustomerFacts {
        // A receipt reads like the answer that `verifyReceipt` would give about it.
        let answer = answer(about: receipt).json
        var facts = CustomerFacts()
        // Its own word for the kind of a product goes before what the catalogue supposes.
        let kinds: [String: ProductType] = Dictionary(
            purchases(of: receipt).compactMap { purchase in
                purchase.productType.flatMap { ProductType($0) }.map { (purchase.transactionID, $0) }
            }, uniquingKeysWith: { first, _ in first })
        do {
            facts.transactions = try VerifyReceiptFacts(
                response: Data(answer.utf8), received: now(), catalogue: catalogue, kinds: kinds
            ).facts.transactions
        } catch {
            throw VerificationError(.malformedReceipt, error.message)
        }
        if case .transaction(let old) = receipt.payload {
            // Its answer has no date of its own, so its purchase would count as signed now and outlive a refund since.
            for index in facts.transactions.indices {
                facts.transactions[index].signedDate = min(facts.transactions[index].signedDate, old.purchaseDate)
            }
        }
        guard let app = receipt.appReceipt?.payload else { return facts }
        if app.originalVersion != nil || app.originalPurchaseDate != nil {
            facts.originalPurchases = [
                OriginalPurchaseFact(
                    applicationVersion: app.originalVersion, purchaseDate: app.originalPurchaseDate,
                    signedDate: app.creationDate, isTestData: app.environment != .production)
            ]
        }
        return facts
    }

    /// The answer of `verifyReceipt` about a receipt, with the date of the purchase in milliseconds: a transaction receipt can
    /// have it as text alone.
    private func answer(about receipt: Verified<Receipt>) -> VerifyReceiptResponse {
        let response = VerifyReceiptEndpoint(validator: self).response(about: receipt)
        guard case .transaction(let old) = receipt.payload, let date = old.purchaseDate.receiptMilliseconds,
            case .object(var members)? = response.receipt
        else { return response }
        members.removeAll { $0.name == "purchase_date_ms" }
        members.append(.init("purchase_date_ms", .string(String(date))))
        return VerifyReceiptResponse(
            status: response.status, environment: response.environment, receipt: .object(members))
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
