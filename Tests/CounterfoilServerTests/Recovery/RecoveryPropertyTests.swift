@testable import LedgerServices
import AppStoreModels
import AppStoreServer
import CounterfoilServer
import Foundation
import StoreSimulator
import Synchronization
import Testing

@testable import Ledger

@Suite struct `Whatever goes wrong on the way` {
    @Test(arguments: [1, 2, 3] as [UInt64]) func `recovery ends with what the store has sent`(
        _ seed: UInt64
    ) async throws {
        try await Front.run { front in
            try await World.run(simulator: { $0.seed = seed }, server: { front.stand(before: &$0) }) { world in
                var random = Dice(state: seed)
                let simulator = world.simulator
                try addFaults(to: simulator)
                // Some transactions are never told about.
                front.change { path in
                    let digit = path.split(separator: "?").first?.last
                    return digit == "1" || digit == "5" ? (200, "not JSON") : nil
                }
                for _ in 0..<80 {
                    try await step(world, &random)
                }
                world.clockIsAhead.withLock { $0 = 0 }
                if try await world.isStopped { try await world.startServer() }
                try await recover(world)
                try simulator.removeFault()
                // The client tries again by itself.
                try simulator.add(Fault("route:notification-history", .status(code: 500), count: 1))
                try await recover(world)
                #expect(world.sent().count > 20)
                #expect(try await world.kept() == world.sent())
                let completeness = try await world.completeness()
                #expect(completeness.missing.unverifiedSpans == 0)
                #expect(completeness.mark?.until == simulator.now.milliseconds - RecoveryPlan.settling)
            }
        }
    }

    /// Recovers, and then looks whether the mark claims what is not there.
    private func recover(_ world: World) async throws {
        // Far ahead of the App Store's clock, and the App Store refuses to tell the future.
        do { try await world.server.core.recovery.runNow() } catch is AppStoreServerError { return }
        guard world.clockIsAhead.withLock({ $0 }) == 0, let mark = try await world.completeness().mark else { return }
        let missing = world.sent(from: mark.since, until: mark.until).subtracting(try await world.kept())
        #expect(missing.isEmpty, "the mark claims \(mark.since) to \(mark.until)")
    }

    private func addFaults(to simulator: Simulator) throws {
        try simulator.add(Fault("notification:*", .drop, probability: 0.2))
        try simulator.add(Fault("notification:*", .duplicate, probability: 0.2))
        try simulator.add(Fault("notification:*", .reorder, probability: 0.2))
        try simulator.add(Fault("notification:*", .unreachable, probability: 0.1))
        try simulator.add(Fault("notification:*", .delay(seconds: 0.001), probability: 0.1))
        try simulator.add(Fault("route:notification-history", .wrongChain, probability: 0.3))
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
        case 3: if try await !world.isStopped { try await recover(world) }
        case 8:
            // The machine's clock is wrong, or is put right.
            let ahead = [0, 0, 1800, 2 * 86_400][random.roll(4)]
            world.clockIsAhead.withLock { $0 = TimeInterval(ahead) }
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
