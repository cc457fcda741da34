import ClientWorld
import CounterfoilClient
import CounterfoilClientTesting
import Foundation
import Testing

@Suite(.timeLimit(.minutes(10)))
struct `Simulated device without a simulator` {
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

    @Test func `The name of a customer or device with a slash is one part of the path`() async throws {
        let server = try LoopbackServer(answer: "{}")
        defer { withExtendedLifetime(server) {} }
        let device = SimulatedDevice(control: server.url, customer: "anna/b c", device: "50 % ü/1")
        var lines = server.requests.makeAsyncIterator()
        _ = await device.unfinished()
        let path = "/simulator/sandbox/customers/anna%2Fb%20c/devices/50%20%25%20%C3%BC%2F1"
        #expect(await lines.next() == "GET \(path) HTTP/1.1")
        let updates = Task { for await _ in device.updates {} }
        #expect(await lines.next() == "GET \(path)/updates?after=0&wait=20 HTTP/1.1")
        updates.cancel()
        await updates.value
    }
}
