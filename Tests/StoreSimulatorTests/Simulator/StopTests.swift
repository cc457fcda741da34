import AppStoreModels
import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import StoreSimulator
import TestSupport
import Testing

/// What is left of a simulator that was stopped.
@Suite("A stopped simulator") struct StopTests {
    @Test func `leaves nothing in the process that ran it, not even the lock on its folder`() async throws {
        try await Tool.inTemporaryFolder { folder in
            weak var left: Simulator?
            func live() async throws {
                var configuration = SimulatorConfiguration()
                configuration.clock = .frozen(Simulator.start)
                configuration.directory = folder
                let simulator = try await Simulator.start(configuration)
                left = simulator
                try await simulator.perform(.createCustomer(customer: "anna"))
                // Over a connection that stays.
                let ping = HTTPClientRequest(url: simulator.information.baseURLs.sandbox + "/ping")
                #expect(try await HTTPClient.shared.execute(ping, timeout: .seconds(10)).status == .ok)
                await simulator.stop()
            }
            try await live()
            #expect(left == nil)
            // The lock is gone with it: another can begin here.
            try await live()
            #expect(left == nil)
        }
    }
}
