package import Hummingbird
import StoreSimulator

/// A small server on loopback, for what is tested to talk to.
package struct TestServer: Sendable {
    private let service: LoopbackService
    package var port: Int { service.port }

    /// Begins to answer, on a port that was free.
    package init(_ router: Router<BasicRequestContext>) async throws {
        service = try await LoopbackService(router.buildResponder(), label: "loopback")
    }

    /// Ends it whatever `body` throws.
    package func whileRunning<Value>(_ body: () async throws -> Value) async throws -> Value {
        try await service.whileRunning(body)
    }
}
