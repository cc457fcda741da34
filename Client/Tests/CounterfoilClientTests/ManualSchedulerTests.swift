import CounterfoilClientTesting
import Foundation
import Testing

@Suite(.timeLimit(.minutes(10)))
struct `The manual clock` {
    @Test func `A timer that the clock was set past is due now`() async throws {
        let scheduler = ManualScheduler()
        let start = await scheduler.now()
        let sleeper = Task { try await scheduler.sleep(for: 10) }
        try await waitUntil { await scheduler.nextWake != nil }
        #expect(await scheduler.nextWake == 10)
        await scheduler.set(to: start + 60)
        let pause = try #require(await scheduler.nextWake)
        #expect(pause == 0)
        await scheduler.advance(by: pause)
        try await sleeper.value
        #expect(await scheduler.now() == start + 60)
    }

    @Test func `A sleep of no time returns without advancing the clock`() async throws {
        let scheduler = ManualScheduler()
        try await scheduler.sleep(for: 0)
        try await scheduler.sleep(for: -1)
        #expect(await scheduler.nextWake == nil)
    }
}
