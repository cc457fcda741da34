internal import AppStoreModels
package import Foundation

/// A price change of a subscription that the developer schedules in App Store Connect.
package struct PriceCampaign: Sendable, Codable, Hashable {
    package let number: Int
    package let product: String
    package let price: Int64
    package let effective: Date
    /// Whether subscribers must agree to an increase; nil to apply Apple's thresholds.
    package let consent: Bool?
    /// The storefronts of the new price; nil for all those for which the product has no separate price.
    package let storefronts: [String]?
    /// Whether existing subscribers keep their price.
    package let preservesPrices: Bool
    package var isEffective = false
    /// Whether the price increased in any storefront on the effective date.
    package var isRaise = false
}

extension Store {
    mutating func schedulePriceChange(_ campaign: PriceCampaign, at now: Date) throws(StoreError) -> Subject {
        let product = try product(campaign.product)
        guard product.subscription != nil, !product.isAdvancedCommerce else {
            throw StoreError(
                .invalidArgument, "\(product.id) is not an auto-renewable subscription with a price of its own")
        }
        try PriceParser.check(campaign.price)
        guard campaign.effective >= now, campaign.effective < now.after(5 * 365 * 86_400) else {
            throw StoreError(.invalidArgument, "effectiveDate must be now or within five years")
        }
        _ = try knownStorefronts(campaign.storefronts)
        let othersHaveEnded = priceCampaigns.allSatisfy { other in
            other.isEffective || other.product != product.id || !other.overlaps(campaign)
        }
        guard othersHaveEnded else {
            throw StoreError(.impossibleTransition, "another price of \(product.id) is scheduled already")
        }
        priceCampaigns.append(campaign)
        if campaign.effective <= now {
            applyPriceChange(campaign.number, at: now)
        } else {
            schedule.add(.priceCampaign(campaign.number), at: campaign.effective)
        }
        for subscription in purchasedSubscriptions(where: { applies(campaign, to: $0) }) {
            schedulePriceNotice(subscription.id, at: now)
        }
        return Subject()
    }

    /// Applies the new price: for new subscribers, and if it is lower, from the next renewal on for existing
    /// subscribers as well.
    mutating func applyPriceChange(_ number: Int, at now: Date) {
        guard let campaign = priceCampaigns.first(where: { $0.number == number }), !campaign.isEffective,
            campaign.effective == now
        else { return }
        for index in priceCampaigns.indices where priceCampaigns[index].number == number {
            priceCampaigns[index].isEffective = true
            guard let product = catalogue.product(campaign.product) else { continue }
            let before = campaign.storefronts?.map { product.price(in: $0) } ?? [product.price]
            priceCampaigns[index].isRaise = before.contains { $0 < campaign.price }
        }
        catalogue.change(campaign.product) { product in
            guard let storefronts = campaign.storefronts else { return product.price = campaign.price }
            for code in storefronts { product.prices[code] = campaign.price }
        }
        guard !campaign.preservesPrices else { return }
        for subscription in purchasedSubscriptions(where: { applies(campaign, to: $0) })
        where subscription.price > campaign.price {
            subscriptions[subscription.id]?.price = campaign.price
            if let increase = subscription.priceIncrease, increase.price > campaign.price {
                subscriptions[subscription.id]?.priceIncrease = nil
            }
            // A refund of the prepaid period restores these.
            if let before = subscription.beforeCharge, before.priceProduct == campaign.product {
                subscriptions[subscription.id]?.beforeCharge?.price = min(before.price, campaign.price)
                subscriptions[subscription.id]?.beforeCharge?.priceIncrease = nil
            }
        }
    }

    /// Restores the catalogue and the price changes from before a scenario. Price changes whose date has passed meanwhile
    /// take effect.
    mutating func restore(_ catalogue: Catalogue, _ campaigns: [PriceCampaign], at now: Date) {
        if catalogue != self.catalogue { setCatalogue(catalogue, at: now) }
        priceCampaigns = campaigns
        let due = campaigns.filter { !$0.isEffective && $0.effective <= now }
            .sorted { ($0.effective, $0.number) < ($1.effective, $1.number) }
        for campaign in due { applyPriceChange(campaign.number, at: campaign.effective) }
    }

    /// Whether the campaign changes the price of a subscription: it is to the product, in one of the storefronts.
    private func applies(_ campaign: PriceCampaign, to subscription: Subscription) -> Bool {
        guard subscription.ownership == .purchased, subscription.advancedCommerce == nil, subscription.plan == nil,
            subscription.priceProduct == campaign.product, !subscription.isOver,
            let storefront = customers[subscription.customer]?.storefront
        else { return false }
        if let storefronts = campaign.storefronts { return storefronts.contains(storefront) }
        return catalogue.product(campaign.product)?.prices[storefront] == nil
    }

