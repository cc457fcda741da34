import Foundation
import Testing

@testable import StoreSimulator

/// The clock of a simulator, on a real time that the test makes up.
@Suite struct `A simulator's clock` {
    private static let start = Date(timeIntervalSince1970: 1_767_225_600)

    @Test func `stands still when it is frozen, and goes forward only`() {
        var clock = SimulatedClock(.frozen(Self.start), real: Self.start)
        #expect(clock.now(real: Self.start + 3600) == Self.start)
        clock.advance(to: Self.start + 60, real: Self.start)
        clock.advance(to: Self.start + 30, real: Self.start)
        #expect(clock.now(real: Self.start) == Self.start + 60)
    }

    @Test func `runs on from where it was put, and does not follow the system's clock back`() {
        var clock = SimulatedClock(.real, real: Self.start)
        clock.advance(to: Self.start + 86_400, real: Self.start)
        #expect(clock.now(real: Self.start + 5) == Self.start + 86_405)
        #expect(clock.now(real: Self.start - 600) == Self.start + 86_400)
    }

    @Test func `goes on from the time that a snapshot showed, in the mode of the simulator that it is restored into`() {
        var kept = SimulatedClock(.frozen(Self.start), real: Self.start)
        kept.advance(to: Self.start + 86_400, real: Self.start)
        kept.hold(real: Self.start)
        let later = Self.start + 1_000_000
        let running = kept.resumed(as: .real, real: later)
        #expect(running.now(real: later) == Self.start + 86_400)
        #expect(running.now(real: later + 10) == Self.start + 86_410)
        #expect(kept.resumed(as: .frozen(later), real: later).now(real: later + 10) == Self.start + 86_400)
    }

    @Test func `is not ahead of a notification that lets others go first`() throws {
        var configuration = SimulatorConfiguration.frozen
        configuration.production.notificationURL = "http://127.0.0.1:1/"
        var state = SimulatorState(configuration, real: Self.start)
        _ = try state.production.perform(
            .purchase(customer: "anna", product: "com.example.coins.100"), at: Self.start)
        _ = try state.faults.add(Fault("notification:*", .reorder))
        // It is planned before anything else can happen.
        guard case .happened = state.step(until: Self.start, limit: nil) else {
            Issue.record("it was sent, or is not due")
            return
        }
        let due = try #require(state.production.notifications.first?.due)
        #expect((1...600).contains(due.timeIntervalSince(Self.start)))
        #expect(state.next == due)
    }

    @Test func `when accelerated, shortens periods, and what an advance lets happen is not ahead of it`() async throws {
        var configuration = SimulatorConfiguration()
        configuration.clock = .accelerated(.monthlyEvery5Minutes)
        let simulator = try await Simulator.start(configuration)
        try await simulator.perform(.purchase(customer: "anna", product: "com.example.basic.monthly"))
        let before = try #require(try simulator.state(of: "anna").subscriptions.first?.expiresDate)
        #expect(abs(before.timeIntervalSince(simulator.now) - 300) < 60)
        try await simulator.advance(by: 900)
        let after = try #require(try simulator.state(of: "anna").subscriptions.first?.expiresDate)
        #expect(after.timeIntervalSince(before) == 900)
        #expect(after > simulator.now)
        await simulator.stop()
    }
}
