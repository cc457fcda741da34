internal import AppStoreModels
internal import Foundation

// A part of the store to try something on: as large as what the customers in question have, however many others there are.

extension Store {
    /// The part that a customer is in, with everybody whose purchases they use or who use theirs. It goes on with the
    /// identifiers of the whole; notifications and schedule begin empty.
    func excerpt(of customer: String) -> Store {
        var part = self
        part.customers = [:]
        part.transactions = [:]
        part.subscriptions = [:]
        part.customersByAppTransaction = [:]
        part.transactionsByOrder = [:]
        part.notifications = []
        part.notificationsByUUID = [:]
        part.tests = [:]
        part.usedOfferNonces = [:]
        part.schedule = Schedule()
        part.deliveries = Schedule()
        (part.delivered, part.failedAttempts) = (0, 0)
        for id in circle(of: customer) {
            guard let member = customers[id] else { continue }
            part.customers[id] = member
            for transaction in member.transactions { part.transactions[transaction] = transactions[transaction] }
            for subscription in member.subscriptions { part.subscriptions[subscription] = subscriptions[subscription] }
        }
        return part
    }

    /// The customer and all who share something with them, directly or through others.
    private func circle(of customer: String) -> Set<String> {
        var found: Set = [customer]
        var open = [customer]
        while let id = open.popLast() {
            guard let member = customers[id] else { continue }
            let owners =
                member.subscriptions.compactMap { subscriptions[$0]?.owner.flatMap { subscriptions[$0]?.customer } }
                + member.transactions.compactMap { transactions[$0]?.sharedFrom.flatMap { transactions[$0]?.customer } }
            for other in member.family + owners where found.insert(other).inserted { open.append(other) }
        }
        return found
    }

    /// Takes over what has become of an excerpt.
    mutating func absorb(_ part: Store) {
        identifiers = part.identifiers
        exchangeIdentifiers = part.exchangeIdentifiers
        revision = part.revision
        unheard = part.unheard
        lastSigned = part.lastSigned
        massExtensions = part.massExtensions
        priceCampaigns = part.priceCampaigns
        redemptions = part.redemptions
        externalPurchases = part.externalPurchases
        advancedCommerceRequests = part.advancedCommerceRequests
        migrations = part.migrations
        for (id, customer) in part.customers { customers[id] = customer }
        for (id, transaction) in part.transactions { transactions[id] = transaction }
        for (id, subscription) in part.subscriptions { subscriptions[id] = subscription }
        for (id, customer) in part.customersByAppTransaction { customersByAppTransaction[id] = customer }
        for (order, id) in part.transactionsByOrder { transactionsByOrder[order] = id }
        var upcoming = part.schedule
        while let entry = upcoming.pop(dueBy: .distantFuture) { schedule.add(entry.event, at: entry.date) }
        for record in part.notifications { file(record) }
    }

    /// Makes again what follows from the rest, which snapshots leave out.
    mutating func derive() {
        transactionsByOrder = Dictionary(minimumCapacity: transactions.count)
        for (id, transaction) in transactions { transactionsByOrder[transaction.order] = id }
        notificationsByUUID = Dictionary(minimumCapacity: notifications.count)
        for (number, record) in notifications.enumerated() { notificationsByUUID[record.id] = number }
    }

    /// Adds a notification to those that there are, and plans its delivery.
    mutating func file(_ record: NotificationRecord) {
        let number = notifications.count
        if let due = record.due { deliveries.add(.delivery(number), at: due, order: number) }
        if let token = record.testToken { tests[token] = number }
        notificationsByUUID[record.id] = number
        notifications.append(record)
    }
}
