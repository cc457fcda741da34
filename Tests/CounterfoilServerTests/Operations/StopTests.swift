@testable import CounterfoilServer
import Foundation
import LedgerServices
import StoreSimulator
import TestSupport
import Testing

/// What is left of a server that was stopped.
@Suite struct `A stopped server` {
    @Test func `leaves nothing in the process that ran it`() async throws {
        weak var server: Server?
        weak var metrics: ServerMetrics?
        weak var webhooks: WebhookDispatcher?
        weak var recovery: LedgerServices.Recovery?
        weak var simulator: Simulator?
        try await World.run { world in
            try await world.simulator.perform(
                .purchase(customer: "anna", product: "com.example.premium.monthly", introductory: false))
            try await world.settle()
            server = try world.server
            metrics = try world.server.core.metrics
            webhooks = try world.server.core.webhooks
            recovery = try world.server.core.recovery
            simulator = world.simulator
        }
        #expect(server == nil)
        #expect(metrics == nil && webhooks == nil && recovery == nil)
        // Its clock was the simulator's.
        #expect(simulator == nil)
    }

    /// A connection that was taken a moment before the end, and has nobody yet who answers it, could end the whole process.
    @Test func `ends while connections are coming in`() async throws {
        try await World.run { world in
            for _ in 0..<10 {
                let port = try world.server.port
                #expect(try await ConnectionFlood.flood(port) { try await world.stopServer() } > 0)
                try await world.startServer()
            }
        }
    }
}
