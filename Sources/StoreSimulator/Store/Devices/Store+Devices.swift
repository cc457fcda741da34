internal import AppStoreModels
package import Foundation

// What devices know, and what they are told.

extension Store {
    private static let largestNumberOfDevices = 100
    private static let largestNumberOfUpdates = 100_000

    /// A customer's device, which is there as soon as somebody names it.
    package func device(_ name: String, of customer: String) throws(StoreError) -> Device {
        let customer = try self.customer(customer)
        if let device = customer.devices[name] { return device }
        try checkDeviceName(name, of: customer.id)
        return Device()
    }

    func checkDeviceName(_ name: String, of customer: String) throws(StoreError) {
        let scalars = name.unicodeScalars
        guard (1...64).contains(scalars.count), scalars.allSatisfy({ $0.value > 0x20 && $0.value != 0x7F }) else {
            throw StoreError(.invalidArgument, "a device's name has 1 to 64 characters, and no spaces")
        }
        guard let devices = customers[customer]?.devices, devices[name] == nil else { return }
        guard devices.count < Self.largestNumberOfDevices else {
            throw StoreError(.limitReached, "\(customer) has \(devices.count) devices already")
        }
    }

    /// Begins to tell a device what happens.
    package mutating func addDevice(_ name: String, of customer: String) throws(StoreError) {
        let device = try device(name, of: customer)
        customers[customer]?.devices[name] = device
    }

    // MARK: - What devices know

    /// What a device knows: what the customer has, but for what does not show there.
    package mutating func knowledge(
        of name: String, of customer: String, at now: Date
    ) throws(StoreError) -> DeviceKnowledge {
        let device = try device(name, of: customer)
        if let offline = device.offline { return offline }
        let customer = try self.customer(customer)
        var knowledge = DeviceKnowledge()
        for id in customer.transactions where !device.hidden.contains(id) {
            if let transaction = shown(id, at: now) { knowledge.transactions.append(transaction) }
        }
        for subscription in customer.subscriptions.compactMap({ subscriptions[$0] }) {
            // While a renewal that is paid ahead does not show, the period that runs does.
            guard let latest = periods(of: subscription, at: now).last(where: { !device.hidden.contains($0) }),
                let transaction = shown(latest, at: now)
            else { continue }
            knowledge.statuses.append(
                .init(
                    status: status(of: subscription, at: now), transaction: transaction,
                    renewalInfo: shownRenewalInfo(of: subscription, at: now)))
        }
        return knowledge
    }

    /// A transaction as devices have it.
    mutating func shown(_ id: String, at now: Date) -> JWSTransactionDecodedPayload? {
        guard let transaction = transactions[id] else { return nil }
        var payload = transaction.payload
        if let known = customers[transaction.customer]?.shown.transactions[id] {
            payload.signedDate = known.signedDate
            if payload == known { return known }
        }
        payload.signedDate = signature(at: now)
        customers[transaction.customer]?.shown.transactions[id] = payload
        return payload
    }

    private mutating func shownRenewalInfo(
        of subscription: Subscription, at now: Date
    ) -> JWSRenewalInfoDecodedPayload {
        var info = renewalInfo(of: subscription, at: now)
        if let known = customers[subscription.customer]?.shown.renewalInfos[subscription.id] {
            info.signedDate = known.signedDate
            if info == known { return known }
        }
        info.signedDate = signature(at: now)
        customers[subscription.customer]?.shown.renewalInfos[subscription.id] = info
        return info
    }

    // MARK: - What devices are told

    /// Tells the customers' devices what was changed, but for a purchase the device that it was made on.
    mutating func updateDevices(at now: Date, except result: Subject? = nil) {
        guard !unheard.isEmpty else { return }
        let changes = unheard
        unheard = UnheardChanges()
        var told: Set<String> = []
        for id in changes.transactions where told.insert(id).inserted {
            guard let transaction = transactions[id], customers[transaction.customer]?.devices.isEmpty == false,
                let payload = shown(id, at: now)
            else { continue }
            for name in customers[transaction.customer]?.devices.keys.sorted() ?? [] {
                let isResult = result?.transaction == id && result?.device == name
                tell(name, of: transaction.customer, payload, isResult: isResult)
            }
        }
        var customersTold: Set<String> = []
        for customer in changes.customers where customersTold.insert(customer).inserted {
            for name in customers[customer]?.devices.keys.sorted() ?? [] {
                tell(DeviceUpdate(), name, of: customer)
            }
        }
    }

    private mutating func tell(
        _ name: String, of customer: String, _ payload: JWSTransactionDecodedPayload, isResult: Bool
    ) {
        guard let device = customers[customer]?.devices[name] else { return }
        let id = payload.transactionId
        if device.hidesRenewals, payload.transactionReason == .renewal, !device.hidden.contains(id) {
            customers[customer]?.devices[name]?.hidden.append(id)
            return
        }
        guard !device.hidden.contains(id), !isResult else { return }
        tell(DeviceUpdate(transaction: payload, isVerified: !device.unverified.contains(id)), name, of: customer)
    }

    mutating func tell(_ update: DeviceUpdate, _ name: String, of customer: String) {
        guard let device = customers[customer]?.devices[name],
            device.updates.count + device.heldUpdates.count < Self.largestNumberOfUpdates
        else { return }
        customers[customer]?.devices[name]?.hear(update)
    }
}
