internal import AppStoreModels
internal import Foundation

extension Store {
    mutating func subscribe(
        _ purchase: Purchase, _ terms: SubscriptionTerms, at now: Date
    ) throws(StoreError) -> Subject {
        guard purchase.quantity == 1 else {
            throw StoreError(.invalidArgument, "the quantity of a subscription is 1")
        }
        let own = ownSubscriptions(of: purchase.customer, in: terms.group)
        // A subscription with a late renewal has lapsed, but not ended.
        let continued = own.last { !isLapsed($0, at: now) || $0.due != nil }
        let existing = continued ?? own.last
        if let existing, isChanged(existing, by: purchase, at: now) {
            return try change(existing, to: purchase, at: now)
        }
        var offer = try initialOffer(purchase, terms, lapsed: existing, at: now)
        var next: Offer?
        if offer?.type == .offerCode, offer?.stacksWithIntroductoryOffer == true,
            let introductory = introductoryOffer(purchase, terms, at: now)
        {
            // The offer code starts after the introductory offer.
            (offer, next) = (introductory, offer)
        }
        let plan = try billingPlan(purchase, terms)
        let customer = addCustomer(purchase.customer, at: now)
        // A resubscription in another storefront has an original transaction of its own.
        let restarted =
            continued ?? own.last { transactions[$0.current]?.payload.storefront == customer.storefront }
        var subscription = initialSubscription(purchase, terms, restarted, customer, offer: offer, plan: plan, at: now)
        subscription.nextOffer = next
        begin(&subscription, purchase.product, reason: .purchase, at: now)
        if offer?.type == .introductory { customers[customer.id]?.introductoryGroups.append(terms.group) }
        save(subscription)
        announce(.subscribed, existing == nil ? .initialBuy : .resubscribe, about: subscription, at: now)
        schedulePriceNotice(subscription.id, at: now)
        updateSharing(subscription.id, at: now)
        return Subject(customer: customer.id, transaction: subscription.current)
    }

    /// Stores a subscription after its first or next period has begun. A new one becomes one of the customer's.
    mutating func save(_ subscription: Subscription) {
        guard subscriptions.updateValue(subscription, forKey: subscription.id) == nil else { return }
        customers[subscription.customer]?.subscriptions.append(subscription.id)
    }

    /// Whether a purchase changes an existing subscription or pays for its failed renewal, instead of restarting it. In
    /// billing retry the subscription is inactive, so other products and all offers restart it: Apple announces
    /// `OFFER_REDEEMED` for active subscriptions only.
    private func isChanged(_ subscription: Subscription, by purchase: Purchase, at now: Date) -> Bool {
        switch status(of: subscription, at: now) {
        case .expired, .revoked: false
        case .billingRetry: purchase.offer == nil && purchase.product.id == subscription.nextProduct
        default: true
        }
    }

    /// Returns the customer's purchased subscriptions in a group, in any state, the latest last. Advanced Commerce
    /// subscriptions are not included.
    func ownSubscriptions(of customer: String, in group: String) -> [Subscription] {
        subscriptions(of: customer)
            .filter { $0.group == group && $0.ownership == .purchased && $0.advancedCommerce == nil }
            .sorted { purchaseOrder($0) < purchaseOrder($1) }
    }

    /// Whether the subscription has expired or was revoked, so that only a purchase restarts it.
    func isLapsed(_ subscription: Subscription, at now: Date) -> Bool {
        let status = status(of: subscription, at: now)
        return status == .expired || status == .revoked
    }

    private func billingPlan(_ purchase: Purchase, _ terms: SubscriptionTerms) throws(StoreError) -> BillingPlan? {
        guard let type = purchase.plan else { return nil }
        guard let plan = terms.billingPlans.first(where: { $0.type == type && $0.isEnabled }) else {
            throw StoreError(.invalidArgument, "\(purchase.product.id) has no billing plan \(type.rawValue)")
        }
        return plan
    }

