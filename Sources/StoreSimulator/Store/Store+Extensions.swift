internal import AppStoreModels
package import Foundation

/// A request to extend the renewal dates of all subscribers of a product.
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
    package enum ExtensionRefusal: Error { case ineligible, tooOften, familyMember, assignedSeat }

    mutating func extend(
        _ customer: String, _ selector: String?, days: Int32, at now: Date
    ) throws(StoreError) -> Subject {
        let subscription = try subscription(of: customer, selector)
        guard (1...90).contains(days) else {
            throw StoreError(.invalidArgument, "a renewal date is extended by 1 to 90 days")
        }
        if let refusal = extensionRefusal(subscription, at: now) {
            throw StoreError(.notEligible, "the renewal date cannot be extended: \(refusal)")
        }
        extend(subscription, days: days, at: now)
        return Subject(customer: customer, transaction: subscription.current)
    }

    /// Why a subscription cannot be extended; nil if it can.
    package func extensionRefusal(_ subscription: Subscription, at now: Date) -> ExtensionRefusal? {
        if subscription.ownership == .familyShared { return .familyMember }
        if subscription.ownership == .assigned { return .assignedSeat }
        guard status(of: subscription, at: now) == .active, let current = transactions[subscription.current]?.payload,
            current.offerDiscountType != .freeTrial, hasPaid(subscription)
        else { return .ineligible }
        let year: TimeInterval = 365 * 86_400
        // Twice a year for a customer, not for each subscription.
        let extensions = (customers[subscription.customer]?.subscriptions ?? [])
            .flatMap { subscriptions[$0]?.extensions ?? [] }
        return extensions.count { now.timeIntervalSince($0) < year } < 2 ? nil : .tooOften
    }

    /// Whether a period was ever paid for.
    private func hasPaid(_ subscription: Subscription) -> Bool {
        let all = customers[subscription.customer]?.transactions ?? []
        return all.reversed().contains {
            guard let payload = transactions[$0]?.payload else { return false }
            return payload.originalTransactionId == subscription.id && (payload.price ?? 0) > 0
        }
    }

    /// Extends a subscription that can be extended. Returns the new date.
    @discardableResult
    package mutating func extend(_ subscription: Subscription, days: Int32, at now: Date) -> Date {
        let extra = settings.rate.scaled(days: Int(days))
        let old = transactions[subscription.current]?.payload.expiresDate ?? now
        let new = old.after(extra)
        subscriptions[subscription.id]?.extensions.append(now)
        // The new date is the one to renew on from now on.
        subscriptions[subscription.id]?.anchorDay = nil
        if let ends = subscription.commitment?.ends {
            subscriptions[subscription.id]?.commitment?.ends = ends.after(extra)
        }
        planRenewal(subscription.id, endingAt: new, at: now)
        // Of a period that is paid ahead and cannot be shared the family has nothing.
        for holder in holders(of: subscription) where transactions[holder.current]?.payload.expiresDate == old {
            change(holder.current) {
                $0.expiresDate = new
                if let ends = $0.commitmentInfo?.commitmentExpiresDate {
                    $0.commitmentInfo?.commitmentExpiresDate = ends.after(extra)
                }
            }
            announce(.renewalExtended, about: holder.id, at: now)
        }
        // A price that holds by the new date has its notice before it. A notice that was given stays.
        if subscriptions[subscription.id]?.priceIncrease == nil { planNotice(subscription.id, at: now) }
        return new
    }

    /// Plans the extension of everybody who has a product. The request identifier is the developer's, or a new one.
    package mutating func extendAll(
        _ product: String, days: Int32, storefronts: [String]?, request: String?, at now: Date
    ) throws(StoreError) -> Subject {
        guard try self.product(product).subscription != nil else {
            throw StoreError(.invalidArgument, "\(product) is no auto-renewable subscription")
        }
        guard (1...90).contains(days) else {
            throw StoreError(.invalidArgument, "a renewal date is extended by 1 to 90 days")
        }
        guard storefronts?.isEmpty != true else {
            throw StoreError(.invalidArgument, "a list of storefronts names at least one")
        }
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
        let places = job.storefronts.map(Set.init)
        for subscription in subscribers(to: job.product, at: now) {
            guard let place = customers[subscription.customer]?.storefront, places?.contains(place) != false else {
                continue
            }
            if extensionRefusal(subscription, at: now) == nil {
                extend(subscription, days: job.days, at: now)
                job.succeeded += 1
            } else {
                announce(.renewalExtension, .failure, about: subscription.id, at: now)
                job.failed += 1
            }
        }
        finish(job, at: now)
    }

    /// Files an extension of all subscriptions as done, and says how it went.
    mutating func finish(_ job: MassExtension, at now: Date) {
        var job = job
        job.completed = now
        massExtensions[job.request] = job
        var summary = NotificationSummary(
            requestIdentifier: job.request, environment: environment, bundleId: app.bundleID, productId: job.product,
            storefrontCountryCodes: job.storefronts, succeededCount: job.succeeded, failedCount: job.failed)
        if !isSandbox || settings.namesAppAppleID { summary.appAppleId = app.appAppleID }
        announce(.renewalExtension, .summary, .summary(summary), customer: nil, at: now)
    }

    /// Everybody who has bought a product and is not out of it, in the order in which they began.
    private func subscribers(to product: String, at now: Date) -> [Subscription] {
        subscriptions.values.filter {
            $0.ownership == .purchased && transactions[$0.current]?.payload.productId == product
                && !isLapsed($0, at: now)
        }.sorted { ($0.id.utf8.count, $0.id) < ($1.id.utf8.count, $1.id) }
    }
}