    /// Schedules the notice of a price increase for the next renewal. If the renewal precedes the effective date, or is
    /// too soon for the notice, it still costs the old price.
    mutating func schedulePriceNotice(_ id: String, at now: Date) {
        guard let subscription = subscriptions[id], !priceCampaigns.isEmpty,
            let current = transactions[subscription.current]?.payload, let end = current.expiresDate, end > now,
            let campaign = campaign(for: subscription, renewingAt: end)
        else { return }
        let notice = noticePeriod(of: subscription, campaign)
        // If the period is shorter than the notice period, the notice is given when the period begins.
        let due = max((end - notice).wholeMilliseconds, current.purchaseDate)
        guard due >= now else { return }
        subscriptions[id]?.notice = due
        if due == now { announcePriceIncrease(id, at: now) } else { schedule.add(.priceNotice(id), at: due) }
    }

    /// Returns the price increase that applies to a renewal: the last one effective by then. Returns nil if there is
    /// none, if subscribers keep their price, or if the customer was notified already.
    private func campaign(for subscription: Subscription, renewingAt date: Date) -> PriceCampaign? {
        let last = priceCampaigns.filter { $0.effective <= date && applies($0, to: subscription) }
            .max { ($0.effective, $0.number) < ($1.effective, $1.number) }
        guard let last, !last.preservesPrices, last.price > subscription.price,
            subscription.priceIncrease?.price != last.price
        else { return nil }
        return last
    }

    /// Returns the notice period by Apple's rules: 7 days for weekly subscriptions, 27 for monthly ones, 60 for longer
    /// ones; 27 instead of 60 if no consent is needed.
    private func noticePeriod(of subscription: Subscription, _ campaign: PriceCampaign) -> TimeInterval {
        let period = catalogue.product(subscription.priceProduct)?.subscription?.period ?? .month
        let isWeekly = period.unit == .day || period.unit == .week
        let isLong = period.unit == .year || period.unit == .month && period.count > 1
        let days: Double = isWeekly ? 7 : isLong && needsConsent(subscription, campaign) ? 60 : 27
        return settings.rate.shortened(days * 86_400)
    }

    /// Whether the customer must agree to the increase. If the campaign does not determine it, Apple's thresholds do:
    /// an increase of up to 50% and up to 5 units of the currency (50 for yearly subscriptions), once in twelve months,
    /// needs no consent. Increases from which subscribers were exempt do not count.
    private func needsConsent(_ subscription: Subscription, _ campaign: PriceCampaign) -> Bool {
        if let consent = campaign.consent { return consent }
        // An edited snapshot may have any prices.
        let increase = campaign.price &- subscription.price
        let isYearly = catalogue.product(subscription.priceProduct)?.subscription?.period.unit == .year
        let lastRaise = priceCampaigns.last { other in
            other.number < campaign.number && other.isEffective && other.isRaise && !other.preservesPrices
                && applies(other, to: subscription)
                && campaign.effective.timeIntervalSince(other.effective) < 365 * 86_400
        }
        return lastRaise != nil || increase > subscription.price / 2 || increase > (isYearly ? 50_000 : 5000)
    }

    /// Notifies the customer of the price increase, unless renewal is off, the subscription renews into another
    /// product, or it is not active.
    mutating func announcePriceIncrease(_ id: String, at now: Date) {
        guard let subscription = subscriptions[id], subscription.notice == now else { return }
        subscriptions[id]?.notice = nil
        guard subscription.renewsAutomatically, status(of: subscription, at: now) == .active,
            subscription.renewalProduct == subscription.priceProduct,
            let end = transactions[subscription.current]?.payload.expiresDate,
            let campaign = campaign(for: subscription, renewingAt: end)
        else { return }
        let needsConsent = needsConsent(subscription, campaign)
        subscriptions[id]?.priceIncrease = .init(
            price: campaign.price, isAccepted: !needsConsent, needsConsent: needsConsent)
        announce(.priceIncrease, needsConsent ? .pending : .accepted, about: id, at: now)
    }
}

extension PriceCampaign {
    /// Whether both campaigns change the same price: the product's general price, or that of a common storefront.
    func overlaps(_ other: PriceCampaign) -> Bool {
        switch (storefronts, other.storefronts) {
        case (nil, nil): true
        case (let one?, let another?): !Set(one).isDisjoint(with: another)
        default: false
        }
    }
}
