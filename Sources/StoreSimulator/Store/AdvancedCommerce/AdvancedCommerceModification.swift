internal import AppStoreModels
internal import Foundation

/// The result of a customer's change to the contents of an Advanced Commerce subscription.
struct AdvancedCommerceModification {
    private(set) var state: AdvancedCommerceState
    /// Whether any change takes effect before the next renewal.
    private(set) var isImmediate = false
    /// The amount to charge now if the billing cycle is retained.
    private(set) var charge: Int64 = 0

    private var currentItems: [AdvancedCommerceTransactionItem]
    private var renewalItems: [AdvancedCommerceRenewalItem]

    init(_ body: AdvancedCommerceSubscriptionModifyInAppRequest, _ old: AdvancedCommerceState) throws(APIFailure) {
        state = old
        currentItems = old.transactionInfo.items ?? []
        renewalItems = old.renewalInfo.items ?? []
        for item in body.removeItems ?? [] { try remove(item.sku) }
        for item in body.changeItems ?? [] { try change(item) }
        for item in body.addItems ?? [] { try add(item) }
        guard !renewalItems.isEmpty else {
            throw APIFailure(.removalAllNotAllowed, "The change would remove all items.")
        }
        try changePeriod(body, old)
        if let descriptors = body.descriptors { state.rename(descriptors) }
        if isImmediate { endPeriod(retainsBillingCycle: body.retainBillingCycle) }
        state.transactionInfo.items = currentItems
        state.renewalInfo.items = renewalItems
        let reference = body.requestInfo.requestReferenceId.text
        state.renewalInfo.requestReferenceId = reference
        if let taxCode = body.taxCode { state.renewalInfo.taxCode = taxCode }
        // Without an immediate change, the running period keeps the price that was paid.
        guard isImmediate else { return }
        state.transactionInfo.requestReferenceId = reference
        if let taxCode = body.taxCode { state.transactionInfo.taxCode = taxCode }
        state.transactionInfo.setUntaxedPrice(state.price)
    }

    private mutating func changePeriod(
        _ body: AdvancedCommerceSubscriptionModifyInAppRequest, _ old: AdvancedCommerceState
    ) throws(APIFailure) {
        guard let change = body.periodChange else { return }
        let given = Set((body.changeItems ?? []).map(\.currentSKU) + (body.removeItems ?? []).map(\.sku))
        if let sku = (old.renewalInfo.items ?? []).compactMap(\.sku).first(where: { !given.contains($0) }) {
            throw APIFailure(.missingUpdatedItemsWithPeriodChange, "The period changes, but not the item “\(sku)”.")
        }
        guard let length = Period(iso8601: change.period.rawValue) else {
            throw APIFailure(.invalidRenewalPeriod, "The period is not valid.")
        }
        state.period = length
        state.renewalInfo.period = change.period
        if change.effective == .immediately {
            isImmediate = true
            state.transactionInfo.period = change.period
        }
    }

    /// Ends the running period, because one with the changed items begins now.
    private mutating func endPeriod(retainsBillingCycle: Bool) {
        // Items revoked in the period that ends are not part of the new period.
        currentItems.removeAll { $0.revocationDate != nil }
        guard !retainsBillingCycle else { return }
        // The period in which the removed items were paid ends now, also those of earlier requests.
        let removed = Set(state.removed).subtracting(renewalItems.compactMap(\.sku))
        state.removed = []
        currentItems.removeAll { removed.contains($0.sku ?? "") }
        for index in currentItems.indices { currentItems[index].refunds = nil }
    }

    private mutating func remove(_ sku: String) throws(APIFailure) {
        guard renewalItems.contains(where: { $0.sku == sku }) else {
            throw APIFailure(.removeItemNotFound, "There is no item “\(sku)” to remove.")
        }
        // The removed item stays until the end of the period that is paid.
        renewalItems.removeAll { $0.sku == sku }
        state.endRunning([sku])
    }

    private mutating func add(_ item: AdvancedCommerceSubscriptionModifyAddItem) throws(APIFailure) {
        guard !renewalItems.contains(where: { $0.sku == item.sku }) else {
            throw APIFailure(.productAlreadyExists, "There is an item “\(item.sku)” already.")
        }
        isImmediate = true
        charge = AdvancedCommerceState.sum([charge, item.proratedPrice ?? item.offer?.price ?? item.price])
        currentItems.removeAll { $0.sku == item.sku }
        state.forgetRunning(item.sku)
        let new = AdvancedCommerceRenewalItem(
            sku: item.sku, description: item.description, displayName: item.displayName, offer: item.offer,
            price: item.price)
        currentItems.append(.init(new))
        renewalItems.append(new)
        state.offerPeriods[item.sku] = item.offer == nil ? nil : 1
    }

    private mutating func change(_ item: AdvancedCommerceSubscriptionModifyChangeItem) throws(APIFailure) {
        guard let index = renewalItems.firstIndex(where: { $0.sku == item.currentSKU }) else {
            throw APIFailure(.changeItemNotFound, "There is no item “\(item.currentSKU)” to change.")
        }
        guard item.sku == item.currentSKU || !renewalItems.contains(where: { $0.sku == item.sku }) else {
            throw APIFailure(.productAlreadyExists, "There is an item “\(item.sku)” already.")
        }
        let old = renewalItems[index]
        guard old.priceIncreaseInfo == nil || item.price == old.price else {
            throw APIFailure(.invalidPriceForChangeItemInPriceIncrease, "The price of the item is being raised.")
        }
        guard item.sku != item.currentSKU || item.price == old.price || item.reason == .applyOffer else {
            throw APIFailure(
                .priceChangeNotSupportedThroughModifyItems, "Prices of items can only be changed by the server.")
        }
        let isNow = item.effective == .immediately
        let isInOffer = (state.offerPeriods[item.currentSKU] ?? 0) > 0 && old.offer != nil
        guard !isNow || !isInOffer else {
            throw APIFailure(.offerPreventsItemMidCycleChange, "The item is in an offer.")
        }
        renewalItems[index] = .init(
            sku: item.sku, description: item.description, displayName: item.displayName, offer: item.offer,
            price: item.price)
        state.prices[item.currentSKU] = nil
        state.offerPeriods[item.sku] = isNow && item.offer != nil ? 1 : nil
        guard isNow else { return state.replaceAtRenewal(item.currentSKU, with: item.sku) }
        isImmediate = true
        charge = AdvancedCommerceState.sum([charge, item.proratedPrice ?? item.offer?.price ?? item.price])
        // The item may run under another SKU, after a change that applies at the renewal.
        let replaced = [state.runningSKU(item.currentSKU), item.sku]
        currentItems.removeAll { replaced.contains($0.sku ?? "") }
        for sku in replaced { state.forgetRunning(sku) }
        currentItems.append(.init(renewalItems[index]))
    }
}

extension AdvancedCommerceState {
    /// Changes the names of the whole subscription, now or from the next renewal on.
    mutating func rename(_ names: AdvancedCommerceSubscriptionChangeMetadataDescriptors) {
        renewalInfo.descriptors?.rename(names)
        if names.effective == .immediately { transactionInfo.descriptors?.rename(names) }
    }
}

extension AdvancedCommerceDescriptors {
    fileprivate mutating func rename(_ names: AdvancedCommerceSubscriptionChangeMetadataDescriptors) {
        if let displayName = names.displayName { self.displayName = displayName }
        if let description = names.description { self.description = description }
    }
}
