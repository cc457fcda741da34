internal import AppStoreModels
internal import Foundation

/// What becomes of a subscription's contents when a customer changes them.
struct AdvancedCommerceModification {
    private(set) var state: AdvancedCommerceState
    /// Whether anything applies before the next renewal.
    private(set) var isImmediate = false
    /// What is to be paid at once if the billing cycle stays.
    private(set) var charge: Int64 = 0

    private var current: [AdvancedCommerceTransactionItem]
    private var coming: [AdvancedCommerceRenewalItem]

    init(
        _ body: AdvancedCommerceSubscriptionModifyInAppRequest, _ old: AdvancedCommerceState
    ) throws(APIFailure) {
        state = old
        current = old.transactionInfo.items ?? []
        coming = old.renewalInfo.items ?? []
        for item in body.removeItems ?? [] { try remove(item.sku) }
        for item in body.changeItems ?? [] { try change(item) }
        for item in body.addItems ?? [] { try add(item) }
        guard !coming.isEmpty else { throw APIFailure(.removalAllNotAllowed, "Nothing would be left.") }
        if let period = body.periodChange {
            guard let length = Period(iso8601: period.period.rawValue) else {
                throw APIFailure(.invalidRenewalPeriod, "The period is not one.")
            }
            state.period = length
            state.renewalInfo.period = period.period
            if period.effective == .immediately {
                isImmediate = true
                state.transactionInfo.period = period.period
            }
        }
        if let descriptors = body.descriptors {
            state.rename(
                descriptors.displayName, descriptors.description, isImmediate: descriptors.effective == .immediately)
        }
        if isImmediate {
            // What was taken back of the period that ends is no part of the one that begins.
            current.removeAll { $0.revocationDate != nil }
            if !body.retainBillingCycle {
                for index in current.indices { current[index].refunds = nil }
            }
        }
        state.transactionInfo.items = current
        state.renewalInfo.items = coming
        let reference = body.requestInfo.requestReferenceId.text
        state.renewalInfo.requestReferenceId = reference
        if isImmediate { state.transactionInfo.requestReferenceId = reference }
        if let taxCode = body.taxCode {
            state.renewalInfo.taxCode = taxCode
            if isImmediate { state.transactionInfo.taxCode = taxCode }
        }
        // What goes on was paid for as it was.
        if isImmediate { state.transactionInfo.untax(state.price) }
    }

    private mutating func remove(_ sku: String) throws(APIFailure) {
        guard coming.contains(where: { $0.sku == sku }) else {
            throw APIFailure(.removeItemNotFound, "There is no item “\(sku)” to remove.")
        }
        // It is paid for until the period ends.
        coming.removeAll { $0.sku == sku }
    }

    private mutating func add(_ item: AdvancedCommerceSubscriptionModifyAddItem) throws(APIFailure) {
        guard !coming.contains(where: { $0.sku == item.sku }) else {
            throw APIFailure(.productAlreadyExists, "There is an item “\(item.sku)” already.")
        }
        isImmediate = true
        charge = AdvancedCommerceState.sum([charge, item.proratedPrice ?? item.offer?.price ?? item.price])
        current.removeAll { $0.sku == item.sku }
        let new = AdvancedCommerceRenewalItem(
            sku: item.sku, description: item.description, displayName: item.displayName, offer: item.offer,
            price: item.price)
        current.append(.init(new))
        coming.append(new)
        state.offerPeriods[item.sku] = item.offer == nil ? nil : 1
    }

    private mutating func change(_ item: AdvancedCommerceSubscriptionModifyChangeItem) throws(APIFailure) {
        guard let index = coming.firstIndex(where: { $0.sku == item.currentSKU }) else {
            throw APIFailure(.changeItemNotFound, "There is no item “\(item.currentSKU)” to change.")
        }
        guard item.sku == item.currentSKU || !coming.contains(where: { $0.sku == item.sku }) else {
            throw APIFailure(.productAlreadyExists, "There is an item “\(item.sku)” already.")
        }
        let old = coming[index]
        guard old.priceIncreaseInfo == nil || item.price == old.price else {
            throw APIFailure(.invalidPriceForChangeItemInPriceIncrease, "The price of the item is being raised.")
        }
        guard item.sku != item.currentSKU || item.price == old.price || item.reason == .applyOffer else {
            throw APIFailure(.priceChangeNotSupportedThroughModifyItems, "A price is changed through the server.")
        }
        let isNow = item.effective == .immediately
        let isInOffer = (state.offerPeriods[item.currentSKU] ?? 0) > 0 && old.offer != nil
        guard !isNow || !isInOffer else {
            throw APIFailure(.offerPreventsItemMidCycleChange, "The item is in an offer.")
        }
        coming[index] = .init(
            sku: item.sku, description: item.description, displayName: item.displayName, offer: item.offer,
            price: item.price)
        state.prices[item.currentSKU] = nil
        state.offerPeriods[item.sku] = isNow && item.offer != nil ? 1 : nil
        guard isNow else { return }
        isImmediate = true
        charge = AdvancedCommerceState.sum([charge, item.proratedPrice ?? item.offer?.price ?? item.price])
        current.removeAll { $0.sku == item.currentSKU || $0.sku == item.sku }
        current.append(.init(coming[index]))
    }
}

extension AdvancedCommerceState {
    /// Other names for the whole subscription, from now on or from the next renewal on.
    mutating func rename(_ displayName: String?, _ description: String?, isImmediate: Bool) {
        renewalInfo.descriptors?.rename(displayName, description)
        if isImmediate { transactionInfo.descriptors?.rename(displayName, description) }
    }
}

extension AdvancedCommerceDescriptors {
    fileprivate mutating func rename(_ displayName: String?, _ description: String?) {
        if let displayName { self.displayName = displayName }
        if let description { self.description = description }
    }
}
