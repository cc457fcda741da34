import AppStoreModels
import Foundation
import StoreSimulator
import TestSupport
import Testing

@Suite struct `Random device commands` {
    private func runRandomCommands(_ seed: UInt64, _ body: (inout Shop, StoreCommand) throws -> Void = { _, _ in })
        async throws -> Shop
    {
        var shop = Shop(seed: seed)
        var random = RandomCommands(random: SeededGenerator(seed: seed))
        for await _ in Yielding(0..<250) {
            shop.now = (shop.now + random.pause()).wholeMilliseconds
            shop.store.run(until: shop.now)
            let command = random.nextWithDevices(shop.store)
            try body(&shop, command)
            _ = try? shop.perform(command)
        }
        return shop
    }

    @Test(arguments: 0..<6 as Range<UInt64>)
    func `Devices are the same for the same seed, and a refused command changes nothing`(_ seed: UInt64) async throws {
        var refused = 0
        let shop = try await runRandomCommands(seed) { shop, command throws in
            var copy = shop.store
            guard (try? copy.perform(command, at: shop.now)) == nil else { return }
            refused += 1
            #expect(try copy.bytes == shop.store.bytes, "\(command)")
        }
        #expect(refused > 20)
        let other = try await runRandomCommands(seed)
        #expect(try shop.store.bytes == other.store.bytes)
        let devices = shop.store.customers.values.flatMap { $0.devices.values }
        #expect(devices.contains { !$0.updates.isEmpty })
    }

    @Test(arguments: 10..<16 as Range<UInt64>)
    func `A device that is online and synced knows all transactions of its customer`(_ seed: UInt64) async throws {
        var shop = try await runRandomCommands(seed)
        var count = 0
        for customer in shop.store.customers.values.sorted(by: { $0.id < $1.id }) {
            for name in customer.devices.keys.sorted() {
                try shop.perform(.goOnline(customer: customer.id, device: name))
                try shop.perform(.sync(customer: customer.id, device: name))
                let known = try shop.store.view(of: name, of: customer.id, at: shop.now)
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
