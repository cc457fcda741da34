internal import AppStoreModels
internal import Foundation

// Endpoints A1 (cancel), A2 (change metadata) and A3 (change price).

extension Store {
    /// Cancels a subscription (A1). Has no effect on a subscription that does not renew, because no error code is
    /// documented for that.
    mutating func cancelSubscription(_ request: APIRequest, at now: Date) throws(APIFailure) -> APIResponse {
        let body = try advancedCommerceChecks.cancel(Array(request.body))
        if let answer = try responseToRepeat(request, body.requestInfo, isRefused: false, at: now) { return answer }
        let transaction = try purchasedTransaction(request)
        let (subscription, state) = try advancedCommerce(transaction)
        try check(body.requestInfo, storefront: body.storefront, of: transaction)
        guard !isLapsed(subscription, at: now) else {
            throw APIFailure(.subscriptionNotEligible, "The subscription has ended.")
        }
        if subscription.renewsAutomatically {
            replace(state, of: subscription, because: body.requestInfo)
            turnRenewalOff(subscription, at: now)
        }
        return try complete(request, body.requestInfo, subscription.current, at: now)
    }

    /// Changes names, SKUs and tax code of a subscription (A2).
    mutating func changeMetadata(_ request: APIRequest, at now: Date) throws(APIFailure) -> APIResponse {
        let body = try advancedCommerceChecks.changeMetadata(Array(request.body))
        if let answer = try responseToRepeat(request, body.requestInfo, at: now) { return answer }
        let transaction = try purchasedTransaction(request)
        let (subscription, old) = try advancedCommerce(transaction, or: .productNotEligible)
        try check(body.requestInfo, storefront: body.storefront, of: transaction)
        guard catalogue.product(subscription.renewalProduct) != nil else {
            throw APIFailure(.productNotFound, "The app has no product \(subscription.renewalProduct).")
        }
        guard !isLapsed(subscription, at: now) else {
            throw APIFailure(.inactiveACASub, "The subscription has ended.")
        }
        var state = old
        for item in body.items ?? [] { try state.change(item) }
        if let descriptors = body.descriptors { state.rename(descriptors) }
        if let taxCode = body.taxCode {
            state.renewalInfo.taxCode = taxCode
            state.transactionInfo.taxCode = taxCode
        }
        replace(state, of: subscription, because: body.requestInfo)
        announce(.metadataUpdate, about: subscription.id, at: now)
        return try complete(request, body.requestInfo, subscription.current, at: now)
    }

    /// Changes prices of a subscription (A3). A request less than a day before a renewal takes effect at the renewal
    /// after it.
    mutating func changePrice(_ request: APIRequest, at now: Date) throws(APIFailure) -> APIResponse {
        let body = try advancedCommerceChecks.changePrice(Array(request.body))
        if let answer = try responseToRepeat(request, body.requestInfo, isRefused: false, at: now) { return answer }
        let transaction = try purchasedTransaction(request)
        let (subscription, old) = try advancedCommerce(transaction)
        try check(body.requestInfo, storefront: body.storefront, of: transaction)
        guard status(of: subscription, at: now) == .active, subscription.renewsAutomatically,
            let current = transactions[subscription.current]?.payload, let expires = current.expiresDate
        else { throw APIFailure(.subscriptionNotEligible, "The subscription is not active, or does not renew.") }
        guard body.currency == nil || body.currency == current.currency else {
            throw APIFailure(.invalidCurrency, "The subscription is paid in \(current.currency ?? "another currency").")
        }
        var state = old
        let isLate = expires.timeIntervalSince(now) < settings.rate.scaled(days: 1)
        for item in body.items {
            try state.change(item, isLate: isLate, isInIndia: customers[transaction.customer]?.storefront == "IND")
        }
        replace(state, of: subscription, because: body.requestInfo)
        announce(.priceChange, about: subscription.id, at: now)
        return try complete(request, body.requestInfo, subscription.current, at: now)
    }
}

