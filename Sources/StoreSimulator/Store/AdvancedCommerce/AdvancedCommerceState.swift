package import AppStoreModels

/// The Advanced Commerce state of a subscription.
package struct AdvancedCommerceState: Sendable, Codable {
    /// The contents of the running period.
    package var transactionInfo: AdvancedCommerceTransactionInfo
    /// The contents of the next period.
    package var renewalInfo: AdvancedCommerceRenewalInfo
    /// The length of the periods from now on.
    package var period: Period
    /// Future prices that are not in `renewalInfo` yet, by SKU.
    package var prices: [String: PendingPrice] = [:]
    /// The number of offer periods that each item has had, by SKU.
    package var offerPeriods: [String: Int32] = [:]
    /// The SKUs of items that were removed and are paid until the running period ends.
    package var removed: [String] = []
    /// The SKUs in the running period of items that renew under another SKU, by that SKU.
    package var replaced: [String: String] = [:]

    /// A price that the developer has requested.
    package struct PendingPrice: Sendable, Codable, Hashable {
        package var price: Int64
        /// Whether the price was requested less than a day before the next renewal, so that it applies one renewal
        /// later.
        package var isLate: Bool
    }

    /// Creates the state for new contents that begin now.
    package init(
        _ items: [AdvancedCommerceRenewalItem], descriptors: AdvancedCommerceDescriptors, period: Period,
        taxCode: String, reference: String
    ) {
        renewalInfo = AdvancedCommerceRenewalInfo(
            descriptors: descriptors, items: items, period: AdvancedCommercePeriod(rawValue: period.iso8601),
            requestReferenceId: reference, taxCode: taxCode)
        transactionInfo = AdvancedCommerceTransactionInfo()
        self.period = period
        begin()
    }

    /// The price of the running period.
    package var price: Int64 {
        Self.sum((transactionInfo.items ?? []).map { $0.offer?.price ?? $0.price ?? 0 })
    }

    /// The price of the next period.
    package var renewalPrice: Int64 {
        Self.sum(
            (renewalInfo.items ?? []).map { item in
                if let offer = item.offer, hasMore(offer, item.sku) { return offer.price }
                if let sku = item.sku, let pending = prices[sku], !pending.isLate { return pending.price }
                return item.price ?? 0
            })
    }

    /// Returns the SKU in the running period of an item that renews.
    func runningSKU(_ sku: String) -> String { replaced[sku] ?? sku }

    /// Records that an item renews under another SKU, while the running period keeps the former one.
    mutating func replaceAtRenewal(_ sku: String, with new: String) {
        let running = runningSKU(sku)
        replaced[sku] = nil
        if running != new { replaced[new] = running }
    }

    /// Records that items end with the running period.
    mutating func endRunning(_ skus: [String]) {
        let running = skus.map { runningSKU($0) }
        removed += running
        for sku in running { forgetRunning(sku) }
    }

    /// Records that the running period has no item under that SKU any more, or another one.
    mutating func forgetRunning(_ sku: String) { replaced = replaced.filter { $0.value != sku } }

    /// Begins the next period: applies the prices that are due and ends the offers that have run out.
    package mutating func beginNextPeriod() {
        var items = renewalInfo.items ?? []
        for index in items.indices {
            guard let sku = items[index].sku else { continue }
            if let offer = items[index].offer, !hasMore(offer, sku) { items[index].offer = nil }
            guard let pending = prices[sku] else { continue }
            if pending.isLate {
                prices[sku]?.isLate = false
            } else {
                items[index].price = pending.price
                items[index].priceIncreaseInfo = nil
                prices[sku] = nil
            }
        }
        renewalInfo.items = items
        begin()
    }

    // An offer covers a number of periods of the subscription, regardless of the offer's own period: all items of a
    // subscription are billed together.
    private func hasMore(_ offer: AdvancedCommerceOffer, _ sku: String?) -> Bool {
        (sku.flatMap { offerPeriods[$0] } ?? 0) < offer.periodCount
    }

    /// Begins a period with the contents of the renewal.
    private mutating func begin() {
        let items = renewalInfo.items ?? []
        for item in items where item.offer != nil {
            if let sku = item.sku { offerPeriods[sku, default: 0] &+= 1 }
        }
        (removed, replaced) = ([], [:])
        transactionInfo.descriptors = renewalInfo.descriptors
        transactionInfo.items = items.map { AdvancedCommerceTransactionItem($0) }
        transactionInfo.period = renewalInfo.period
        transactionInfo.requestReferenceId = renewalInfo.requestReferenceId
        transactionInfo.taxCode = renewalInfo.taxCode
        transactionInfo.setUntaxedPrice(price)
    }

    static func sum(_ prices: [Int64]) -> Int64 {
        prices.reduce(0) { sum, price in
            let (total, overflow) = sum.addingReportingOverflow(price)
            return overflow ? .max : total
        }
    }
}

extension Subscription {
    /// Whether a renewal would have contents. Only an Advanced Commerce subscription can have none.
    var hasItemsToRenew: Bool { advancedCommerce?.renewalInfo.items?.isEmpty != true }
}

extension AdvancedCommerceTransactionInfo {
    /// Sets the tax fields for no tax: the simulated store levies none.
    mutating func setUntaxedPrice(_ price: Int64) {
        estimatedTax = 0
        taxExclusivePrice = price
        taxRate = "0"
    }
}

extension AdvancedCommerceTransactionItem {
    /// Creates the item of the period that begins.
    init(_ item: AdvancedCommerceRenewalItem) {
        self.init(
            sku: item.sku, description: item.description, displayName: item.displayName, offer: item.offer,
            price: item.price)
    }
}

/// A completed Advanced Commerce request. Sending it again returns the answer again but has no effect.
package struct AdvancedCommerceRecord: Sendable, Codable, Hashable {
    /// A digest of the request.
    package var fingerprint: String
    /// The identifier of the transaction in the answer.
    package var transaction: String
}