    /// Returns the subscription at the moment of purchase, before its transaction is added.
    private func initialSubscription(
        _ purchase: Purchase, _ terms: SubscriptionTerms, _ lapsed: Subscription?, _ customer: Customer,
        offer: Offer?, plan: BillingPlan?, at now: Date
    ) -> Subscription {
        let price = plan?.price ?? purchase.product.price(in: customer.storefront)
        var subscription =
            lapsed
            ?? Subscription(
                customer: customer.id, group: terms.group, ownership: .purchased, owner: nil,
                renewalProduct: purchase.product.id, price: price, priceProduct: purchase.product.id, recentStart: now)
        updateRecentStart(&subscription, at: now)
        subscription.start(purchase, price: price, offer: offer)
        // Unlike a change of plan, a resubscription does not keep the account of the lapsed subscription.
        subscription.accountToken = purchase.accountToken
        subscription.wasCancelledInGrace = false
        subscription.renewals = 0
        subscription.plan = plan?.type
        subscription.commitment = plan.flatMap { commitment($0, terms, from: now) }
        return subscription
    }

    /// Returns the commitment to monthly payments of a billing plan; nil if the plan is paid up front. Each period that
    /// begins sets its end.
    func commitment(_ plan: BillingPlan, _ terms: SubscriptionTerms, from start: Date) -> Subscription.Commitment? {
        guard plan.type == .monthly else { return nil }
        let periods = min(terms.period.months, Subscription.Commitment.maximumPeriods)
        return .init(plan: plan, periodNumber: 1, totalPeriods: periods, ends: start)
    }

    /// Restarts `recentStart` at `start` if the gap since the last paid period is too long.
    func updateRecentStart(_ subscription: inout Subscription, at start: Date) {
        guard let last = transactions[subscription.current]?.payload, let expires = last.expiresDate else { return }
        // A refund after the period's end does not change when the service ended.
        let ended = last.revocationDate.map { min($0, expires) } ?? expires
        if start.timeIntervalSince(ended) > settings.rate.maximumIgnoredLapse { subscription.recentStart = start }
    }

    /// Begins a period at `start`: adds a transaction, which becomes the current one, and schedules the renewal. Does
    /// nothing if the product is not a subscription.
    ///
    /// The period may begin after the charge. The offer, the commitment and the price in `subscription` must be those
    /// of the new period. The first transaction determines the subscription's identifier. A share refers to the
    /// purchaser's current transaction unless `shared` is given.
    mutating func begin(
        _ subscription: inout Subscription, _ product: Product, reason: TransactionReason, at start: Date,
        chargedAt now: Date? = nil, sharing shared: String? = nil
    ) {
        guard let customer = customers[subscription.customer], let terms = product.subscription else { return }
        let owner = shared ?? subscription.owner.flatMap { subscriptions[$0]?.current }
        var payload = draft(product, for: customer, at: start, reason: reason, ownership: subscription.ownership)
        if subscription.id.isEmpty {
            subscription.id = payload.transactionId
        } else if let original = transactions[subscription.id]?.payload {
            payload.originalPurchaseDate = original.purchaseDate
        }
        payload.originalTransactionId = subscription.id
        payload.appAccountToken = subscription.accountToken
        let continues = reason == .renewal && transactions[subscription.current]?.payload.expiresDate == start
        let length = subscription.length(by: terms)
        switch length.unit {
        // Days and weeks have no day of the month. The first month or year after them determines it.
        case .day, .week: subscription.anchorDay = nil
        case .month, .year:
            if !continues || subscription.anchorDay == nil { subscription.anchorDay = start.dayOfMonth }
        }
        let expires = end(of: length, from: start, on: subscription.anchorDay).wholeMilliseconds
        if let commitment = subscription.commitment {
            subscription.commitment?.ends = end(of: commitment, after: expires, on: subscription.anchorDay)
        }
        payload.expiresDate = expires
        price(&payload, subscription)
        // A share ends with the purchaser's period.
        if let owner { payload.expiresDate = transactions[owner]?.payload.expiresDate ?? payload.expiresDate }
        let isAhead = now.map { start > $0 } ?? false
        subscription.beforeCharge = isAhead ? Subscription.BeforeCharge(subscription) : nil
        subscription.current = payload.transactionId
        subscription.due = nil
        if subscription.owner == nil, let expires = payload.expiresDate {
            subscription.due = chargeDate(of: subscription, from: start, to: expires, at: now ?? start)
        }
        add(payload, for: customer.id, sharedFrom: owner)
        if let due = subscription.due { schedule.add(.subscription(subscription.id), at: due) }
    }

