internal import AppStoreModels
package import Foundation

/// A request to extend the renewal dates of all subscribers of a product, and its progress.
package struct MassExtension: Sendable, Codable {
    package let request: String
    package let product: String
    package let days: Int32
    package let storefronts: [String]?
    package var completed: Date?
    package var succeeded: Int64 = 0
    package var failed: Int64 = 0
}

extension Store {
    /// Why a renewal date cannot be extended.
    package enum ExtensionRefusal: String, Error {
        case ineligible = "the subscription is not active, is in a free offer, or has never been paid for"
        case tooOften = "that was done twice in the last 365 days"
        case familyMember = "a family member pays for the subscription"
        case assignedSeat = "it is an assigned seat"
    }

    mutating func extend(
        _ customer: String, _ selector: String?, days: Int32, at now: Date
    ) throws(StoreError) -> Subject {
        let subscription = try subscription(of: customer, selector)
        try checkDays(days)
        if let refusal = extensionRefusal(subscription, at: now) {
            throw StoreError(.notEligible, "the renewal date cannot be extended: \(refusal.rawValue)")
        }
        extend(subscription, days: days, at: now)
        return Subject(customer: customer, transaction: subscription.current)
    }

    private func checkDays(_ days: Int32) throws(StoreError) {
        guard (1...90).contains(days) else { throw StoreError(.invalidArgument, "days must be 1 to 90") }
    }

    /// Returns why the renewal date of a subscription cannot be extended; nil if it can.
    package func extensionRefusal(_ subscription: Subscription, at now: Date) -> ExtensionRefusal? {
        if subscription.ownership == .familyShared { return .familyMember }
        if subscription.ownership == .assigned { return .assignedSeat }
        // The next period may be paid already while the free one still runs.
        let isFree = periods(of: subscription, at: now).contains {
            transactions[$0]?.payload.offerDiscountType == .freeTrial
        }
        guard status(of: subscription, at: now) == .active, !isFree, hasPaid(subscription) else { return .ineligible }
        let year: TimeInterval = 365 * 86_400
        // A customer's renewal dates are extended at most twice a year, across all subscriptions.
        let extensions = subscriptions(of: subscription.customer).flatMap(\.extensions)
        return extensions.count { now.timeIntervalSince($0) < year } < 2 ? nil : .tooOften
    }

    /// Whether any period of the subscription had a price above zero, also before a migration to Advanced Commerce.
    private func hasPaid(_ subscription: Subscription) -> Bool {
        let originals = [subscription.id, transactions[subscription.id]?.payload.previousOriginalTransactionId]
        let all = customers[subscription.customer]?.transactions ?? []
        return all.reversed().contains {
            guard let payload = transactions[$0]?.payload else { return false }
            return originals.contains(payload.originalTransactionId) && (payload.price ?? 0) > 0
        }
    }

    /// Extends the renewal date of a subscription without checking whether that is allowed. Returns the new date.
    @discardableResult
    package mutating func extend(_ subscription: Subscription, days: Int32, at now: Date) -> Date {
        let extra = settings.rate.scaled(days: Int(days))
        let old = transactions[subscription.current]?.payload.expiresDate ?? now
        let new = old.after(extra)
        subscriptions[subscription.id]?.extensions.append(now)
        // Later renewals follow the new date.
        subscriptions[subscription.id]?.anchorDay = nil
        if let ends = subscription.commitment?.ends {
            subscriptions[subscription.id]?.commitment?.ends = ends.after(extra)
        }
        scheduleRenewal(subscription.id, endingAt: new, at: now)
        // The extended period may be charged in advance and not shareable. The family's shares then end on other dates
        // and stay unchanged.
        for holder in holders(of: subscription) where transactions[holder.current]?.payload.expiresDate == old {
            change(holder.current) {
                $0.expiresDate = new
                if let ends = $0.commitmentInfo?.commitmentExpiresDate {
                    $0.commitmentInfo?.commitmentExpiresDate = ends.after(extra)
                }
            }
            announce(.renewalExtended, about: holder.id, at: now)
        }
        // A price increase may apply to the renewal on the new date and then needs a notice. A notice that was given
        // remains valid.
        if subscriptions[subscription.id]?.priceIncrease == nil { schedulePriceNotice(subscription.id, at: now) }
        return new
    }

    /// Schedules the extension of all subscribers of a product. Without a `request` identifier from the developer,
    /// generates one.
    package mutating func extendAll(
        _ product: String, days: Int32, storefronts: [String]?, request: String?, at now: Date
    ) throws(StoreError) -> Subject {
        guard try self.product(product).subscription != nil else {
            throw StoreError(.invalidArgument, "\(product) is not an auto-renewable subscription")
        }
        try checkDays(days)
        let request = request ?? identifiers.uuid()
        if massExtensions[request] == nil {
            massExtensions[request] = MassExtension(
                request: request, product: product, days: days, storefronts: storefronts)
            schedule.add(.massExtension(request), at: now.after(settings.massExtensionDuration))
        }
        return Subject(token: request)
    }

    mutating func finishMassExtension(_ id: String, at now: Date) {
        guard var job = massExtensions[id], job.completed == nil else { return }
        let storefronts = job.storefronts.map(Set.init)
        let subscribers = purchasedSubscriptions {
            transactions[$0.current]?.payload.productId == job.product && !isLapsed($0, at: now)
        }
        for subscription in subscribers {
            guard let storefront = customers[subscription.customer]?.storefront,
                storefronts?.contains(storefront) != false
            else { continue }
            if extensionRefusal(subscription, at: now) == nil {
                extend(subscription, days: job.days, at: now)
                job.succeeded &+= 1
            } else {
                announce(.renewalExtension, .failure, about: subscription.id, at: now)
                job.failed &+= 1
            }
        }
        finish(job, at: now)
    }

    /// Marks an extension of all subscribers as completed and announces its summary.
    mutating func finish(_ job: MassExtension, at now: Date) {
        var job = job
        job.completed = now
        massExtensions[job.request] = job
        var summary = NotificationSummary(
            requestIdentifier: job.request, environment: environment, bundleId: app.bundleID, productId: job.product,
            storefrontCountryCodes: job.storefronts, succeededCount: job.succeeded, failedCount: job.failed)
        if !isSandbox || settings.sandboxIncludesAppAppleID { summary.appAppleId = app.appAppleID }
        announce(.renewalExtension, .summary, .summary(summary), customer: nil, at: now)
    }
}
