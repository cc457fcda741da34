internal import AppStoreModels
package import Foundation

// The data on devices, and their updates.

extension Store {
    private static let maximumDevices = 100
    private static let maximumUpdates = 100_000

    /// Returns a customer's device, or a new one if the name is unused.
    package func device(_ name: String, of customer: String) throws(StoreError) -> Device {
        let customer = try self.customer(customer)
        if let device = customer.devices[name] { return device }
        try checkDeviceName(name, of: customer.id)
        return Device()
    }

    func checkDeviceName(_ name: String, of customer: String) throws(StoreError) {
        try Self.checkName(name, of: "device")
        guard let devices = customers[customer]?.devices, devices[name] == nil else { return }
        guard devices.count < Self.maximumDevices else {
            throw StoreError(.limitReached, "\(customer) has \(devices.count) devices already")
        }
    }

    /// Adds a device, which receives updates from now on.
    package mutating func addDevice(_ name: String, of customer: String) throws(StoreError) {
        let device = try device(name, of: customer)
        customers[customer]?.devices[name] = device
    }

    // MARK: - Data on devices

    /// Returns a device's view of the customer's purchases, without what it hides.
    package mutating func view(of name: String, of customer: String, at now: Date) throws(StoreError) -> DeviceView {
        let device = try device(name, of: customer)
        if let offline = device.offline { return offline }
        let customer = try self.customer(customer)
        var view = DeviceView()
        for id in customer.transactions where !device.hidden.contains(id) {
            if let transaction = devicePayload(of: id, at: now) { view.transactions.append(transaction) }
        }
        for subscription in subscriptions(of: customer.id) {
            // If a renewal that was charged in advance is hidden, the running period is shown.
            guard let latest = periods(of: subscription, at: now).last(where: { !device.hidden.contains($0) }),
                let transaction = devicePayload(of: latest, at: now)
            else { continue }
            view.statuses.append(
                .init(
                    status: status(of: subscription, at: now), transaction: transaction,
                    renewalInfo: deviceRenewalInfo(of: subscription, at: now)))
        }
        return view
    }

    /// Returns a transaction's payload as devices receive it.
    mutating func devicePayload(of id: String, at now: Date) -> JWSTransactionDecodedPayload? {
        guard let transaction = transactions[id] else { return nil }
        var payload = transaction.payload
        if let known = customers[transaction.customer]?.devicePayloads.transactions[id] {
            payload.signedDate = known.signedDate
            if payload == known { return known }
        }
        payload.signedDate = signingDate(at: now)
        customers[transaction.customer]?.devicePayloads.transactions[id] = payload
        return payload
    }

    private mutating func deviceRenewalInfo(
        of subscription: Subscription, at now: Date
    ) -> JWSRenewalInfoDecodedPayload {
        var info = renewalInfo(of: subscription, at: now)
        if let known = customers[subscription.customer]?.devicePayloads.renewalInfos[subscription.id] {
            info.signedDate = known.signedDate
            if info == known { return known }
        }
        info.signedDate = signingDate(at: now)
        customers[subscription.customer]?.devicePayloads.renewalInfos[subscription.id] = info
        return info
    }

    // MARK: - Device updates

    /// Sends the pending changes to the customers' devices. The device that made a purchase receives it as a result and
    /// not as an update.
    mutating func updateDevices(at now: Date, except result: Subject? = nil) {
        let changes = pendingDeviceChanges
        guard !changes.isEmpty else { return }
        pendingDeviceChanges = PendingDeviceChanges()
        var updated: Set<String> = []
        for id in changes.transactions where updated.insert(id).inserted {
            guard let transaction = transactions[id], customers[transaction.customer]?.devices.isEmpty == false,
                let payload = devicePayload(of: id, at: now)
            else { continue }
            for name in customers[transaction.customer]?.devices.keys.sorted() ?? [] {
                let isResult = result?.transaction == id && result?.device == name
                sendUpdate(for: payload, to: name, of: transaction.customer, isResult: isResult)
            }
        }
        var updatedCustomers: Set<String> = []
        for customer in changes.customers where updatedCustomers.insert(customer).inserted {
            for name in customers[customer]?.devices.keys.sorted() ?? [] {
                sendUpdate(DeviceUpdate(), to: name, of: customer)
            }
        }
    }

    private mutating func sendUpdate(
        for payload: JWSTransactionDecodedPayload, to name: String, of customer: String, isResult: Bool
    ) {
        guard let device = customers[customer]?.devices[name] else { return }
        let id = payload.transactionId
        if device.hidesRenewals, payload.transactionReason == .renewal, !device.hidden.contains(id) {
            customers[customer]?.devices[name]?.hidden.append(id)
            return
        }
        guard !device.hidden.contains(id), !isResult else { return }
        sendUpdate(DeviceUpdate(transaction: payload, isVerified: device.isVerified(id)), to: name, of: customer)
    }

    mutating func sendUpdate(_ update: DeviceUpdate, to name: String, of customer: String) {
        guard let device = customers[customer]?.devices[name],
            device.updates.count + device.heldUpdates.count < Self.maximumUpdates
        else { return }
        customers[customer]?.devices[name]?.receive(update)
    }
}
