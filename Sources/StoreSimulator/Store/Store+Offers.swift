internal import AppStoreModels
internal import Foundation

// Who may have which offer.

extension Store {
    /// The offer that the first period of a subscription is bought with, by a customer who has none or whose has lapsed.
    func openingOffer(
        _ purchase: Purchase, _ terms: SubscriptionTerms, lapsed: Subscription?, at now: Date
    ) throws(StoreError) -> Offer? {
        guard purchase.offer != nil else { return introductoryOffer(purchase, terms) }
        let offer = try namedOffer(purchase)
        switch offer.type {
        case .promotional:
            guard lapsed != nil else { throw ineligible(offer, "was never subscribed") }
        case .offerCode:
            try checkAudience(offer, lapsed == nil ? .new : .expired)
            try checkCode(offer, purchase, at: now)
        case .winBack:
            guard let lapsed, isWonBack(lapsed, at: now), mayHave(offer, lapsed, at: now) else {
                throw ineligible(offer, "has not lapsed, or not as the offer's rules ask")
            }
        default: throw ineligible(offer, "cannot choose it")
        }
        return offer
    }

    /// The introductory offer, for whoever may have it and wants it.
    func introductoryOffer(_ purchase: Purchase, _ terms: SubscriptionTerms) -> Offer? {
        let isUsed = customers[purchase.customer]?.introductoryGroups.contains(terms.group) ?? false
        // What the developer's server has signed goes before the App Store's own rule.
        let isAllowed = purchase.allowsIntroductoryOffer ?? !isUsed
        return isAllowed && purchase.wantsIntroductoryOffer ? terms.introductoryOffer : nil
    }

    /// The offer that an active subscriber redeems.
    func redeemedOffer(_ purchase: Purchase, at now: Date) throws(StoreError) -> Offer {
        let offer = try namedOffer(purchase)
        switch offer.type {
        case .promotional: break
        case .offerCode:
            try checkAudience(offer, .existing)
            try checkCode(offer, purchase, at: now)
        default: throw ineligible(offer, "is subscribed")
        }
        return offer
    }

    private func namedOffer(_ purchase: Purchase) throws(StoreError) -> Offer {
        guard let identifier = purchase.offer, let offer = purchase.product.offer(identifier) else {
            throw unknownOffer(purchase)
        }
        return offer
    }

    func checkAudience(_ offer: Offer, _ audience: Offer.Audience) throws(StoreError) {
        if let eligibility = offer.eligibility, !eligibility.contains(audience) {
            throw ineligible(offer, "is \(audience.rawValue) in the group")
        }
    }

    /// Throws where a code has expired, was redeemed often enough, or by this customer.
    func checkCode(_ offer: Offer, _ purchase: Purchase, at now: Date) throws(StoreError) {
        let name = (offer.identifier ?? "").debugDescription
        if let expires = offer.expires, expires <= now {
            throw StoreError(.offerExpired, "the offer \(name) could be redeemed until \(expires.formatted(.iso8601))")
        }
        // The sandbox has no limits.
        guard !isSandbox else { return }
        let key = Self.redemptionKey(offer, purchase.product)
        if let limit = offer.redemptions, redemptions[key, default: 0] >= limit {
            throw StoreError(.offerExhausted, "the offer \(name) was redeemed \(limit) times, which is all")
        }
        guard customers[purchase.customer]?.redeemedOffers.contains(key) != true else {
            throw StoreError(.offerAlreadyRedeemed, "\(purchase.customer) has redeemed the offer \(name) already")
        }
    }

    private static func redemptionKey(_ offer: Offer, _ product: Product) -> String {
        product.id + " " + (offer.identifier ?? "")
    }

    /// Notes that an offer was redeemed.
    mutating func noteRedemption(_ purchase: Purchase, at now: Date) {
        guard let offer = purchase.offer.flatMap({ purchase.product.offer($0) }) else { return }
        if offer.type == .offerCode {
            let key = Self.redemptionKey(offer, purchase.product)
            redemptions[key, default: 0] += 1
            customers[purchase.customer]?.redeemedOffers.append(key)
        } else if offer.type == .winBack, let group = purchase.product.subscription?.group {
            customers[purchase.customer]?.winBacks[group] = now
        }
    }

    private func ineligible(_ offer: Offer, _ why: String) -> StoreError {
        StoreError(
            .notEligible, "the offer \((offer.identifier ?? "").debugDescription) is not for a customer who \(why)")
    }

    /// The win-back offers of the group that a lapsed subscriber may have, the best (the cheapest) first.
    func winBackOffers(of subscription: Subscription, at now: Date) -> [Offer] {
        guard isWonBack(subscription, at: now) else { return [] }
        let offers = catalogue.products.lazy.filter { $0.isOnSale && $0.subscription?.group == subscription.group }
            .flatMap { $0.subscription?.offers ?? [] }
        return offers.filter { $0.type == .winBack && mayHave($0, subscription, at: now) }
            .sorted { ($0.billing, $0.identifier ?? "") < ($1.billing, $1.identifier ?? "") }
    }

    /// Whether somebody has lapsed in a way that calls for a win-back offer: the end has come, and renewal is off.
    private func isWonBack(_ subscription: Subscription, at now: Date) -> Bool {
        subscription.ownership == .purchased && !subscription.renewsAutomatically
            && status(of: subscription, at: now) == .expired
    }

    /// Whether an offer's own rules are met. The sandbox has none.
    private func mayHave(_ offer: Offer, _ lapsed: Subscription, at now: Date) -> Bool {
        guard let rules = offer.winBack, !isSandbox else { return true }
        guard paidMonths(of: lapsed) >= rules.paidMonths else { return false }
        if let months = rules.monthsBetweenOffers, let wait = Period(months, .month),
            let last = customers[lapsed.customer]?.winBacks[lapsed.group], wait.after(last) > now
        {
            return false
        }
        guard let expires = transactions[lapsed.current]?.payload.expiresDate,
            let wait = Period(rules.monthsSinceExpiry, .month)
        else { return true }
        return wait.after(expires) <= now
    }

    private func paidMonths(of subscription: Subscription) -> Int {
        (customers[subscription.customer]?.transactions ?? []).reduce(0) { sum, id in
            guard let payload = transactions[id]?.payload, payload.originalTransactionId == subscription.id,
                (payload.price ?? 0) > 0, payload.revocationDate == nil,
                let period = catalogue.product(payload.productId)?.subscription?.period
            else { return sum }
            return sum + Int(period.months)
        }
    }
}
