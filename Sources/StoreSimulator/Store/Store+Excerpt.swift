internal import Foundation

// A copy of a part of the store, for attempts that may fail. Its size depends only on the customers concerned, not on
// the number of all customers.

extension Store {
    /// Returns the part of the store with a customer and everybody with whom the customer shares purchases. The part
    /// continues the identifiers of the whole store; its notifications and schedules are empty.
    func excerpt(of customer: String) -> Store {
        var part = self
        // The tables of a snapshot are the collections that grow with the number of customers.
        for table in SnapshotTable.all { table.clear(&part) }
        part.transactionsByOrder = [:]
        part.notificationsByUUID = [:]
        part.schedule = Schedule()
        part.deliveries = Schedule()
        (part.delivered, part.failedAttempts) = (0, 0)
        for id in customersSharing(with: customer) {
            guard let member = customers[id] else { continue }
            part.customers[id] = member
            for transaction in member.transactions { part.transactions[transaction] = transactions[transaction] }
            for subscription in member.subscriptions { part.subscriptions[subscription] = subscriptions[subscription] }
        }
        return part
    }

    /// Returns the customer and everybody with whom the customer shares purchases, directly or through others.
    private func customersSharing(with customer: String) -> Set<String> {
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

    /// Merges the changes of an excerpt into this store.
    mutating func merge(_ part: Store) {
        identifiers = part.identifiers
        exchangeIdentifiers = part.exchangeIdentifiers
        revision = part.revision
        pendingDeviceChanges = part.pendingDeviceChanges
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
        for record in part.notifications { addNotification(record) }
    }

    /// Rebuilds the indexes that snapshots omit.
    mutating func rebuildIndexes() {
        transactionsByOrder = Dictionary(minimumCapacity: transactions.count)
        for (id, transaction) in transactions { transactionsByOrder[transaction.order] = id }
        notificationsByUUID = Dictionary(minimumCapacity: notifications.count)
        for (number, record) in notifications.enumerated() { notificationsByUUID[record.id] = number }
    }

    /// Appends a notification and schedules its delivery.
    mutating func addNotification(_ record: NotificationRecord) {
        let number = notifications.count
        if let due = record.due { deliveries.add(.delivery(number), at: due, order: number) }
        if let token = record.testToken { tests[token] = number }
        notificationsByUUID[record.id] = number
        notifications.append(record)
    }
}
