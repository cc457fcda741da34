internal import AppStoreModels
internal import Foundation

// What happens on devices.

extension Store {
    /// Does what the command says, if it is about a device or a purchase that waits; nil if it is not.
    mutating func applyOnDevice(_ command: StoreCommand, at now: Date) throws(StoreError) -> Subject? {
        switch command {
        case .installApp(let customer, let device, let system): try install(device, of: customer, system, at: now)
        case .goOffline(let customer, let device): try setOffline(true, device, of: customer, at: now)
        case .goOnline(let customer, let device): try setOffline(false, device, of: customer, at: now)
        case .sync(let customer, let device): try sync(device, of: customer, at: now)
        case .askToBuy(let customer): try setAsking(true, customer, at: now)
        case .stopAskingToBuy(let customer): try setAsking(false, customer, at: now)
        case .approvePurchase(let customer, let product): try approve(customer, product, at: now)
        case .declinePurchase(let customer, let product): try decline(customer, product)
        case .planPurchase(let customer, let device, let result, let message):
            try change(device, of: customer, at: now) { $0.plan = .init(result: result, message: message) }
        case .holdUpdates(let customer, let device):
            try change(device, of: customer, at: now) { $0.holdsUpdates = true }
        case .releaseUpdates(let customer, let device, let reversed):
            try change(device, of: customer, at: now) { device in
                device.holdsUpdates = false
                if reversed ?? false { device.heldUpdates.reverse() }
                device.hearHeldUpdates()
            }
        case .hideRenewals(let customer, let device):
            try change(device, of: customer, at: now) { $0.hidesRenewals = true }
        case .repeatUpdate(let customer, let device, let transaction):
            try repeatUpdate(device, of: customer, transaction, at: now)
        case .breakVerification(let customer, let device, let transaction):
            try repeatUpdate(device, of: customer, transaction, breaking: true, at: now)
        default: nil
        }
    }

    /// Changes a device, which is there as soon as it is named, and so is its customer.
    private mutating func change(
        _ name: String, of customer: String, at now: Date, _ body: (inout Device) -> Void
    ) throws(StoreError) -> Subject {
        if customers[customer] == nil { try checkName(customer) }
        try checkDeviceName(name, of: customer)
        addCustomer(customer, at: now)
        var device = try device(name, of: customer)
        body(&device)
        customers[customer]?.devices[name] = device
        return Subject(customer: customer, result: .success)
    }

    private mutating func install(
        _ name: String, of customer: String, _ system: Int?, at now: Date
    ) throws(StoreError) -> Subject {
        if let system, !(15...99).contains(system) {
            throw StoreError(.invalidArgument, "a system is 15 or later: before it there is no StoreKit 2")
        }
        return try change(name, of: customer, at: now) { device in
            device = Device(system: system ?? device.system)
        }
    }

    private mutating func setOffline(
        _ isOffline: Bool, _ name: String, of customer: String, at now: Date
    ) throws(StoreError) -> Subject {
        let subject = try change(name, of: customer, at: now) { _ in }
        let knowledge = try knowledge(of: name, of: customer, at: now)
        customers[customer]?.devices[name]?.offline = isOffline ? knowledge : nil
        customers[customer]?.devices[name]?.hearHeldUpdates()
        return subject
    }

    private mutating func sync(_ name: String, of customer: String, at now: Date) throws(StoreError) -> Subject {
        try checkNetwork(name, of: customer)
        let subject = try change(name, of: customer, at: now) { device in
            device.hidden = []
            device.unverified = []
            device.hidesRenewals = false
        }
        // Whoever restores gets a receipt as well.
        customers[customer]?.hasRefreshedReceipt = true
        return subject
    }

    func checkNetwork(_ name: String, of customer: String) throws(StoreError) {
        guard customers[customer]?.devices[name]?.offline == nil else {
            throw StoreError(.deviceOffline, "\(customer)'s device \(name.debugDescription) has no network")
        }
    }

    private mutating func repeatUpdate(
        _ name: String, of customer: String, _ selector: String?, breaking: Bool = false, at now: Date
    ) throws(StoreError) -> Subject {
        let transaction = try transaction(of: customer, selector).payload.transactionId
        var subject = try change(name, of: customer, at: now) { device in
            if breaking, !device.unverified.contains(transaction) { device.unverified.append(transaction) }
        }
        let isVerified = try !device(name, of: customer).unverified.contains(transaction)
        if let payload = shown(transaction, at: now) {
            tell(DeviceUpdate(transaction: payload, isVerified: isVerified), name, of: customer)
        }
        subject.transaction = transaction
        return subject
    }

