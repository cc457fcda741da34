internal import AppStoreModels
internal import AppStoreReceipts
internal import Crypto
package import Foundation

extension Store {
    /// Returns the contents of the unified receipt that a customer's device gets at `now`.
    ///
    /// - Parameter device: The identifier for vendor that the receipt is bound to; nil for the result of
    ///   ``deviceID(of:on:)``.
    /// - Throws: ``StoreError/Code/noReceipt`` if the device has no receipt.
    package func receiptContents(
        of customer: String, device: UUID? = nil, at now: Date
    ) throws(StoreError) -> ReceiptContents {
        let customer = try self.customer(customer)
        guard hasReceipt(customer) else {
            throw StoreError(
                .noReceipt,
                "\(customer.id) has no receipt: the sandbox makes the first one at a purchase or at refreshReceipt")
        }
        return receiptContents(of: customer, device: device, at: now)
    }

    func receiptContents(of customer: Customer, device: UUID? = nil, at now: Date) -> ReceiptContents {
        let opaque = Self.digest(["opaque value", customer.appTransactionID, "\(now.millisecondsSince1970 ?? 0)"])
        var contents = ReceiptContents(
            type: receiptType(of: customer), bundleID: app.bundleID, version: version,
            creationDate: now, deviceID: (device ?? deviceID(of: customer)).bytes, opaqueValue: opaque)
        contents.originalVersion = firstVersion(of: customer)
        contents.originalPurchaseDate = firstPurchaseDate(of: customer)
        contents.preorderDate = preorderDate(of: customer)
        contents.expirationDate = customer.volumePurchase?.expires
        // Receipts of the sandbox contain 0 as the Apple ID of the app.
        contents.appAppleID = isSandbox ? 0 : app.appAppleID
        contents.details = receiptDetails(of: customer, at: now)
        contents.purchases = receiptTransactions(of: customer).map { transaction in
            var purchase = ReceiptPurchase(transaction.payload)
            purchase.productAppleID =
                isSandbox ? 0 : Self.number(below: 2_000_000_000, "product", app.bundleID, purchase.productID)
            return purchase
        }
        return contents
    }

    private func receiptDetails(of customer: Customer, at now: Date) -> ReceiptDetails {
        var details = ReceiptDetails()
        guard !isSandbox else { return details }
        details.downloadDate = now
        details.vendorID = Self.number(below: 100_000, "vendor", app.bundleID)
        details.downloadID = Self.number(below: 1_000_000_000_000_000, "download", customer.appTransactionID)
        details.versionExternalID = Self.number(below: 1_000_000_000, "version", app.bundleID, version)
        return details
    }

    private func receiptType(of customer: Customer) -> ReceiptType {
        guard customer.volumePurchase != nil else { return isSandbox ? .productionSandbox : .production }
        return isSandbox ? .productionVPPSandbox : .productionVPP
    }

    /// Returns the identifier for vendor of a customer's device; of the customer's unnamed device if `name` is nil.
    package func deviceID(of customer: Customer, on name: String? = nil) -> UUID {
        guard let name else { return Self.derivedUUID("device", customer.appTransactionID) }
        return Self.derivedUUID("device", customer.appTransactionID, name)
    }

    /// Returns the identifier for vendor of a device of the customer with this name.
    func deviceID(of customer: String, on name: String?) throws(StoreError) -> UUID {
        let customer = try self.customer(customer)
        if let name { try checkDeviceName(name, of: customer.id) }
        return deviceID(of: customer, on: name)
    }

    /// Returns a UUID that is computed from the parts.
    static func derivedUUID(_ parts: String...) -> UUID {
        UUID(bytes: Data(digest(parts))) ?? UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
    }

    /// Returns the transactions in a receipt: all except finished consumables. Refunded transactions are included.
    func receiptTransactions(of customer: Customer) -> [StoredTransaction] {
        transactions(of: customer.id).filter { $0.payload.type != .consumable || !$0.isFinished }
    }

    /// Returns a number from 1 to `limit` - 1 that is computed from the parts.
    private static func number(below limit: Int64, _ parts: String...) -> Int64 {
        1 + digest(parts).prefix(7).reduce(Int64(0)) { $0 << 8 | Int64($1) } % (limit - 1)
    }

    private static func digest(_ parts: [String]) -> [UInt8] {
        Array(SHA256.hash(data: Array(parts.joined(separator: "\n").utf8)).prefix(16))
    }
}

extension ReceiptPurchase {
    init(_ payload: JWSTransactionDecodedPayload) {
        self.init(
            productID: payload.productId, transactionID: payload.transactionId, purchaseDate: payload.purchaseDate)
        quantity = Int64(payload.quantity)
        originalTransactionID = payload.originalTransactionId
        originalPurchaseDate = payload.originalPurchaseDate
        productType = payload.receiptType
        expirationDate = payload.expiresDate
        webOrderLineItemID = payload.webOrderLineItemId.flatMap { Int64($0) } ?? 0
        cancellationDate = payload.revocationDate
        if cancellationDate != nil { cancellationReason = Int64(payload.revocationReason?.rawValue ?? 0) }
        isTrialPeriod = payload.isFreeTrial
        if payload.type == .autoRenewableSubscription { isInIntroductoryOfferPeriod = payload.isPaidIntroduction }
        if payload.offerType == .promotional { promotionalOfferID = payload.offerIdentifier }
    }
}

extension JWSTransactionDecodedPayload {
    var isFreeTrial: Bool { offerType == .introductory && offerDiscountType == .freeTrial }

    var isPaidIntroduction: Bool { offerType == .introductory && offerDiscountType != .freeTrial }

    fileprivate var receiptType: ReceiptProductType? {
        switch type {
        case .nonConsumable: .nonConsumable
        case .consumable: .consumable
        case .nonRenewingSubscription: .nonRenewingSubscription
        case .autoRenewableSubscription: .autoRenewableSubscription
        default: nil
        }
    }
}
