import AppStoreModels
import AppStoreServer
import CounterfoilServer
import Foundation
import StoreSimulator
import Synchronization
import Testing

@testable import Ledger
@testable import LedgerServices

@Suite struct `Recovery with random failures` {
    @Test(arguments: [1, 2, 3] as [UInt64])
    func `After random faults, the server has stored every notification that was sent`(
        _ seed: UInt64
    ) async throws {
        try await AppStoreProxy.run { proxy in
            try await World.run(simulator: { $0.seed = seed }, server: { proxy.redirectRequests(in: &$0) }) { world in
                var random = Dice(state: seed)
                let simulator = world.simulator
                try addFaults(to: simulator)
                // The history of some transactions always fails.
                proxy.setAnswer { path in
                    let digit = path.split(separator: "?").first?.last
                    return digit == "1" || digit == "5" ? (200, "not JSON") : nil
                }
                for _ in 0..<80 {
                    try await step(world, &random)
                }
                world.clockLead.withLock { $0 = 0 }
                if try await world.isStopped { try await world.startServer() }
                try await recover(world)
                try simulator.removeFault()
                // The client retries this by itself.
                try simulator.add(Fault("route:notification-history", .status(code: 500), count: 1))
                try await recover(world)
                #expect(world.signedNotifications().count > 20)
                #expect(try await world.storedNotifications() == world.signedNotifications())
                let completeness = try await world.completeness()
                #expect(completeness.missing.unverifiedSpans == 0)
                #expect(completeness.mark?.until == simulator.now.milliseconds - RecoveryPlan.historyDelay)
            }
        }
    }

    /// Runs recovery. Expects the server to have stored every notification that the completeness mark covers.
    private func recover(_ world: World) async throws {
        // If the clock is far ahead, the App Store refuses a request for future dates.
        do { try await world.server.core.recovery.runNow() } catch is AppStoreServerError { return }
        guard world.clockLead.withLock({ $0 }) == 0, let mark = try await world.completeness().mark else { return }
        let missing = world.signedNotifications(from: mark.since, until: mark.until).subtracting(
            try await world.storedNotifications())
        #expect(missing.isEmpty, "the mark covers missing notifications from \(mark.since) to \(mark.until)")
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
        // Many commands are not possible for a customer without purchases. The simulator refuses them.
        do { try await world.simulator.perform(commands[random.roll(commands.count)]) } catch is StoreError {}
        switch random.roll(10) {
        case 0: if try await !world.isStopped { try await world.stopServer() }
        case 1, 2: if try await world.isStopped { try await world.startServer() }
        case 3: if try await !world.isStopped { try await recover(world) }
        case 8:
            // Set the machine's clock ahead, or correct it.
            let ahead = [0, 0, 1800, 2 * 86_400][random.roll(4)]
            world.clockLead.withLock { $0 = TimeInterval(ahead) }
        case 4...7: try await world.simulator.advance(by: TimeInterval(random.roll(4) * 86_400 + 60))
        default: break
        }
    }
}

private struct Dice {
    var state: UInt64

    /// Returns a number from 0 up to, and not including, `sides`.
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
