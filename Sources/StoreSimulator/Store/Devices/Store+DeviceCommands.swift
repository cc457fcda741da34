internal import AppStoreModels
internal import Basics
internal import Foundation

// Commands that concern devices.

extension Store {
    /// Changes a device. Creates the device and the customer if necessary.
    mutating func change(
        _ name: String, of customer: String, at now: Date, _ body: (inout Device) -> Void
    ) throws(StoreError) -> Subject {
        try checkCustomer(customer)
        try checkDeviceName(name, of: customer)
        addCustomer(customer, at: now)
        var device = try device(name, of: customer)
        body(&device)
        customers[customer]?.devices[name] = device
        return Subject(customer: customer, result: .success)
    }

    mutating func install(
        _ name: String, of customer: String, _ system: Int?, at now: Date
    ) throws(StoreError) -> Subject {
        if let system, !(15...99).contains(system) {
            throw StoreError(.invalidArgument, "system must be 15 to 99: StoreKit 2 needs at least 15")
        }
        return try change(name, of: customer, at: now) { device in
            device = Device(system: system ?? device.system)
        }
    }

    mutating func setOffline(
        _ isOffline: Bool, _ name: String, of customer: String, at now: Date
    ) throws(StoreError) -> Subject {
        let subject = try change(name, of: customer, at: now) { _ in }
        let view = try view(of: name, of: customer, at: now)
        customers[customer]?.devices[name]?.offline = isOffline ? view : nil
        customers[customer]?.devices[name]?.receiveHeldUpdates()
        return subject
    }

    mutating func sync(_ name: String, of customer: String, at now: Date) throws(StoreError) -> Subject {
        try checkNetwork(name, of: customer)
        let subject = try change(name, of: customer, at: now) { device in
            device.hidden = []
            device.unverified = []
            device.hidesRenewals = false
        }
        // Restoring purchases also refreshes the receipt.
        customers[customer]?.hasRefreshedReceipt = true
        return subject
    }

    func checkNetwork(_ name: String, of customer: String) throws(StoreError) {
        guard customers[customer]?.devices[name]?.offline == nil else {
            throw StoreError(.deviceOffline, "\(customer)'s device \(name.quoted) has no network")
        }
    }

    mutating func resendUpdate(
        _ name: String, of customer: String, _ selector: String?, breaking: Bool = false, at now: Date
    ) throws(StoreError) -> Subject {
        let transaction = try transaction(of: customer, selector).payload.transactionId
        var subject = try change(name, of: customer, at: now) { device in
            if breaking, device.isVerified(transaction) { device.unverified.append(transaction) }
        }
        let isVerified = try device(name, of: customer).isVerified(transaction)
        if let payload = devicePayload(of: transaction, at: now) {
            sendUpdate(DeviceUpdate(transaction: payload, isVerified: isVerified), to: name, of: customer)
        }
        subject.transaction = transaction
        return subject
    }

    mutating func finish(_ id: String, _ selector: String?, on name: String?) throws(StoreError) -> Subject {
        if let name { try checkDeviceName(name, of: id) }
        let transaction = try transaction(of: id, selector).payload.transactionId
        transactions[transaction]?.isFinished = true
        return Subject(customer: id, transaction: transaction, result: name == nil ? nil : .success)
    }
}

// MARK: - Pending purchases

extension Store {
    private static let maximumPendingPurchases = 100

