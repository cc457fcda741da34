internal import AppStoreModels
internal import Foundation

// Refunds, and revocations of family members' shares.

extension TriggerRun {
    mutating func performRefundTrigger() throws(StoreError) {
        guard type != .revoke else { return try revoke() }
        let id = try refundable()
        if type == .consumptionRequest {
            store.settings.sendsConsumptionRequestsForAllProducts = true
            return try perform(.requestRefund(customer: customer, transaction: id))
        }
        // With automatic decisions the store would decide at another time.
        store.settings.refundDecision = .byCommand
        let bought = store.transactions[id]?.payload.purchaseDate ?? now
        let between = bought + now.timeIntervalSince(bought) / 2
        let request = StoreCommand.requestRefund(customer: customer, transaction: id)
        switch type {
        case .refund:
            if isNew { try perform(request, at: between) }
            try perform(.approveRefund(customer: customer, transaction: id))
        case .refundDeclined:
            let isRequested = store.transactions[id]?.refund?.state == .requested
            if !isRequested { try perform(request, at: isNew ? between : now) }
            try perform(.declineRefund(customer: customer, transaction: id))
        default:
            if isNew { try perform(.approveRefund(customer: customer, transaction: id), at: between) }
            try perform(.reverseRefund(customer: customer, transaction: id))
        }
    }

    /// Returns the transaction to refund: a new customer's only one, or for a reversal the refunded one.
    private mutating func refundable() throws(StoreError) -> String {
        if isNew {
            let product = try product("product") { !$0.isAdvancedCommerce }
            let date = product.subscription == nil ? now - 86_400 : middle(of: product)
            try perform(.purchase(customer: customer, product: product.id, introductory: false), at: date)
        } else if type == .refundReversed {
            let refunded = try store.customer(customer).transactions.last {
                guard let transaction = store.transactions[$0], transaction.refund?.state == .granted else {
                    return false
                }
                return request.product == nil || request.product == transaction.payload.productId
            }
            if let refunded { return refunded }
        }
        return try store.transaction(of: customer, isNew ? nil : request.product).payload.transactionId
    }

    private mutating func revoke() throws(StoreError) {
        var purchaser = otherName
        if isNew {
            let product = try product("product that a family can share") {
                $0.isFamilyShareable && !$0.isAdvancedCommerce
                    && ($0.type == .nonConsumable || $0.type == .autoRenewableSubscription)
            }
            let start = product.subscription == nil ? now - 86_400 : middle(of: product)
            try perform(.purchase(customer: purchaser, product: product.id, introductory: false), at: start)
            let between = start + now.timeIntervalSince(start) / 2
            try perform(.shareWithFamily(customer: purchaser, member: customer), at: between)
        } else if let owner = sharingPurchaser {
            purchaser = owner
        } else {
            throw StoreError(.impossibleTransition, "no family member shares a purchase with \(customer)")
        }
        try perform(.stopSharing(customer: purchaser, member: customer))
    }

    /// The purchaser who shares purchases with the customer.
    private var sharingPurchaser: String? {
        store.transactions(of: customer).reversed().lazy
            .filter { request.product == nil || request.product == $0.payload.productId }
            .filter { $0.payload.inAppOwnershipType == .familyShared && $0.payload.revocationDate == nil }
            .compactMap { $0.sharedFrom.flatMap { store.transactions[$0]?.customer } }
            .first { store.customers[$0]?.family.contains(customer) ?? false }
    }
}
