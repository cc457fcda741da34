package import Hummingbird
import StoreSimulator

/// A small HTTP server on 127.0.0.1, for clients under test.
package struct TestServer: Sendable {
    private let service: LoopbackService
    package var port: Int { service.port }

    /// Starts the server on a free port.
    package init(_ router: Router<BasicRequestContext>) async throws {
        service = try await LoopbackService(router.buildResponder(), label: "loopback")
    }

    /// Runs `body`, then stops the server, also if `body` throws.
    package func whileRunning<Value>(_ body: () async throws -> Value) async throws -> Value {
        try await service.whileRunning(body)
    }
}
