import AppStoreServer
import Foundation
import Hummingbird
import Testing

@testable import StoreSimulator

@Suite struct `A simulator that starts` {
    /// The port is open before the certificates, which contain it, are created.
    @Test func `The control API answers 503 with an error object until the simulator is there`() async throws {
        let responder = SimulatorRoutes.router(SimulatorHolder(receiver: nil)).buildResponder()
        let service = try await LoopbackService(HeadResponder(base: responder), label: "starting")
        try await service.whileRunning {
            for path in ["/simulator", "/simulator/clock"] {
                let answer = try await AsyncHTTPClientTransport().send(
                    HTTPTransportRequest(
                        method: "GET", url: "http://127.0.0.1:\(service.port)\(path)", timeout: .seconds(600)))
                let error = try JSONSerialization.jsonObject(with: answer.body) as? [String: Any] ?? [:]
                #expect(answer.status == 503, "\(path)")
                #expect(error["object"] as? String == "error" && error["code"] as? String == "starting", "\(path)")
                #expect(error["retryable"] as? Bool == true, "\(path)")
            }
        }
    }

    @Test func `A cancelled start throws CancellationError`() async throws {
        let start = Task {
            while !Task.isCancelled { await Task.yield() }
            return try await Simulator.start(.frozen)
        }
        start.cancel()
        await #expect(throws: CancellationError.self) { _ = try await start.value }
    }
}
