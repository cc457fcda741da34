import AppStoreModels
import AppStoreServer
import CounterfoilServer
import Foundation
import StoreSimulator
import Synchronization
import TestSupport
import Testing

@testable import Ledger
@testable import LedgerServices

@Suite(.timeLimit(.minutes(10))) struct `The server's clock` {
    /// Returns a clock that jumps at each reading from the third on. If a busy machine delays a reading by as much, this
    /// jump is none.
    private func clock(jumpingBy seconds: TimeInterval) -> ServerClock {
        let readings = ReadingCounter()
        return .showing { World.start + TimeInterval(max(readings.next() - 2, 0)) * seconds }
    }

    @Test(arguments: [8 * 86_400, 30, -30] as [TimeInterval]) func `A jump of the clock ends a wait`(
        _ seconds: TimeInterval
    ) async throws {
        #expect(try await clock(jumpingBy: seconds).wait(for: .seconds(3600)))
    }

    @Test func `A wait ends although the clock stands still`() async throws {
        #expect(try await !ServerClock.showing { World.start }.wait(for: .milliseconds(10)))
    }

    @Test func `A pause ends when the clock has advanced by its duration, or goes back`() {
        let shown = TestClock(World.start)
        let clock = ServerClock.showing { shown.now }
        let pause = clock.pause(of: .seconds(600))
        #expect(!clock.isOver(pause))
        shown.advance(by: 599)
        #expect(!clock.isOver(pause))
        shown.advance(by: 1)
        #expect(clock.isOver(pause))
        shown.advance(by: -601)
        #expect(clock.isOver(pause))
        #expect(clock.isOver(clock.pause(of: .zero)))
    }

    @Test func `Recovery reads again at once after the clock jumped during a reading`() async throws {
        try await Self.withRecovery { world, proxy in
            let simulator = world.simulator
            let hasJumped = Flag()
            proxy.setAnswer { path in
                guard path.contains("notifications/history"), hasJumped.set() else { return nil }
                try await simulator.advance(by: 8 * 86_400)
                return nil
            }
            try await simulator.advance(by: 1200)
            try await waitUntil("the clock has jumped") { hasJumped.isSet }
        }
    }

    /// Only the recovery that was planned while the clock was behind was finished. Until the next regular reading, the
    /// server reported that notifications of the last hours might be missing.
    @Test func `Recovery reads up to the present after a failure while the clock was behind`() async throws {
        try await Self.withRecovery { world, proxy in
            let scope = try world.appEnvironment().id
            // The App Store refuses tokens of a machine whose clock is wrong.
            proxy.setAnswer { path in
                guard path.contains("notifications/history") else { return nil }
                return (status: 401, body: "{}")
            }
            world.clockLead.withLock { $0 = -6 * 3600 }
            try await waitUntil("recovery fails") { try world.server.core.recovery.failures(in: scope) != nil }
            world.clockLead.withLock { $0 = 0 }
            proxy.setAnswer { _ in nil }
            // Ends the pause after a failure. The next regular reading is due after fifteen minutes.
            try await world.simulator.advance(by: 60)
        }
    }

    /// Runs a test with a server that recovers by itself, through a proxy. Before and after it, the server has read the
    /// whole history.
    private static func withRecovery(_ body: (World, AppStoreProxy) async throws -> Void) async throws {
        try await AppStoreProxy.run { proxy in
            try await World.run(server: { configuration in
                configuration.recovery.isEnabled = true
                proxy.redirectRequests(in: &configuration)
            }) { world in
                try await waitUntil("recovery is complete") { try await isComplete(world) }
                try await body(world, proxy)
                try await waitUntil("recovery is complete again") { try await isComplete(world) }
                #expect(try await world.completeness().state == .complete)
            }
        }
    }

    private static func isComplete(_ world: World) async throws -> Bool {
        let mark = try await world.completeness().mark
        return mark?.until == world.simulator.now.milliseconds - RecoveryPlan.historyDelay
    }

    @Test func `A clock that was ahead causes no gap, and the completeness mark covers only proven dates`() async throws
    {
        try await World.run { world in
            let simulator = world.simulator
            try await simulator.perform(.purchase(customer: "anna", product: "com.example.premium.monthly"))
            let signed = simulator.core.read(.production) { store, _ in
                store.notifications.map(\.signedDate.milliseconds).max()
            }
            try await simulator.advance(by: 60)
            world.clockLead.withLock { $0 = 6 * 3600 }
            try await world.server.core.recovery.runNow()
            world.clockLead.withLock { $0 = 0 }
            // The mark ends at the last signing date of the App Store.
            #expect(try await world.completeness().mark?.until == signed)
            try simulator.add(Fault("notification:*", .drop))
            try await simulator.advance(by: 1800)
            try await simulator.perform(.purchase(customer: "bert", product: "com.example.premium.monthly"))
            try await simulator.advance(by: 7 * 3600)
            try await world.server.core.recovery.runNow()
            #expect(try await world.storedNotifications() == world.signedNotifications())
            #expect(try await world.completeness().mark?.until == simulator.now.milliseconds - 60_000)
        }
    }

    @Test func `A reading that was planned while the clock was ahead does not delay the next one`() async throws {
        try await World.run { world in
            let simulator = world.simulator
            try await world.server.core.recovery.runNow()
            world.clockLead.withLock { $0 = 400 * 86_400 }
            let error = await #expect(throws: AppStoreServerError.self) {
                try await world.server.core.recovery.runNow()
            }
            // The history begins in the App Store's future.
            #expect(error?.apiCode == .startDateAfterEndDate)
            world.clockLead.withLock { $0 = 0 }
            try simulator.add(Fault("notification:*", .drop))
            try await simulator.perform(.purchase(customer: "anna", product: "com.example.premium.monthly"))
            try await simulator.advance(by: 600)
            try await world.server.core.recovery.runNow()
            #expect(try await world.storedNotifications() == world.signedNotifications())
            #expect(try await world.completeness().state == .complete)
        }
    }

    /// The mark moved back with the clock. The next reading found a gap that the history did not have.
    @Test func `A clock that was behind by more than the history causes no gap`() async throws {
        try await World.run { world in
            try await world.server.core.recovery.runNow()
            let known = try #require(try await world.completeness().mark)
            world.clockLead.withLock { $0 = -400 * 86_400 }
            try await world.server.core.recovery.runNow()
            world.clockLead.withLock { $0 = 0 }
            let unchanged = try await world.completeness().mark
            #expect(unchanged?.since == known.since && unchanged?.until == known.until)
            try world.simulator.add(Fault("notification:*", .drop))
            try await world.simulator.perform(.purchase(customer: "anna", product: "com.example.premium.monthly"))
            try await world.simulator.advance(by: 600)
            try await world.server.core.recovery.runNow()
            #expect(try await world.storedNotifications() == world.signedNotifications())
            let completeness = try await world.completeness()
            #expect(completeness.state == .complete && completeness.mark?.since == known.since)
        }
    }

    @Test func `The first recovery succeeds although the server's clock is 20 minutes slow`() async throws {
        try await World.run { world in
            world.clockLead.withLock { $0 = -1200 }
            let limit = world.simulator.now.milliseconds - 1_200_000 - 180 * 86_400_000 + 600_000
            try await world.server.core.recovery.runNow()
            let completeness = try await world.completeness()
            #expect(completeness.state == .complete && completeness.mark?.since == limit + 3_600_000)
        }
    }
}

private final class ReadingCounter: Sendable {
    private let count = Mutex(0)

    func next() -> Int {
        count.withLock { count in
            count += 1
            return count
        }
    }
}

private final class Flag: Sendable {
    private let value = Mutex(false)

    var isSet: Bool { value.withLock { $0 } }

    /// Sets the flag. Returns whether it was not set before.
    func set() -> Bool {
        value.withLock { value in
            defer { value = true }
            return !value
        }
    }
}
