import AppStoreModels
import CounterfoilServer
import Foundation
import StoreSimulator
import Testing

@Suite struct `Whatever goes wrong on the way` {
    @Test(arguments: [1, 2, 3] as [UInt64]) func `recovery ends with what the store has sent`(
        _ seed: UInt64
    ) async throws {
        try await World.run(simulator: { $0.seed = seed }) { world in
            var random = Dice(state: seed)
            let simulator = world.simulator
            try addFaults(to: simulator)
            for _ in 0..<80 {
                try await step(world, &random)
            }
            try simulator.removeFault()
            // The client tries again by itself.
            try simulator.add(Fault("route:notification-history", .status(code: 500), count: 1))
            if try await world.isStopped { try await world.startServer() }
            try await world.server.core.recovery.runNow()
            #expect(world.sent().count > 20)
            #expect(try await world.kept() == world.sent())
            #expect(try await world.completeness().state == .complete)
        }
    }

    private func addFaults(to simulator: Simulator) throws {
        try simulator.add(Fault("notification:*", .drop, probability: 0.2))
        try simulator.add(Fault("notification:*", .duplicate, probability: 0.2))
        try simulator.add(Fault("notification:*", .reorder, probability: 0.2))
        try simulator.add(Fault("notification:*", .unreachable, probability: 0.1))
        try simulator.add(Fault("notification:*", .delay(seconds: 0.001), probability: 0.1))
    }

    private func step(_ world: World, _ random: inout Dice) async throws {
        let customer = "customer-\(random.roll(12))"
        let product = ["com.example.premium.monthly", "com.example.premium.yearly"][random.roll(2)]
        let commands: [StoreCommand] = [
            .purchase(customer: customer, product: product), .purchase(customer: customer, product: product),
            .cancel(customer: customer), .resume(customer: customer), .failBilling(customer: customer),
            .fixBilling(customer: customer), .approveRefund(customer: customer),
        ]
        // Much of it makes no sense for who has nothing: then nothing happens.
        do { try await world.simulator.perform(commands[random.roll(commands.count)]) } catch is StoreError {}
        switch random.roll(10) {
        case 0: if try await !world.isStopped { try await world.stopServer() }
        case 1, 2: if try await world.isStopped { try await world.startServer() }
        case 3: if try await !world.isStopped { try await world.server.core.recovery.runNow() }
        case 4...7: try await world.simulator.advance(by: TimeInterval(random.roll(4) * 86_400 + 60))
        default: break
        }
    }
}

private struct Dice {
    var state: UInt64

    /// A number from 0 to below `sides`.
    mutating func roll(_ sides: Int) -> Int {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int((state >> 33) % UInt64(sides))
    }
}

extension World {
    fileprivate var isStopped: Bool {
        get async throws {
            do { _ = try server } catch { return true }
            return false
        }
    }
}
