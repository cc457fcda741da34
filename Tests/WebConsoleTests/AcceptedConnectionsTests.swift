import HummingbirdCore
import Logging
import NIOCore
import NIOPosix
import Testing
import WebConsole

/// Connections that a server accepted and did not serve.
@Suite(.timeLimit(.minutes(10))) struct `Accepted connections` {
    private let logger = Logger(label: "test")
    private let accepted = AcceptedConnections()
    private let base = Serving()

    @Test func `Unserved connections are closed and served when the server ends, and served ones stay open`()
        async throws
    {
        let holding = accepted.holding(base)
        let (served, unserved) = (try await channel(), try await channel())
        try await accepted.whileServing {
            let value = try await holding.setup(channel: served, logger: logger).get()
            _ = try await holding.setup(channel: unserved, logger: logger).get()
            await holding.handle(value: value, logger: logger)
        }
        base.end()
        #expect(await base.all() == [ObjectIdentifier(served), ObjectIdentifier(unserved)])
        try await unserved.closeFuture.get()
        #expect(served.isActive)
        try await served.close()
    }

    @Test func `Unserved connections are served when the server fails, and its error is rethrown`() async throws {
        let holding = accepted.holding(base)
        let unserved = try await channel()
        await #expect(throws: CancellationError.self) {
            try await accepted.whileServing {
                _ = try await holding.setup(channel: unserved, logger: logger).get()
                throw CancellationError()
            }
        }
        base.end()
        #expect(await base.all() == [ObjectIdentifier(unserved)])
    }

    @Test func `A connection whose setup ends after the server is served and closed`() async throws {
        let unserved = try await channel()
        let ready = unserved.eventLoop.makePromise(of: Void.self)
        let holding = accepted.holding(Serving(base, after: ready.futureResult))
        try await accepted.whileServing { _ = holding.setup(channel: unserved, logger: logger) }
        ready.succeed()
        #expect(await base.first() == ObjectIdentifier(unserved))
        try await unserved.closeFuture.get()
    }

    @Test func `A connection whose setup failed is not served`() async throws {
        let unserved = try await channel()
        let ready = unserved.eventLoop.makeFailedFuture(ChannelError.eof) as EventLoopFuture<Void>
        let holding = accepted.holding(Serving(base, after: ready))
        await #expect(throws: ChannelError.self) {
            try await accepted.whileServing { _ = try await holding.setup(channel: unserved, logger: logger).get() }
        }
        base.end()
        #expect(await base.all().isEmpty)
        try await unserved.close()
    }

    /// Returns a channel that can be closed.
    private func channel() async throws -> any Channel {
        try await DatagramBootstrap(group: .singletonMultiThreadedEventLoopGroup).bind(host: "127.0.0.1", port: 0).get()
    }
}

/// Serves no connection, and records the connections that it was called for.
private struct Serving: ServerChildChannel {
    struct Value: ServerChildChannelValue { let channel: any Channel }

    private let served: AsyncStream<ObjectIdentifier>
    private let recorder: AsyncStream<ObjectIdentifier>.Continuation
    private let ready: EventLoopFuture<Void>?

    init() {
        (served, recorder) = AsyncStream.makeStream(of: ObjectIdentifier.self)
        ready = nil
    }

    init(_ other: Serving, after ready: EventLoopFuture<Void>) {
        (served, recorder, self.ready) = (other.served, other.recorder, ready)
    }

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        (ready ?? channel.eventLoop.makeSucceededVoidFuture()).map { Value(channel: channel) }
    }

    func handle(value: Value, logger: Logger) async { recorder.yield(ObjectIdentifier(value.channel)) }

    func end() { recorder.finish() }

    func first() async -> ObjectIdentifier? { await served.first { _ in true } }

    func all() async -> [ObjectIdentifier] { await served.reduce(into: []) { $0.append($1) } }
}
