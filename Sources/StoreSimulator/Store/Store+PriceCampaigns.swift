internal import AppStoreModels
package import Foundation

/// Another price of a subscription from a day on, as the developer schedules it in App Store Connect.
package struct PriceCampaign: Sendable, Codable, Hashable {
    package let number: Int
    package let product: String
    package let price: Int64
    package let effective: Date
    /// Whether subscribers have to agree; nil where Apple's thresholds say.
    package let consent: Bool?
    /// Where it holds; nil for wherever the product has no price of the storefront's own.
    package let storefronts: [String]?
    /// Whether those who subscribed before keep their price.
    package let preservesPrices: Bool
    package var isEffective = false
    /// Whether it raised the price anywhere. Nil until it is effective, and where a snapshot of an older version does not tell.
    package var isRaise: Bool?
}

extension Store {
    mutating func schedulePriceChange(_ campaign: PriceCampaign, at now: Date) throws(StoreError) -> Subject {
        let product = try product(campaign.product)
        guard product.subscription != nil, !product.isAdvancedCommerce else {
            throw StoreError(
                .invalidArgument, "\(product.id) is no auto-renewable subscription with a price of its own")
        }
        guard (0...1_000_000_000_000).contains(campaign.price) else {
            throw StoreError(.invalidArgument, "a price is 0 to 1,000,000,000,000 thousandths")
        }
        guard campaign.effective >= now, campaign.effective < now.after(5 * 365 * 86_400) else {
            throw StoreError(.invalidArgument, "a price changes now or within five years")
        }
        guard campaign.storefronts?.isEmpty != true else {
            throw StoreError(.invalidArgument, "a list of storefronts names at least one")
        }
        for code in campaign.storefronts ?? [] where catalogue.storefront(code) == nil {
            throw StoreError(.unknownStorefront, "the catalogue has no storefront \(code.debugDescription)")
        }
        let isSettled = priceCampaigns.allSatisfy { other in
            other.isEffective || other.product != product.id || !other.meets(campaign)
        }
        guard isSettled else {
            throw StoreError(.impossibleTransition, "another price of \(product.id) is scheduled already")
        }
        priceCampaigns.append(campaign)
        if campaign.effective <= now {
            begin(campaign.number, at: now)
        } else {
            schedule.add(.priceCampaign(campaign.number), at: campaign.effective)
        }
        for subscription in subscribers(concernedBy: campaign) { planNotice(subscription.id, at: now) }
        return Subject()
    }

    /// The new price holds: for who buys from now on, and where it is lower for everybody from the next renewal on.
    mutating func begin(_ number: Int, at now: Date) {
        guard let campaign = priceCampaigns.first(where: { $0.number == number }), !campaign.isEffective,
            campaign.effective == now
        else { return }
        for index in priceCampaigns.indices where priceCampaigns[index].number == number {
            priceCampaigns[index].isEffective = true
            priceCampaigns[index].isRaise = catalogue.product(campaign.product).map { product in
                let before = campaign.storefronts?.map { product.price(in: $0) } ?? [product.price]
                return before.contains { $0 < campaign.price }
            }
        }
        for index in catalogue.products.indices where catalogue.products[index].id == campaign.product {
            guard let storefronts = campaign.storefronts else {
                catalogue.products[index].price = campaign.price
                continue
            }
            for code in storefronts { catalogue.products[index].prices[code] = campaign.price }
        }
        guard !campaign.preservesPrices else { return }
        for subscription in subscribers(concernedBy: campaign) where subscription.price > campaign.price {
            subscriptions[subscription.id]?.price = campaign.price
            if let increase = subscription.priceIncrease, increase.price > campaign.price {
                subscriptions[subscription.id]?.priceIncrease = nil
            }
        }
    }

