internal import Basics
package import Hummingbird
internal import HummingbirdCore
internal import Logging
internal import NIOCore
internal import ServiceLifecycle
internal import WebConsole

/// An HTTP server on a port of 127.0.0.1.
package struct LoopbackService: Sendable {
    /// The server stopped before it listened.
    package struct NotListening: Error {}

    package let port: Int
    private let group: ServiceGroup
    private let running: Task<Void, any Error>

    /// Starts to listen; `port` 0 means any free port. When this returns, the server answers requests. Throws
    /// `CancellationError`, and stops the server, if the task is cancelled.
    ///
    /// - Parameter idleTime: How long a connection may stay open without requests or reads. A client that is refused
    ///   before it has sent the whole request may never close the connection.
    /// - Parameter maximumConnections: The connections that may be open. Further clients wait until others close theirs.
    package init(
        _ responder: some HTTPResponder<some RequestContext & InitializableFromSource<ApplicationRequestContextSource>>,
        port: Int = 0, label: String, idleTime: Duration = .seconds(75),
        maximumConnections: Int = Self.halfOfDescriptors
    ) async throws {
        let (ports, continuation) = AsyncStream.makeStream(of: Int.self)
        var logger = Logger(label: label)
        // Lower levels report connections that end when the server stops.
        logger.logLevel = .critical
        let connections = AcceptedConnections()
        let http = HTTP1Channel.Configuration(idleTimeout: TimeAmount(idleTime))
        let application = Application(
            responder: responder,
            server: HTTPServerBuilder { connections.holding(HTTP1Channel(responder: $0, configuration: http)) },
            configuration: .init(
                address: .hostname("127.0.0.1", port: port), backlog: 1024,
                availableConnectionsDelegate: MaximumAvailableConnections(maximumConnections, logger: logger)),
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
        // Wait in a separate task, which cancellation does not end: a server can be stopped only after it has started.
        guard let listening = await Task(operation: { await ports.first { _ in true } }).value else {
            // The server failed.
            try await running.value
            throw NotListening()
        }
        self.port = listening
        if Task.isCancelled {
            await stop()
            throw CancellationError()
        }
    }

    /// Half of the files that the process may open: the rest is for its files and outgoing connections. The runtime ends
    /// the process if it cannot get a descriptor.
    package static var halfOfDescriptors: Int { max(16, min(DescriptorLimit.current ?? 1024, 16_384) / 2) }

    /// Stops the server: accepts no more connections, and closes open ones after half a second.
    package func stop() async {
        await group.triggerGracefulShutdown()
        // Ignore cancellation and errors: the server has stopped in either case.
        _ = await running.result
    }

    /// Waits until the server is stopped or fails.
    package func wait() async throws { try await running.value }

    /// Runs `body`, then stops the server, also if `body` throws.
    package func whileRunning<Value>(_ body: () async throws -> Value) async throws -> Value {
        try await withCleanup({ await stop() }, body)
    }
}
