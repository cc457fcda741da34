import AppStoreModels
import AppStoreServer
import CounterfoilServer
import Entitlements
import Foundation
import MemoryLedger
import StoreSimulator
import Testing

@testable import Ledger
@testable import LedgerServices

@Suite struct `Recovery` {
    @Test func `Recovery stores every notification of three days without a server`() async throws {
        try await World.run { world in
            let simulator = world.simulator
            try await simulator.perform(.purchase(customer: "anna", product: "com.example.premium.monthly"))
            try await world.server.core.recovery.runNow()
            try await world.stopServer()
            try simulator.add(Fault("notification:*", .drop))
            for number in 0..<30 {
                try await simulator.perform(
                    .purchase(customer: "customer-\(number)", product: "com.example.premium.monthly"))
                try await simulator.perform(.cancel(customer: "customer-\(number)"))
            }
            try await simulator.perform(.approveRefund(customer: "customer-3"))
            try await simulator.advance(by: 3 * 86_400)
            try simulator.removeFault()
            try await world.startServer()
            #expect(try await world.storedNotifications() != world.signedNotifications())
            try await world.server.core.recovery.runNow()
            #expect(try await world.storedNotifications() == world.signedNotifications())
            let completeness = try await world.completeness()
            #expect(completeness.state == .complete)
            #expect(completeness.mark?.until == simulator.now.milliseconds - 60_000)
            // A frozen clock advances by a millisecond with each signature.
            let since = try #require(completeness.mark?.since) - (World.start.milliseconds - 180 * 86_400_000 + 600_000)
            #expect((0..<1000).contains(since))
        }
    }

    @Test func `An interrupted recovery continues at its last page, and the completeness mark waits for it`()
        async throws
    {
        try await World.run(server: { $0.recovery.parallelWindows = 1 }) { world in
            let (simulator, appEnvironment) = (world.simulator, try world.appEnvironment())
            try await world.server.core.recovery.runNow()
            try simulator.add(Fault("notification:*", .drop))
            for number in 0..<70 {
                try await simulator.perform(
                    .purchase(customer: "customer-\(number)", product: "com.example.premium.monthly"))
            }
            try await simulator.advance(by: 3600)
            try simulator.removeFault()
            // The client does not retry a response of 418.
            try simulator.add(Fault("route:notification-history", .status(code: 418), probability: 0.4))
            try await world.stopServer()
            // A running server tries again after five seconds of real time.
            let run: RecoveryRun = try await world.runOffline { core in
                func completeness() async throws -> Completeness {
                    try #require(try await core.recovery.completeness(of: [appEnvironment]).first)
                }
                var before = try await completeness().mark
                var isBroken = false
                for _ in 0..<20 where !isBroken {
                    before = try await completeness().mark
                    do { try await core.recovery.runNow() } catch { isBroken = true }
                    if try await !Self.hasOpenPageToken(core.storage, appEnvironment) { isBroken = false }
                }
                try #require(isBroken)
                let partly = try await completeness()
                #expect(partly.mark == before)
                // The second open window covers the time after the newest known notification. It has no notifications
                // yet.
                #expect(partly.missing.openWindows == 2)
                #expect(partly.state == .behind)
                return try #require(try await core.storage.openRecoveries(in: appEnvironment.id).first)
            }
            #expect(run.counts.pages > 0)
            try simulator.removeFault()
            try await world.startServer()
            try await world.server.core.recovery.runNow()
            let ended = try #require(try await world.server.core.storage.recovery(run.id))
            #expect(ended.state == .done)
            #expect(ended.counts.pages == 5)
            #expect(ended.counts.found == 70)
            #expect(try await world.storedNotifications() == world.signedNotifications())
            #expect(try await world.completeness().state == .complete)
        }
    }

    /// Whether an open window is between two pages.
    private static func hasOpenPageToken(
        _ storage: any LedgerEngine, _ appEnvironment: AppEnvironment
    ) async throws -> Bool {
        for run in try await storage.openRecoveries(in: appEnvironment.id) {
            if try await storage.openWindows(of: run.id).contains(where: { $0.token != nil }) { return true }
        }
        return false
    }

