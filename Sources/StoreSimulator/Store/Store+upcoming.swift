internal import AppStoreModels
package import Foundation

// What happens by itself next, in words for people.

extension Store {
    /// The soonest thing that happens by itself.
    package var upcoming: Upcoming? {
        guard let first = schedule.first else { return nil }
        let what = words(for: first)
        guard what == Self.nothing else { return Upcoming(date: first.date, what: what) }
        // What is out of date does not hide what happens at the same instant.
        let others = schedule.soonest.map { words(for: $0) }
        return Upcoming(date: first.date, what: others.first { $0 != Self.nothing } ?? what)
    }

    /// The soonest notification that is sent by itself.
    package var upcomingDelivery: Upcoming? { deliveries.first.map { Upcoming(date: $0.date, what: words(for: $0)) } }

    /// Something that is going to happen.
    package struct Upcoming: Sendable {
        package var date: Date
        package var what: String
    }

    private static let nothing = "nothing, something else has come before it"

    private func words(for entry: Schedule.Entry) -> String {
        switch entry.event {
        case .subscription(let id):
            guard let subscription = subscriptions[id], subscription.due == entry.date else { return Self.nothing }
            return "\(what(subscription, at: entry.date)) (\(subscription.customer))"
        case .recovery(let id):
            guard let subscription = subscriptions[id], subscription.recovery == entry.date else { return Self.nothing }
            return "a charge for \(product(of: subscription)) succeeds (\(subscription.customer))"
        case .priceCampaign: return "a new price takes effect"
        case .priceNotice(let id):
            guard let subscription = subscriptions[id], subscription.notice == entry.date else { return Self.nothing }
            return "\(subscription.customer) is told of another price of \(product(of: subscription))"
        case .refundDecision(let id):
            guard let transaction = transactions[id], transaction.refund?.due == entry.date else { return Self.nothing }
            return "the refund of transaction \(id) is decided (\(transaction.customer))"
        case .massExtension: return "the extension of all renewals is finished"
        case .sharingEnd(let id):
            guard let subscription = subscriptions[id], !shares(of: subscription).isEmpty else { return Self.nothing }
            return "the family of \(subscription.customer) loses what it cannot share"
        case .sharingStart(let id):
            guard isSharingDue(id, at: entry.date), let customer = subscriptions[id]?.customer else {
                return Self.nothing
            }
            return "the family of \(customer) gets what it can share"
        case .externalPurchaseToken: return "a reminder of an external purchase token, or its end"
        case .delivery(let number):
            guard notifications.indices.contains(number), notifications[number].due == entry.date else {
                return Self.nothing
            }
            let record = notifications[number]
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
