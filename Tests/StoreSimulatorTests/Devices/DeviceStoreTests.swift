import AppStoreModels
import Foundation
import StoreSimulator
import TestSupport
import Testing

extension Shop {
    /// The identifiers of what a device knows.
    mutating func known(_ device: String = "phone") throws -> [String] {
        try store.knowledge(of: device, of: "anna", at: now).transactions.map(\.transactionId)
    }

    /// What a device was told: a transaction's identifier, `!` before it if it cannot be verified; nil for a status.
    func told(_ device: String = "phone") throws -> [String?] {
        try store.device(device, of: "anna").updates.map { update in
            update.transaction.map { (update.isVerified ? "" : "!") + $0.transactionId }
        }
    }

    @discardableResult
    mutating func buys(_ product: String, on device: String = "phone") throws -> StoreOutcome {
        try perform(.purchase(customer: "anna", product: product, introductory: false, device: device))
    }
}

@Suite struct `A simulated device` {
    /// Anna with two devices and nothing bought.
    private func shop() throws -> Shop {
        var shop = Shop()
        for device in ["phone", "tablet"] { try shop.perform(.installApp(customer: "anna", device: device)) }
        return shop
    }

    @Test func `hears of what was bought on another one, and not of its own purchase`() throws {
        var shop = try shop()
        let outcome = try shop.buys("gold")
        let id = try #require(outcome.transactionID)
        #expect(outcome.result == .success)
        #expect(try shop.told("tablet") == [id, nil])
        // The status of its own subscription changed all the same.
        #expect(try shop.told("phone") == [nil])
        #expect(try shop.known("phone") == [id] && shop.known("tablet") == [id])
        shop.wait(.month)
        let renewal = try #require(shop.store.customers["anna"]?.transactions.last)
        #expect(try shop.told("phone") == [nil, renewal, nil])
    }

    @Test func `of a family member hears of a cancellation also where the developer's server does not`() throws {
        for isTold in [true, false] {
            var shop = Shop { $0.notifiesFamilyMembers = isTold }
            try shop.perform(.installApp(customer: "ben", device: "phone"))
            try shop.buys("gold")
            try shop.perform(.shareWithFamily(customer: "anna", member: "ben"))
            let before = try shop.store.device("phone", of: "ben").updates.count
            try shop.perform(.cancel(customer: "anna"))
            let news = try shop.store.device("phone", of: "ben").updates.dropFirst(before)
            #expect(news.count == 1)
            #expect(news.last?.transaction == nil)
        }
    }

    @Test func `shows a text with the date of its signature until something else is in it`() throws {
        var shop = try shop()
        try shop.buys("gold")
        let first = try shop.store.knowledge(of: "phone", of: "anna", at: shop.now)
        shop.wait(days: 3)
        #expect(try shop.store.knowledge(of: "tablet", of: "anna", at: shop.now).transactions == first.transactions)
        try shop.perform(.cancel(customer: "anna"))
        let cancelled = try shop.store.knowledge(of: "phone", of: "anna", at: shop.now)
        #expect(cancelled.transactions == first.transactions)
        #expect(cancelled.statuses[0].renewalInfo.signedDate > first.statuses[0].renewalInfo.signedDate)
        try shop.perform(.approveRefund(customer: "anna"))
        let refunded = try shop.store.knowledge(of: "phone", of: "anna", at: shop.now)
        #expect(refunded.transactions[0].signedDate > first.transactions[0].signedDate)
        #expect(!refunded.isCurrent(refunded.transactions[0], at: shop.now))
        #expect(first.isCurrent(first.transactions[0], at: Shop.start))
    }

    @Test func `has a right to what Apple lists as current entitlements`() throws {
        var shop = try shop()
        for product in ["coins", "lamp", "season", "gold"] { try shop.buys(product) }
        shop.wait(.month)
        shop.wait(.year)
        let knowledge = try shop.store.knowledge(of: "phone", of: "anna", at: shop.now)
        let current = knowledge.transactions.filter { knowledge.isCurrent($0, at: shop.now) }
        #expect(current.map(\.productId).sorted() == ["gold", "lamp", "season"])
        #expect(current.last?.transactionId == shop.store.customers["anna"]?.transactions.last)
    }

    @Test func `has a right to the latest of a non-renewing subscription's transactions that is not refunded`() throws {
        var shop = try shop()
        let first = try #require(try shop.buys("season").transactionID)
        let second = try #require(try shop.buys("season").transactionID)
        func current() throws -> [String] {
            let knowledge = try shop.store.knowledge(of: "phone", of: "anna", at: shop.now)
            return knowledge.transactions.filter { knowledge.isCurrent($0, at: shop.now) }.map(\.transactionId)
        }
        #expect(try current() == [second])
        try shop.perform(.approveRefund(customer: "anna", transaction: second))
        #expect(try current() == [first])
    }