    @Test func `Recovery continues after a rate limit, a server error and an expired page token`() async throws {
        try await World.run { world in
            let simulator = world.simulator
            try simulator.add(Fault("notification:*", .drop))
            for number in 0..<25 {
                try await simulator.perform(
                    .purchase(customer: "customer-\(number)", product: "com.example.premium.monthly"))
            }
            try simulator.removeFault()
            try simulator.add(Fault("route:notification-history", .rateLimit(retryAfterSeconds: 0.01), count: 1))
            try simulator.add(Fault("route:notification-history", .status(code: 500), count: 1))
            try simulator.add(Fault("route:notification-history", .error(code: 4_000_017), count: 2))
            try await world.server.core.recovery.runNow()
            #expect(try await world.storedNotifications() == world.signedNotifications())
        }
    }

    /// After an outage at night, the log must say when it was over.
    @Test func `The log says once for each environment that recovery works again`() async throws {
        let lines = LogCapture()
        func count(_ text: String) -> Int { lines.text.split(separator: "\n").count { $0.contains(text) } }
        try await World.run { world in
            try await world.stopServer()
            let (simulator, configuration) = (world.simulator, try world.configuration())
            let storage = try await world.ledger.open(configuration.storage, lines.logger(.init()))
            // A running server tries again after five seconds of real time.
            let core = try await ServerCore(
                configuration, storage: storage, clock: .showing { simulator.core.now },
                logger: lines.logger(.init()))
            let recovery = core.recovery
            try world.simulator.add(Fault("route:notification-history", .error(code: 4_010_000)))
            await #expect(throws: (any Error).self) { try await recovery.runNow() }
            #expect(count("recovery failed and will be tried again") == 2 && count("recovery works again") == 0)
            try world.simulator.removeFault()
            for _ in 0..<2 { try await recovery.runNow() }
            for environment in ["Production", "Sandbox"] {
                let words = "notice recovery works again app=com.example.app environment=\(environment) failures=1"
                #expect(count(words) == 1, "\(lines.text)")
            }
            try await storage.close()
        }
    }

    @Test func `Recovery requests histories in batches, so that notifications are read in between`() async throws {
        try await World.run { world in
            let simulator = world.simulator
            let count = LedgerServices.Recovery.maximumRefreshes + 3
            for number in 0..<count {
                try await simulator.perform(
                    .purchase(customer: "customer-\(number)", product: "com.example.premium.monthly"))
            }
            try await world.waitUntilIdle()
            try simulator.add(Fault("notification:*", .drop))
            try await simulator.advance(by: 40 * 86_400)
            let (core, appEnvironment) = (try world.server.core, try world.appEnvironment())
            func requestedCount() async throws -> Int {
                try await core.storage.summaries(after: "", in: appEnvironment.id, limit: 500).count {
                    $0.requestedAt != nil
                }
            }
            #expect(try await core.recovery.continueHistoryPass(appEnvironment, pages: 1, startingAnew: true))
            #expect(try await requestedCount() == LedgerServices.Recovery.maximumRefreshes)
            #expect(try await !core.recovery.continueHistoryPass(appEnvironment, pages: 1))
            #expect(try await requestedCount() == count)
            #expect(try await core.storage.historyPass(in: appEnvironment.id)?.finishedAt != nil)
        }
    }

    @Test func `A history pass that begins because of a gap is not replaced by the pass before`() async throws {
        try await AppStoreProxy.run { proxy in
            try await World.run(server: { proxy.redirectRequests(in: &$0) }) { world in
                let simulator = world.simulator
                try await simulator.perform(.purchase(customer: "anna", product: "com.example.premium.monthly"))
                try await world.waitUntilIdle()
                try simulator.add(Fault("notification:*", .drop))
                try await simulator.advance(by: 40 * 86_400)
                let (core, appEnvironment, now) = (
                    try world.server.core, try world.appEnvironment(), simulator.now.milliseconds
                )
                let gap = HistoryPass(scope: appEnvironment.id, staleBefore: now, startedAt: now)
                // The gap is found while the pass requests the history of the subscription.
                proxy.setAnswer { _ in
                    let stored = try await core.storage.historyPass(in: appEnvironment.id)
                    _ = try await core.storage.record(gap, replacing: stored)
                    return nil
                }
                #expect(try await core.recovery.continueHistoryPass(appEnvironment, pages: 1, startingAnew: true))
                #expect(try await core.storage.historyPass(in: appEnvironment.id) == gap)
            }
        }
    }

