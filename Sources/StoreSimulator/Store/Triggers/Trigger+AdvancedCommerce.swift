internal import AppStoreModels
internal import Foundation

// The notifications of the Advanced Commerce API, caused without the API, with plausible content for a generic product.

extension TriggerRun {
    mutating func performAdvancedCommerceTrigger() throws(StoreError) {
        let id = type == .migration ? try migrate() : try genericSubscription().id
        guard var subscription = store.subscriptions[id] else { return }
        if type == .metadataUpdate {
            let descriptors = AdvancedCommerceDescriptors(description: "A new description", displayName: "A new name")
            subscription.advancedCommerce?.transactionInfo.descriptors = descriptors
            subscription.advancedCommerce?.renewalInfo.descriptors = descriptors
            store.change(subscription.current) {
                $0.advancedCommerceInfo = subscription.advancedCommerce?.transactionInfo
            }
        } else if type == .priceChange {
            let items = subscription.advancedCommerce?.renewalInfo.items?.map { item in
                var item = item
                let price = item.price ?? 0
                // Prices may be any 64-bit number, so avoid an overflow.
                let raised = AdvancedCommerceState.sum([price, max(price / 5, 1000)])
                item.priceIncreaseInfo = .init(price: raised, status: .pending)
                return item
            }
            subscription.advancedCommerce?.renewalInfo.items = items
        }
        store.subscriptions[id] = subscription
        store.announce(type, about: subscription, at: now)
    }

    /// Returns a generic subscription product; if the catalogue has none, any subscription product.
    private func genericProduct() throws(StoreError) -> Product {
        let isGeneric = { (product: Product) in product.isAdvancedCommerce && product.subscription != nil }
        if request.product == nil, let product = store.catalogue.products.first(where: isGeneric) { return product }
        return try product("auto-renewable subscription") { $0.subscription != nil }
    }

    private mutating func genericSubscription() throws(StoreError) -> Subscription {
        guard isNew else {
            let subscription = try store.subscription(of: customer, request.product)
            guard subscription.advancedCommerce != nil, !store.isLapsed(subscription, at: now) else {
                throw StoreError(.impossibleTransition, "\(customer) has no active subscription of Advanced Commerce")
            }
            return subscription
        }
        let product = try genericProduct()
        let start = middle(of: product).wholeMilliseconds
        let buyer = store.addCustomer(customer, at: start)
        // Generic products have no price.
        let price = max(product.price(in: buyer.storefront), 9990)
        var subscription = Subscription(
            customer: customer, group: product.subscription?.group ?? "", ownership: .purchased, owner: nil,
            renewalProduct: product.id, price: price, priceProduct: product.id, recentStart: start)
        subscription.advancedCommerce = state(product, price: price)
        store.begin(&subscription, product, reason: .purchase, at: start)
        store.save(subscription)
        store.announce(.subscribed, .initialBuy, about: subscription, at: start)
        return subscription
    }

    /// Migrates a subscription to a generic product and a new identifier, as the API does.
    private mutating func migrate() throws(StoreError) -> String {
        let product = try genericProduct()
        if isNew {
            guard let old = subscriptionProducts.first else {
                throw StoreError(.unknownProduct, "the catalogue has no auto-renewable subscription")
            }
            try subscribe(to: old, at: middle(of: old))
        }
        let old = try store.subscription(of: customer, nil)
        let others = store.advancedCommerceSubscriptions(of: customer).filter { !store.isLapsed($0, at: now) }
        guard old.ownership == .purchased, old.advancedCommerce == nil, store.migrations[old.id] == nil,
            !others.contains(where: { $0.renewalProduct == product.id })
        else { throw StoreError(.impossibleTransition, "\(customer) has no subscription that could migrate") }
        let sold: Product
        do throws(APIFailure) { sold = try store.migratable(old, at: now) } catch {
            throw StoreError(.impossibleTransition, "\(customer)'s subscription cannot migrate. \(error.message)")
        }
        let contents = state(sold, price: old.price)
        return store.migrate(old, to: product, contents, accountToken: nil, at: now).id
    }

    /// Returns a state with one item at `price`, without taxes.
    private mutating func state(_ product: Product, price: Int64) -> AdvancedCommerceState {
        AdvancedCommerceState(
            [.init(sku: "item.1", description: "An item", displayName: "An item", price: price)],
            descriptors: AdvancedCommerceDescriptors(description: "Everything", displayName: "Everything"),
            period: product.subscription?.period ?? .month, taxCode: "C003-00-2", reference: store.identifiers.uuid())
    }
}
