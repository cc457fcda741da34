import AppStoreModels
import AsyncHTTPClient
import Foundation
import Hummingbird
import NIOHTTP1
import StoreSimulator
import Synchronization
import TestSupport
import Testing

/// A simulator or service that stops, and its connections.
@Suite struct `A stopped simulator` {
    @Test(.timeLimit(.minutes(10)))
    func `A stopped simulator is deallocated and releases the lock on its folder`() async throws {
        try await Tool.inTemporaryFolder { folder in
            weak var stopped: Simulator?
            func runOnce() async throws {
                var configuration = SimulatorConfiguration()
                configuration.clock = .frozen(Simulator.start)
                configuration.directory = folder
                let simulator = try await Simulator.start(configuration)
                stopped = simulator
                try await simulator.perform(.createCustomer(customer: "anna"))
                // Over a connection that stays open.
                let ping = HTTPClientRequest(url: simulator.information.baseURLs.sandbox + "/ping")
                #expect(try await HTTPClient.shared.execute(ping, timeout: .seconds(600)).status == .ok)
                await simulator.stop()
            }
            // The lock is released: a second simulator can start in this folder.
            for _ in 0..<2 {
                try await runOnce()
                // The event loop of a connection may release its last objects a moment later.
                try await waitUntil("the simulator is released") { stopped == nil }
            }
        }
    }

    @Test func `A simulator stops and deletes its folder when a task that waits for it is cancelled`() async throws {
        let simulator = try await Simulator.start(SimulatorConfiguration.frozen)
        #expect(FileManager.default.fileExists(atPath: simulator.information.privateKey))
        let waiting = Task { try await simulator.wait() }
        let isOver = Mutex(false)
        Task {
            _ = await waiting.result
            isOver.withLock { $0 = true }
        }
        waiting.cancel()
        try await waitUntil("the simulator has stopped") { isOver.withLock(\.self) }
        try await waiting.value
        #expect(!FileManager.default.fileExists(atPath: simulator.information.privateKey))
    }

    @Test func `A task that waits for a simulator returns after the folder is deleted`() async throws {
        let simulator = try await Simulator.start(SimulatorConfiguration.frozen)
        async let stop: Void = simulator.stop()
        try await simulator.wait()
        #expect(!FileManager.default.fileExists(atPath: simulator.information.privateKey))
        await stop
    }

    /// A connection that was accepted just before the stop and had no handler yet crashed the process. The suite
    /// `Accepted connections` tests each order of events.
    @Test func `A service stops while clients connect`() async throws {
        for _ in 0..<20 {
            let service = try await Self.service()
            let count = await ConnectionFlood.flood(service.port) {
                // Stops the service only after it has responded once.
                await Self.expectResponse(from: service.port)
                await service.stop()
            }
            #expect(count > 0)
        }
    }

    @Test(.timeLimit(.minutes(10))) func `A running service closes the connection of an idle client`()
        async throws
    {
        let service = try await Self.service(idleTime: .milliseconds(10))
        try await service.whileRunning { try await IdleConnection.untilClosed(service.port) }
    }

    private static func service(idleTime: Duration = .seconds(75)) async throws -> LoopbackService {
        try await LoopbackService(
            CallbackResponder<BasicRequestContext> { _, _ in Response(status: .ok) }, label: "test", idleTime: idleTime)
    }

    private static func expectResponse(from port: Int) async {
        let request = HTTPClientRequest(url: "http://127.0.0.1:\(port)/")
        let answer = try? await HTTPClient.shared.execute(request, timeout: .seconds(600))
        #expect(answer?.status == .ok)
    }
}