    /// Makes a purchase, unless the device has another planned result or the purchase requires approval.
    mutating func order(_ purchase: Purchase, on name: String?, at now: Date) throws(StoreError) -> Subject {
        let customer = purchase.customer
        var planned: Device.PlannedPurchase?
        if let name {
            try checkCustomer(customer)
            try checkDeviceName(name, of: customer)
            try checkNetwork(name, of: customer)
            planned = customers[customer]?.devices[name]?.nextPurchase
        }
        var subject =
            switch planned?.result {
            case .cancelled: Subject(customer: customer, result: .cancelled)
            case .failed: Subject(customer: customer, result: .failed, message: planned?.message ?? "unknown")
            case .interrupted: try addPendingPurchase(purchase, at: now)
            case .unverified, nil:
                if customers[customer]?.asksToBuy == true {
                    try addPendingPurchase(purchase, at: now)
                } else {
                    try self.purchase(purchase, at: now)
                }
            }
        subject.device = name
        subject.result = subject.result ?? .success
        guard let name else { return subject }
        try addDevice(name, of: customer)
        if subject.result != .pending || planned?.result == .interrupted {
            customers[customer]?.devices[name]?.nextPurchase = nil
        }
        if planned?.result == .unverified, let transaction = subject.transaction {
            customers[customer]?.devices[name]?.unverified.append(transaction)
        }
        return subject
    }

    private mutating func addPendingPurchase(_ purchase: Purchase, at now: Date) throws(StoreError) -> Subject {
        guard purchase.product.isOnSale, !purchase.product.isAdvancedCommerce else {
            throw StoreError(.notForSale, "\(purchase.product.id) is not for sale")
        }
        let customer = try customer(purchase.customer)
        guard customer.pendingPurchases.count < Self.maximumPendingPurchases else {
            throw StoreError(
                .limitReached, "\(customer.id) has \(customer.pendingPurchases.count) pending purchases already")
        }
        // Check the signature now: it may expire before the approval.
        let approval = try approval(of: purchase, at: now)
        if let approval { usedOfferNonces[approval.nonce] = approval.date }
        customers[customer.id]?.pendingPurchases.append(
            PendingPurchase(
                product: purchase.product.id, quantity: purchase.quantity, offer: purchase.offer,
                wantsIntroductoryOffer: purchase.wantsIntroductoryOffer, accountToken: purchase.accountToken,
                plan: purchase.plan,
                allowsIntroductoryOffer: approval?.allowsIntroductoryOffer ?? purchase.allowsIntroductoryOffer))
        return Subject(customer: customer.id, result: .pending)
    }

    mutating func setAskToBuy(_ isRequired: Bool, _ id: String, at now: Date) throws(StoreError) -> Subject {
        try checkCustomer(id)
        addCustomer(id, at: now)
        customers[id]?.asksToBuy = isRequired
        return Subject(customer: id)
    }

    private func pendingPurchase(of id: String, _ product: String?) throws(StoreError) -> (index: Int, PendingPurchase)
    {
        let pending = try customer(id).pendingPurchases
        guard let index = pending.firstIndex(where: { product == nil || $0.product == product }) else {
            let which = product.map { " of \($0.quoted)" } ?? ""
            throw StoreError(.impossibleTransition, "\(id) has no pending purchase\(which)")
        }
        return (index, pending[index])
    }

    mutating func approve(_ id: String, _ product: String?, at now: Date) throws(StoreError) -> Subject {
        let (index, pending) = try pendingPurchase(of: id, product)
        let purchase = Purchase(
            customer: id, product: try self.product(pending.product), quantity: pending.quantity, offer: pending.offer,
            wantsIntroductoryOffer: pending.wantsIntroductoryOffer, accountToken: pending.accountToken,
            plan: pending.plan, authorization: OfferAuthorization(isSignedBySimulator: true),
            allowsIntroductoryOffer: pending.allowsIntroductoryOffer)
        let token = customers[id]?.accountToken
        var subject = try self.purchase(purchase, at: now)
        // Approving an earlier purchase does not change the account of later ones.
        customers[id]?.accountToken = token
        customers[id]?.pendingPurchases.remove(at: index)
        subject.result = .success
        return subject
    }

    mutating func decline(_ id: String, _ product: String?) throws(StoreError) -> Subject {
        let (index, _) = try pendingPurchase(of: id, product)
        customers[id]?.pendingPurchases.remove(at: index)
        return Subject(customer: id, result: .cancelled)
    }
}
