import AppStoreModels
import Basics
import CounterfoilServer
import Entitlements
import Foundation
import StoreSimulator
import TestSupport
import Testing

@testable import Ledger
@testable import LedgerServices

/// After a gap that the notification history cannot fill, the history of every purchase is requested once.
@Suite struct `The pass over all purchases after a gap` {
    /// Returns the purchase of a customer whose renewals the server missed: longer ago than the App Store keeps
    /// notifications.
    private static func missedPurchase(in world: World) async throws -> String {
        let outcome = try await world.simulator.perform(
            .purchase(customer: "anna", product: "com.example.premium.monthly"))
        try await world.waitUntilIdle()
        try await world.server.core.recovery.runNow()
        try world.simulator.add(Fault("notification:*", .drop))
        try await world.simulator.advance(by: 220 * 86_400)
        return try #require(outcome.originalTransactionID)
    }

    private static func countTransactions(of original: String, in world: World) async throws -> Int {
        let lineage = try await world.server.core.storage.lineage(original, in: world.appEnvironment().id)
        return try #require(lineage).transactions.count
    }

    /// Makes the newest notification pending without the knowledge of the processor, which therefore does not process it
    /// yet.
    private static func makeNewestPending(in world: World, at now: Milliseconds) async throws {
        let storage = try world.server.core.storage
        let filter = InboxFilter(scopes: [try world.appEnvironment().id])
        let newest = try await storage.notifications(filter, before: .max, limit: 1).items.map(\.id)
        try #require(newest.count == 1)
        try await storage.reprocess(newest, at: now)
    }

    /// Reads what the notification history still has of a missed purchase. One of its notifications is then pending.
    private static func gapWithPendingNotification(
        in world: World
    ) async throws -> (original: String, readAt: Milliseconds) {
        let original = try await missedPurchase(in: world)
        try await world.server.core.recovery.runPass(world.appEnvironment(), because: .request)
        try await world.waitUntilIdle()
        let readAt = try #require(try await world.completeness().mark).checkedAt
        try await makeNewestPending(in: world, at: readAt)
        return (original, readAt)
    }

    @Test func `Nothing is reported as complete before every purchase was requested`() async throws {
        try await World.run { world in
            let original = try await Self.missedPurchase(in: world)
            let recovery = try world.server.core.recovery
            try await recovery.runPass(world.appEnvironment(), because: .request)
            let missing = try await world.completeness()
            // The notifications that the App Store still keeps were all read.
            #expect(try #require(missing.mark).until > world.simulator.now.milliseconds - 2 * RecoveryPlan.historyDelay)
            #expect(missing.state == .behind && missing.reason?.contains("every known purchase") == true)
            try await world.waitUntilIdle()
            try await recovery.continueHistoryPass(world.appEnvironment(), pages: .max)
            #expect(try await world.completeness().state == .complete)
            #expect(try await Self.countTransactions(of: original, in: world) == 8)
        }
    }

    /// A purchase may first appear in a notification that is recovered after the gap.
    @Test func `The pass begins only after the recovered notifications are processed`() async throws {
        try await World.run { world in
            let (core, appEnvironment) = (try world.server.core, try world.appEnvironment())
            let (original, readAt) = try await Self.gapWithPendingNotification(in: world)
            #expect(try await !core.recovery.continueHistoryPass(appEnvironment, pages: .max))
            #expect(try await core.storage.historyPass(in: appEnvironment.id)?.finishedAt == nil)
            #expect(try await world.completeness().state != .complete)
            #expect(try await Self.countTransactions(of: original, in: world) < 8)

            core.processor.rescan()
            try await world.waitUntilIdle()
            // One that arrived later does not delay the pass.
            try await Self.makeNewestPending(in: world, at: readAt + 1)
            try await core.recovery.continueHistoryPass(appEnvironment, pages: .max)
            #expect(try await world.completeness().state == .complete)
            #expect(try await Self.countTransactions(of: original, in: world) == 8)
        }
    }

    /// As if its sector of the disk were unreadable.
    @Test func `A notification that cannot be processed delays the pass for an hour only`() async throws {
        try await World.run { world in
            let (core, appEnvironment) = (try world.server.core, try world.appEnvironment())
            let (original, _) = try await Self.gapWithPendingNotification(in: world)
            for (seconds, isFinished) in [(3600.0, false), (1, true)] {
                try await world.simulator.advance(by: seconds)
                try await core.recovery.continueHistoryPass(appEnvironment, pages: .max)
                let pass = try #require(try await core.storage.historyPass(in: appEnvironment.id))
                #expect((pass.finishedAt != nil) == isFinished)
            }
            #expect(try await core.storage.backlog().count == 1)
            #expect(try await Self.countTransactions(of: original, in: world) == 8)
        }
    }

