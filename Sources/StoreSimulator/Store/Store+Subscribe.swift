internal import AppStoreModels
internal import Foundation

extension Store {
    mutating func subscribe(
        _ purchase: Purchase, _ terms: SubscriptionTerms, at now: Date
    ) throws(StoreError) -> Subject {
        guard purchase.quantity == 1 else {
            throw StoreError(.invalidArgument, "the quantity of a subscription is 1")
        }
        let existing = ownSubscription(of: purchase.customer, in: terms.group)
        if let existing, isChanged(existing, by: purchase, at: now) {
            return try change(existing, to: purchase, at: now)
        }
        var offer = try openingOffer(purchase, terms, lapsed: existing, at: now)
        var next: Offer?
        if offer?.type == .offerCode, offer?.stacks == true, let introductory = introductoryOffer(purchase, terms) {
            // The code waits until the introductory offer is over.
            (offer, next) = (introductory, offer)
        }
        let plan = try billingPlan(purchase, terms)
        let customer = addCustomer(purchase.customer, at: now)
        var subscription = opening(purchase, terms, existing, customer, offer: offer, plan: plan, at: now)
        subscription.nextOffer = next
        let transaction = begin(&subscription, purchase.product, reason: .purchase, at: now)
        if offer?.type == .introductory { customers[customer.id]?.introductoryGroups.append(terms.group) }
        if existing == nil { customers[customer.id]?.subscriptions.append(subscription.id) }
        subscriptions[subscription.id] = subscription
        announce(.subscribed, existing == nil ? .initialBuy : .resubscribe, about: subscription, at: now)
        planNotice(subscription.id, at: now)
        updateSharing(subscription.id, at: now)
        return Subject(customer: customer.id, transaction: transaction)
    }

    /// Whether a purchase changes the subscription, or pays for it, instead of beginning it again. In billing retry it is
    /// inactive: what is not owed, and every offer, begins it again. Apple announces `OFFER_REDEEMED` for active ones only.
    private func isChanged(_ subscription: Subscription, by purchase: Purchase, at now: Date) -> Bool {
        switch status(of: subscription, at: now) {
        case .expired, .revoked: false
        case .billingRetry: purchase.offer == nil && purchase.product.id == subscription.nextProduct
        default: true
        }
    }

    /// The customer's own subscription in a group, whatever its state.
    func ownSubscription(of customer: String, in group: String) -> Subscription? {
        (customers[customer]?.subscriptions ?? []).lazy.compactMap { subscriptions[$0] }
            .first { $0.group == group && $0.ownership == .purchased && $0.advancedCommerce == nil }
    }

    /// Whether only a purchase brings the subscription back.
    func isLapsed(_ subscription: Subscription, at now: Date) -> Bool {
        let status = status(of: subscription, at: now)
        return status == .expired || status == .revoked
    }

    private func billingPlan(
        _ purchase: Purchase, _ terms: SubscriptionTerms
    ) throws(StoreError) -> BillingPlan? {
        guard let type = purchase.plan else { return nil }
        guard let plan = terms.billingPlans.first(where: { $0.type == type && $0.isEnabled }) else {
            throw StoreError(.invalidArgument, "\(purchase.product.id) has no billing plan \(type.rawValue)")
        }
        return plan
    }

    /// The subscription as it is at the moment of purchase. Its transaction is still to come.
    private mutating func opening(
        _ purchase: Purchase, _ terms: SubscriptionTerms, _ lapsed: Subscription?, _ customer: Customer,
        offer: Offer?, plan: BillingPlan?, at now: Date
    ) -> Subscription {
        let price = plan?.price ?? purchase.product.price(in: customer.storefront)
        var subscription =
            lapsed
            ?? Subscription(
                id: "", customer: customer.id, group: terms.group, ownership: .purchased, owner: nil, current: "",
                renewalProduct: purchase.product.id, price: price, priceProduct: purchase.product.id, streakStart: now)
        keepStreak(&subscription, at: now)
        subscription.renewsAutomatically = true
        subscription.renewalProduct = purchase.product.id
        subscription.price = price
        subscription.priceProduct = purchase.product.id
        subscription.offer = offer.map { .init(offer: $0, periodsBegun: 1) }
        subscription.nextOffer = nil
        subscription.expirationIntent = nil
        subscription.retryEnds = nil
        subscription.graceEnds = nil
        subscription.wasCancelledInGrace = false
        subscription.recovery = nil
        subscription.isBillingFailing = false
        subscription.billingRecovers = false
        subscription.priceIncrease = nil
        subscription.renewals = 0
        subscription.plan = plan?.type
        subscription.commitment = plan.flatMap { commitment($0, terms, from: now) }
        if let token = purchase.accountToken { subscription.accountToken = token }
        return subscription
    }

