import AppStoreModels
import AppStoreServer
import AppStoreTrust
import CounterfoilServer
import Foundation
import MemoryLedger
import StoreSimulator
import TestSupport
import Testing

@testable import Ledger
@testable import LedgerServices

@Suite(.timeLimit(.minutes(10))) struct `Unverified notifications in recovery` {
    private static let minute: Milliseconds = 60_000

    @Test func `The completeness mark does not pass unverified notifications until they verify`() async throws {
        try await World.run { world in
            let simulator = world.simulator
            try await world.server.core.recovery.runNow()
            let before = try #require(try await world.completeness().mark)
            try simulator.add(Fault("notification:*", .drop))
            try await simulator.perform(.purchase(customer: "anna", product: "com.example.premium.monthly"))
            try await simulator.advance(by: 1800)
            let fault = try simulator.add(Fault("route:notification-history", .wrongChain))
            try await world.server.core.recovery.runNow()
            // So much later that the next reading's overlap does not reach the first one.
            try await simulator.advance(by: 4 * 3600)
            try await simulator.perform(.purchase(customer: "bert", product: "com.example.premium.monthly"))
            try await simulator.advance(by: 600)
            try await world.server.core.recovery.runNow()
            let held = try await world.completeness()
            let mark = try #require(held.mark)
            #expect(mark.until <= World.start.milliseconds && mark.until >= before.until - 2 * 3_600_000)
            #expect(mark.readUntil == simulator.now.milliseconds - Self.minute)
            #expect(held.state == .behind)
            #expect(held.missing.unverified == 2)
            #expect(try await world.storedNotifications().isEmpty)
            try #require(!held.missingItems.unverifiedItems.isEmpty)
            #expect(
                held.missingItems.unverifiedItems.allSatisfy { $0.claimedUUID != nil && $0.code == "untrusted_root" })
            try simulator.removeFault(fault)
            try await world.server.core.recovery.runNow()
            #expect(try await world.storedNotifications() == world.signedNotifications())
            let healed = try await world.completeness()
            #expect(healed.state == .complete && healed.missing.unverifiedSpans == 0)
            #expect(healed.mark?.until == simulator.now.milliseconds - Self.minute)
            #expect(healed.mark?.since == before.since)
        }
    }

    /// With wrong anchors that is every notification of 180 days, and a line for each page would fill the log.
    @Test func `A reading logs the first unverified notifications, and at its end the number of the others`()
        async throws
    {
        let (lines, purchases) = (LogCapture(), 45)
        try await World.run(logger: lines.logger(ServerConfiguration.Log())) { world in
            let simulator = world.simulator
            try simulator.add(Fault("notification:*", .drop))
            for number in 0..<purchases {
                try await simulator.perform(
                    .purchase(customer: "customer-\(number)", product: "com.example.premium.monthly"))
            }
            try await simulator.advance(by: 600)
            try simulator.add(Fault("route:notification-history", .wrongChain))
            try await world.server.core.recovery.runNow()
        }
        let logged = lines.text.split(separator: "\n").filter {
            $0.contains("notifications of the history failed verification")
        }
        try #require(logged.count == 2, "\(lines.text)")
        #expect(logged[1].contains(" error more notifications"))
        let counts = logged.compactMap { $0.firstMatch(of: /count=(\d+)/).flatMap { Int($0.output.1) } }
        #expect(counts.reduce(0, +) >= purchases)
    }

    @Test func `Unverified notifications are read again when the server starts with the right anchors`() async throws {
        try await World.run(server: { $0.recovery.isEnabled = true }) { world in
            let simulator = world.simulator
            try await world.stopServer()
            try simulator.add(Fault("notification:*", .drop))
            let fault = try simulator.add(Fault("route:notification-history", .wrongChain))
            try await simulator.perform(.purchase(customer: "anna", product: "com.example.premium.monthly"))
            try await simulator.advance(by: 600)
            try await world.startServer()
            try await waitUntil("a notification is not verified") {
                try await world.completeness().missing.unverifiedSpans > 0
            }
            // The anchors are wrong for longer than the overlap of a reading.
            try await simulator.advance(by: 5 * 3600)
            let readUntil = simulator.now.milliseconds - RecoveryPlan.historyDelay
            try await waitUntil("the history is read") {
                try await world.completeness().mark?.readUntil == readUntil
            }
            try await world.stopServer()
            try simulator.removeFault(fault)
            try await simulator.advance(by: 600)
            try await world.startServer()
            try await world.waitUntilAllAreStored()
            #expect(try await world.storedNotifications() == world.signedNotifications())
        }
    }

    @Test func `Incomplete items of the history do not prevent the recovery of the others`() async throws {
        try await AppStoreProxy.run { proxy in
            try await World.run(server: { proxy.redirectRequests(in: &$0) }) { world in
                let simulator = world.simulator
                // With this one in the history, the next recovery reads only the hours since.
                try await simulator.perform(.purchase(customer: "ben", product: "com.example.unlock"))
                try await simulator.advance(by: 600)
                try await world.server.core.recovery.runNow()
                try simulator.add(Fault("notification:*", .drop))
                try await simulator.perform(.purchase(customer: "anna", product: "com.example.unlock"))
                let text = try #require(try RandomStoreHistory.payloads(of: simulator).last)
                proxy.setAnswer { path in
                    guard path.contains("notifications/history") else { return nil }
                    let items = #"{"sendAttempts":[]},{"signedPayload":"\#(text)","sendAttempts":[{}]}"#
                    return (200, #"{"hasMore":false,"notificationHistory":[\#(items)]}"#)
                }
                try await world.server.core.recovery.runNow()
                #expect(try await world.storedNotifications() == world.signedNotifications())
                let completeness = try await world.completeness()
                #expect(completeness.state == .behind && completeness.missing.unverified == 1)
                proxy.setAnswer { _ in nil }
                try await world.server.core.recovery.runNow()
                #expect(try await world.completeness().state == .complete)
            }
        }
    }

    @Test func `The completeness mark restarts when the App Store no longer stores the unverified notifications`()
        async throws
    {
        try await World.run { world in
            let simulator = world.simulator
            try simulator.add(Fault("notification:*", .drop))
            // The only notification.
            try await simulator.perform(.purchase(customer: "anna", product: "com.example.unlock"))
            try await simulator.advance(by: 600)
            try simulator.add(Fault("route:notification-history", .invalidSignature))
            try await world.server.core.recovery.runNow()
            #expect(try await world.completeness().mark?.isEmpty == false)
            try await simulator.advance(by: 100 * 86_400)
            try await world.server.core.recovery.runNow()
            let held = try #require(try await world.completeness().mark)
            #expect(held.until < World.start.milliseconds && held.readUntil > World.start.milliseconds)
            try await simulator.advance(by: 90 * 86_400)
            try await world.server.core.recovery.runNow()
            let completeness = try await world.completeness()
            #expect(completeness.missing.unverifiedSpans == 0 && completeness.missing.unverified == 0)
            #expect(try #require(completeness.mark).since > World.start.milliseconds)
            let pass = try await world.server.core.storage.historyPass(in: world.appEnvironment().id)
            #expect(pass?.staleBefore == simulator.now.milliseconds)
        }
    }

    @Test func `An unverified history is requested again until it verifies`() async throws {
        try await World.run { world in
            let simulator = world.simulator
            try simulator.add(Fault("notification:*", .drop))
            let outcome = try await simulator.perform(
                .purchase(customer: "anna", product: "com.example.premium.monthly"))
            let transaction = try #require(outcome.transactionID)
            let (core, appEnvironment) = (try world.server.core, try world.appEnvironment())
            try await core.recovery.runNow()
            #expect(try await world.completeness().state == .complete)
            let faults = try ["transaction-history", "subscription-statuses"].map {
                try simulator.add(Fault("route:\($0)", .invalidSignature))
            }
            try await core.storage.add(requests: [transaction], in: appEnvironment.id, because: .restore, at: 0)
            try await core.recovery.runNow()
            let missing = try await world.completeness()
            #expect(
                missing.state == .behind && missing.missing.unverified >= 2
                    && missing.missing.retryingHistoryRequests == 1)
            try #require(!missing.missingItems.unverifiedItems.isEmpty)
            #expect(
                missing.missingItems.unverifiedItems.allSatisfy {
                    $0.history == transaction && $0.code == "bad_signature"
                })
            #expect(missing.missingItems.historyRequests.map(\.transactionID) == [transaction])
            // While the history does not verify, it stays missing and is not counted again.
            try await simulator.advance(by: 600)
            try await core.recovery.runNow()
            #expect(try await world.completeness().missing.unverified == missing.missing.unverified)
            for fault in faults { try simulator.removeFault(fault) }
            // The server's own recovery also requests the history. It may store an answer from before the faults ended
            // after this one. In that case the history is requested again after a pause.
            var healed = missing
            for _ in 0..<5 where healed.state != .complete {
                try await simulator.advance(by: 86_400)
                try await core.recovery.runNow()
                healed = try await world.completeness()
            }
            #expect(healed.missing.unverified == 0 && healed.missing.retryingHistoryRequests == 0)
            #expect(healed.state == .complete)
            #expect(try await core.storage.lineage(transaction, in: appEnvironment.id)?.renewal != nil)
        }
    }

    @Test func `A failed notification is processed again when recovery reads it again`() async throws {
        try await World.run { world in
            let simulator = world.simulator
            try await simulator.perform(.purchase(customer: "anna", product: "com.example.premium.monthly"))
            try await world.waitUntilIdle()
            let core = try world.server.core
            let appEnvironment = try world.appEnvironment()
            let filter = InboxFilter(scopes: [appEnvironment.id])
            let stored = try #require(try await core.storage.notifications(filter, before: .max, limit: 1).items.first)
            try await core.storage.failProcessed(stored.id, code: "untrusted_root", message: "wrong anchors")
            try await core.recovery.runNow()
            try await world.waitUntilIdle()
            #expect(try await core.storage.notification(stored.uuid)?.state == .processed)
            #expect(try await world.completeness().state == .complete)
        }
    }
}
