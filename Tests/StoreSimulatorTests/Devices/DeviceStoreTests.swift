import AppStoreModels
import Foundation
import StoreSimulator
import TestSupport
import Testing

extension Shop {
    /// Returns the identifiers of the transactions that a device knows.
    mutating func knownTransactions(_ device: String = "phone") throws -> [String] {
        try store.view(of: device, of: "anna", at: now).transactions.map(\.transactionId)
    }

    /// Returns the updates of a device: the transaction's identifier, after `!` if it is unverified; nil for a status.
    func receivedUpdates(_ device: String = "phone") throws -> [String?] {
        try store.device(device, of: "anna").updates.map { update in
            update.transaction.map { (update.isVerified ? "" : "!") + $0.transactionId }
        }
    }

    @discardableResult
    mutating func purchase(_ product: String, on device: String = "phone") throws -> StoreOutcome {
        try perform(.purchase(customer: "anna", product: product, introductory: false, device: device))
    }
}

@Suite struct `A simulated device` {
    /// Returns a shop in which anna has two devices and no purchases.
    private func shop() throws -> Shop {
        var shop = Shop()
        for device in ["phone", "tablet"] { try shop.perform(.installApp(customer: "anna", device: device)) }
        return shop
    }

    @Test func `A device gets updates about purchases on another device, and not about its own`() throws {
        var shop = try shop()
        let outcome = try shop.purchase("gold")
        let id = try #require(outcome.transactionID)
        #expect(outcome.result == .success)
        #expect(try shop.receivedUpdates("tablet") == [id, nil])
        // The purchasing device gets an update of the subscription status.
        #expect(try shop.receivedUpdates("phone") == [nil])
        #expect(try shop.knownTransactions("phone") == [id] && shop.knownTransactions("tablet") == [id])
        shop.wait(.month)
        let renewal = try #require(shop.store.customers["anna"]?.transactions.last)
        #expect(try shop.receivedUpdates("phone") == [nil, renewal, nil])
    }

    @Test func `A family member's device gets a status update on cancellation, whatever the server gets`() throws {
        for notifiesServer in [true, false] {
            var shop = Shop { $0.sendsNotificationsForFamilyMembers = notifiesServer }
            try shop.perform(.installApp(customer: "ben", device: "phone"))
            try shop.purchase("gold")
            try shop.perform(.shareWithFamily(customer: "anna", member: "ben"))
            let before = try shop.store.device("phone", of: "ben").updates.count
            try shop.perform(.cancel(customer: "anna"))
            let updates = try shop.store.device("phone", of: "ben").updates.dropFirst(before)
            #expect(updates.count == 1)
            #expect(updates.last?.transaction == nil)
        }
    }

    @Test func `A signed transaction on a device keeps its signing date until its content changes`() throws {
        var shop = try shop()
        try shop.purchase("gold")
        let first = try shop.store.view(of: "phone", of: "anna", at: shop.now)
        shop.wait(days: 3)
        #expect(try shop.store.view(of: "tablet", of: "anna", at: shop.now).transactions == first.transactions)
        try shop.perform(.cancel(customer: "anna"))
        let cancelled = try shop.store.view(of: "phone", of: "anna", at: shop.now)
        #expect(cancelled.transactions == first.transactions)
        #expect(cancelled.statuses[0].renewalInfo.signedDate > first.statuses[0].renewalInfo.signedDate)
        try shop.perform(.approveRefund(customer: "anna"))
        let refunded = try shop.store.view(of: "phone", of: "anna", at: shop.now)
        #expect(refunded.transactions[0].signedDate > first.transactions[0].signedDate)
        #expect(!refunded.isCurrent(refunded.transactions[0], at: shop.now))
        #expect(first.isCurrent(first.transactions[0], at: Shop.start))
    }

    @Test func `Current entitlements are the latest renewal and all purchases except consumables`() throws {
        var shop = try shop()
        for product in ["coins", "lamp", "season", "gold"] { try shop.purchase(product) }
        shop.wait(.month)
        shop.wait(.year)
        let view = try shop.store.view(of: "phone", of: "anna", at: shop.now)
        let current = view.transactions.filter { view.isCurrent($0, at: shop.now) }
        #expect(current.map(\.productId).sorted() == ["gold", "lamp", "season"])
        #expect(current.last?.transactionId == shop.store.customers["anna"]?.transactions.last)
    }

    @Test func `The current entitlement of a non-renewing subscription is its last transaction without refund`() throws
    {
        var shop = try shop()
        let first = try #require(try shop.purchase("season").transactionID)
        let second = try #require(try shop.purchase("season").transactionID)
        func current() throws -> [String] {
            let view = try shop.store.view(of: "phone", of: "anna", at: shop.now)
            return view.transactions.filter { view.isCurrent($0, at: shop.now) }.map(\.transactionId)
        }
        #expect(try current() == [second])
        try shop.perform(.approveRefund(customer: "anna", transaction: second))
        #expect(try current() == [first])
    }

