internal import Basics
package import HummingbirdCore
internal import Logging
internal import NIOCore
internal import Synchronization

/// Closes connections that a server accepted just before it stopped and does not handle any more.
///
/// Swift NIO crashes the process if an accepted connection is dropped without being handled: one without a task yet, or
/// one whose setup ended after the server stopped listening. So each connection is held until it is handled. The
/// remaining ones are closed and then handled, which ends at once.
package final class AcceptedConnections: Sendable {
    private typealias Serve = @Sendable () async -> Void

    private struct State {
        var held: [ObjectIdentifier: Serve] = [:]
        var isOver = false
    }

    private let state = Mutex(State())

    package init() {}

    /// Wraps a server channel so that its connections are held until they are handled.
    package func holding(_ channel: some ServerChildChannel) -> some ServerChildChannel {
        HoldingChannel(base: channel, connections: self)
    }

    /// Runs a server, then closes and handles the remaining connections.
    package func whileServing(_ serve: () async throws -> Void) async throws {
        try await withCleanup({ await serveRemaining() }, serve)
    }

    private func serveRemaining() async {
        let left = state.withLock { state in
            state.isOver = true
            defer { state.held = [:] }
            return Array(state.held.values)
        }
        for serve in left { await serve() }
    }

    private func hold(_ channel: any Channel, _ serve: @escaping Serve) {
        let isOver = state.withLock { state in
            if !state.isOver { state.held[ObjectIdentifier(channel)] = serve }
            return state.isOver
        }
        // The connection's setup ended after the server stopped.
        if isOver { Task { await serve() } }
    }

    private func release(_ channel: any Channel) {
        state.withLock { state in _ = state.held.removeValue(forKey: ObjectIdentifier(channel)) }
    }

    private struct HoldingChannel<Base: ServerChildChannel>: ServerChildChannel {
        let base: Base
        let connections: AcceptedConnections

        func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Base.Value> {
            let ready = base.setup(channel: channel, logger: logger)
            ready.whenSuccess { [base, connections] value in
                connections.hold(value.channel) {
                    value.channel.close(promise: nil)
                    await base.handle(value: value, logger: logger)
                }
            }
            return ready
        }

        func handle(value: Base.Value, logger: Logger) async {
            connections.release(value.channel)
            await base.handle(value: value, logger: logger)
        }
    }
}