    /// Returns the end of a period. If the start is the last day of a month that is too short for `day`, the period
    /// ends on `day`, or on the last day of its month if that is too short as well.
    private func end(of period: Period, from start: Date, on day: Int?) -> Date {
        let end = settings.rate.end(of: period, from: start)
        guard settings.renewsOnOriginalDayOfMonth, settings.rate == .realTime, let day, start.dayOfMonth < day,
            start.dayOfMonth == start.daysOfMonth, period.unit == .month || period.unit == .year
        else { return end }
        return end + Double(min(day, end.daysOfMonth) - end.dayOfMonth) * 86_400
    }

    /// Returns the end of a commitment's last period if the current period ends at `expires`.
    private func end(of commitment: Subscription.Commitment, after expires: Date, on day: Int?) -> Date {
        let day = day ?? expires.dayOfMonth
        // An edited snapshot may have any numbers.
        let left = Int64(commitment.totalPeriods) - Int64(commitment.periodNumber)
        return (0..<min(max(left, 0), Int64(Subscription.Commitment.maximumPeriods)))
            .reduce(expires) { date, _ in end(of: .month, from: date, on: day) }.wholeMilliseconds
    }

    /// Sets the price, the offer and the contents of the period.
    private func price(_ payload: inout JWSTransactionDecodedPayload, _ subscription: Subscription) {
        let offer = subscription.offer?.offer
        payload.apply(offer)
        let isFree = subscription.ownership != .purchased
        payload.price = isFree ? 0 : offer?.billing ?? subscription.price
        payload.billingPlanType = subscription.plan
        if let commitment = subscription.commitment {
            payload.commitmentInfo = .init(
                billingPeriodNumber: commitment.periodNumber, commitmentExpiresDate: commitment.ends,
                commitmentPrice: commitment.plan.commitmentPrice, totalBillingPeriods: commitment.totalPeriods)
        }
        payload.advancedCommerceInfo = subscription.advancedCommerce?.transactionInfo
    }
}

extension Subscription {
    /// Sets the product, price and offer of a purchase that begins a period now, whatever was to come before.
    mutating func start(_ purchase: Store.Purchase, price: Int64, offer: Offer?) {
        clearFailedRenewal()
        (renewsAutomatically, isBillingFailing, billingRecovers) = (true, false, false)
        (renewalProduct, priceProduct, self.price) = (purchase.product.id, purchase.product.id, price)
        self.offer = offer.map { .init(offer: $0, periodsBegun: 1) }
        (nextOffer, priceIncrease, commitment, plan) = (nil, nil, nil, nil)
        if let token = purchase.accountToken { accountToken = token }
    }

    /// Returns the length of a period: that of the offer, the billing plan or the Advanced Commerce request, else the
    /// product's.
    func length(by terms: SubscriptionTerms) -> Period {
        if let advancedCommerce { return advancedCommerce.period }
        if let length = offer?.offer.billedLength { return length }
        return commitment == nil ? terms.period : .month
    }
}

extension Period {
    /// The length in months, at least one.
    var months: Int32 {
        switch unit {
        case .year: Int32(clamping: count * 12)
        case .month: Int32(clamping: count)
        case .day, .week: 1
        }
    }
}

extension Date {
    /// The day of the month in UTC.
    var dayOfMonth: Int { Calendar.gregorianUTC.component(.day, from: self) }

    /// The number of days in the month, in UTC.
    var daysOfMonth: Int { Calendar.gregorianUTC.range(of: .day, in: .month, for: self)?.count ?? 31 }
}
