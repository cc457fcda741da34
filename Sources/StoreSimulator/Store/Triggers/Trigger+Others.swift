internal import AppStoreModels
internal import Foundation

// Extensions, tests, consent, purchases outside the App Store.

extension TriggerRun {
    mutating func actOnOthers() throws(StoreError) {
        switch (type, subtype) {
        case (.renewalExtended, _):
            try perform(.extendRenewal(customer: customer, days: 30, subscription: subscription().id))
        case (.renewalExtension, .failure?): try failToExtend()
        case (.renewalExtension, _): try summarize()
        case (.test, _): token = store.addTest(at: now)
        case (.rescindConsent, _):
            if isNew { try perform(.createCustomer(customer: customer), at: now - 86_400) }
            try perform(.rescindConsent(customer: customer))
        case (_, .created?): try perform(.createExternalPurchaseToken(tokenType: .services))
        case (_, .activeTokenReminder?): try remind()
        default:
            try perform(.createExternalPurchaseToken(), at: now - Double(Store.reportingDays) * 86_400)
            store.run(until: now)
        }
    }

    /// Two extensions a year is the most, so a third one fails.
    private mutating func failToExtend() throws(StoreError) {
        let subscription = try subscription()
        guard subscription.ownership == .purchased, !store.isLapsed(subscription, at: now) else {
            throw StoreError(.impossibleTransition, "\(customer)'s subscription is not one that could be extended")
        }
        if isNew {
            for fraction in [0.3, 0.6] {
                try perform(.extendRenewal(customer: customer, days: 1), at: instant(fraction, of: subscription))
            }
        }
        store.announce(.renewalExtension, .failure, about: subscription.id, at: now)
    }

    /// The end of an extension for all, as if it had been asked for; nobody's date changes.
    private mutating func summarize() throws(StoreError) {
        let request = store.identifiers.uuid()
        let product = try subscriptionProduct()
        var job = MassExtension(request: request, product: product.id, days: 1, storefronts: nil)
        job.succeeded = Int64(subscribers)
        store.finish(job, at: now)
        token = request
    }

    private mutating func remind() throws(StoreError) {
        let start = Self.start(endingAt: now) { Period.month.after($0) }
        try perform(.createExternalPurchaseToken(tokenType: .services), at: start)
        store.run(until: now)
        guard asked == nil, let token else { return }
        store.externalPurchases[token]?.due = now
        store.remindOfToken(token, at: now)
    }
}