    /// The state says it only until every purchase was requested, which may take less than a second.
    @Test func `The log says once which time the notification history no longer covers`() async throws {
        let lines = LogCapture()
        try await World.run(logger: lines.logger(.init())) { world in
            _ = try await Self.missedPurchase(in: world)
            let former = try #require(try await world.completeness().mark)
            let message = "notifications may be missing that the App Store no longer keeps"
            #expect(lines.count(of: message) == 0, "\(lines.text)")
            for _ in 0..<2 { try await world.server.core.recovery.runNow() }
            let mark = try #require(try await world.completeness().mark)
            #expect(former.until < mark.since)
            let time = "from=\(InstantText.text(former.until)) to=\(InstantText.text(mark.since))"
            let line = "warning \(message) app=com.example.app environment=Production \(time)"
            #expect(lines.count(of: line) == 1, "\(lines.text)")
        }
    }

    /// As after an import, or while the app had no key: there is no completeness mark, so nothing shows the gap.
    @Test func `Before the first reading, purchases older than the notification history are requested too`()
        async throws
    {
        try await World.run { world in
            let simulator = world.simulator
            let outcome = try await simulator.perform(.purchase(customer: "anna", product: "com.example.unlock"))
            try await world.waitUntilIdle()
            try simulator.add(Fault("notification:*", .drop))
            try await simulator.advance(by: 60)
            try await simulator.perform(.approveRefund(customer: "anna"))
            try await simulator.advance(by: 220 * 86_400)
            try await world.server.core.recovery.runNow()
            let original = try #require(outcome.originalTransactionID)
            let lineage = try await world.server.core.storage.lineage(original, in: world.appEnvironment().id)
            #expect(try #require(lineage).transactions.map { $0.revocationDate != nil } == [true])
        }
    }

    /// The refund was after the export and before what the new ledger has read of the notification history.
    @Test func `After an import of older purchases into a ledger that is complete, they are requested once`()
        async throws
    {
        try await World.run { world in
            let simulator = world.simulator
            let outcome = try await simulator.perform(.purchase(customer: "anna", product: "com.example.unlock"))
            let original = try #require(outcome.originalTransactionID)
            try await world.waitUntilIdle()
            let file = world.folder.appending(path: "export.jsonl")
            try await world.export(to: file)
            let configuration = try world.configuration()
            try await world.stopServer()
            try FileManager.default.removeItem(atPath: configuration.storage.path)
            try simulator.add(Fault("notification:*", .drop))
            try await simulator.advance(by: 60)
            try await simulator.perform(.approveRefund(customer: "anna"))
            try await simulator.advance(by: 220 * 86_400)
            try await world.startServer()
            try await world.server.core.recovery.runNow()
            let state = try await world.completeness().state
            try #require(state == .complete)
            let scope = try world.appEnvironment().id
            try await world.stopServer()

            for _ in 0..<2 {
                try await world.importExport(file) { ledger in
                    let pass = try #require(try await ledger.historyPass(in: scope))
                    #expect(pass.staleBefore != nil && pass.finishedAt == nil && pass.cursor.isEmpty)
                }
            }

            try await world.startServer()
            try await world.server.core.recovery.runNow()
            let lineage = try await world.server.core.storage.lineage(original, in: scope)
            #expect(try #require(lineage).transactions.map { $0.revocationDate != nil } == [true])
            try await world.stopServer()
            // Now the ledger knows everything about the purchase.
            try await world.importExport(file) { ledger in
                let pass = try #require(try await ledger.historyPass(in: scope))
                #expect(pass.finishedAt != nil)
            }
            try await world.startServer()
        }
    }

    @Test func `A purchase is requested until the App Store knows the app`() async throws {
        try await World.run { world in
            let (simulator, original) = (world.simulator, try await Self.missedPurchase(in: world))
            let recovery = try world.server.core.recovery
            let code = APIErrorCode.appNotFound.rawValue
            let fault = try simulator.add(Fault("route:subscription-statuses", .error(code: code)))
            // The pass itself and, after a pause, the retry.
            for _ in 0..<2 {
                try await recovery.runNow()
                let missing = try await world.completeness().missing
                #expect(missing.retryingHistoryRequests == 1 && missing.failedHistoryRequests == 0)
                try await simulator.advance(by: 600)
            }
            try simulator.removeFault(fault)
            // The server also takes the request by itself. It may store an answer from before the fault ended.
            try await waitUntil("the purchase is up to date") {
                try await simulator.advance(by: 3600)
                try await recovery.runNow()
                let count = try await Self.countTransactions(of: original, in: world)
                let waiting = try await world.completeness().missing.historyRequests
                return count >= 8 && waiting == 0
            }
        }
    }

    @Test(arguments: [
        Fault("route:subscription-statuses", .error(code: APIErrorCode.accountNotFoundRetryable.rawValue)),
        Fault("route:transaction-history", .invalidSignature),
    ])
    func `A purchase is requested again if its retry could not be stored`(_ fault: Fault) async throws {
        try await World.run { world in
            let (simulator, original) = (world.simulator, try await Self.missedPurchase(in: world))
            let number = try simulator.add(fault)
            try await world.withFailing(.newHistoryRequest) {
                let recovery = try world.server.core.recovery
                await #expect(throws: StorageError.self) { try await recovery.runNow() }
            }
            try simulator.removeFault(number)
            try await world.server.core.recovery.runNow()
            #expect(try await Self.countTransactions(of: original, in: world) == 8)
        }
    }
}
