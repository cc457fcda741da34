package import Foundation

// Describes the next scheduled events for people.

extension Store {
    /// The next scheduled event; nil if there is none.
    package var upcoming: UpcomingEvent? { upcoming(in: schedule) }

    /// The next scheduled delivery of a notification; nil if there is none.
    package var upcomingDelivery: UpcomingEvent? { upcoming(in: deliveries) }

    /// A scheduled event, described for people.
    package typealias UpcomingEvent = (date: Date, event: String)

    /// Returns the first event that is not obsolete.
    private func upcoming(in schedule: Schedule) -> UpcomingEvent? {
        // Usually the first entry happens, and the schedule is not copied.
        if let first = schedule.first, let event = description(of: first) { return (date: first.date, event: event) }
        var rest = schedule
        while let entry = rest.pop(dueBy: .distantFuture) {
            if let event = description(of: entry) { return (date: entry.date, event: event) }
        }
        return nil
    }

    /// Returns the description of a schedule entry's event; nil if the entry is obsolete.
    private func description(of entry: Schedule.Entry) -> String? {
        switch entry.event {
        case .subscription(let id):
            guard let subscription = subscriptions[id], subscription.due == entry.date else { return nil }
            return "\(description(of: subscription, at: entry.date)) (\(subscription.customer))"
        case .recovery(let id):
            guard let subscription = subscriptions[id], subscription.recovery == entry.date else { return nil }
            return "a charge for \(currentProduct(of: subscription)) succeeds (\(subscription.customer))"
        case .priceCampaign: return "a new price takes effect"
        case .priceNotice(let id):
            guard let subscription = subscriptions[id], subscription.notice == entry.date else { return nil }
            return "\(subscription.customer) is notified of a price increase of \(currentProduct(of: subscription))"
        case .refundDecision(let id):
            guard let transaction = transactions[id], transaction.refund?.due == entry.date else { return nil }
            return "the refund of transaction \(id) is decided (\(transaction.customer))"
        case .massExtension: return "the extension of all renewals is finished"
        case .sharing(let id):
            guard changesSharing(id, at: entry.date), let subscription = subscriptions[id] else { return nil }
            let change =
                isCurrentShareable(subscription) ? "starts to share the subscription" : "loses the shared subscription"
            return "the family of \(subscription.customer) \(change)"
        case .externalPurchaseToken(let id):
            guard externalPurchases[id]?.due == entry.date else { return nil }
            return "an external purchase token is due for a reminder, or was not reported"
        case .delivery(let number):
            guard notifications.indices.contains(number), case let record = notifications[number],
                record.due == entry.date || resends[number] == entry.date
            else { return nil }
            let customer = record.customer.map { " (\($0))" } ?? ""
            return "\(record.name) is sent\(record.attempts.isEmpty ? "" : " again")\(customer)"
        }
    }

    private func description(of subscription: Subscription, at date: Date) -> String {
        let product = currentProduct(of: subscription)
        if subscription.graceEnds == date { return "the grace period of \(product) ends" }
        if subscription.retryEnds != nil { return "billing retry of \(product) ends" }
        let renews = subscription.renewsAutomatically || subscription.isCommitted
        return renews && isBelowRenewalCap(subscription) ? "\(product) is due for renewal" : "\(product) ends"
    }
}