extension AdvancedCommerceState {
    /// Changes the names of an item and, if the request contains one, its SKU.
    fileprivate mutating func change(_ item: AdvancedCommerceSubscriptionChangeMetadataItem) throws(APIFailure) {
        guard let index = renewalInfo.items?.firstIndex(where: { $0.sku == item.currentSKU }) else {
            throw APIFailure(.invalidProduct, "There is no item “\(item.currentSKU)” that renews.")
        }
        let sku = item.sku ?? item.currentSKU
        let current = (transactionInfo.items ?? []).map(\.sku)
        // An item that does not renew, because it was removed or revoked, keeps its SKU until the period ends.
        let isTaken =
            renewalInfo.items?.contains { $0.sku == sku } == true
            || item.effective == .immediately && current.contains(item.currentSKU) && current.contains(sku)
        guard sku == item.currentSKU || !isTaken else {
            throw APIFailure(.invalidProductChanges, "There is an item “\(sku)” already.")
        }
        renewalInfo.items?[index].sku = sku
        if let name = item.displayName { renewalInfo.items?[index].displayName = name }
        if let text = item.description { renewalInfo.items?[index].description = text }
        if sku != item.currentSKU {
            prices[sku] = prices.removeValue(forKey: item.currentSKU)
            offerPeriods[sku] = offerPeriods.removeValue(forKey: item.currentSKU)
            for index in (renewalInfo.items ?? []).indices {
                let dependents = renewalInfo.items?[index].priceIncreaseInfo?.dependentSKUs
                renewalInfo.items?[index].priceIncreaseInfo?.dependentSKUs = dependents?.map {
                    $0 == item.currentSKU ? sku : $0
                }
            }
        }
        guard item.effective == .immediately,
            let index = transactionInfo.items?.firstIndex(where: { $0.sku == item.currentSKU })
        else { return replaceAtRenewal(item.currentSKU, with: sku) }
        transactionInfo.items?[index].sku = sku
        if let name = item.displayName { transactionInfo.items?[index].displayName = name }
        if let text = item.description { transactionInfo.items?[index].description = text }
    }

    /// Changes the price of an item. Until a higher price takes effect, the renewal info shows it as a price increase.
    ///
    /// The new price does not need the customer's consent: Apple does not document who is asked for consent.
    fileprivate mutating func change(
        _ item: AdvancedCommerceSubscriptionPriceChangeItem, isLate: Bool, isInIndia: Bool
    ) throws(APIFailure) {
        let skus = Set((renewalInfo.items ?? []).compactMap(\.sku))
        guard let index = renewalInfo.items?.firstIndex(where: { $0.sku == item.sku }) else {
            let isCurrent = transactionInfo.items?.contains { $0.sku == item.sku } ?? false
            throw APIFailure(
                isCurrent ? .invalidSKUProvidedMustBeCurrentSKUSetToRenew : .invalidProduct,
                "There is no item “\(item.sku)” that renews.")
        }
        guard (item.dependentSKUs ?? []).allSatisfy(skus.contains) else {
            throw APIFailure(
                .invalidSKUProvidedMustBeCurrentSKUSetToRenew, "An item that depends on “\(item.sku)” does not renew.")
        }
        let status = renewalInfo.items?[index].priceIncreaseInfo?.status
        guard status == nil || status == .scheduled else {
            throw APIFailure(
                .priceChangeCannotBeIssuedWhenAlreadyCommunicated,
                "The customer has already been notified of another price.")
        }
        let isIncrease = item.price > renewalInfo.items?[index].price ?? 0
        guard !isIncrease || !isInIndia else {
            throw APIFailure(
                .acaPriceIncreaseIsNotCurrentlySupportedInIndia, "Prices cannot be raised in the storefront IND.")
        }
        prices[item.sku] = PendingPrice(price: item.price, isLate: isLate)
        renewalInfo.items?[index].priceIncreaseInfo = nil
        if isIncrease {
            renewalInfo.items?[index].priceIncreaseInfo = .init(
                dependentSKUs: item.dependentSKUs, price: item.price, status: .scheduled)
        } else if !isLate {
            prices[item.sku] = nil
            renewalInfo.items?[index].price = item.price
        }
    }
}
