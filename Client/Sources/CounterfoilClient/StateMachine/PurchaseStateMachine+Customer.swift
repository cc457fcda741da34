import Foundation

/// Computes the customer's state: from the server's response while it is valid, else from StoreKit's verified
/// transactions.
extension PurchaseStateMachine {
    /// The estimated time of the server's clock: that of its last response plus the time since. It never goes back, and
    /// continues from there after the device's clock was set back.
    var instant: Date {
        guard let asOf = record?.answer?.asOf, let receivedAt = record?.receivedAt else { return now }
        return (latest ?? asOf).addingTimeInterval(max(0, now.timeIntervalSince(latestAt ?? receivedAt)))
    }

    /// The age of the last response. Nil if it is in the future, because the device's clock was set back.
    var age: TimeInterval? { record?.receivedAt.flatMap { $0 <= now ? now.timeIntervalSince($0) : nil } }

    mutating func publish() {
        if record?.answer != nil { (latest, latestAt) = (instant, now) }
        // The latest period first: without it, access ends with the one before.
        for transaction in revoked.sortedValues.reversed() { record?.answer?.endEntitlements(of: transaction) }
        let customer = customer
        schedule(endOf: customer)
        // Save the time, so that an entitlement that ended does not return after a restart.
        if customer != published || instant.timeIntervalSince(record?.latest ?? .distantPast) >= 3600 {
            record?.latest = latest
            record?.latestAt = latestAt
        }
        if customer != published { effects.append(.publish(customer)) }
        published = customer
    }

    /// Schedules a request for the end of the next entitlement, because an expiry creates no transaction.
    private mutating func schedule(endOf customer: Customer) {
        let ends = customer.entitlements.compactMap { $0.isActive ? $0.until : nil }
        guard let end = ends.min(), end != scheduledEnd else { return }
        scheduledEnd = end
        effects.append(.schedule(.entitlementEnd, after: end.timeIntervalSince(instant)))
    }

    package var customer: Customer {
        let answer = record?.answer
        var entitlements: [String: Entitlement] = [:]
        for answered in answer?.entitlements ?? [] { entitlements[answered.key] = entitlement(answered, at: instant) }
        for transaction in current.sortedValues where record != nil {
            for key in product(transaction.productID)?.entitlements ?? []
            where entitlements[key]?.isActive != true && mayDecide(transaction, key, at: instant) {
                entitlements[key] = grant(transaction, key, at: instant) ?? entitlements[key]
            }
        }
        let sorted = Array(entitlements.keys).sorted().compactMap { entitlements[$0] }
        let source: Customer.Source = sorted.contains { $0.source == .device } ? .device : hasAnswer ? .server : .cache
        return Customer(
            id: device.customer, isAnonymous: isAnonymous, entitlements: sorted, groups: answer?.groups ?? [],
            consumables: answer?.consumables ?? [], asOf: answer?.asOf, source: source, readiness: readiness)
    }

    private func entitlement(_ answered: Entitlement, at instant: Date) -> Entitlement {
        var entitlement = answered
        if answered.isActive, let until = answered.until, until <= instant {
            (entitlement.isActive, entitlement.state) = (false, "inactive")
            if answered.details != ["revoked"] { entitlement.details = ["expired"] }
        }
        let group = record?.answer?.groups.first { $0.originalTransactionID == answered.originalTransactionID }
        entitlement.nextStep = answered.originalTransactionID == nil ? nil : group?.nextStep
        entitlement.source = hasAnswer ? .server : .cache
        return entitlement
    }

    private func product(_ productID: String) -> ProductEntitlements? {
        (record?.answer?.productEntitlements ?? rules.productEntitlements).first { $0.productID == productID }
    }

    /// Whether the device's transaction may override the server's response: the response's entitlement has ended, the
    /// response is too old, or the purchase is newer.
    private func mayDecide(_ transaction: DeviceTransaction, _ key: String, at instant: Date) -> Bool {
        guard let answer = record?.answer, instant.timeIntervalSince(answer.asOf) < Self.validity else { return true }
        // The App Store charges some renewals a day ahead, perhaps for another product. Until then the response counts.
        if transaction.purchaseDate > instant, SignedText.isRenewal(transaction.jws) { return false }
        let answered = answer.entitlements.first { $0.key == key }
        if let answered, answered.isActive, let until = answered.until, until <= instant { return true }
        return transaction.purchaseDate > answer.asOf
    }

    /// Returns the entitlement that a transaction grants without the server, until the transaction's end.
    private func grant(_ transaction: DeviceTransaction, _ key: String, at instant: Date) -> Entitlement? {
        guard transaction.revocationDate == nil, !transaction.isUpgraded, !isHeld(transaction),
            // The account token may be that of another customer.
            transaction.appAccountToken ?? accountToken == accountToken, !isForeign(transaction)
        else { return nil }
        let status = statuses.first { $0.transaction.id == transaction.id }
        var entitlement = Entitlement(key: key, isActive: true, productID: transaction.productID)
        entitlement.source = .device
        switch transaction.kind {
        case .nonConsumable: break
        case .nonRenewing:
            guard let duration = product(transaction.productID)?.duration else { return nil }
            entitlement.until = transaction.purchaseDate.addingTimeInterval(Double(duration) / 1000)
        case .autoRenewable:
            guard let expires = transaction.expirationDate else { return nil }
            entitlement.until = expires
            if status?.state == .inGracePeriod, expires <= instant, let end = status?.gracePeriodExpirationDate {
                (entitlement.until, entitlement.details) = (end, ["in_grace_period"])
                entitlement.nextStep = .fixPayment
            }
        default: return nil
        }
        guard entitlement.until.map({ $0 > instant }) ?? true else { return nil }
        return entitlement
    }
}
