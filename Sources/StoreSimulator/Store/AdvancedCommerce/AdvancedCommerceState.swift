package import AppStoreModels

/// What Advanced Commerce adds to a subscription.
package struct AdvancedCommerceState: Sendable, Codable {
    /// What the period that runs consists of.
    package var transactionInfo: AdvancedCommerceTransactionInfo
    /// What the next one will consist of.
    package var renewalInfo: AdvancedCommerceRenewalInfo
    /// How long the periods from now on are.
    package var period: Period
    /// Prices that are not in `renewalInfo` yet, by SKU.
    package var prices: [String: PendingPrice] = [:]
    /// How many periods of its offer each item had, by SKU.
    package var offerPeriods: [String: Int32] = [:]

    /// A price that the developer has asked for.
    package struct PendingPrice: Sendable, Codable, Hashable {
        package var price: Int64
        /// Asked for less than a day before the renewal, which it does not affect any more.
        package var isLate: Bool
    }

    /// A request for new contents, which begin at once.
    package init(
        _ items: [AdvancedCommerceRenewalItem], descriptors: AdvancedCommerceDescriptors,
        period: AdvancedCommercePeriod,
        length: Period, taxCode: String, reference: String
    ) {
        renewalInfo = AdvancedCommerceRenewalInfo(
            descriptors: descriptors, items: items, period: period, requestReferenceId: reference, taxCode: taxCode)
        transactionInfo = AdvancedCommerceTransactionInfo()
        self.period = length
        begin()
    }

    /// What the period that runs costs.
    package var price: Int64 {
        Self.sum((transactionInfo.items ?? []).map { $0.offer?.price ?? $0.price ?? 0 })
    }

    /// What the next period will cost.
    package var renewalPrice: Int64 {
        Self.sum(
            (renewalInfo.items ?? []).map { item in
                if let offer = item.offer, hasMore(offer, item.sku) { return offer.price }
                if let sku = item.sku, let pending = prices[sku], !pending.isLate { return pending.price }
                return item.price ?? 0
            })
    }

    /// The renewal: prices that are due now hold, offers that have run out do not.
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

    // An offer holds for so many periods of the subscription, whatever its own period: the items of one subscription are
    // billed together.
    private func hasMore(_ offer: AdvancedCommerceOffer, _ sku: String?) -> Bool {
        (sku.flatMap { offerPeriods[$0] } ?? 0) < offer.periodCount
    }

    /// Begins a period with the contents of the renewal.
    private mutating func begin() {
        let items = renewalInfo.items ?? []
        for item in items where item.offer != nil {
            if let sku = item.sku { offerPeriods[sku] = (offerPeriods[sku] ?? 0) &+ 1 }
        }
        transactionInfo.descriptors = renewalInfo.descriptors
        transactionInfo.items = items.map { AdvancedCommerceTransactionItem($0) }
        transactionInfo.period = renewalInfo.period
        transactionInfo.requestReferenceId = renewalInfo.requestReferenceId
        transactionInfo.taxCode = renewalInfo.taxCode
        transactionInfo.untax(price)
    }

    static func sum(_ prices: [Int64]) -> Int64 {
        prices.reduce(0) { sum, price in
            let (total, overflow) = sum.addingReportingOverflow(price)
            return overflow ? .max : total
        }
    }
}

extension AdvancedCommerceTransactionInfo {
    /// The store levies no taxes.
    mutating func untax(_ price: Int64) {
        estimatedTax = 0
        taxExclusivePrice = price
        taxRate = "0"
    }
}

extension AdvancedCommerceTransactionItem {
    /// An item that is due, as it is in the period that begins.
    init(_ item: AdvancedCommerceRenewalItem) {
        self.init(
            sku: item.sku, description: item.description, displayName: item.displayName, offer: item.offer,
            price: item.price)
    }
}

/// An Advanced Commerce request that was carried out: sent again it is answered again, but has no effect.
package struct AdvancedCommerceRecord: Sendable, Codable, Hashable {
    /// A digest of what was asked for.
    package var fingerprint: String
    /// The transaction that the answer is about.
    package var transaction: String
}

extension StoreError.Code {
    /// The store refuses a request of the Advanced Commerce API; the message begins with Apple's code.
    public static let refusedRequest = Self(rawValue: "refused_request")
}