    @Test func `without a network knows what it knew, hears nothing and cannot buy`() throws {
        var shop = try shop()
        let first = try #require(try shop.buys("lamp", on: "tablet").transactionID)
        try shop.perform(.goOffline(customer: "anna", device: "phone"))
        let second = try #require(try shop.buys("coins", on: "tablet").transactionID)
        #expect(try shop.known("phone") == [first] && shop.told("phone") == [first])
        try shop.refuses(.purchase(customer: "anna", product: "coins", device: "phone"), .deviceOffline)
        try shop.refuses(.sync(customer: "anna", device: "phone"), .deviceOffline)
        try shop.perform(.goOnline(customer: "anna", device: "phone"))
        #expect(try shop.known("phone") == [first, second] && shop.told("phone") == [first, second])
    }

    @Test func `hears late, out of order, twice and unverified when told to`() throws {
        var shop = try shop()
        try shop.perform(.holdUpdates(customer: "anna", device: "phone"))
        let first = try #require(try shop.buys("coins", on: "tablet").transactionID)
        let second = try #require(try shop.buys("lamp", on: "tablet").transactionID)
        #expect(try shop.told().isEmpty)
        try shop.perform(.releaseUpdates(customer: "anna", device: "phone", reversed: true))
        #expect(try shop.told() == [second, first])
        try shop.perform(.repeatUpdate(customer: "anna", device: "phone", transaction: first))
        try shop.perform(.breakVerification(customer: "anna", device: "phone", transaction: second))
        #expect(try shop.told() == [second, first, first, "!" + second])
        #expect(try shop.told("tablet").isEmpty)
        try shop.perform(.sync(customer: "anna", device: "phone"))
        try shop.perform(.repeatUpdate(customer: "anna", device: "phone", transaction: second))
        #expect(try shop.told().last == second)
    }

    @Test(arguments: [
        StoreCommand.sync(customer: "anna", device: "phone"), .installApp(customer: "anna", device: "phone"),
    ])
    func `misses renewals until it syncs or the app is installed anew`(_ repair: StoreCommand) throws {
        var shop = try shop()
        let first = try #require(try shop.buys("gold").transactionID)
        try shop.perform(.hideRenewals(customer: "anna", device: "phone"))
        shop.wait(.month)
        #expect(try shop.known("phone") == [first])
        #expect(try shop.known("tablet").count == 2)
        #expect(try !shop.told("phone").contains { $0 != nil })
        let knowledge = try shop.store.knowledge(of: "phone", of: "anna", at: shop.now)
        #expect(
            knowledge.statuses.isEmpty && !knowledge.transactions.contains { knowledge.isCurrent($0, at: shop.now) })
        try shop.perform(repair)
        #expect(try shop.known("phone").count == 2)
    }

    @Test func `shows the period that runs while a renewal that is paid ahead does not show`() throws {
        var shop = Shop { $0.renewalLead = 86_400 }
        let first = try #require(try shop.buys("gold").transactionID)
        try shop.perform(.hideRenewals(customer: "anna", device: "phone"))
        shop.waitForNext()
        try #require(shop.store.subscriptions[first]?.current != first)
        let knowledge = try shop.store.knowledge(of: "phone", of: "anna", at: shop.now)
        let current = knowledge.transactions.filter { knowledge.isCurrent($0, at: shop.now) }
        #expect(current.map(\.transactionId) == [first])
        #expect(knowledge.statuses.map(\.transaction.transactionId) == [first])
        #expect(knowledge.statuses.map(\.status) == [.active])
    }

    @Test func `finishes for all devices`() throws {
        var shop = try shop()
        let id = try #require(try shop.buys("coins").transactionID)
        try shop.perform(.finish(customer: "anna", transaction: id, device: "tablet"))
        #expect(shop.store.transactions[id]?.isFinished == true)
    }

    @Test func `is refused without a trace where its name or its system is none`() throws {
        var shop = try shop()
        for name in ["", "a b", String(repeating: "x", count: 65), "\u{0}"] {
            try shop.refuses(.goOffline(customer: "anna", device: name), .invalidArgument)
            try shop.refuses(.goOffline(customer: "new", device: name), .invalidArgument)
            try shop.refuses(.purchase(customer: "anna", product: "coins", device: name), .invalidArgument)
            try shop.refuses(.purchase(customer: "new", product: "coins", device: name), .invalidArgument)
        }
        try shop.refuses(.installApp(customer: "anna", device: "phone", system: 14), .invalidArgument)
        try shop.refuses(.goOffline(customer: "", device: "phone"), .invalidArgument)
        try shop.refuses(.repeatUpdate(customer: "anna", device: "phone"), .unknownTransaction)
        for number in 3...100 { try shop.perform(.installApp(customer: "anna", device: "\(number)")) }
        try shop.refuses(.installApp(customer: "anna", device: "101"), .limitReached)
    }
}

@Suite struct `A purchase on a simulated device` {
    @Test(arguments: [PlannedPurchaseResult.cancelled, .failed])
    func `comes to what was planned, once`(_ result: PlannedPurchaseResult) throws {
        var shop = Shop()
        try shop.perform(.planPurchase(customer: "anna", device: "phone", result: result, message: "networkError"))
        let outcome = try shop.buys("coins")
        #expect(outcome.result?.rawValue == result.rawValue && outcome.transactionID == nil)
        #expect(outcome.message == (result == .failed ? "networkError" : nil))
        #expect(try shop.buys("coins").result == .success)
    }

