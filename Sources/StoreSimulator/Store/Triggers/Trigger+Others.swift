internal import AppStoreModels
internal import Foundation

// Renewal date extensions, test notifications, consent and external purchases.

extension TriggerRun {
    mutating func performOtherTrigger() throws(StoreError) {
        switch (type, subtype) {
        case (.renewalExtended, _):
            try perform(.extendRenewal(customer: customer, days: 30, subscription: subscription().id))
        case (.renewalExtension, .failure?): try failToExtend()
        case (.renewalExtension, _): try announceSummary()
        case (.test, _): token = store.addTest(at: now)
        case (.rescindConsent, _):
            if isNew { try perform(.createCustomer(customer: customer), at: now - 86_400) }
            try perform(.rescindConsent(customer: customer))
        case (_, .created?): try perform(.createExternalPurchaseToken(tokenType: .services))
        case (_, .activeTokenReminder?): try sendReminder()
        default:
            try perform(.createExternalPurchaseToken(), at: now - Double(Store.reportingDays) * 86_400)
            store.run(until: now)
        }
    }

    /// At most two extensions a year are allowed, so the third one fails.
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

    /// Announces the summary of an extension for all subscribers without changing any renewal date.
    private mutating func announceSummary() throws(StoreError) {
        let request = store.identifiers.uuid()
        let product = try subscriptionProduct()
        var job = MassExtension(request: request, product: product.id, days: 1, storefronts: nil)
        job.succeeded = Int64(subscribers)
        store.finish(job, at: now)
        token = request
    }

    private mutating func sendReminder() throws(StoreError) {
        let start = Self.start(endingAt: now) { Period.month.date(after: $0) }
        try perform(.createExternalPurchaseToken(tokenType: .services), at: start)
        store.run(until: now)
        guard requestedNotification == nil, let token else { return }
        store.externalPurchases[token]?.due = now
        store.sendTokenReminder(token, at: now)
    }
}
