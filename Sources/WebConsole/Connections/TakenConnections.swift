package import HummingbirdCore
internal import Logging
internal import NIOCore
internal import Synchronization

/// Serves the connections that were taken a moment before a server ended, and that nobody serves any more.
///
/// Swift NIO ends the process when such a connection is dropped: one that the server took and had no task for yet, or whose
/// taking was not over when the server stopped to listen. So each is held until somebody serves it. Those left in the end are
/// closed, and then served, which is over at once.
package final class TakenConnections: Sendable {
    private typealias Serve = @Sendable () async -> Void

    private struct State {
        var held: [ObjectIdentifier: Serve] = [:]
        var isOver = false
    }

    private let state = Mutex(State())

    package init() {}

    /// A server whose connections are held.
    package func holding(_ channel: some ServerChildChannel) -> some ServerChildChannel {
        HoldingChannel(base: channel, connections: self)
    }

    /// Runs a server, and serves in the end what it left.
    package func whileServing(_ serve: () async throws -> Void) async throws {
        let result: Result<Void, any Error>
        do { result = .success(try await serve()) } catch { result = .failure(error) }
        let left = state.withLock { state in
            state.isOver = true
            defer { state.held = [:] }
            return Array(state.held.values)
        }
        for serve in left { await serve() }
        try result.get()
    }

    private func hold(_ channel: any Channel, _ serve: @escaping Serve) {
        let isOver = state.withLock { state in
            if !state.isOver { state.held[ObjectIdentifier(channel)] = serve }
            return state.isOver
        }
        // Its taking was over after the server.
        if isOver { Task { await serve() } }
    }

    private func letGo(_ channel: any Channel) {
        state.withLock { state in _ = state.held.removeValue(forKey: ObjectIdentifier(channel)) }
    }

    private struct HoldingChannel<Base: ServerChildChannel>: ServerChildChannel {
        let base: Base
        let connections: TakenConnections

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
            connections.letGo(value.channel)
            await base.handle(value: value, logger: logger)
        }
    }
}
