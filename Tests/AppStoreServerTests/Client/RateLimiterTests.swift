import Basics
import Foundation
import TestSupport
import Testing

@testable import AppStoreServer

@Suite(.timeLimit(.minutes(10))) struct `Quotas` {
    @Test func `A rate schedule allows a burst, then one request per interval`() {
        var schedule = RateSchedule(interval: .seconds(2), size: 3)
        #expect(schedule.take(at: .zero) == nil)
        #expect(schedule.take(at: .zero) == nil)
        #expect(schedule.take(at: .zero) == nil)
        #expect(schedule.take(at: .zero) == .seconds(2))
        #expect(schedule.take(at: .seconds(1)) == .seconds(1))
        #expect(schedule.take(at: .seconds(2)) == nil)
        #expect(schedule.take(at: .seconds(3)) == .seconds(1))
        // A pause refills the burst up to its size.
        for _ in 0..<3 { #expect(schedule.take(at: .seconds(100)) == nil) }
        #expect(schedule.take(at: .seconds(100)) == .seconds(2))
    }

    @Test func `A rate schedule survives a clock that goes backward`() {
        var schedule = RateSchedule(interval: .seconds(1), size: 1)
        #expect(schedule.take(at: .seconds(10)) == nil)
        #expect(schedule.take(at: .zero) == .seconds(11))
    }

    @Test(arguments: RateClass.all)
    func `A rate schedule stays within Apple's hourly quota, and a tenth of it in the sandbox`(_ rateClass: RateClass) {
        for policy in [
            RatePolicy(), RatePolicy(burst: .zero), RatePolicy(quotaFraction: 0.5), RatePolicy(burst: .seconds(1800)),
        ] {
            for isSandbox in [false, true] {
                var schedule = policy.schedule(for: rateClass, isSandbox: isSandbox)
                let quota = Double(rateClass.perSecond) * policy.quotaFraction * (isSandbox ? 360 : 3600)
                var (count, now) = (0, Duration.zero)
                while now < .seconds(3600) {
                    if let wait = schedule.take(at: now) { now += wait } else { count += 1 }
                }
                #expect(Double(count) <= quota.rounded(.up) + 1)
                #expect(Double(count) >= quota * 0.97)
            }
        }
    }

    @Test func `A rate schedule survives invalid shares and bursts`() {
        for share in [0, -1, .nan, .infinity, 1e-300, 2] as [Double] {
            for burst in [
                Duration.seconds(-1), .zero, .seconds(1e15), Duration.seconds(Int64.max) * 16, .seconds(3600),
            ] {
                let policy = RatePolicy(quotaFraction: share, burst: burst)
                for rateClass in RateClass.all {
                    var schedule = policy.schedule(for: rateClass, isSandbox: true)
                    #expect(schedule.take(at: .zero) == nil)
                }
            }
        }
    }

    @Test func `Calls wait on the injected clock, first come, first served`() async throws {
        let clock = ManualClock()
        let limiter = RateLimiter(RatePolicy(burst: .zero), isSandbox: false, clock: AnyClock(clock))
        try await limiter.wait(for: .server1)
        let order = Shared<[Int]>([])
        try await withThrowingTaskGroup(of: Void.self) { group in
            for index in 0..<5 {
                group.addTask {
                    try await limiter.wait(for: .server1)
                    order.withLock { $0.append(index) }
                }
                // The first call sleeps until its slot, the others queue behind it.
                try await clock.waitForSleepers(1)
                try await waitUntil("\(index) calls are queued") { limiter.waiting(for: .server1) >= index }
            }
            for _ in 0..<5 {
                try await clock.waitForSleepers(1)
                clock.advance(by: .seconds(1))
            }
            try await group.waitForAll()
        }
        #expect(order.withLock { $0 } == [0, 1, 2, 3, 4])
        #expect(clock.sleepDurations == Array(repeating: .seconds(1), count: 5))
    }

    @Test func `Rate classes are independent`() async throws {
        let clock = ManualClock()
        let limiter = RateLimiter(RatePolicy(burst: .zero), isSandbox: false, clock: AnyClock(clock))
        for rateClass in RateClass.all { try await limiter.wait(for: rateClass) }
        #expect(clock.sleepDurations.isEmpty)
    }

    @Test func `A cancelled call leaves the queue, at its head or within it`() async throws {
        let clock = ManualClock()
        let bench = try Bench(.transaction, clock: clock) { $0.rateLimit = RatePolicy(burst: .zero) }
        _ = try await bench.client.transaction("1")
        let tasks = (0..<3).map { _ in
            Task { await bench.transactionError() }
        }
        try await clock.waitForSleepers(1)
        let limiter = try #require(bench.client.limiter)
        try await waitUntil("two calls are queued") { limiter.waiting(for: .server50) >= 2 }
        tasks[1].cancel()
        tasks[0].cancel()
        tasks[2].cancel()
        for task in tasks {
            let error = await task.value
            #expect(error?.code == .cancelled)
            #expect(error?.attempts == 0)
        }
        #expect(bench.transport.requests.count == 1)
        // Nothing blocks the queue: the next call waits only for its own slot.
        let next = Task { try await bench.client.transaction("1") }
        try await clock.waitForSleepers(1)
        clock.advance(by: .seconds(1))
        _ = try await next.value
        #expect(bench.transport.requests.count == 2)
    }

    @Test func `Rate limiting can be disabled`() async throws {
        let bench = try Bench(.ok(#"{"testNotificationToken":"t"}"#), clock: ManualClock()) { $0.rateLimit = nil }
        for _ in 0..<1000 { _ = try await bench.client.requestTestNotification() }
        #expect(bench.clock.sleepDurations.isEmpty)
    }

    @Test func `A client limits a hundred calls to their rate`() async throws {
        let bench = try Bench(.ok("{}"), host: .sandbox)
        for _ in 0..<100 { _ = try await bench.client.call(.requestTestNotification) }
        // 0.1 per second, six at once.
        let elapsed = bench.clock.now.offset
        #expect(elapsed > .seconds(940) && elapsed < .seconds(960))
    }
}

@Suite struct `Fairness of the rate limiter` {
    @Test func `An async lock admits one task at a time under contention and cancellation`() async throws {
        let lock = AsyncLock()
        let inside = Shared(0)
        let entered = Shared(0)
        await withTaskGroup(of: Void.self) { group in
            for index in 0..<500 {
                group.addTask {
                    let task = Task {
                        try await lock.lock()
                        let count = inside.withLock { inside in
                            inside += 1
                            return inside
                        }
                        #expect(count == 1)
                        entered.withLock { $0 += 1 }
                        await Task.yield()
                        inside.withLock { $0 -= 1 }
                        lock.unlock()
                    }
                    if index.isMultiple(of: 3) { task.cancel() }
                    _ = await task.result
                }
            }
        }
        // Every third task was cancelled, before or after it entered.
        #expect(entered.withLock { $0 } >= 333)
        #expect(lock.waiting == 0)
        try await lock.lock()
        lock.unlock()
    }
}
