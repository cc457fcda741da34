import AppStoreModels
import CounterfoilServer
import Foundation
import Logging
import StoreSimulator
import TestSupport
import Testing

@testable import LedgerServices

@Suite struct `The log of consumption requests` {
    @Test(.timeLimit(.minutes(10))) func `A failure that lasts is logged once, and so is its end`() async throws {
        let lines = LogCapture()
        var settings = ServerConfiguration.Log()
        settings.level = .debug
        try await World.run(
            server: { $0.apps[0].consumption = ConsumptionPolicy(defaultConsent: true) },
            logger: lines.logger(settings)
        ) { world in
            world.simulator.configure { $0.refundDecision = .byCommand }
            try await world.simulator.perform(
                .purchase(
                    customer: "anna", product: "com.example.coins.100", appAccountToken: AppAccountToken(UUID())))
            try await world.waitUntilIdle()
            try await world.withFailing(.nextConsumptionAttempt) {
                try await world.simulator.perform(.requestRefund(customer: "anna"))
                // Repetitions are logged at the level `debug`.
                try await waitUntil("three attempts failed") { lines.count(of: "could not be answered") >= 3 }
            }
            try await waitUntil("the end is logged") { lines.count(of: "are answered again") >= 1 }
        }
        #expect(lines.count(of: "error consumption requests could not be answered") == 1, "\(lines.text)")
        #expect(lines.count(of: "are answered again") == 1, "\(lines.text)")
    }
}
