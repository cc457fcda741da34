import ClientWorld
import CounterfoilClient
import CounterfoilClientTesting
import Foundation
import Testing

@Suite(.timeLimit(.minutes(10)))
struct `Simulated device without a reachable simulator` {
    private func device() throws -> SimulatedDevice {
        SimulatedDevice(
            control: try #require(URL(string: "http://127.0.0.1:1")), customer: "anna", device: "phone")
    }

    @Test func `An unreachable simulated device has no purchases, like StoreKit without a network`() async throws {
        let device = try device()
        #expect(await device.unfinished().isEmpty)
        #expect(await device.current().isEmpty)
        #expect(await device.all().isEmpty)
        #expect(await device.statuses().isEmpty)
        #expect(await device.appTransaction() == nil)
        #expect(await device.receipt() == nil)
        await device.finish(1)
    }

    @Test func `An unreachable simulated device throws from purchase, sync and products`() async throws {
        let device = try device()
        await #expect(throws: (any Error).self) { try await device.purchase("monthly", PurchaseOptions()) }
        await #expect(throws: (any Error).self) { try await device.sync() }
        await #expect(throws: (any Error).self) { try await device.products(["monthly"]) }
    }
}
