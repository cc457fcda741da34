package import AppStoreModels
internal import Basics
package import Foundation

/// A token for purchases outside the App Store, and its reporting state.
package struct ExternalPurchase: Sendable, Codable {
    package let token: ExternalPurchaseToken
    package var isReported = false
    package var due: Date?
}

extension Store {
    /// The number of days in which the developer has to report a token. We know of no number that Apple documents.
    static let reportingDays = 60
    /// The lifetime of a custom link's token.
    static let tokenLifetime = Period.year

    mutating func createExternalPurchaseToken(_ type: ExternalPurchaseTokenType?, at now: Date) -> Subject {
        let id = (isSandbox ? "SANDBOX_" : "") + identifiers.uuid()
        var token = ExternalPurchaseToken(
            externalPurchaseId: id, tokenCreationDate: now, appAppleId: app.appAppleID, bundleId: app.bundleID)
        var due = now.after(Double(Self.reportingDays) * 86_400)
        if let type {
            token.tokenType = type
            token.tokenExpirationDate = Self.tokenLifetime.date(after: now)
            due = Period.month.date(after: now)
            announce(.externalPurchaseToken, .created, .externalPurchaseToken(token), customer: nil, at: now)
        }
        externalPurchases[id] = ExternalPurchase(token: token, due: due)
        schedule.add(.externalPurchaseToken(id), at: due)
        return Subject(token: id)
    }

    mutating func reportExternalPurchaseToken(_ id: String, isDuplicate: Bool) throws(StoreError) -> Subject {
        guard let purchase = externalPurchases[id] else {
            throw StoreError(.invalidArgument, "there is no external purchase token \(id.quoted)")
        }
        guard !purchase.isReported else {
            throw StoreError(.impossibleTransition, "the token was reported already")
        }
        externalPurchases[id]?.isReported = true
        if isDuplicate { externalPurchases[id]?.due = nil }
        return Subject(token: id)
    }

    /// Sends the monthly reminder of a custom link's token while the token is active, whether or not its purchases were
    /// reported. Otherwise sends that the token was not reported, if it was not. Sends nothing about a duplicate.
    mutating func sendTokenReminder(_ id: String, at now: Date) {
        guard let purchase = externalPurchases[id], purchase.due == now else { return }
        externalPurchases[id]?.due = nil
        let expires = purchase.token.tokenExpirationDate ?? now
        guard expires > now || !purchase.isReported else { return }
        announce(
            .externalPurchaseToken, expires > now ? .activeTokenReminder : .unreported,
            .externalPurchaseToken(purchase.token), customer: nil, at: now)
        guard expires > now else { return }
        let next = min(Period.month.date(after: now), expires)
        externalPurchases[id]?.due = next
        schedule.add(.externalPurchaseToken(id), at: next)
    }

    mutating func requestTestNotification(at now: Date) throws(StoreError) -> Subject {
        guard settings.notificationURL != nil else {
            throw StoreError(.impossibleTransition, "no URL for notifications is set for \(environment.rawValue)")
        }
        return Subject(token: addTest(at: now))
    }

    /// Sends a test notification. Returns the token with which its status can be requested.
    package mutating func addTest(at now: Date) -> String {
        let token = "\(identifiers.uuid())_\(now.millisecondsSince1970 ?? 0)"
        announce(.test, nil, .test, customer: nil, token: token, at: now)
        return token
    }

    mutating func assignSeat(_ id: String, _ productID: String, at now: Date) throws(StoreError) -> Subject {
        guard isSandbox else {
            throw StoreError(.impossibleTransition, "seats can be assigned in the sandbox only")
        }
        let product = try product(productID)
        guard product.isOnSale else { throw StoreError(.notForSale, "\(product.id) is not for sale") }
        guard let terms = product.subscription else {
            throw StoreError(.invalidArgument, "only auto-renewable subscriptions have seats to assign")
        }
        try checkCustomer(id)
        let earlier = subscriptions(of: id).filter { $0.group == terms.group }
        guard !earlier.contains(where: { $0.ownership == .assigned && !isLapsed($0, at: now) }) else {
            throw StoreError(.alreadyOwned, "\(id) has a seat in \(terms.group) already")
        }
        addCustomer(id, at: now)
        var subscription = Subscription(
            customer: id, group: terms.group, ownership: .assigned, owner: nil, renewalProduct: product.id, price: 0,
            priceProduct: product.id, streakStart: now)
        begin(&subscription, product, reason: .purchase, at: now)
        save(subscription)
        announce(.subscribed, earlier.isEmpty ? .initialBuy : .resubscribe, about: subscription, at: now)
        return Subject(customer: id, transaction: subscription.current)
    }

    mutating func withdrawSeat(_ id: String, _ product: String, at now: Date) throws(StoreError) -> Subject {
        let seat = try customer(id).subscriptions.compactMap { subscriptions[$0] }.first {
            $0.ownership == .assigned && $0.renewalProduct == product && !isLapsed($0, at: now)
        }
        guard let seat else { throw StoreError(.noSubscription, "\(id) has no seat of \(product.quoted)") }
        revokeAllPeriods(seat, at: now)
        return Subject(customer: id, transaction: seat.current)
    }
}
