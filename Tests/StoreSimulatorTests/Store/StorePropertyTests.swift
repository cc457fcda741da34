import AppStoreModels
import Foundation
import StoreSimulator
import TestSupport
import Testing

/// Properties of every store after any sequence of commands.
@Suite struct StorePropertyTests {
    private static let commands = 250

    /// Returns a shop after `commands` random commands, and calls `body` after each of them. The seed determines the
    /// environment and the settings.
    ///
    /// - Parameter performed: Called with each command that the store does not refuse.
    @discardableResult
    private func runRandomCommands(
        _ seed: UInt64, commands: Int = commands, triggers: Int = 4,
        _ body: (inout Shop, StoreCommand?) throws -> Void = { _, _ in },
        performed: (StoreCommand) -> Void = { _ in }
    ) async throws -> Shop {
        let rates: [RenewalRate] = [.realTime, .realTime, .monthlyEveryHour, .anyEveryMinute]
        var shop = Shop(seed.isMultiple(of: 2) ? .production : .sandbox, seed: seed) {
            $0.gracePeriod = [.off, .sixteenDays, .threeDays][Int(seed % 3)]
            $0.rate = rates[Int(seed / 2 % 4)]
            $0.gracePeriodAppliesToFreeOffers = seed % 5 > 0
            $0.sendsNotificationOnLateDowngrade = seed % 7 > 0
            // Every rate of both environments, with and without a lead.
            $0.maximumRenewalLeadTime = seed / 8 % 2 == 0 ? 0 : 86_400
        }
        var random = RandomCommands(random: SeededGenerator(seed: seed))
        random.lowersPrices = true
        // Scales the pauses between commands to the renewal rate.
        let speed = shop.store.settings.rate.end(of: .month, from: shop.now).timeIntervalSince(shop.now) / (30 * 86_400)
        for await _ in Yielding(0..<commands) {
            shop.now += random.pause() * speed
            shop.store.run(until: shop.now.wholeMilliseconds)
            shop.now = shop.now.wholeMilliseconds
            guard !random.chance(triggers) else {
                _ = try? shop.store.trigger(random.trigger(), at: shop.now)
                try body(&shop, nil)
                continue
            }
            let command = random.next(shop.store)
            do {
                try shop.perform(command)
                performed(command)
            } catch is StoreError {}
            try body(&shop, command)
        }
        return shop
    }

