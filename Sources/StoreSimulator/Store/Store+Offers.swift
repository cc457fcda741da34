internal import AppStoreModels
internal import Foundation

// Who may have which offer.

extension Store {
    /// The offer that the first period of a subscription is bought with, by a customer who has none or whose has lapsed.
    func openingOffer(
        _ purchase: Purchase, _ terms: SubscriptionTerms, lapsed: Subscription?, at now: Date
    ) throws(StoreError) -> Offer? {
        guard purchase.offer != nil else {
            let isUsed = customers[purchase.customer]?.introductoryGroups.contains(terms.group) ?? false
            return isUsed || !purchase.wantsIntroductoryOffer ? nil : terms.introductoryOffer
        }
        let offer = try namedOffer(purchase)
        switch offer.type {
        case .promotional:
            guard lapsed != nil else { throw ineligible(offer, "was never subscribed") }
        case .offerCode: try checkAudience(offer, lapsed == nil ? .new : .expired)
        case .winBack:
            guard let lapsed, winBackOffers(of: lapsed, at: now).contains(where: { $0.identifier == offer.identifier })
            else { throw ineligible(offer, "has not lapsed, or not as the offer's rules ask") }
        default: throw ineligible(offer, "cannot choose it")
        }
        return offer
    }

    /// The offer that an active subscriber redeems.
    func redeemedOffer(_ purchase: Purchase) throws(StoreError) -> Offer {
        let offer = try namedOffer(purchase)
        switch offer.type {
        case .promotional: break
        case .offerCode: try checkAudience(offer, .existing)
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

    private func checkAudience(_ offer: Offer, _ audience: Offer.Audience) throws(StoreError) {
        if let eligibility = offer.eligibility, !eligibility.contains(audience) {
            throw ineligible(offer, "is \(audience.rawValue) in the group")
        }
    }

    private func ineligible(_ offer: Offer, _ why: String) -> StoreError {
        StoreError(.notEligible, "the offer \((offer.identifier ?? "").debugDescription) is not for a customer who \(why)")
    }

    /// The win-back offers that a lapsed subscriber may have, the best (the cheapest) first.
    func winBackOffers(of subscription: Subscription, at now: Date) -> [Offer] {
        guard subscription.ownership == .purchased, !subscription.renewsAutomatically,
            let current = transactions[subscription.current]?.payload, let expires = current.expiresDate, expires <= now,
            current.revocationDate == nil, let terms = catalogue.product(current.productId)?.subscription
        else { return [] }
        let paidMonths = paidMonths(of: subscription)
        return terms.offers.filter { offer in
            guard offer.type == .winBack else { return false }
            let rules = offer.winBack ?? .init()
            let soonest = Period(max(rules.monthsSinceExpiry, 1), .month)?.after(expires) ?? now
            return paidMonths >= rules.paidMonths && (rules.monthsSinceExpiry <= 0 || soonest <= now)
        }.sorted { $0.billing < $1.billing }
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
