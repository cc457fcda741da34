internal import AppStoreModels
internal import Basics
internal import Foundation

// Eligibility for offers.

extension Store {
    /// Returns the offer of the first period of a new or resubscribed subscription. `lapsed` is the customer's previous
    /// subscription. Throws if the customer is not eligible for the requested offer.
    func initialOffer(
        _ purchase: Purchase, _ terms: SubscriptionTerms, lapsed: Subscription?, at now: Date
    ) throws(StoreError) -> Offer? {
        guard purchase.offer != nil else { return introductoryOffer(purchase, terms, at: now) }
        let offer = try namedOffer(purchase)
        switch offer.type {
        case .promotional:
            guard lapsed != nil else { throw ineligible(offer, "was never subscribed") }
        case .offerCode:
            try checkAudience(offer, lapsed == nil ? .new : .expired)
            try checkCode(offer, purchase, at: now)
        case .winBack:
            // Any subscription whose renewal info names the offer will do, not only the latest one.
            let own = ownSubscriptions(of: purchase.customer, in: terms.group)
            guard own.contains(where: { qualifiesForWinBack($0, at: now) && meetsWinBackRules(of: offer, $0, at: now) })
            else {
                throw ineligible(offer, "has not lapsed or does not meet the offer's win-back rules")
            }
        default: throw ineligible(offer, "requests it by its identifier")
        }
        return offer
    }

    /// Returns the introductory offer if the customer is eligible and wants it.
    func introductoryOffer(_ purchase: Purchase, _ terms: SubscriptionTerms, at now: Date) -> Offer? {
        let isUsed = customers[purchase.customer]?.introductoryGroups.contains(terms.group) ?? false
        // A subscription in billing retry, a share and an assigned seat count too: they have not lapsed.
        let isSubscribed = subscriptions(of: purchase.customer).contains {
            $0.group == terms.group && !isLapsed($0, at: now)
        }
        // The decision that the developer's server signed overrides the App Store's rule.
        let isAllowed = purchase.allowsIntroductoryOffer ?? (!isUsed && !isSubscribed)
        return isAllowed && purchase.wantsIntroductoryOffer ? terms.introductoryOffer : nil
    }