    @Test func `waits for whoever has to agree, and comes as an update`() throws {
        var shop = Shop()
        try shop.perform(.askToBuy(customer: "anna"))
        #expect(try shop.buys("gold").result == .pending)
        #expect(try shop.buys("coins").result == .pending)
        #expect(try shop.known().isEmpty)
        #expect(try shop.perform(.declinePurchase(customer: "anna", product: "coins")).result == .cancelled)
        try shop.refuses(.approvePurchase(customer: "anna", product: "coins"), .impossibleTransition)
        shop.wait(days: 2)
        let id = try #require(try shop.perform(.approvePurchase(customer: "anna")).transactionID)
        #expect(try shop.told() == [id, nil])
        try shop.refuses(.approvePurchase(customer: "anna"), .impossibleTransition)
        try shop.perform(.stopAskingToBuy(customer: "anna"))
        #expect(try shop.buys("coins").result == .success)
    }

    @Test func `names the account of the day on which somebody asked`() throws {
        var shop = Shop()
        let (asked, later) = (UUID(), UUID())
        try shop.perform(.askToBuy(customer: "anna"))
        try shop.perform(
            .purchase(customer: "anna", product: "coins", appAccountToken: AppAccountToken(asked), device: "phone"))
        try shop.perform(.stopAskingToBuy(customer: "anna"))
        try shop.perform(
            .purchase(customer: "anna", product: "lamp", appAccountToken: AppAccountToken(later), device: "phone"))
        let outcome = try shop.perform(.approvePurchase(customer: "anna"))
        #expect(outcome.appAccountToken == asked.uuidString.lowercased())
        #expect(shop.store.customers["anna"]?.accountToken == later)
    }

    @Test func `is interrupted once, and goes on when its customer has done what it waits for`() throws {
        var shop = Shop()
        try shop.perform(.planPurchase(customer: "anna", device: "phone", result: .interrupted))
        #expect(try shop.buys("coins").result == .pending)
        #expect(try shop.buys("lamp").result == .success)
        let id = try #require(try shop.perform(.approvePurchase(customer: "anna")).transactionID)
        #expect(try shop.told() == [id])
    }

    @Test func `that the payment declines later goes on waiting`() throws {
        var shop = Shop()
        try shop.perform(.askToBuy(customer: "anna"))
        try shop.buys("coins")
        try shop.perform(.failBilling(customer: "anna"))
        try shop.refuses(.approvePurchase(customer: "anna"), .paymentDeclined)
        #expect(shop.store.customers["anna"]?.pendingPurchases.count == 1)
    }
}

@Suite struct `Any devices` {
    private func live(_ seed: UInt64, _ body: (inout Shop, StoreCommand) throws -> Void = { _, _ in }) throws -> Shop {
        var shop = Shop(seed: seed)
        var random = RandomCommands(random: SeededGenerator(seed: seed))
        for _ in 0..<250 {
            shop.now = (shop.now + random.pause()).wholeMilliseconds
            shop.store.run(until: shop.now)
            let command = random.nextWithDevices(shop.store)
            try body(&shop, command)
            _ = try? shop.perform(command)
        }
        return shop
    }

    @Test(arguments: 0..<6 as Range<UInt64>)
    func `are the same for the same seed, and a refused command changes nothing`(_ seed: UInt64) throws {
        var refused = 0
        let shop = try live(seed) { shop, command throws in
            var copy = shop.store
            guard (try? copy.perform(command, at: shop.now)) == nil else { return }
            refused += 1
            #expect(try copy.bytes == shop.store.bytes, "\(command)")
        }
        #expect(refused > 20)
        #expect(try shop.store.bytes == live(seed).store.bytes)
        let devices = shop.store.customers.values.flatMap { $0.devices.values }
        #expect(devices.contains { !$0.updates.isEmpty })
    }

    @Test(arguments: 10..<16 as Range<UInt64>)
    func `that have a network and synced know all that their customer has`(_ seed: UInt64) throws {
        var shop = try live(seed)
        var count = 0
        for customer in shop.store.customers.values.sorted(by: { $0.id < $1.id }) {
            for name in customer.devices.keys.sorted() {
                try shop.perform(.goOnline(customer: customer.id, device: name))
                try shop.perform(.sync(customer: customer.id, device: name))
                let known = try shop.store.knowledge(of: name, of: customer.id, at: shop.now)
                #expect(known.transactions.map(\.transactionId) == shop.store.customers[customer.id]?.transactions)
                for transaction in known.transactions {
                    var stored = try shop.store.transaction(transaction.transactionId).payload
                    stored.signedDate = transaction.signedDate
                    #expect(stored == transaction)
                    count += 1
                }
            }
        }
        #expect(count > 0)
    }
}
