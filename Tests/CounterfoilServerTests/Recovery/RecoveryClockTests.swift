@testable import LedgerServices
import AppStoreModels
import CounterfoilServer
import Foundation
import StoreSimulator
import Synchronization
import Testing

@testable import Ledger

@Suite(.timeLimit(.minutes(10))) struct `The server's clock` {
    /// Shows one time, and another from the third look on.
    private func clock(jumpingBy seconds: TimeInterval) -> ServerClock {
        let looks = LookCounter()
        return .showing { looks.next() < 3 ? World.start : World.start + seconds }
    }

    @Test(arguments: [8 * 86_400, 30, -30] as [TimeInterval]) func `wakes who waits when it jumps`(
        _ seconds: TimeInterval
    ) async throws {
        #expect(try await clock(jumpingBy: seconds).wait(for: .seconds(3600)))
    }

    @Test func `keeps nobody waiting by standing still`() async throws {
        #expect(try await !ServerClock.showing { World.start }.wait(for: .milliseconds(10)))
    }

    @Test func `ends a pause when it has shown that much, or goes back`() {
        let shown = Shown()
        let clock = ServerClock.showing { shown.time.withLock { $0 } }
        let pause = clock.pause(of: .seconds(600))
        #expect(!clock.isOver(pause))
        shown.time.withLock { $0 = World.start + 599 }
        #expect(!clock.isOver(pause))
        shown.time.withLock { $0 = World.start + 600 }
        #expect(clock.isOver(pause))
        shown.time.withLock { $0 = World.start - 1 }
        #expect(clock.isOver(pause))
        #expect(clock.isOver(clock.pause(of: .zero)))
    }

    @Test func `jumps while the history is read: it is read again at once`() async throws {
        try await Front.run { front in
            try await World.run(server: { configuration in
                configuration.recovery.isEnabled = true
                front.stand(before: &configuration)
            }) { world in
                let simulator = world.simulator
                let isComplete: () async throws -> Bool = {
                    let mark = try await world.completeness().mark
                    return mark?.until == simulator.now.milliseconds - RecoveryPlan.settling
                }
                while try await !isComplete() { await Task.yield() }
                let hasJumped = Flag()
                front.change { path in
                    guard path.contains("notifications/history"), hasJumped.set() else { return nil }
                    try await simulator.advance(by: 8 * 86_400)
                    return nil
                }
                try await simulator.advance(by: 1200)
                let end = ContinuousClock.now + .seconds(30)
                while !hasJumped.isSet, ContinuousClock.now < end { await Task.yield() }
                while try await !isComplete(), ContinuousClock.now < end { await Task.yield() }
                #expect(try await isComplete())
                #expect(try await world.completeness().state == .complete)
            }
        }
    }

    @Test func `was ahead and is put right: nothing is missed, and the mark claims nothing`() async throws {
        try await World.run { world in
            let simulator = world.simulator
            try await simulator.perform(.purchase(customer: "anna", product: "com.example.premium.monthly"))
            let signed = simulator.core.read(.production) { store, _ in
                store.notifications.map(\.signedDate.milliseconds).max()
            }
            try await simulator.advance(by: 60)
            world.clockIsAhead.withLock { $0 = 6 * 3600 }
            try await world.server.core.recovery.runNow()
            world.clockIsAhead.withLock { $0 = 0 }
            // Only what the App Store's own dates prove.
            #expect(try await world.completeness().mark?.until == signed)
            try simulator.add(Fault("notification:*", .drop))
            try await simulator.advance(by: 1800)
            try await simulator.perform(.purchase(customer: "bert", product: "com.example.premium.monthly"))
            try await simulator.advance(by: 7 * 3600)
            try await world.server.core.recovery.runNow()
            #expect(try await world.kept() == world.sent())
            #expect(try await world.completeness().mark?.until == simulator.now.milliseconds - 60_000)
        }
    }

    @Test func `was ahead when a reading was planned: that one does not hold up the next`() async throws {
        try await World.run { world in
            let simulator = world.simulator
            try await world.server.core.recovery.runNow()
            world.clockIsAhead.withLock { $0 = 400 * 86_400 }
            await #expect(throws: (any Error).self) { try await world.server.core.recovery.runNow() }
            world.clockIsAhead.withLock { $0 = 0 }
            try simulator.add(Fault("notification:*", .drop))
            try await simulator.perform(.purchase(customer: "anna", product: "com.example.premium.monthly"))
            try await simulator.advance(by: 600)
            try await world.server.core.recovery.runNow()
            #expect(try await world.kept() == world.sent())
            #expect(try await world.completeness().state == .complete)
        }
    }

}

private final class LookCounter: Sendable {
    private let count = Mutex(0)

    func next() -> Int {
        count.withLock { count in
            count += 1
            return count
        }
    }
}

private final class Shown: Sendable {
    let time = Mutex(World.start)
}

private final class Flag: Sendable {
    private let value = Mutex(false)

    var isSet: Bool { value.withLock { $0 } }

    /// Whether it was not set yet.
    func set() -> Bool {
        value.withLock { value in
            defer { value = true }
            return !value
        }
    }
}