    mutating func finish(_ id: String, _ selector: String?, on name: String?) throws(StoreError) -> Subject {
        if let name { try checkDeviceName(name, of: id) }
        var subject = try finish(id, selector)
        if name != nil { subject.result = .success }
        return subject
    }
}

// MARK: - Purchases that wait

extension Store {
    private static let largestNumberOfPendingPurchases = 100

    /// Buys, unless it comes to something else on that device or somebody else has to agree.
    mutating func order(_ purchase: Purchase, on name: String?, at now: Date) throws(StoreError) -> Subject {
        let customer = purchase.customer
        var plan: Device.PurchasePlan?
        if let name {
            if customers[customer] == nil { try checkName(customer) }
            try checkDeviceName(name, of: customer)
            try checkNetwork(name, of: customer)
            plan = customers[customer]?.devices[name]?.plan
        }
        var subject =
            switch plan?.result {
            case .cancelled: Subject(customer: customer, result: .cancelled)
            case .failed: Subject(customer: customer, result: .failed, message: plan?.message ?? "unknown")
            case .interrupted: try wait(purchase, at: now)
            case .unverified, nil:
                if customers[customer]?.asksToBuy == true {
                    try wait(purchase, at: now)
                } else {
                    try self.purchase(purchase, at: now)
                }
            }
        subject.device = name
        subject.result = subject.result ?? .success
        guard let name else { return subject }
        try addDevice(name, of: customer)
        if subject.result != .pending || plan?.result == .interrupted { customers[customer]?.devices[name]?.plan = nil }
        if plan?.result == .unverified, let transaction = subject.transaction {
            customers[customer]?.devices[name]?.unverified.append(transaction)
        }
        return subject
    }

    private mutating func wait(_ purchase: Purchase, at now: Date) throws(StoreError) -> Subject {
        guard purchase.product.isOnSale, !purchase.product.isAdvancedCommerce else {
            throw StoreError(.notForSale, "\(purchase.product.id) is not for sale")
        }
        let customer = try customer(purchase.customer)
        guard customer.pendingPurchases.count < Self.largestNumberOfPendingPurchases else {
            throw StoreError(
                .limitReached, "\(customer.pendingPurchases.count) purchases of \(customer.id) wait already")
        }
        // What is signed is checked when it is handed over: days later it would be too old.
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

    private mutating func setAsking(_ asks: Bool, _ id: String, at now: Date) throws(StoreError) -> Subject {
        if customers[id] == nil { try checkName(id) }
        addCustomer(id, at: now)
        customers[id]?.asksToBuy = asks
        return Subject(customer: id)
    }

    private func waiting(_ id: String, _ product: String?) throws(StoreError) -> (index: Int, PendingPurchase) {
        let waiting = try customer(id).pendingPurchases
        guard let index = waiting.firstIndex(where: { product == nil || $0.product == product }) else {
            let which = product.map { " of \($0.debugDescription)" } ?? ""
            throw StoreError(.impossibleTransition, "no purchase\(which) by \(id) waits for anybody")
        }
        return (index, waiting[index])
    }

    private mutating func approve(_ id: String, _ product: String?, at now: Date) throws(StoreError) -> Subject {
        let (index, pending) = try waiting(id, product)
        let purchase = Purchase(
            customer: id, product: try self.product(pending.product), quantity: pending.quantity, offer: pending.offer,
            wantsIntroductoryOffer: pending.wantsIntroductoryOffer, accountToken: pending.accountToken,
            plan: pending.plan, handedOver: HandedOver(isSignedHere: true),
            allowsIntroductoryOffer: pending.allowsIntroductoryOffer)
        let token = customers[id]?.accountToken
        var subject = try self.purchase(purchase, at: now)
        // The account of a purchase that was asked for days ago is not that of the next one.
        customers[id]?.accountToken = token
        customers[id]?.pendingPurchases.remove(at: index)
        subject.result = .success
        return subject
    }

    private mutating func decline(_ id: String, _ product: String?) throws(StoreError) -> Subject {
        let (index, _) = try waiting(id, product)
        customers[id]?.pendingPurchases.remove(at: index)
        return Subject(customer: id, result: .cancelled)
    }
}
