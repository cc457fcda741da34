package import Hummingbird
import Logging
import NIOCore

/// A small server on loopback, for what is tested to talk to.
package struct TestServer: Sendable {
    package struct NotListening: Error {}

    package let port: Int
    private let running: Task<Void, any Error>

    /// Begins to answer, on a port that was free.
    package init(_ router: Router<BasicRequestContext>) async throws {
        let (ports, continuation) = AsyncStream.makeStream(of: Int.self)
        var logger = Logger(label: "loopback")
        logger.logLevel = .critical
        let application = Application(
            router: router, configuration: .init(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { channel in
                if let port = channel.localAddress?.port { continuation.yield(port) }
                continuation.finish()
            }, logger: logger)
        running = Task {
            defer { continuation.finish() }
            try await application.run()
        }
        var port: Int?
        for await found in ports { port = found }
        guard let port else { throw NotListening() }
        self.port = port
    }

    /// Returns when it has ended.
    package func stop() async {
        running.cancel()
        // Cancelled is stopped.
        _ = await running.result
    }

    /// Ends it whatever `body` throws.
    package func whileRunning<Value>(_ body: () async throws -> Value) async throws -> Value {
        let result: Result<Value, any Error>
        do { result = .success(try await body()) } catch { result = .failure(error) }
        await stop()
        return try result.get()
    }
}
