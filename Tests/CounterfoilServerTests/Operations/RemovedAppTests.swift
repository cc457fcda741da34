import CounterfoilServer
import Foundation
import Ledger
import LedgerServices
import StoreSimulator
import Synchronization
import Testing

@Suite struct `An app that is removed from the configuration` {
    /// Whether the configuration has another app instead of the simulator's.
    private final class Removal: Sendable {
        let isOn = Mutex(false)
    }

    @Test func `The API refuses a removed app, and its customers are back when it is added again`() async throws {
        let removal = Removal()
        try await World.withAPI(server: { configuration in
            guard removal.isOn.withLock({ $0 }) else { return }
            configuration.apps = [ServerConfiguration.App(bundleID: "com.example.other", appAppleID: 2)]
        }) { world in
            let anna = try await world.subscribe("anna")
            let path = "/v1/customers/\(anna)"
            func willRenew() async throws -> Bool? {
                let subscriptions = try await world.api.get(path)["subscriptions"] as? [[String: Any]]
                return subscriptions?.first?["will_renew"] as? Bool
            }
            #expect(try await willRenew() == true)

            removal.isOn.withLock { $0 = true }
            try await world.stopServer()
            try await world.startServer()
            let query = "?app=\(world.simulator.information.bundleID)"
            for method in ["GET", "DELETE"] {
                #expect(try await world.api.send(method, path + query).code == "unknown_app", "\(method)")
            }
            try await world.simulator.perform(.cancel(customer: "anna"))
            #expect(try await world.refusals().map(\.code) == ["wrong_app"])

            removal.isOn.withLock { $0 = false }
            try await world.stopServer()
            try await world.startServer()
            #expect(try await willRenew() == true)
            try await world.server.core.recovery.runNow()
            try await world.waitUntilIdle()
            #expect(try await willRenew() == false)
        }
    }
}