    @Test func `An offline device keeps what it knows, gets no updates and cannot buy`() throws {
        var shop = try shop()
        let first = try #require(try shop.purchase("lamp", on: "tablet").transactionID)
        try shop.perform(.goOffline(customer: "anna", device: "phone"))
        let second = try #require(try shop.purchase("coins", on: "tablet").transactionID)
        #expect(try shop.knownTransactions("phone") == [first] && shop.receivedUpdates("phone") == [first])
        try shop.expectRefusal(.purchase(customer: "anna", product: "coins", device: "phone"), .deviceOffline)
        try shop.expectRefusal(.sync(customer: "anna", device: "phone"), .deviceOffline)
        try shop.perform(.goOnline(customer: "anna", device: "phone"))
        #expect(
            try shop.knownTransactions("phone") == [first, second] && shop.receivedUpdates("phone") == [first, second])
    }

    @Test func `Commands hold, reverse and repeat a device's updates, and break their verification`() throws {
        var shop = try shop()
        try shop.perform(.holdUpdates(customer: "anna", device: "phone"))
        let first = try #require(try shop.purchase("coins", on: "tablet").transactionID)
        let second = try #require(try shop.purchase("lamp", on: "tablet").transactionID)
        #expect(try shop.receivedUpdates().isEmpty)
        try shop.perform(.releaseUpdates(customer: "anna", device: "phone", reversed: true))
        #expect(try shop.receivedUpdates() == [second, first])
        try shop.perform(.resendUpdate(customer: "anna", device: "phone", transaction: first))
        try shop.perform(.failVerification(customer: "anna", device: "phone", transaction: second))
        #expect(try shop.receivedUpdates() == [second, first, first, "!" + second])
        #expect(try shop.receivedUpdates("tablet").isEmpty)
        try shop.perform(.sync(customer: "anna", device: "phone"))
        try shop.perform(.resendUpdate(customer: "anna", device: "phone", transaction: second))
        #expect(try shop.receivedUpdates().last == second)
    }

    @Test(arguments: [
        StoreCommand.sync(customer: "anna", device: "phone"), .installApp(customer: "anna", device: "phone"),
    ])
    func `Hidden renewals are missing on a device until it syncs or reinstalls the app`(_ repair: StoreCommand) throws {
        var shop = try shop()
        let first = try #require(try shop.purchase("gold").transactionID)
        try shop.perform(.hideRenewals(customer: "anna", device: "phone"))
        shop.wait(.month)
        #expect(try shop.knownTransactions("phone") == [first])
        #expect(try shop.knownTransactions("tablet").count == 2)
        #expect(try !shop.receivedUpdates("phone").contains { $0 != nil })
        let view = try shop.store.view(of: "phone", of: "anna", at: shop.now)
        #expect(
            view.statuses.isEmpty && !view.transactions.contains { view.isCurrent($0, at: shop.now) })
        try shop.perform(repair)
        #expect(try shop.knownTransactions("phone").count == 2)
    }

    @Test func `A device shows the running period as active while its prepaid renewal is hidden`() throws {
        var shop = Shop { $0.maximumRenewalLeadTime = 86_400 }
        let first = try #require(try shop.purchase("gold").transactionID)
        try shop.perform(.hideRenewals(customer: "anna", device: "phone"))
        shop.waitForNext()
        try #require(shop.store.subscriptions[first]?.current != first)
        let view = try shop.store.view(of: "phone", of: "anna", at: shop.now)
        let current = view.transactions.filter { view.isCurrent($0, at: shop.now) }
        #expect(current.map(\.transactionId) == [first])
        #expect(view.statuses.map(\.transaction.transactionId) == [first])
        #expect(view.statuses.map(\.status) == [.active])
    }

    @Test func `Finishing a transaction on one device finishes it for all`() throws {
        var shop = try shop()
        let id = try #require(try shop.purchase("coins").transactionID)
        try shop.perform(.finish(customer: "anna", transaction: id, device: "tablet"))
        #expect(shop.store.transactions[id]?.isFinished == true)
    }

    @Test func `Commands with an invalid name or system, or too many devices, are refused`() throws {
        var shop = try shop()
        let long = String(repeating: "x", count: 65)
        for name in ["", "a b", "a\u{A0}b", "a\u{3000}b", "a\u{85}b", long, "\u{0}", ".", ".."] {
            try shop.expectRefusal(.goOffline(customer: "anna", device: name), .invalidArgument)
            try shop.expectRefusal(.goOffline(customer: "new", device: name), .invalidArgument)
            try shop.expectRefusal(.purchase(customer: "anna", product: "coins", device: name), .invalidArgument)
            try shop.expectRefusal(.purchase(customer: "new", product: "coins", device: name), .invalidArgument)
        }
        try shop.expectRefusal(.installApp(customer: "anna", device: "phone", system: 14), .invalidArgument)
        try shop.expectRefusal(.goOffline(customer: "", device: "phone"), .invalidArgument)
        for customer in [".", ".."] {
            try shop.expectRefusal(.goOffline(customer: customer, device: "phone"), .invalidArgument)
            try shop.expectRefusal(.purchase(customer: customer, product: "coins"), .invalidArgument)
            try shop.expectRefusal(.shareWithFamily(customer: "anna", member: customer), .invalidArgument)
            let error = #expect(throws: StoreError.self) { try shop.perform(.createCustomer(customer: customer)) }
            #expect(error?.message.contains("cannot be . or ..") == true)
        }
        try shop.expectRefusal(.resendUpdate(customer: "anna", device: "phone"), .unknownTransaction)
        for number in 3...100 { try shop.perform(.installApp(customer: "anna", device: "\(number)")) }
        try shop.expectRefusal(.installApp(customer: "anna", device: "101"), .limitReached)
    }
}
