internal import AppStoreModels
package import Foundation

// What happens by itself next, in words for people.

extension Store {
    /// What happens by itself next.
    package var upcoming: Upcoming? {
        guard let first = schedule.first else { return nil }
        if let what = words(for: first) { return Upcoming(date: first.date, what: what) }
        // An entry that is out of date does not hide another one with the same date.
        var rest = schedule
        while let entry = rest.pop(dueBy: first.date) {
            if let what = words(for: entry) { return Upcoming(date: entry.date, what: what) }
        }
        return Upcoming(date: first.date, what: Self.nothing)
    }

    /// The notification that is sent by itself next.
    package var upcomingDelivery: Upcoming? {
        deliveries.first.map { Upcoming(date: $0.date, what: words(for: $0) ?? Self.nothing) }
    }

    /// Something that will happen.
    package struct Upcoming: Sendable {
        package var date: Date
        package var what: String
    }

    private static let nothing = "nothing, something else has come before it"

    /// What an entry of the schedule brings; nil if it is out of date.
    private func words(for entry: Schedule.Entry) -> String? {
        switch entry.event {
        case .subscription(let id):
            guard let subscription = subscriptions[id], subscription.due == entry.date else { return nil }
            return "\(what(subscription, at: entry.date)) (\(subscription.customer))"
        case .recovery(let id):
            guard let subscription = subscriptions[id], subscription.recovery == entry.date else { return nil }
            return "a charge for \(product(of: subscription)) succeeds (\(subscription.customer))"
        case .priceCampaign: return "a new price takes effect"
        case .priceNotice(let id):
            guard let subscription = subscriptions[id], subscription.notice == entry.date else { return nil }
            return "\(subscription.customer) is told of another price of \(product(of: subscription))"
        case .refundDecision(let id):
            guard let transaction = transactions[id], transaction.refund?.due == entry.date else { return nil }
            return "the refund of transaction \(id) is decided (\(transaction.customer))"
        case .massExtension: return "the extension of all renewals is finished"
        case .sharing(let id):
            guard changesSharing(id, at: entry.date), let subscription = subscriptions[id] else { return nil }
            let change = isCurrentShareable(subscription) ? "gets what it can share" : "loses what it cannot share"
            return "the family of \(subscription.customer) \(change)"
        case .externalPurchaseToken: return "a reminder of an external purchase token, or its end"
        case .delivery(let number):
            guard notifications.indices.contains(number), case let record = notifications[number],
                record.due == entry.date || resends[number] == entry.date
            else { return nil }
            let whom = record.customer.map { " (\($0))" } ?? ""
            return "\(record.name) is sent\(record.attempts.isEmpty ? "" : " again")\(whom)"
        }
    }

    private func what(_ subscription: Subscription, at date: Date) -> String {
        let product = product(of: subscription)
        if subscription.graceEnds == date { return "the grace period of \(product) ends" }
        if subscription.retryEnds != nil { return "billing retry of \(product) ends" }
        let renews = subscription.renewsAutomatically || subscription.isCommitted
        return renews ? "\(product) is due for renewal" : "\(product) ends"
    }

    private func product(of subscription: Subscription) -> String {
        transactions[subscription.current]?.payload.productId ?? subscription.renewalProduct
    }
}
