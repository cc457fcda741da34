package import AppStoreModels
package import Foundation

extension Store {
    /// Returns the renewal info of a subscription at `now`.
    package func renewalInfo(of subscription: Subscription, at now: Date) -> JWSRenewalInfoDecodedPayload {
        let current = transactions[subscription.current]?.payload
        let isOwed = subscription.isCommitted && !subscription.isOver && current?.revocationDate == nil
        let renews = subscription.renewsAutomatically || isOwed
        var info = JWSRenewalInfoDecodedPayload(
            originalTransactionId: subscription.id, productId: current?.productId ?? subscription.renewalProduct,
            autoRenewProductId: subscription.nextProduct, autoRenewStatus: renews ? .on : .off,
            environment: environment, signedDate: now)
        info.expirationIntent = subscription.expirationIntent
        if subscription.expirationIntent != nil { info.isInBillingRetryPeriod = subscription.retryEnds != nil }
        info.gracePeriodExpiresDate = subscription.graceEnds
        info.priceIncreaseStatus = subscription.pendingIncrease.map { $0.isAccepted ? .accepted : .pending }
        info.renewalDate = current?.expiresDate
        info.recentSubscriptionStartDate = subscription.recentStart
        info.appAccountToken = subscription.accountToken
        info.appTransactionId = current?.appTransactionId
        if renews { price(&info, subscription) }
        let winBacks = winBackOffers(of: subscription, at: now).compactMap(\.identifier)
        if !winBacks.isEmpty { info.eligibleWinBackOfferIds = winBacks }
        let nextPlan = nextPlan(of: subscription)
        info.commitmentInfo = subscription.commitment.map { commitment in
            .init(
                commitmentAutoRenewProductId: subscription.renewalProduct,
                // The customer's switch decides only whether another commitment follows.
                commitmentAutoRenewStatus: subscription.renewsAutomatically ? .on : .off,
                commitmentRenewalBillingPlanType: nextPlan?.type,
                commitmentRenewalDate: commitment.ends, commitmentRenewalPrice: nextPlan?.commitmentPrice)
        }
        // An up-front plan applies only to the product that has the plan.
        let isSame = subscription.nextProduct == subscription.priceProduct
        info.renewalBillingPlanType = isSame ? subscription.plan : nextPlan?.type
        if let state = subscription.advancedCommerce {
            info.advancedCommerceInfo = state.renewalInfo
            if renews { info.renewalPrice = state.renewalPrice }
        }
        return info
    }

    /// Sets the price and the offer of the next period.
    private func price(_ info: inout JWSRenewalInfoDecodedPayload, _ subscription: Subscription) {
        let storefront = customers[subscription.customer].flatMap { catalogue.storefront($0.storefront) } ?? .usa
        info.currency = storefront.currency
        let running = subscription.runningOffer(in: subscription.nextProduct)
        if let offer = subscription.nextOffer ?? running?.offer {
            info.offerType = offer.type
            info.offerIdentifier = offer.identifier
            info.offerDiscountType = offer.discount
            info.offerPeriod = offer.total?.iso8601
            info.renewalPrice = offer.billing
        } else if let increase = subscription.pendingIncrease {
            info.renewalPrice = increase.price
        } else if subscription.ownership != .purchased {
            info.renewalPrice = 0
        } else if subscription.nextProduct != subscription.priceProduct {
            info.renewalPrice =
                nextPlan(of: subscription)?.price
                ?? catalogue.product(subscription.nextProduct)?.price(in: storefront.code)
        } else {
            info.renewalPrice = subscription.price
        }
    }
}
