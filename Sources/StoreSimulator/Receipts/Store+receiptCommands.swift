internal import Foundation

// Commands about receipts: an organization assigns and revokes the app by volume purchase, and apps refresh receipts.

extension Store {
    mutating func assignVolumePurchase(
        to id: String, until expires: Date?, at now: Date
    ) throws(StoreError) -> Subject {
        try checkCustomer(id)
        if let expires, expires <= now {
            throw StoreError(.invalidArgument, "a volume purchase ends later than now; revokeVolumePurchase ends one")
        }
        addCustomer(id, at: now)
        customers[id]?.volumePurchase = VolumePurchase(expires: expires?.wholeMilliseconds)
        return Subject(customer: id)
    }

    mutating func revokeVolumePurchase(of id: String, at now: Date) throws(StoreError) -> Subject {
        guard let purchase = try customer(id).volumePurchase, purchase.expires.map({ $0 > now }) ?? true else {
            throw StoreError(.impossibleTransition, "\(id) does not have the app by a volume purchase")
        }
        customers[id]?.volumePurchase = VolumePurchase(expires: now)
        return Subject(customer: id)
    }

    mutating func refreshReceipt(of id: String, on device: String?, at now: Date) throws(StoreError) -> Subject {
        try checkCustomer(id)
        if let device {
            try checkDeviceName(device, of: id)
            try checkNetwork(device, of: id)
        }
        addCustomer(id, at: now)
        if let device { try addDevice(device, of: id) }
        customers[id]?.hasRefreshedReceipt = true
        return Subject(customer: id, result: .success)
    }

    /// Whether the device has a receipt. In production it always does; in the sandbox only after the first purchase or
    /// `refreshReceipt`.
    func hasReceipt(_ customer: Customer) -> Bool {
        !isSandbox || customer.hasRefreshedReceipt || !customer.transactions.isEmpty
    }
}
