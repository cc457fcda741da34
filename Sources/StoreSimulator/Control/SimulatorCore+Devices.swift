package import AppStoreModels
internal import Foundation

// The control API's view of devices. All data is signed after the store is unlocked.

extension SimulatorCore {
    private struct Reading: Sendable {
        var view: DeviceView
        var device: Device
        var customer: Customer
        var appTransaction: AppTransaction
        var products: [DeviceContents.DeviceProduct]
        var finished: Set<String>
        var deviceID: UUID
        var receipt: ReceiptContents?
        var now: Date
    }

    private func reading(
        of device: String, of customer: String, in environment: AppStoreEnvironment
    ) throws -> Reading {
        try changeWithoutSignal(environment) { store, now throws(StoreError) in
            // Process due events first, so that they are signed before the data that is returned.
            store.run(until: now)
            let view = try store.view(of: device, of: customer, at: now)
            let owner = try store.customer(customer)
            let storefront = store.catalogue.storefront(owner.storefront) ?? .usa
            let id = store.deviceID(of: owner, on: device)
            let sold = store.catalogue.products.filter { $0.isOnSale && !$0.isAdvancedCommerce }
            return Reading(
                view: view, device: try store.device(device, of: owner.id), customer: owner,
                appTransaction: store.appTransaction(of: owner, at: now),
                products: sold.map { DeviceContents.DeviceProduct($0, in: storefront) },
                finished: Set(owner.transactions.filter { store.transactions[$0]?.isFinished ?? true }), deviceID: id,
                receipt: store.hasReceipt(owner) ? store.receiptContents(of: owner, device: id, at: now) : nil,
                now: now)
        }
    }

    /// Returns the StoreKit data on a device.
    package func contents(
        of device: String, of customer: String, in environment: AppStoreEnvironment
    ) throws -> DeviceContents {
        let reading = try reading(of: device, of: customer, in: environment)
        let (view, customer) = (reading.view, reading.customer)
        func signed(_ transactions: some Sequence<JWSTransactionDecodedPayload>) throws -> [SignedDeviceTransaction] {
            try transactions.map { try sign($0, isVerified: reading.device.isVerified($0.transactionId)) }
        }
        let unfinished = view.transactions.filter { !reading.finished.contains($0.transactionId) }
        let appTransaction =
            reading.device.system < Device.systemWithAppTransaction ? nil : reading.appTransaction
        return DeviceContents(
            customer: customer.id, device: device, system: reading.device.system, storefront: customer.storefront,
            isOffline: reading.device.offline != nil,
            // Refunded consumables are included even if they are finished.
            all: try signed(
                view.transactions.filter {
                    $0.type != .consumable || $0.revocationDate != nil || !reading.finished.contains($0.transactionId)
                }),
            current: try signed(view.transactions.filter { view.isCurrent($0, at: reading.now) }),
            unfinished: try signed(unfinished),
            statuses: try view.statuses.map { status in
                let isVerified = reading.device.isVerified(status.transaction.transactionId)
                let transaction = try sign(status.transaction, isVerified: isVerified)
                return DeviceContents.Status(
                    state: status.status.rawValue, signedTransactionInfo: transaction.signedTransactionInfo,
                    signedRenewalInfo: try text(status.renewalInfo.jsonBytes(), isVerified), isVerified: isVerified)
            },
            products: reading.products, pending: customer.pendingPurchases.map(\.product),
            signedAppTransactionInfo: try appTransaction.map { try text($0.jsonBytes(), true) },
            identifierForVendor: reading.deviceID,
            receipt: try reading.receipt.map { try receiptAuthority().sign($0).base64EncodedString() })
    }

    /// Returns the updates of a device after `number`. If `number` is 0 or unknown, returns the unfinished
    /// transactions. If there are no updates, waits for them, up to `seconds`.
    package func updates(
        of device: String, of customer: String, after number: Int, wait seconds: Double,
        in environment: AppStoreEnvironment
    ) async throws -> DeviceUpdates {
        let changes = watch.changes(for: seconds)
        while true {
            if let found = try updates(of: device, of: customer, after: number, in: environment) { return found }
            guard await changes.next() else { return DeviceUpdates(updates: [], next: number) }
        }
    }

    private func updates(
        of name: String, of customer: String, after number: Int, in environment: AppStoreEnvironment
    ) throws -> DeviceUpdates? {
        let (updates, next) = try changeWithoutSignal(environment) { store, now throws(StoreError) in
            try store.addDevice(name, of: customer)
            store.updateDevices(at: now)
            let device = try store.device(name, of: customer)
            // A number that the device has not reached yet is from before a reset or restore.
            guard number > 0, number <= device.next else {
                return (try store.unfinishedUpdates(of: name, of: customer, at: now), device.next)
            }
            return (Array(device.updates.dropFirst(number - 1)), device.next)
        }
        if number > 0, updates.isEmpty, next == number { return nil }
        return DeviceUpdates(
            updates: try updates.map { update in
                .init(transaction: try update.transaction.map { try sign($0, isVerified: update.isVerified) })
            }, next: next)
    }

    /// Signs a transaction for a device, with an invalid signature unless `isVerified`.
    private func sign(_ transaction: JWSTransactionDecodedPayload, isVerified: Bool) throws -> SignedDeviceTransaction {
        SignedDeviceTransaction(
            signedTransactionInfo: try text(transaction.jsonBytes(), isVerified), isVerified: isVerified)
    }

    private func text(_ json: [UInt8], _ isVerified: Bool) throws -> String {
        guard isVerified else { return try authority.signer.sign(json: json, breaking: true) }
        return try signedTexts.text(of: json, by: authority.signer)
    }

    /// Returns the signed transaction of a purchase for the device on which it was made; nil for other commands.
    func signedResult(
        of command: StoreCommand, _ outcome: StoreOutcome, in environment: AppStoreEnvironment
    ) throws -> SignedDeviceTransaction? {
        guard case .purchase(let customer, _, _, _, _, _, _, let device?, _, _, _) = command,
            let id = outcome.transactionID
        else { return nil }
        let found = try changeWithoutSignal(environment) { store, now throws(StoreError) in
            let isVerified = try store.device(device, of: customer).isVerified(id)
            return (store.devicePayload(of: id, at: now), isVerified)
        }
        return try found.0.map { try sign($0, isVerified: found.1) }
    }
}

extension Store {
    /// Returns one update for each unfinished transaction. A device receives them when its app starts.
    fileprivate mutating func unfinishedUpdates(
        of name: String, of customer: String, at now: Date
    ) throws(StoreError) -> [DeviceUpdate] {
        let device = try device(name, of: customer)
        return try view(of: name, of: customer, at: now).transactions
            .filter { transactions[$0.transactionId]?.isFinished == false }
            .map { DeviceUpdate(transaction: $0, isVerified: device.isVerified($0.transactionId)) }
    }
}