    @Test func `Recovery runs at the start, and when a late notification indicates an outage`() async throws {
        try await World.run(server: { $0.recovery.isEnabled = true }) { world in
            let simulator = world.simulator
            try await world.stopServer()
            try simulator.add(Fault("notification:SUBSCRIBED", .drop))
            try await simulator.perform(.purchase(customer: "anna", product: "com.example.premium.monthly"))
            try await world.startServer()
            try await world.waitUntilAllAreStored()
            // One notification is lost, another arrives an hour late.
            try simulator.add(
                Fault("notification:DID_CHANGE_RENEWAL_STATUS.AUTO_RENEW_DISABLED", .unreachable, count: 1))
            try await simulator.advance(by: 120)
            try await simulator.perform(.purchase(customer: "bert", product: "com.example.premium.monthly"))
            try await simulator.perform(.cancel(customer: "anna"))
            try await simulator.advance(by: 3601)
            try await world.waitUntilAllAreStored()
            #expect(try await world.storedNotifications() == world.signedNotifications())
        }
    }

    @Test func `Recovery works with the longest interval and overlap`() async throws {
        let longest = Duration.seconds(Int64.max)
        try await World.run(server: { ($0.recovery.interval, $0.recovery.overlap) = (longest, longest) }) { world in
            try world.simulator.add(Fault("notification:*", .drop))
            try await world.simulator.perform(.purchase(customer: "anna", product: "com.example.premium.monthly"))
            try await world.simulator.advance(by: 600)
            // The second recovery begins an overlap before the end of the first one.
            for _ in 0..<2 { try await world.server.core.recovery.runNow() }
            #expect(try await world.storedNotifications() == world.signedNotifications())
            #expect(try await world.completeness().mark != nil)
        }
    }

    @Test func `Recovery performs stored history requests, and an unknown transaction fails for good`() async throws {
        try await World.run { world in
            let simulator = world.simulator
            try simulator.add(Fault("notification:*", .drop))
            let outcome = try await simulator.perform(
                .purchase(customer: "anna", product: "com.example.premium.monthly"))
            let core = try world.server.core
            let appEnvironment = try world.appEnvironment()
            let transaction = try #require(outcome.transactionID)
            try await core.storage.add(
                requests: [transaction, "2000000999999999"], in: appEnvironment.id, because: .restore, at: 0)
            try await core.recovery.runNow()
            #expect(try await core.storage.lineage(transaction, in: appEnvironment.id) != nil)
            let missing = try await core.storage.missingCounts(in: appEnvironment.id)
            #expect(missing.historyRequests == 0)
            #expect(missing.failedHistoryRequests == 1)
        }
    }

    @Test func `A pass begins at the stored mark, which another server may have moved`() async throws {
        try await World.run { world in
            let core = try world.server.core
            try await core.recovery.runNow()
            let scope = try world.appEnvironment().id
            let mark = try #require(try await core.storage.completenessMarks().first { $0.scope == scope })
            let last = try #require(try await core.storage.recoveries(in: [scope], before: nil, limit: 1).first).id
            let day: Milliseconds = 86_400_000
            // Another server has read less, as with a slow clock.
            try await world.setCompletenessBack(by: day)
            try await core.recovery.runNow()
            let runs = try await core.storage.recoveries(in: [scope], before: nil, limit: 9)
            let coversDay = runs.contains { $0.id > last && $0.from < mark.readUntil - day }
            #expect(coversDay)
            let readUntil = try #require(try await world.completeness().mark).readUntil
            #expect(readUntil >= mark.readUntil)
        }
    }
}