    /// The monthly payments that a plan asks for; nil if it is paid at once.
    func commitment(_ plan: BillingPlan, _ terms: SubscriptionTerms, from start: Date) -> Subscription.Commitment? {
        guard plan.type == .monthly else { return nil }
        let periods = min(terms.period.months, Subscription.Commitment.longest)
        let ends = (0..<periods).reduce(start) { date, _ in settings.rate.end(of: .month, from: date) }
        return .init(plan: plan, periodNumber: 1, totalPeriods: periods, ends: ends.wholeMilliseconds, renews: true)
    }

    /// Begins a new streak of paid service if the one that ends at `start` leaves too long a gap.
    func keepStreak(_ subscription: inout Subscription, at start: Date) {
        guard let last = transactions[subscription.current]?.payload, let expires = last.expiresDate else { return }
        // What is refunded after its end had ended before.
        let ended = last.revocationDate.map { min($0, expires) } ?? expires
        if start.timeIntervalSince(ended) > settings.rate.streakGap { subscription.streakStart = start }
    }

    /// Begins a period at `start`: a new transaction, and the next thing due at its end.
    ///
    /// It may begin later than it is charged. The running offer, the commitment and the price of the subscription are those of
    /// the new period. The first transaction of all names the subscription. What is shared is the purchaser's current
    /// transaction, unless `shared` names another.
    @discardableResult
    mutating func begin(
        _ subscription: inout Subscription, _ product: Product, reason: TransactionReason, at start: Date,
        chargedAt now: Date? = nil, sharing shared: String? = nil
    ) -> String {
        guard let customer = customers[subscription.customer], let terms = product.subscription else { return "" }
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
        if !continues || subscription.anchorDay == nil { subscription.anchorDay = start.dayOfMonth }
        price(&payload, subscription, terms, from: start)
        // A family member has it for as long as the purchaser.
        if let owner { payload.expiresDate = transactions[owner]?.payload.expiresDate ?? payload.expiresDate }
        let isAhead = now.map { start > $0 } ?? false
        subscription.beforeCharge = isAhead ? [.init(subscription)] : []
        subscription.current = payload.transactionId
        subscription.due = nil
        if subscription.owner == nil, let expires = payload.expiresDate {
            subscription.due = chargeDate(of: subscription, from: start, to: expires, at: now ?? start)
        }
        add(payload, for: customer.id, sharedFrom: owner)
        if let due = subscription.due { schedule.add(.subscription(subscription.id), at: due) }
        return payload.transactionId
    }

    /// When a period ends. One that begins on the last day of a month too short for its day of the month ends on that day,
    /// or on the last of its month.
    private func end(of period: Period, from start: Date, on day: Int?) -> Date {
        let end = settings.rate.end(of: period, from: start)
        guard settings.keepsDayOfMonth, settings.rate == .realTime, let day, start.dayOfMonth < day,
            start.dayOfMonth == start.daysOfMonth, period.unit == .month || period.unit == .year
        else { return end }
        return end + Double(min(day, end.daysOfMonth) - end.dayOfMonth) * 86_400
    }

    /// What the period costs and how long it lasts.
    private func price(
        _ payload: inout JWSTransactionDecodedPayload, _ subscription: Subscription, _ terms: SubscriptionTerms,
        from start: Date
    ) {
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
        let day = subscription.advancedCommerce == nil ? subscription.anchorDay : nil
        payload.expiresDate = end(of: subscription.length(by: terms), from: start, on: day).wholeMilliseconds
        payload.advancedCommerceInfo = subscription.advancedCommerce?.transactionInfo
    }
}

extension Subscription {
    /// How long its period is: as long as the offer, the billing plan or the Advanced Commerce request says, or else the product.
    func length(by terms: SubscriptionTerms) -> Period {
        if let advancedCommerce { return advancedCommerce.period }
        if let offer = offer?.offer, let length = offer.isBilledByPeriod ? offer.period : offer.total { return length }
        return commitment == nil ? terms.period : .month
    }
}

extension Period {
    /// The number of months in it, at least one.
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

    /// How many days the month has.
    var daysOfMonth: Int { Calendar.gregorianUTC.range(of: .day, in: .month, for: self)?.count ?? 31 }
}
