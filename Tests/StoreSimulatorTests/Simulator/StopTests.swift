import AppStoreModels
import AsyncHTTPClient
import Foundation
import Hummingbird
import NIOHTTP1
import StoreSimulator
import TestSupport
import Testing

/// What is left of a simulator that was stopped.
@Suite struct `A stopped simulator` {
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

    /// A connection that was taken a moment before the end, and has nobody yet who answers it, ended the whole process.
    @Test func `ends while connections are coming in`() async throws {
        for _ in 0..<20 {
            let service = try await Self.service()
            let count = await ConnectionFlood.flood(service.port) {
                // Not before somebody was answered.
                await Self.answered(by: service.port)
                await service.stop()
            }
            #expect(count > 0)
        }
    }

    /// Half a second was not enough on a machine that is busy: what ends it came before the task of a connection. `Connections
    /// that were taken` proves each way of that; here few rounds are enough, since all other tests stand still meanwhile.
    @Test func `ends on a busy machine while connections are coming in`() async throws {
        for _ in 0..<3 {
            let service = try await Self.service()
            let count = await ConnectionFlood.flood(service.port) {
                await Self.answered(by: service.port)
                await withTaskGroup(of: Void.self) { group in
                    group.addTask { await service.stop() }
                    // Nobody else gets a processor for longer than that.
                    for _ in 0..<ProcessInfo.processInfo.activeProcessorCount {
                        group.addTask {
                            let end = ContinuousClock.now + .milliseconds(800)
                            while ContinuousClock.now < end {}
                        }
                    }
                }
            }
            #expect(count > 0)
        }
    }

    @Test(.timeLimit(.minutes(5))) func `does not keep, while it runs, the connection of a client that says nothing`()
        async throws
    {
        let service = try await Self.service(idleTime: .milliseconds(10))
        try await service.whileRunning { try await IdleConnection.untilClosed(service.port) }
    }

    private static func service(idleTime: Duration = .seconds(75)) async throws -> LoopbackService {
        try await LoopbackService(
            CallbackResponder<BasicRequestContext> { _, _ in Response(status: .ok) }, label: "test", idleTime: idleTime)
    }

    private static func answered(by port: Int) async {
        let request = HTTPClientRequest(url: "http://127.0.0.1:\(port)/")
        let answer = try? await HTTPClient.shared.execute(request, timeout: .seconds(10))
        #expect(answer?.status == .ok)
    }
}
