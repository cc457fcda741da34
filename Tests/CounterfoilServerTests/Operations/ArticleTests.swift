import CoreMetrics
import CounterfoilServer
import Foundation
import Logging
import ServiceLifecycle
import TestSupport
import Testing

@Suite struct `The code of the chapters about operations` {
    @Test func `Every line of code in the chapters occurs in this file`() throws {
        func run() async throws {
            let loaded = try LoadedConfiguration(contentsOf: URL(filePath: "counterfoil.yaml"))
            let server = try await Server.start(loaded.configuration)
            print("listening on port \(server.port)")
            try await server.wait()
        }
        func log(_ loaded: LoadedConfiguration) async throws -> Int {
            let logger = Logger(label: "counterfoil") { _ in ServerLogHandler(loaded.configuration.log) }
            let server = try await Server.start(loaded.configuration, logger: logger)
            return server.port
        }
        struct PurchaseServer: Service {
            let configuration: ServerConfiguration

            func run() async throws {
                let server = try await Server.start(configuration)
                try await server.wait()
            }
        }
        func measure(_ configuration: ServerConfiguration, _ backend: any MetricsFactory) async throws -> Int {
            let server = try await Server.start(configuration, metrics: backend)
            return server.port
        }
        for page in ["docs/operations.md", "docs/operations-monitoring.md"] {
            #expect(try Articles.uncompiled(ofPage: page, in: #filePath) == [])
        }
    }
}
