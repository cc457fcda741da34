internal import AppStoreModels
internal import Foundation

// Endpoint A4: migrates an ordinary subscription to an Advanced Commerce subscription.

extension Store {
    mutating func migrate(_ request: APIRequest, at now: Date) throws(APIFailure) -> APIResponse {
        let body = try advancedCommerceChecks.migrate(Array(request.body))
        if let answer = try responseToRepeat(request, body.requestInfo, at: now) { return answer }
        let transaction = try purchasedTransaction(request)
        let old = try subscription(of: transaction)
        guard old.advancedCommerce == nil, migrations[old.id] == nil else {
            throw APIFailure(.subscriptionAlreadyMigrated, "It is an Advanced Commerce subscription already.")
        }
        try check(body.requestInfo, storefront: body.storefront, of: transaction)
        let product = try migratable(old, at: now)
        let target = try self.target(body, for: old, at: now)
        guard (body.renewalItems != nil) == (old.renewalProduct != product.id) else {
            throw APIFailure(
                .pendingChangesMismatch,
                "renewalItems are required if a change of plan is pending, and not allowed otherwise.")
        }
        let state = contents(body, old, product)
        let new = migrate(old, to: target, state, accountToken: body.requestInfo.appAccountToken, at: now)
        announce(.migration, about: new, at: now)
        return try complete(request, body.requestInfo, new.current, at: now)
    }

    private func target(
        _ body: AdvancedCommerceSubscriptionMigrateRequest, for old: Subscription, at now: Date
    ) throws(APIFailure) -> Product {
        guard let target = catalogue.product(body.targetProductId) else {
            throw APIFailure(.productNotFound, "The app has no product \(body.targetProductId).")
        }
        guard target.isAdvancedCommerce, target.subscription != nil else {
            throw APIFailure(.invalidTargetProductID, "\(target.id) is not a generic subscription.")
        }
        guard target.isOnSale else { throw APIFailure(.productNotEligible, "\(target.id) is not for sale.") }
        let others = advancedCommerceSubscriptions(of: old.customer).filter { !isLapsed($0, at: now) }
        guard !others.contains(where: { $0.renewalProduct == target.id }) else {
            throw APIFailure(.subscriptionAlreadyExists, "The customer is subscribed to \(target.id) already.")
        }
        return target
    }

    /// Returns the Advanced Commerce state of the new subscription.
    private mutating func contents(
        _ body: AdvancedCommerceSubscriptionMigrateRequest, _ old: Subscription, _ product: Product
    ) -> AdvancedCommerceState {
        let renewal = catalogue.product(old.renewalProduct) ?? product
        // The request contains no prices: the total stays the same, and the first item gets all of it.
        var state = AdvancedCommerceState(
            priced(body.items, old.price), descriptors: body.descriptors,
            period: product.subscription?.period ?? .month, taxCode: body.taxCode,
            reference: body.requestInfo.requestReferenceId.text)
        if let items = body.renewalItems, let terms = renewal.subscription {
            let price = renewal.price(in: storefront(of: old.customer))
            state.renewalInfo.items = priced(items, price)
            state.renewalInfo.period = .init(rawValue: terms.period.iso8601)
            state.period = terms.period
        }
        state.renewalInfo.consistencyToken = identifiers.uuid()
        return state
    }

    private func priced(
        _ items: [AdvancedCommerceSubscriptionMigrateItem], _ price: Int64
    ) -> [AdvancedCommerceRenewalItem] {
        items.enumerated().map { index, item in
            AdvancedCommerceRenewalItem(
                sku: item.sku, description: item.description, displayName: item.displayName,
                price: index == 0 ? price : 0)
        }
    }
}