    @Test(arguments: 0..<60 as Range<UInt64>)
    func `No sequence of random commands leads to an inconsistent store`(_ seed: UInt64) async throws {
        var count = 0
        try await runRandomCommands(seed) { shop, command in
            count += 1
            // Checking the whole store takes longer than a command.
            guard count % 10 == 0 else { return }
            let wrong = invariantViolations(of: shop.store, at: shop.now)
            try #require(
                wrong.isEmpty, "\(wrong.joined(separator: "\n")) after \(count): \(String(describing: command))")
        }
    }

    @Test func `Random commands cause every notification that a command can cause`() async throws {
        // These need another reason, another setting, or Advanced Commerce.
        let others = ["DID_CHANGE_RENEWAL_STATUS", "EXPIRED", "METADATA_UPDATE", "MIGRATION", "PRICE_CHANGE"]
        var missing = Trigger.kinds
        for await seed in Yielding(500..<600 as Range<UInt64>) where missing.count > others.count {
            let notifications = try await runRandomCommands(seed, triggers: 0).store.notifications
            let met: Set<[String?]> = Set(notifications.map { [$0.type.rawValue, $0.subtype?.rawValue] })
            missing.removeAll { met.contains([$0.type.rawValue, $0.subtype?.rawValue]) }
        }
        #expect(missing.map { $0.type.rawValue } == others)
    }

    /// A command that the store always refuses would test nothing.
    @Test func `The store performs each of the less frequent random commands at times`() async throws {
        var refused: Set = [
            "schedulePriceChange", "setAppAccountToken", "answerConsumptionRequest", "assignVolumePurchase",
            "revokeVolumePurchase", "refreshReceipt", "releaseVersion", "duplicate token",
        ]
        for await seed in Yielding(500..<600 as Range<UInt64>) where !refused.isEmpty {
            try await runRandomCommands(seed, triggers: 0, performed: { refused.remove(Self.kind(of: $0)) })
        }
        #expect(refused.isEmpty, "\(refused)")
    }

    /// Returns the name of a command without its parameters.
    private static func kind(of command: StoreCommand) -> String {
        if case .reportExternalPurchaseToken(_, true?) = command { return "duplicate token" }
        return String("\(command)".prefix { $0 != "(" })
    }

    @Test(arguments: 100..<104 as Range<UInt64>)
    func `A refused random command does not change the store`(_ seed: UInt64) async throws {
        var before = try await runRandomCommands(seed, commands: 0).store
        var refused = 0
        try await runRandomCommands(seed, commands: 150) { shop, command throws in
            // Events that were due before the command are not its effect.
            before.run(until: shop.now)
            if let command {
                var copy = before
                if (try? copy.perform(command, at: shop.now)) == nil {
                    refused += 1
                    #expect(try copy.bytes == before.bytes, "\(command)")
                }
            }
            before = shop.store
        }
        #expect(refused > 20)
    }

    @Test(arguments: 200..<204 as Range<UInt64>)
    func `The same commands produce the same store, byte for byte`(_ seed: UInt64) async throws {
        let (one, other) = (try await runRandomCommands(seed), try await runRandomCommands(seed))
        #expect(try one.store.bytes == other.store.bytes)
    }

    @Test(arguments: 300..<304 as Range<UInt64>)
    func `A store that was encoded and decoded continues in the same way`(_ seed: UInt64) async throws {
        var count = 0
        let interrupted = try await runRandomCommands(seed) { shop, _ in
            count += 1
            guard count % 50 == 0 else { return }
            shop.store = try JSONDecoder().decode(Store.self, from: shop.store.bytes)
        }
        let uninterrupted = try await runRandomCommands(seed)
        #expect(try interrupted.store.bytes == uninterrupted.store.bytes)
    }

    @Test func `The store stays consistent without notifications for family members`() async throws {
        var shares = 0
        for await seed in Yielding(400..<404 as Range<UInt64>) {
            var count = 0
            let shop = try await runRandomCommands(seed) { shop, command in
                shop.store.settings.sendsNotificationsForFamilyMembers = false
                count += 1
                guard count % 10 == 0 else { return }
                let wrong = invariantViolations(of: shop.store, at: shop.now)
                try #require(
                    wrong.isEmpty, "\(wrong.joined(separator: "\n")) after \(count): \(String(describing: command))")
                #expect(shop.store.states(at: shop.now).count == shop.store.customers.count)
            }
            shares += shop.store.subscriptions.values.count { $0.ownership != .purchased }
        }
        #expect(shares > 0)
    }
}

/// Limits of prices, quantities and dates.
@Suite struct StoreLimitTests {
    @Test func `A total price that overflows and a date out of range are refused`() throws {
        var catalogue = Catalogue.shop
        catalogue.products[try #require(catalogue.products.firstIndex { $0.id == "coins" })].price = .max / 2
        var shop = Shop(catalogue: catalogue)
        try shop.expectRefusal(.purchase(customer: "anna", product: "coins", quantity: 3), .invalidArgument)
        try shop.perform(.purchase(customer: "anna", product: "coins", quantity: 2))
        for date in [Date.distantPast - 1e9, .distantFuture + 1e12, Date(timeIntervalSince1970: .nan)] {
            let error = #expect(throws: StoreError.self) {
                try shop.store.perform(.createCustomer(customer: "ben"), at: date)
            }
            #expect(error?.code == .invalidArgument)
        }
    }

    @Test func `A store rounds dates to whole milliseconds`() throws {
        var shop = Shop()
        shop.now += 0.000_44
        let id = try shop.buy("plus")
        #expect(try shop.transaction(id).purchaseDate == Shop.start)
        for number in 0..<5000 {
            let date = Shop.start + Double(number) * 7919.123
            #expect(date.wholeMilliseconds == date.wholeMilliseconds.wholeMilliseconds)
        }
    }
}