    /// Returns the offer that an active subscriber redeems. Throws if the customer is not eligible.
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
            throw StoreError(
                .notEligible,
                "the offer \((offer.identifier ?? "").quoted) is not for \(audience.rawValue) subscribers")
        }
    }

    /// Throws if an offer code has expired, has reached its redemption limit, or was redeemed by this customer already.
    func checkCode(_ offer: Offer, _ purchase: Purchase, at now: Date) throws(StoreError) {
        let name = (offer.identifier ?? "").quoted
        if let expires = offer.expires, expires <= now {
            throw StoreError(.offerExpired, "the offer \(name) could be redeemed until \(expires.formatted(.iso8601))")
        }
        // The sandbox does not limit redemptions.
        guard !isSandbox else { return }
        let key = Self.redemptionKey(offer, purchase.product)
        if let limit = offer.maximumRedemptions, redemptions[key, default: 0] >= limit {
            throw StoreError(.offerExhausted, "the offer \(name) has reached its limit of \(limit) redemptions")
        }
        guard customers[purchase.customer]?.redeemedOffers.contains(key) != true else {
            throw StoreError(.offerAlreadyRedeemed, "\(purchase.customer) has redeemed the offer \(name) already")
        }
    }

    private static func redemptionKey(_ offer: Offer, _ product: Product) -> String {
        product.id + " " + (offer.identifier ?? "")
    }

    /// Records the redemption of an offer code or a win-back offer.
    mutating func recordRedemption(_ purchase: Purchase, at now: Date) {
        guard let offer = purchase.offer.flatMap({ purchase.product.offer($0) }) else { return }
        if offer.type == .offerCode {
            let key = Self.redemptionKey(offer, purchase.product)
            redemptions[key, default: 0] &+= 1
            customers[purchase.customer]?.redeemedOffers.append(key)
        } else if offer.type == .winBack, let group = purchase.product.subscription?.group {
            customers[purchase.customer]?.winBacks[group] = now
        }
    }

    private func ineligible(_ offer: Offer, _ why: String) -> StoreError {
        StoreError(
            .notEligible, "the offer \((offer.identifier ?? "").quoted) is not for a customer who \(why)")
    }

    /// Returns the win-back offers of the group for which a lapsed subscriber is eligible, the cheapest first.
    func winBackOffers(of subscription: Subscription, at now: Date) -> [Offer] {
        guard qualifiesForWinBack(subscription, at: now) else { return [] }
        let offers = catalogue.products.lazy.filter { $0.isOnSale && $0.subscription?.group == subscription.group }
            .flatMap { $0.subscription?.offers ?? [] }
        return offers.filter { $0.type == .winBack && meetsWinBackRules(of: $0, subscription, at: now) }
            .sorted { ($0.billing, $0.identifier ?? "") < ($1.billing, $1.identifier ?? "") }
    }

    /// Whether a customer qualifies for win-back offers: the purchased subscription has expired with renewal off, and
    /// none in the group is active. A migrated subscription, whose current transaction is upgraded, continues as another
    /// one.
    private func qualifiesForWinBack(_ subscription: Subscription, at now: Date) -> Bool {
        subscription.ownership == .purchased && !subscription.renewsAutomatically
            && status(of: subscription, at: now) == .expired
            && transactions[subscription.current]?.payload.isUpgraded != true
            && ownSubscriptions(of: subscription.customer, in: subscription.group).allSatisfy { isLapsed($0, at: now) }
    }

    /// Whether the customer meets a win-back offer's rules. The sandbox does not apply them.
    private func meetsWinBackRules(of offer: Offer, _ lapsed: Subscription, at now: Date) -> Bool {
        guard let rules = offer.winBack, !isSandbox else { return true }
        // In another storefront a customer has another subscription. The rules are about the customer.
        let own = ownSubscriptions(of: lapsed.customer, in: lapsed.group)
        let paidMonths = own.reduce(0) { $0 + paidDays(of: $1) } / Period.month.days
        guard paidMonths >= rules.minimumPaidMonths else { return false }
        if let months = rules.minimumMonthsBetweenOffers, let wait = Period(months, .month),
            let last = customers[lapsed.customer]?.winBacks[lapsed.group], wait.date(after: last) > now
        {
            return false
        }
        guard let expires = own.compactMap({ transactions[$0.current]?.payload.expiresDate }).max(),
            let wait = Period(rules.minimumMonthsSinceExpiry, .month)
        else { return true }
        return wait.date(after: expires) <= now
    }

    private func paidDays(of subscription: Subscription) -> Int {
        (customers[subscription.customer]?.transactions ?? []).reduce(0) { sum, id in
            guard let payload = transactions[id]?.payload, payload.originalTransactionId == subscription.id,
                (payload.price ?? 0) > 0, payload.revocationDate == nil, let length = paidLength(of: payload)
            else { return sum }
            return sum + length.days
        }
    }

    /// Returns the time that a payment covers: that of the offer, a month of a commitment, or the product's period.
    private func paidLength(of payload: JWSTransactionDecodedPayload) -> Period? {
        guard let product = catalogue.product(payload.productId), let terms = product.subscription else { return nil }
        var offer = payload.offerType == .introductory ? terms.introductoryOffer : nil
        if let identifier = payload.offerIdentifier, let type = payload.offerType {
            offer = product.offer(identifier, type: type)
        }
        return offer?.billedLength ?? (payload.commitmentInfo == nil ? terms.period : .month)
    }
}

extension Period {
    /// The length in days, with months of 30 days.
    fileprivate var days: Int {
        switch unit {
        case .day: count
        case .week: count * 7
        case .month: count * 30
        case .year: count * 12 * 30
        }
    }
}