    /// Who pays for the product where the campaign holds, in the order in which they began.
    private func subscribers(concernedBy campaign: PriceCampaign) -> [Subscription] {
        subscriptions.values.filter { concerns(campaign, $0) }
            .sorted { ($0.id.utf8.count, $0.id) < ($1.id.utf8.count, $1.id) }
    }

    private func concerns(_ campaign: PriceCampaign, _ subscription: Subscription) -> Bool {
        guard subscription.ownership == .purchased, subscription.advancedCommerce == nil, subscription.plan == nil,
            subscription.priceProduct == campaign.product, !subscription.isOver,
            let storefront = customers[subscription.customer]?.storefront
        else { return false }
        if let storefronts = campaign.storefronts { return storefronts.contains(storefront) }
        return catalogue.product(campaign.product)?.prices[storefront] == nil
    }

    /// Plans when the customer is told of the price that the next renewal brings. A renewal that comes before the new price
    /// holds, or sooner than the notice has to be given, still costs the old one.
    mutating func planNotice(_ id: String, at now: Date) {
        guard let subscription = subscriptions[id], !priceCampaigns.isEmpty,
            let current = transactions[subscription.current]?.payload, let end = current.expiresDate, end > now,
            let campaign = campaign(for: subscription, renewingAt: end)
        else { return }
        let notice = noticePeriod(of: subscription, campaign)
        // A period may be shorter than its notice: it is given when the period begins.
        let due = max((end - notice).wholeMilliseconds, current.purchaseDate)
        guard due >= now else { return }
        subscriptions[id]?.notice = due
        if due == now { giveNotice(id, at: now) } else { schedule.add(.priceNotice(id), at: due) }
    }

    /// The price change that a renewal has to follow: the last one that holds by then.
    private func campaign(for subscription: Subscription, renewingAt date: Date) -> PriceCampaign? {
        let last = priceCampaigns.filter { $0.effective <= date && concerns($0, subscription) }
            .max { ($0.effective, $0.number) < ($1.effective, $1.number) }
        guard let last, !last.preservesPrices, last.price > subscription.price,
            subscription.priceIncrease?.price != last.price
        else { return nil }
        return last
    }

    /// Apple's numbers: 7 days for a week, 27 for a month, 60 for longer; 27 where nobody has to agree.
    private func noticePeriod(of subscription: Subscription, _ campaign: PriceCampaign) -> TimeInterval {
        let period = catalogue.product(subscription.priceProduct)?.subscription?.period ?? .month
        let isWeekly = period.unit == .day || period.unit == .week
        let isLong = period.unit == .year || period.unit == .month && period.count > 1
        let days: Double = isWeekly ? 7 : isLong && needsConsent(subscription, campaign) ? 60 : 27
        return settings.rate.shortened(days * 86_400)
    }

    /// Whether the customer has to agree: by Apple's thresholds if the campaign does not say. Up to half more, and up to 5
    /// units of the currency (50 by the year), once in twelve months, needs nobody's consent.
    private func needsConsent(_ subscription: Subscription, _ campaign: PriceCampaign) -> Bool {
        if let consent = campaign.consent { return consent }
        let more = campaign.price - subscription.price
        let isYearly = catalogue.product(subscription.priceProduct)?.subscription?.period.unit == .year
        let lastRaise = priceCampaigns.last { other in
            other.number < campaign.number && other.isEffective && other.isRaise != false
                && concerns(other, subscription)
                && campaign.effective.timeIntervalSince(other.effective) < 365 * 86_400
        }
        return lastRaise != nil || more * 2 > subscription.price || more > (isYearly ? 50_000 : 5000)
    }

    /// Tells the customer of the new price, unless they are about to leave or are not paying.
    mutating func giveNotice(_ id: String, at now: Date) {
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
    /// Whether both hold somewhere.
    func meets(_ other: PriceCampaign) -> Bool {
        switch (storefronts, other.storefronts) {
        case (nil, nil): true
        case (let one?, let another?): !Set(one).isDisjoint(with: another)
        default: false
        }
    }
}
