import AppStoreModels
import AsyncHTTPClient
import Foundation
import Hummingbird
import NIOCore
import NIOHTTP1
import NIOPosix
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
        var counts: [Int] = []
        for _ in 0..<20 {
            let service = try await LoopbackService(
                CallbackResponder<BasicRequestContext> { _, _ in Response(status: .ok) }, label: "test")
            counts.append(
                await withTaskGroup(of: Int.self) { group in
                    for _ in 0..<8 { group.addTask { await Self.connections(to: service.port) } }
                    // Not before somebody was answered.
                    await Self.answered(by: service.port)
                    await service.stop()
                    return await group.reduce(0, +)
                })
        }
        #expect(counts.allSatisfy { $0 > 0 })
    }

    /// Half a second was not enough on a machine that is busy: what ends it came before the task of a connection.
    @Test func `ends on a busy machine while connections are coming in`() async throws {
        for _ in 0..<10 {
            let service = try await LoopbackService(
                CallbackResponder<BasicRequestContext> { _, _ in Response(status: .ok) }, label: "test")
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<8 { group.addTask { _ = await Self.connections(to: service.port) } }
                await Self.answered(by: service.port)
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
    }

    /// Connects again and again, until nobody listens. Returns how often somebody did.
    private static func connections(to port: Int) async -> Int {
        var count = 0
        while let channel = try? await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .connect(host: "127.0.0.1", port: port).get()
        {
            count += 1
            // Who is not there any more has closed it already.
            try? await channel.close()
        }
        return count
    }

    private static func answered(by port: Int) async {
        let request = HTTPClientRequest(url: "http://127.0.0.1:\(port)/")
        let answer = try? await HTTPClient.shared.execute(request, timeout: .seconds(10))
        #expect(answer?.status == .ok)
    }
}
