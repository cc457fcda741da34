import AppStoreModels
import AppStoreServer
import CounterfoilServer
import Foundation
import Logging
import StoreSimulator
import TestSupport
import Testing

@testable import Ledger
@testable import LedgerServices

/// Tests revocation policies against a simulator that changes its OCSP responses, and whose clock is set forward.
@Suite struct `Revocation rehearsed with the simulator` {
    private func run(_ policy: RevocationPolicy, _ body: (World) async throws -> Void) async throws {
        try await World.run {
            // From here on, the clock is ahead of the real one, as in most rehearsals.
            $0.clock = .frozen(Date())
        } server: {
            $0.trust.revocation = policy
            $0.trust.revocationHosts = ["127.0.0.1"]
            TestAPIClient.configure(&$0)
        } _: { world in
            try await world.simulator.perform(
                .purchase(
                    customer: "anna", product: "com.example.premium.monthly", introductory: false,
                    appAccountToken: AppAccountToken(Self.token)))
            // The App Store sends a refused notification again after an hour. On a busy machine the first OCSP response
            // may arrive after the server's time limit.
            for _ in 0..<100 where !isLastDelivered(world) { try await world.simulator.advance(by: 3600) }
            try #require(isLastDelivered(world))
            try await body(world)
        }
    }

    private static let token = UUID()

    /// Sets the status of OCSP responses, and advances the clock by a day so that cached responses expire.
    private func setRevocationStatus(_ status: String, _ world: World) async throws {
        try world.simulator.core.setRevocation(status)
        try await world.simulator.advance(by: 86_400)
    }

    /// Cancels and resumes the subscription. Returns whether the server has accepted the last notification.
    private func isAccepted(_ world: World) async throws -> Bool {
        let simulator = world.simulator
        try await simulator.perform(.cancel(customer: "anna"))
        try await simulator.perform(.resume(customer: "anna"))
        return isLastDelivered(world)
    }

    private func isLastDelivered(_ world: World) -> Bool {
        world.simulator.core.read(.production) { store, _ in store.notifications.last?.isDelivered ?? false }
    }

    /// Waits until the server accepts notifications and knows that the certificates are good. On a busy machine an OCSP
    /// response may arrive after the server's time limit.
    private func waitForGoodStatus(_ world: World) async throws {
        try await waitUntil("a notification is accepted with the status good") {
            guard try await isAccepted(world) else { return false }
            return try await revocationStatus(world) == "good"
        }
    }

    /// Returns the revocation status of the signed text that decides the entitlement.
    private func revocationStatus(_ world: World) async throws -> String? {
        try await world.waitUntilIdle()
        let customer = Self.token.uuidString.lowercased()
        let answer = try await world.api.get("/v1/customers/\(customer)/entitlements/premium/explain")
        let facts = answer["facts"] as? [[String: Any]] ?? []
        let decisive = facts.first { $0["role"] as? String == "decides" }
        return (decisive?["verification"] as? [String: Any])?["revocation"] as? String
    }

    @Test func `With the policy "hard", notifications are refused while the revocation status is not known`()
        async throws
    {
        try await run(.hard) { world in
            let simulator = world.simulator
            #expect(try await revocationStatus(world) == "good")
            for days in [8.0, 395] {
                try await simulator.advance(by: days * 86_400)
                try await waitForGoodStatus(world)
            }
            for status in ["expired", "unreachable", "unknown", "wrong"] {
                try await setRevocationStatus(status, world)
                #expect(try await !isAccepted(world), "\(status)")
            }
            // The App Store sends the refused notifications again. None is lost.
            try await setRevocationStatus("good", world)
            try await simulator.advance(by: 4 * 86_400)
            try await waitForGoodStatus(world)
            try await setRevocationStatus("revoked", world)
            #expect(try await !isAccepted(world))
            try await setRevocationStatus("good", world)
            try await waitForGoodStatus(world)
            try await world.server.core.recovery.runNow()
            #expect(try await world.storedNotifications() == world.signedNotifications())
            #expect(try await revocationStatus(world) == "good")
        }
    }

    @Test func `With the policy "hard", events answer 503 while the revocation status is unknown`() async throws {
        try await run(.hard) { world in
            try await world.waitUntilIdle()
            try world.simulator.core.setRevocation("unreachable")
            // The cached response has expired, and the text was signed less than a day ago.
            try await world.simulator.advance(by: 86_000)
            let refusal = try await world.api.get("/v1/events")
            #expect(refusal.status == 503 && refusal.code == "revocation_unknown", "\(refusal.text)")
            #expect(refusal["retryable"] as? Bool == true)
            try world.simulator.core.setRevocation("good")
            try await world.simulator.advance(by: 60)
            var events: [[String: Any]] = []
            try await waitUntil("the events are answered") {
                events = try await world.api.get("/v1/events").items
                return !events.isEmpty
            }
            let data = try #require(events.first?["data"] as? [String: Any])
            #expect(events.count == 1 && data["transaction"] is [String: Any])
        }
    }

    @Test(.timeLimit(.minutes(10)))
    func `With the policy "hard", a command leaves a notification of unknown status to the server`() async throws {
        try await run(.hard) { world in
            let simulator = world.simulator
            try await world.waitUntilIdle()
            try await world.stopServer()
            try await simulator.perform(.cancel(customer: "anna"))
            let number = simulator.core.read(.production) { store, _ in store.notifications.count - 1 }
            let text = try simulator.core.text(number, in: .production)
            try simulator.core.setRevocation("unreachable")
            try await world.runOffline(timeout: .milliseconds(1)) { core in
                let appEnvironment = try #require(core.scopes[simulator.information.bundleID, .production])
                let now = simulator.core.now.milliseconds
                let received = ReceivedNotification(
                    scope: appEnvironment.id, uuid: UUID().uuidString, type: "DID_CHANGE_RENEWAL_STATUS",
                    signedDate: now,
                    receivedAt: now, origin: .delivered, text: text)
                _ = try await core.storage.commit(received: [received], processed: [])
                core.processor.rescan()
            }
            let ledger = try await world.ledger.open(world.configuration().storage, Logger(label: "test"))
            #expect(try await ledger.backlog().count == 1)
            try await ledger.close()
        }
    }

    @Test func `With the policy "soft", notifications of unknown status are accepted`() async throws {
        try await run(.soft) { world in
            try await world.simulator.advance(by: 395 * 86_400)
            try await waitForGoodStatus(world)
            // After a failure the status is not requested again for a while. Therefore "unreachable" comes last.
            for status in ["expired", "unreachable"] {
                try await setRevocationStatus(status, world)
                #expect(try await isAccepted(world), "\(status)")
                #expect(try await revocationStatus(world) == "unknown", "\(status)")
            }
        }
    }

    @Test func `With the policy "soft", a revoked certificate stays refused while the status is unknown`() async throws
    {
        try await run(.soft) { world in
            try await setRevocationStatus("revoked", world)
            // A response that arrives too late counts for the next notification.
            try await waitUntil("the revocation is known") { try await !isAccepted(world) }
            for status in ["expired", "unreachable"] {
                try await setRevocationStatus(status, world)
                #expect(try await !isAccepted(world), "\(status)")
            }
        }
    }
}

extension SimulatorCore {
    /// Sets how OCSP requests about all certificates are answered from now on.
    fileprivate func setRevocation(_ status: String) throws {
        let body = Data(#"{"status":"\#(status)"}"#.utf8)
        try setRevocation(JSONDecoder().decode(RevocationSetting.self, from: body))
    }
}
