package import Hummingbird
internal import HummingbirdCore
internal import Logging
internal import NIOCore
internal import ServiceLifecycle
internal import WebConsole

/// Answers requests to a port of 127.0.0.1 until it is stopped.
package struct LoopbackService: Sendable {
    /// It ended before it listened.
    package struct NotListening: Error {}

    package let port: Int
    private let group: ServiceGroup
    private let running: Task<Void, any Error>

    /// Listens, on any free port if `port` is 0. It answers when this returns.
    ///
    /// - Parameter idleTime: How long a connection may stay on which nothing is asked, or of which no more is read: a client
    ///   that is refused before it has sent all may never close it.
    package init(
        _ responder: some HTTPResponder<some RequestContext & InitializableFromSource<ApplicationRequestContextSource>>,
        port: Int = 0, label: String, idleTime: Duration = .seconds(75)
    ) async throws {
        let (ports, continuation) = AsyncStream.makeStream(of: Int.self)
        var logger = Logger(label: label)
        // What is below it is the talk of connections that end when this is stopped.
        logger.logLevel = .critical
        let connections = TakenConnections()
        let http = HTTP1Channel.Configuration(idleTimeout: TimeAmount(idleTime))
        let application = Application(
            responder: responder,
            server: HTTPServerBuilder { connections.holding(HTTP1Channel(responder: $0, configuration: http)) },
            configuration: .init(address: .hostname("127.0.0.1", port: port), backlog: 1024),
            onServerRunning: { channel in
                if let port = channel.localAddress?.port { continuation.yield(port) }
                continuation.finish()
            }, logger: logger)
        var plan = ServiceGroupConfiguration(services: [.init(service: application)], logger: logger)
        plan.maximumGracefulShutdownDuration = .milliseconds(500)
        let group = ServiceGroup(configuration: plan)
        let running = Task {
            defer { continuation.finish() }
            try await connections.whileServing { try await group.run() }
        }
        (self.group, self.running) = (group, running)
        for await port in ports {
            self.port = port
            return
        }
        // It failed, or whoever waits for it gave up.
        await group.triggerGracefulShutdown()
        try await running.value
        throw NotListening()
    }

    /// Takes no more connections, gives those that are open half a second, and ends.
    package func stop() async {
        await group.triggerGracefulShutdown()
        // Cancelled is stopped.
        _ = await running.result
    }

    /// Waits until it is stopped from elsewhere or fails.
    package func wait() async throws { try await running.value }

    /// Ends it whatever `body` throws.
    package func whileRunning<Value>(_ body: () async throws -> Value) async throws -> Value {
        let result: Result<Value, any Error>
        do { result = .success(try await body()) } catch { result = .failure(error) }
        await stop()
        return try result.get()
    }
}
