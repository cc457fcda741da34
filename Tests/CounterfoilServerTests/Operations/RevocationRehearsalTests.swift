@testable import LedgerServices
import AppStoreModels
import AppStoreServer
import CounterfoilServer
import Foundation
import LedgerSQLite
import StoreSimulator
import Testing

@testable import Ledger

/// A server goes through what can become of certificates, by a clock that is put forward.
@Suite struct `With the simulator a server rehearses revocation` {
    private func run(_ policy: RevocationPolicy, _ body: (World) async throws -> Void) async throws {
        try await World.run {
            // From here the clock is only ever ahead of the real one, as in most rehearsals.
            $0.clock = .frozen(Date())
        } server: {
            $0.trust.revocation = policy
            $0.trust.revocationHosts = ["127.0.0.1"]
            Asker.configure(&$0)
        } _: { world in
            try await world.simulator.perform(
                .purchase(
                    customer: "anna", product: "com.example.premium.monthly", introductory: false,
                    appAccountToken: AppAccountToken(Self.token)))
            try await body(world)
        }
    }

    private static let token = UUID()

    /// Tells anew how questions are answered, and waits until no earlier answer holds.
    private func answer(_ status: String, _ world: World) async throws {
        try world.simulator.core.setRevocation(RevocationSetting(status: status))
        try await world.simulator.advance(by: 86_400)
    }

    /// Lets something be announced.
    ///
    /// - Returns: Whether the server has taken it.
    private func isBelieved(_ world: World) async throws -> Bool {
        let simulator = world.simulator
        try await simulator.perform(.cancel(customer: "anna"))
        try await simulator.perform(.resume(customer: "anna"))
        return simulator.core.read(.production) { store, _ in store.notifications.last?.isDelivered ?? false }
    }

    /// What the server says of the text that decides.
    private func finding(_ world: World) async throws -> String? {
        try await world.settle()
        let customer = Self.token.uuidString.lowercased()
        let answer = try await world.api.get("/v1/customers/\(customer)/entitlements/premium/explain")
        let facts = answer["facts"] as? [[String: Any]] ?? []
        let decisive = facts.first { $0["role"] as? String == "decides" }
        return (decisive?["verification"] as? [String: Any])?["revocation"] as? String
    }

    @Test func `where unknown means refused`() async throws {
        try await run(.hard) { world in
            let simulator = world.simulator
            #expect(try await finding(world) == "good")
            for days in [8.0, 395] {
                try await simulator.advance(by: days * 86_400)
                #expect(try await isBelieved(world))
                #expect(try await finding(world) == "good")
            }
            for status in ["expired", "unreachable", "unknown", "wrong"] {
                try await answer(status, world)
                #expect(try await !isBelieved(world), "\(status)")
            }
            // What was refused is sent again, and nothing is lost.
            try await answer("good", world)
            try await simulator.advance(by: 4 * 86_400)
            #expect(try await isBelieved(world))
            try await answer("revoked", world)
            #expect(try await !isBelieved(world))
            try await answer("good", world)
            #expect(try await isBelieved(world))
            try await world.server.core.recovery.runNow()
            #expect(try await world.kept() == world.sent())
            #expect(try await finding(world) == "good")
        }
    }

    @Test func `where unknown means refused, and leads nobody past an event that it cannot judge`() async throws {
        try await run(.hard) { world in
            try await world.settle()
            try world.simulator.core.setRevocation(RevocationSetting(status: "unreachable"))
            // The last response holds no longer, and the text is less than a day old.
            try await world.simulator.advance(by: 86_000)
            let refusal = try await world.api.get("/v1/events")
            #expect(refusal.status == 503 && refusal.code == "revocation_unknown", "\(refusal.text)")
            #expect(refusal["retryable"] as? Bool == true)
            try world.simulator.core.setRevocation(RevocationSetting(status: "good"))
            try await world.simulator.advance(by: 60)
            let told = try await world.api.get("/v1/events").items
            let data = try #require(told.first?["data"] as? [String: Any])
            #expect(told.count == 1 && data["transaction"] is [String: Any])
        }
    }

    @Test(.timeLimit(.minutes(5)))
    func `where unknown means refused, and a command leaves to the server what nobody answers about`() async throws {
        try await run(.hard) { world in
            let simulator = world.simulator
            try await world.settle()
            try await world.stopServer()
            try await simulator.perform(.cancel(customer: "anna"))
            let number = simulator.core.read(.production) { store, _ in store.notifications.count - 1 }
            let text = try simulator.core.text(number, in: .production)
            try simulator.core.setRevocation(RevocationSetting(status: "unreachable"))
            let configuration = try world.configuration()
            try await OfflineServer.run(
                configuration, clock: .showing { simulator.core.now }, patience: .milliseconds(1)
            ) { core in
                let scope = try #require(core.scopes[simulator.information.bundleID, .production])
                let now = simulator.core.now.milliseconds
                let received = ReceivedNotification(
                    scope: scope.id, uuid: UUID().uuidString, type: "DID_CHANGE_RENEWAL_STATUS", signedDate: now,
                    receivedAt: now, origin: .delivered, text: text)
                _ = try await core.storage.commit(receiving: [received], folding: [])
                core.processor.lookAgain()
            }
            let ledger = try SQLiteStorage(path: configuration.storage.path)
            #expect(try await ledger.backlog().count == 1)
            try ledger.close()
        }
    }

    @Test func `where unknown means believed`() async throws {
        try await run(.soft) { world in
            try await world.simulator.advance(by: 395 * 86_400)
            #expect(try await isBelieved(world))
            #expect(try await finding(world) == "good")
            // What could not be learned is not asked about for a while: it comes last.
            for status in ["expired", "unreachable"] {
                try await answer(status, world)
                #expect(try await isBelieved(world), "\(status)")
                #expect(try await finding(world) == "unknown", "\(status)")
            }
        }
    }

    @Test func `where unknown means believed, but not of what was revoked before`() async throws {
        try await run(.soft) { world in
            try await answer("revoked", world)
            #expect(try await !isBelieved(world))
            for status in ["expired", "unreachable"] {
                try await answer(status, world)
                #expect(try await !isBelieved(world), "\(status)")
            }
        }
    }
}
