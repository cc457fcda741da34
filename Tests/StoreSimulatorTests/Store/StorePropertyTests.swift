import AppStoreModels
import Foundation
import StoreSimulator
import TestSupport
import Testing

/// What is true of every store, whatever was done to it.
@Suite struct StorePropertyTests {
    private static let commands = 250

    /// A store of either kind, differently fast, after `commands` random commands. `body` sees it after each of them.
    @discardableResult
    private func live(
        _ seed: UInt64, commands: Int = commands, triggers: Int = 4,
        _ body: (inout Shop, StoreCommand?) throws -> Void = { _, _ in }
    ) throws -> Shop {
        let rates: [RenewalRate] = [.realTime, .realTime, .monthlyEveryHour, .anyEveryMinute]
        var shop = Shop(seed.isMultiple(of: 2) ? .production : .sandbox, seed: seed) {
            $0.gracePeriod = [.off, .sixteenDays, .threeDays][Int(seed % 3)]
            $0.rate = rates[Int(seed / 2 % 4)]
            $0.graceCoversFreeOffers = seed % 5 > 0
            $0.announcesLateDowngrades = seed % 7 > 0
            // Every rate of both environments, with and without.
            $0.renewalLead = seed / 8 % 2 == 0 ? 0 : 86_400
        }
        var random = RandomCommands(random: SeededGenerator(seed: seed))
        // A period's worth of time between commands at any rate.
        let speed = shop.store.settings.rate.end(of: .month, from: shop.now).timeIntervalSince(shop.now) / (30 * 86_400)
        for _ in 0..<commands {
            shop.now += random.pause() * speed
            shop.store.run(until: shop.now.wholeMilliseconds)
            shop.now = shop.now.wholeMilliseconds
            guard !random.chance(triggers) else {
                _ = try? shop.store.trigger(random.trigger(), at: shop.now)
                try body(&shop, nil)
                continue
            }
            let command = random.next(shop.store)
            _ = try? shop.perform(command)
            try body(&shop, command)
        }
        return shop
    }

    @Test(arguments: 0..<60 as Range<UInt64>)
    func `No sequence of commands leads to a state that cannot be`(_ seed: UInt64) throws {
        var count = 0
        try live(seed) { shop, command in
            count += 1
            // Looking at everything takes longer than doing something.
            guard count % 10 == 0 else { return }
            let wrong = unsoundness(of: shop.store, at: shop.now)
            try #require(
                wrong.isEmpty, "\(wrong.joined(separator: "\n")) after \(count): \(String(describing: command))")
        }
    }

    @Test func `Random commands meet every notification that a command can cause`() throws {
        var met: Set<[String?]> = []
        for seed in 500..<600 as Range<UInt64> {
            for record in try live(seed, triggers: 0).store.notifications {
                met.insert([record.type.rawValue, record.subtype?.rawValue])
            }
        }
        let missing = Trigger.pairs.filter { !met.contains([$0.type.rawValue, $0.subtype?.rawValue]) }
        // Another reason, a switch of the settings, Advanced Commerce.
        let names = missing.map { $0.type.rawValue }
        #expect(names == ["DID_CHANGE_RENEWAL_STATUS", "EXPIRED", "METADATA_UPDATE", "MIGRATION", "PRICE_CHANGE"])
    }

    @Test(arguments: 100..<104 as Range<UInt64>)
    func `A refused command changes nothing`(_ seed: UInt64) throws {
        var before = try live(seed, commands: 0).store
        var refused = 0
        try live(seed, commands: 150) { shop, command throws in
            // What time brought before the command is no part of it.
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
    func `The same commands give the same store, byte for byte`(_ seed: UInt64) throws {
        #expect(try live(seed).store.bytes == live(seed).store.bytes)
    }

    @Test(arguments: 300..<304 as Range<UInt64>)
    func `A store that was written and read goes on as if nothing had been`(_ seed: UInt64) throws {
        var count = 0
        let interrupted = try live(seed) { shop, _ in
            count += 1
            guard count % 50 == 0 else { return }
            shop.store = try JSONDecoder().decode(Store.self, from: shop.store.bytes)
        }
        #expect(try interrupted.store.bytes == live(seed).store.bytes)
    }

    @Test func `Where members are told nothing, what they have is right all the same`() throws {
        for seed in 400..<404 as Range<UInt64> {
            try live(seed) { shop, _ in
                shop.store.settings.notifiesFamilyMembers = false
                let states = shop.store.states(at: shop.now)
                #expect(states.count == shop.store.customers.count)
            }
        }
    }
}

/// What commands cannot break.
@Suite struct StoreLimitTests {
    @Test func `Prices and quantities do not overflow, and instants have limits`() throws {
        var catalogue = Catalogue.shop
        catalogue.products[try #require(catalogue.products.firstIndex { $0.id == "coins" })].price = .max / 2
        var shop = Shop(catalogue: catalogue)
        try shop.refuses(.purchase(customer: "anna", product: "coins", quantity: 3), .invalidArgument)
        try shop.perform(.purchase(customer: "anna", product: "coins", quantity: 2))
        for date in [Date.distantPast - 1e9, .distantFuture + 1e12, Date(timeIntervalSince1970: .nan)] {
            #expect(throws: StoreError.self) { try shop.store.perform(.createCustomer(customer: "ben"), at: date) }
        }
    }

    @Test func `A store takes up no more instants than payloads can say`() throws {
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
