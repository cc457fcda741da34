@testable import LedgerServices
import AppStoreModels
import AppStoreServer
import AppStoreTrust
import CounterfoilServer
import Foundation
import GRDB
import StoreSimulator
import TestSupport
import Testing

@testable import LedgerSQLite
@testable import Ledger

@Suite(.timeLimit(.minutes(10))) struct `What cannot be believed` {
    private static let minute: Milliseconds = 60_000

    @Test func `holds the mark, also when the notifications after it can be believed`() async throws {
        try await World.run { world in
            let simulator = world.simulator
            try await world.server.core.recovery.runNow()
            let before = try #require(try await world.completeness().mark)
            try simulator.add(Fault("notification:*", .drop))
            try await simulator.perform(.purchase(customer: "anna", product: "com.example.premium.monthly"))
            try await simulator.advance(by: 1800)
            let fault = try simulator.add(Fault("route:notification-history", .wrongChain))
            try await world.server.core.recovery.runNow()
            // So much later that the overlap of the next reading no longer reaches the first one.
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
            try #require(!held.names.items.isEmpty)
            #expect(held.names.items.allSatisfy { $0.claimedUUID != nil && $0.code == "untrusted_root" })
            try simulator.removeFault(fault)
            try await world.server.core.recovery.runNow()
            #expect(try await world.kept() == world.sent())
            let healed = try await world.completeness()
            #expect(healed.state == .complete && healed.missing.unverifiedSpans == 0)
            #expect(healed.mark?.until == simulator.now.milliseconds - Self.minute)
            #expect(healed.mark?.since == before.since)
        }
    }

    @Test func `is read again by itself when the server starts with the right anchors`() async throws {
        try await World.run(server: { $0.recovery.isEnabled = true }) { world in
            let simulator = world.simulator
            try await world.stopServer()
            try simulator.add(Fault("notification:*", .drop))
            let fault = try simulator.add(Fault("route:notification-history", .wrongChain))
            try await simulator.perform(.purchase(customer: "anna", product: "com.example.premium.monthly"))
            try await simulator.advance(by: 600)
            try await world.startServer()
            while try await world.completeness().missing.unverifiedSpans == 0 { await Task.yield() }
            // The anchors are wrong for so long that the overlap no longer reaches what could not be believed.
            try await simulator.advance(by: 5 * 3600)
            let readUntil = simulator.now.milliseconds - RecoveryPlan.settling
            while try await world.completeness().mark?.readUntil != readUntil { await Task.yield() }
            try await world.stopServer()
            try simulator.removeFault(fault)
            try await simulator.advance(by: 600)
            try await world.startServer()
            try await world.waitUntilAllIsKept()
            #expect(try await world.kept() == world.sent())
        }
    }

    @Test func `is given up when the App Store no longer keeps it, and the stretch begins anew`() async throws {
        try await World.run { world in
            let simulator = world.simulator
            try simulator.add(Fault("notification:*", .drop))
            // Nothing follows this one.
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
            let pass = try await world.server.core.storage.historyPass(in: world.scope().id)
            #expect(pass?.everyoneSince == simulator.now.milliseconds)
        }
    }

    @Test func `in a history is asked for again, and no longer missing when it is believed`() async throws {
        try await World.run { world in
            let simulator = world.simulator
            try simulator.add(Fault("notification:*", .drop))
            let outcome = try await simulator.perform(
                .purchase(customer: "anna", product: "com.example.premium.monthly"))
            let transaction = try #require(outcome.transactionID)
            let (core, scope) = (try world.server.core, try world.scope())
            try await core.recovery.runNow()
            #expect(try await world.completeness().state == .complete)
            let faults = try ["transaction-history", "subscription-statuses"].map {
                try simulator.add(Fault("route:\($0)", .invalidSignature))
            }
            try await core.storage.add(requests: [transaction], in: scope.id, because: .restore, at: 0)
            try await core.recovery.runNow()
            let missing = try await world.completeness()
            #expect(missing.state == .behind && missing.missing.unverified >= 2 && missing.missing.putAside == 1)
            try #require(!missing.names.items.isEmpty)
            #expect(missing.names.items.allSatisfy { $0.history == transaction && $0.code == "bad_signature" })
            #expect(missing.names.histories.map(\.transactionID) == [transaction])
            // As long as it cannot be believed it is missing, and there is no more of it.
            try await simulator.advance(by: 600)
            try await core.recovery.runNow()
            #expect(try await world.completeness().missing.unverified == missing.missing.unverified)
            for fault in faults { try simulator.removeFault(fault) }
            // The server's own service asks as well. It may hold an answer of before the faults ended, and puts that down after
            // this one: then it is asked for again, after a pause.
            var healed = missing
            for _ in 0..<5 where healed.state != .complete {
                try await simulator.advance(by: 86_400)
                try await core.recovery.runNow()
                healed = try await world.completeness()
            }
            #expect(healed.missing.unverified == 0 && healed.missing.putAside == 0)
            #expect(healed.state == .complete)
            #expect(try await core.storage.lineage(transaction, in: scope.id)?.renewal != nil)
        }
    }

    @Test func `inside a notification is tried again when the App Store tells it again`() async throws {
        try await World.run { world in
            let simulator = world.simulator
            try await simulator.perform(.purchase(customer: "anna", product: "com.example.premium.monthly"))
            try await world.settle()
            let core = try world.server.core
            let scope = try world.scope()
            let filter = InboxFilter(scopes: [scope.id])
            let kept = try #require(try await core.storage.notifications(filter, before: .max, limit: 1).items.first)
            try await core.storage.fail(kept.id, code: "untrusted_root", message: "wrong anchors", at: 0)
            try await core.recovery.runNow()
            try await world.settle()
            #expect(try await core.storage.notification(kept.uuid)?.state == .folded)
            #expect(try await world.completeness().state == .complete)
        }
    }

    @Test func `was only counted by the form before: the mark goes back to it`() async throws {
        try await Tool.inTemporaryFolder { folder in
            let ledger = try await TestLedger(in: folder, name: "ledger.sqlite")
            let scope = ledger.scope.id
            try await ledger.storage.pool.write { db in
                try db.execute(
                    sql: """
                        DELETE FROM grdb_migrations WHERE identifier = '4';
                        DROP TABLE unverified_spans;
                        ALTER TABLE completeness DROP COLUMN read_until;
                        ALTER TABLE completeness DROP COLUMN signed_until;
                        ALTER TABLE recoveries DROP COLUMN signed_until;
                        ALTER TABLE recovery_windows DROP COLUMN unverified;
                        ALTER TABLE recovery_failures DROP COLUMN history;
                        INSERT INTO completeness VALUES (\(scope), 1000, 9000, 'notification_history', 9060);
                        INSERT INTO histories VALUES (\(scope), '7', 'r', 8000);
                        INSERT INTO recovery_failures (scope, digest, code, message, recovery, from_date, until_date,
                            noticed_at)
                        VALUES (\(scope), x'01', 'bad_signature', '', 3, 5000, 6000, 8000),
                            (\(scope), x'02', 'bad_signature', '', NULL, NULL, NULL, 8500);
                        """)
            }
            try ledger.storage.close()
            let storage = try await TestLedger(in: folder, name: "ledger.sqlite").storage
            let mark = try #require(try await storage.completenessMarks().first)
            #expect(mark.since == 1000 && mark.until == 4999 && mark.readUntil == 9000 && mark.signedUntil == 9000)
            #expect(try await storage.unverifiedSpans(in: scope).spans == [.init(from: 5000, until: 6000)])
            // Whose history held the other one was not written down.
            #expect(try await storage.missing(in: scope).unverified == 1)
            #expect(try await storage.historyMark(of: ["7"], in: scope) == nil)
            #expect(try await storage.historyPass(in: scope)?.everyoneSince == 8500)
            try storage.close()
        }
    }
}
