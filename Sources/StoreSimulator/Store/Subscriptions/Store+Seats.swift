internal import AppStoreModels
internal import Basics
internal import Foundation

// Subscriptions that an organization assigns to customers. Only the sandbox has them.

extension Store {
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
            priceProduct: product.id, recentStart: now)
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
