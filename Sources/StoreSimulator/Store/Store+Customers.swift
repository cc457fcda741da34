package import AppStoreModels
internal import Basics
package import Foundation

extension Store {
    /// More customers than this are more likely the result of a faulty loop than intended.
    static let maximumCustomers = 1_000_000

    mutating func createCustomer(
        _ id: String, in storefront: String?, first: FirstDownload, at now: Date
    ) throws(StoreError) -> Subject {
        guard customers[id] == nil else {
            throw StoreError(.alreadyExists, "there is a customer \(id.quoted) already")
        }
        try checkCustomer(id)
        _ = try knownStorefronts(storefront.map { [$0] })
        addCustomer(id, in: storefront, first: first, at: now)
        return Subject(customer: id)
    }

    /// Throws if the customer does not exist and cannot be created.
    func checkCustomer(_ id: String) throws(StoreError) {
        guard customers[id] == nil else { return }
        try Self.checkName(id, of: "customer")
        guard customers.count < Self.maximumCustomers else {
            throw StoreError(.limitReached, "there are \(customers.count) customers already")
        }
    }

    /// Throws if a purchase cannot be charged, or if it would create a customer with an invalid name.
    func checkBuyer(_ id: String) throws(StoreError) {
        try checkCustomer(id)
        guard customers[id]?.isBillingFailing != true else {
            throw StoreError(.paymentDeclined, "\(id)'s payment method fails; use fixBilling first")
        }
    }

    /// Checks a name that becomes part of a path.
    static func checkName(_ name: String, of kind: String) throws(StoreError) {
        guard (1...64).contains(name.unicodeScalars.count), !name.hasSpacesOrControlCharacters else {
            throw StoreError(
                .invalidArgument, "a \(kind)'s name must have 1 to 64 characters without spaces and control characters")
        }
        guard name != ".", name != ".." else {
            throw StoreError(
                .invalidArgument, "a \(kind)'s name cannot be . or .., because clients resolve these in a path")
        }
    }

    /// Returns a list of storefronts. Throws if it is empty, or names one that the catalogue does not have.
    func knownStorefronts(_ codes: [String]?) throws(StoreError) -> [String]? {
        guard codes?.isEmpty != true else { throw StoreError(.invalidArgument, "storefronts must not be empty") }
        for code in codes ?? [] where catalogue.storefront(code) == nil {
            throw StoreError(.unknownStorefront, "the catalogue has no storefront \(code.quoted)")
        }
        return codes
    }

    /// Returns the storefront of a customer, which for a new one is the first of the catalogue.
    func storefront(of customer: String) -> String {
        customers[customer]?.storefront ?? catalogue.storefronts.first?.code ?? Storefront.usa.code
    }

    /// Returns the customer with this name, and creates it if necessary. The name must have been checked.
    @discardableResult
    mutating func addCustomer(
        _ id: String, in storefront: String? = nil, first: FirstDownload = FirstDownload(), at now: Date
    ) -> Customer {
        if let customer = customers[id] { return customer }
        let customer = Customer(
            id: id, storefront: storefront ?? self.storefront(of: id),
            appTransactionID: identifiers.appTransaction(), accountToken: defaultAccountToken(of: id),
            since: first.date ?? now,
            firstVersion: first.version ?? releasedVersion, preorderDate: first.preorderDate)
        customers[id] = customer
        customersByAppTransaction[customer.appTransactionID] = id
        return customer
    }

    mutating func rescindConsent(_ id: String, at now: Date) throws(StoreError) -> Subject {
        let customer = try customer(id)
        announce(
            .rescindConsent, nil, .appTransaction(serverAppTransaction(of: customer, at: now)), customer: id, at: now)
        return Subject(customer: id)
    }

    mutating func clearHistory(of id: String, at now: Date) throws(StoreError) -> Subject {
        let family = try customer(id).family
        guard isSandbox else {
            throw StoreError(.impossibleTransition, "only the sandbox can clear a customer's purchases")
        }
        for member in family { revokeAll(from: id, of: member, at: now) }
        var customer = try customer(id)
        for transaction in customer.transactions {
            if let order = transactions.removeValue(forKey: transaction)?.order { transactionsByOrder[order] = nil }
        }
        for subscription in customer.subscriptions { subscriptions[subscription] = nil }
        customer.transactions = []
        customer.subscriptions = []
        customer.introductoryGroups = []
        customer.pendingPurchases = []
        customer.hasRefreshedReceipt = false
        customer.devicePayloads = DevicePayloads()
        customers[id] = customer
        return Subject(customer: id)
    }

    mutating func join(
        _ id: String, _ group: String, isOrganization: Bool, isAdministrator: Bool
    ) throws(StoreError) -> Subject {
        guard isSandbox else {
            throw StoreError(.impossibleTransition, "customers can join groups in the sandbox only")
        }
        let customer = try customer(id)
        guard group.isDigits(upTo: 32) else {
            throw StoreError(.invalidArgument, "a group's identifier must be a number of up to 32 digits")
        }
        guard !customer.groups.contains(where: { $0.id == group }) else {
            throw StoreError(.alreadyExists, "\(id) belongs to group \(group) already")
        }
        customers[id]?.groups.append(
            CustomerGroup(id: group, isOrganization: isOrganization, isAdministrator: isAdministrator))
        return Subject(customer: id)
    }

    /// Returns the customer's app transaction as devices receive it.
    package func appTransaction(of customer: Customer, at now: Date) -> AppTransaction {
        AppTransaction(
            receiptType: environment, appAppleId: app.appAppleID, bundleId: app.bundleID,
            applicationVersion: version, receiptCreationDate: max(signingDate(at: now), customer.since),
            originalPurchaseDate: firstPurchaseDate(of: customer),
            originalApplicationVersion: firstVersion(of: customer), preorderDate: preorderDate(of: customer),
            appTransactionId: customer.appTransactionID,
            originalPlatform: .iOS, requestDate: now)
    }

    /// Returns the customer's app transaction as servers receive it, without fields that only devices know.
    package func serverAppTransaction(of customer: Customer, at now: Date) -> AppTransaction {
        var transaction = appTransaction(of: customer, at: now)
        transaction.applicationVersion = nil
        transaction.requestDate = nil
        transaction.storeType = .consumer
        if isSandbox { transaction.appAppleId = nil }
        return transaction
    }
}
