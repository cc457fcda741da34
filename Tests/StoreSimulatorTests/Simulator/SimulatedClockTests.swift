import Foundation
import Testing

@testable import StoreSimulator

/// The clock of a simulator, with a real time that the test sets.
@Suite struct `A simulator's clock` {
    private static let start = Date(timeIntervalSince1970: 1_767_225_600)

    @Test func `A frozen clock ignores real time and never goes back`() {
        var clock = SimulatedClock(.frozen(Self.start), real: Self.start)
        #expect(clock.now(real: Self.start + 3600) == Self.start)
        clock.advance(to: Self.start + 60, real: Self.start)
        clock.advance(to: Self.start + 30, real: Self.start)
        #expect(clock.now(real: Self.start) == Self.start + 60)
    }

    @Test func `A real clock runs from the time it was advanced to, and ignores a system clock set back`() {
        var clock = SimulatedClock(.real, real: Self.start)
        clock.advance(to: Self.start + 86_400, real: Self.start)
        #expect(clock.now(real: Self.start + 5) == Self.start + 86_405)
        #expect(clock.now(real: Self.start - 600) == Self.start + 86_400)
    }

    @Test func `A real clock runs on from the time that it has shown after the system clock was set back`() {
        var clock = SimulatedClock(.real, real: Self.start)
        clock.recordTime(real: Self.start + 3600)
        clock.recordTime(real: Self.start + 1800)
        #expect(clock.now(real: Self.start + 1800) == Self.start + 3600)
        #expect(clock.now(real: Self.start + 1810) == Self.start + 3610)
        clock.advance(to: Self.start + 7200, real: Self.start + 600)
        #expect(clock.now(real: Self.start + 605) == Self.start + 7205)
        // The system clock is right again.
        #expect(clock.now(real: Self.start + 3605) == Self.start + 10_205)
    }

    @Test func `A restored clock continues from the snapshot's time, in the mode of the simulator`() {
        var saved = SimulatedClock(.frozen(Self.start), real: Self.start)
        saved.advance(to: Self.start + 86_400, real: Self.start)
        saved.recordTime(real: Self.start)
        let later = Self.start + 1_000_000
        let running = saved.resumed(as: .real, real: later)
        #expect(running.now(real: later) == Self.start + 86_400)
        #expect(running.now(real: later + 10) == Self.start + 86_410)
        #expect(saved.resumed(as: .frozen(later), real: later).now(real: later + 10) == Self.start + 86_400)
    }

    @Test func `A reordered notification is due within ten minutes, and is the next event`() throws {
        var configuration = SimulatorConfiguration.frozen
        configuration.production.notificationURL = "http://127.0.0.1:1/"
        var state = SimulatorState(configuration, real: Self.start)
        _ = try state.production.perform(
            .purchase(customer: "anna", product: "com.example.coins.100"), at: Self.start)
        _ = try state.faults.add(Fault("notification:*", .reorder))
        // The notification is planned before any other event.
        guard case .happened = state.step(until: Self.start, limit: nil) else {
            Issue.record("the notification was sent, or was not planned")
            return
        }
        let due = try #require(state.production.notifications.first?.due)
        #expect((1...600).contains(due.timeIntervalSince(Self.start)))
        #expect(state.next == due)
    }

    @Test func `An accelerated clock shortens periods, and an advance renews the subscription on time`() async throws {
        var configuration = SimulatorConfiguration()
        configuration.clock = .accelerated(.monthlyEvery5Minutes)
        let simulator = try await Simulator.start(configuration)
        let begin = simulator.now
        try await simulator.perform(.purchase(customer: "anna", product: "com.example.basic.monthly"))
        let before = try #require(try simulator.state(of: "anna").subscriptions.first?.expiresDate)
        #expect((begin + 299...simulator.now + 300).contains(before))
        try await simulator.advance(by: 900)
        let after = try #require(try simulator.state(of: "anna").subscriptions.first?.expiresDate)
        // Three periods, and more if the test takes long.
        let duration = after.timeIntervalSince(before)
        #expect(duration >= 900 && duration.truncatingRemainder(dividingBy: 300) == 0)
        #expect(after > simulator.now)
        await simulator.stop()
    }
}
