internal import AppStoreModels
internal import Foundation

// First purchases, changes of plan, turning renewal on and off, and offers.

extension TriggerRun {
    mutating func performPurchaseTrigger() throws(StoreError) {
        switch (type, subtype) {
        case (.subscribed, .initialBuy?): try buy(subscriptionProduct())
        case (.subscribed, _): try resubscribe()
        case (.oneTimeCharge, _):
            try buy(product("product that is bought once") { $0.subscription == nil && !$0.isAdvancedCommerce })
        case (.didChangeRenewalPref, nil): try revertDowngrade()
        case (.didChangeRenewalPref, .upgrade?): try changePlan(.upgrade)
        case (.didChangeRenewalPref, _): try changePlan(.downgrade)
        case (.didChangeRenewalStatus, _): try switchRenewal()
        case (_, nil): try redeem(.none)
        case (_, .upgrade?): try redeem(.upgrade)
        default: try redeem(.downgrade)
        }
    }

    private mutating func buy(_ product: Product, offer: String? = nil) throws(StoreError) {
        try perform(.purchase(customer: customer, product: product.id, offer: offer, sign: offer == nil ? nil : true))
    }

    private mutating func resubscribe() throws(StoreError) {
        guard isNew else {
            let subscription = try store.subscription(of: customer, nil)
            let last = store.transactions[subscription.current]?.payload.productId
            return try perform(.purchase(customer: customer, product: request.product ?? last ?? ""))
        }
        let product = try subscriptionProduct()
        let half = now.timeIntervalSince(middle(of: product))
        let start = start(of: product, endingAt: now - half)
        try subscribe(to: product, at: start)
        try perform(.cancel(customer: customer), at: start + half)
        store.run(until: now)
        try buy(product)
    }

    private mutating func changePlan(_ change: Store.PlanChange) throws(StoreError) {
        let (old, new) = try productPair(change) { _ in true }
        if isNew { try subscribe(to: old, at: middle(of: old)) }
        try buy(new)
    }

    private mutating func revertDowngrade() throws(StoreError) {
        guard isNew else {
            let subscription = try store.subscription(of: customer, request.product)
            return try buy(store.product(store.currentProduct(of: subscription)))
        }
        let (old, new) = try productPair(.downgrade) { _ in true }
        try subscribe(to: old, at: middle(of: old))
        let subscription = try store.subscription(of: customer, nil)
        try perform(.purchase(customer: customer, product: new.id), at: instant(0.5, of: subscription))
        try buy(old)
    }

    private mutating func switchRenewal() throws(StoreError) {
        let subscription = try subscription()
        if subtype == nil {
            store.settings.cancellationAfterPriceNoticeHasSubtype = false
            if isNew { try raisePrice(of: subscription, consent: true, at: instant(0.5, of: subscription)) }
        }
        guard subtype == .autoRenewEnabled else {
            return try perform(.cancel(customer: customer, subscription: subscription.id))
        }
        if isNew { try perform(.cancel(customer: customer), at: instant(0.5, of: subscription)) }
        try perform(.resume(customer: customer, subscription: subscription.id))
    }

    /// Raises the price by a fifth, at least by 1000 thousandths, for this customer alone.
    mutating func raisePrice(of subscription: Subscription, consent: Bool, at date: Date) throws(StoreError) {
        // The price of an Advanced Commerce subscription may be any 64-bit number.
        let raised = AdvancedCommerceState.sum([subscription.price, max(subscription.price / 5, 1000)])
        let price = min(raised, PriceParser.maximum)
        let product = subscription.priceProduct
        try perform(.increasePrice(product: product, price: price, consent: consent, customer: customer), at: date)
    }

    private mutating func redeem(_ change: Store.PlanChange) throws(StoreError) {
        let (old, new) = try productPair(change) { offer(of: $0, for: change) != nil }
        guard let offer = offer(of: new, for: change)?.identifier else {
            throw StoreError(.unknownOffer, "\(new.id) has no offer for \(request.name)")
        }
        if isNew { try subscribe(to: old, at: middle(of: old)) }
        try buy(new, offer: offer)
    }

    /// Returns an offer that a subscriber can redeem. Offer codes cannot be redeemed for downgrades.
    private func offer(of product: Product, for change: Store.PlanChange) -> Offer? {
        (product.subscription?.offers ?? []).first {
            $0.type == .promotional
                || $0.type == .offerCode && change != .downgrade && ($0.eligibility?.contains(.existing) ?? true)
        }
    }

    /// Returns the customer's product and the product to change to.
    private func productPair(
        _ change: Store.PlanChange, _ fits: (Product) -> Bool
    ) throws(StoreError) -> (Product, Product) {
        if let id = request.product { _ = try store.product(id) }
        let all = subscriptionProducts
        var oldProducts = all
        if !isNew {
            oldProducts = [try store.product(store.currentProduct(of: store.subscription(of: customer, nil)))]
        }
        let pairs = oldProducts.flatMap { old in all.map { (old, $0) } }.filter { old, new in
            old.subscription?.group == new.subscription?.group && store.planChange(from: old, to: new) == change
                && fits(new) && (change == .none) == (old.id == new.id)
        }
        guard let id = request.product else {
            if let pair = pairs.first { return pair }
            throw StoreError(.unknownProduct, "the catalogue has no products for \(request.name)")
        }
        // The requested product is the new one if possible, otherwise the old one.
        if let pair = pairs.first(where: { $0.1.id == id }) ?? pairs.first(where: { $0.0.id == id }) { return pair }
        throw StoreError(.invalidArgument, "\(id) is not a product for \(request.name)")
    }
}
