import HummingbirdCore
import Logging
import NIOCore
import NIOPosix
import Testing
import WebConsole

/// What happens to connections that a server took and did not serve.
@Suite(.timeLimit(.minutes(1))) struct `Connections that were taken` {
    private let logger = Logger(label: "test")
    private let taken = TakenConnections()
    private let base = Serving()

    @Test func `are closed and served when the server ends, but for those that it served`() async throws {
        let holding = taken.holding(base)
        let (served, left) = (try await channel(), try await channel())
        try await taken.whileServing {
            let value = try await holding.setup(channel: served, logger: logger).get()
            _ = try await holding.setup(channel: left, logger: logger).get()
            await holding.handle(value: value, logger: logger)
        }
        base.end()
        #expect(await base.all() == [ObjectIdentifier(served), ObjectIdentifier(left)])
        try await left.closeFuture.get()
        #expect(served.isActive)
        try await served.close()
    }

    @Test func `are served too when the server ends with an error, which is passed on`() async throws {
        let holding = taken.holding(base)
        let left = try await channel()
        await #expect(throws: CancellationError.self) {
            try await taken.whileServing {
                _ = try await holding.setup(channel: left, logger: logger).get()
                throw CancellationError()
            }
        }
        base.end()
        #expect(await base.all() == [ObjectIdentifier(left)])
    }

    @Test func `are served when their taking is over after the server`() async throws {
        let left = try await channel()
        let ready = left.eventLoop.makePromise(of: Void.self)
        let holding = taken.holding(Serving(base, after: ready.futureResult))
        try await taken.whileServing { _ = holding.setup(channel: left, logger: logger) }
        ready.succeed()
        #expect(await base.first() == ObjectIdentifier(left))
        try await left.closeFuture.get()
    }

    @Test func `are nobody's to serve when they could not be set up`() async throws {
        let left = try await channel()
        let ready = left.eventLoop.makeFailedFuture(ChannelError.eof) as EventLoopFuture<Void>
        let holding = taken.holding(Serving(base, after: ready))
        await #expect(throws: ChannelError.self) {
            try await taken.whileServing { _ = try await holding.setup(channel: left, logger: logger).get() }
        }
        base.end()
        #expect(await base.all().isEmpty)
        try await left.close()
    }

    /// Any channel that can be closed.
    private func channel() async throws -> any Channel {
        try await DatagramBootstrap(group: .singletonMultiThreadedEventLoopGroup).bind(host: "127.0.0.1", port: 0).get()
    }
}

/// Serves nothing, and notes which connections it was to serve.
private struct Serving: ServerChildChannel {
    struct Value: ServerChildChannelValue { let channel: any Channel }

    private let served: AsyncStream<ObjectIdentifier>
    private let note: AsyncStream<ObjectIdentifier>.Continuation
    private let ready: EventLoopFuture<Void>?

    init() {
        (served, note) = AsyncStream.makeStream(of: ObjectIdentifier.self)
        ready = nil
    }

    init(_ other: Serving, after ready: EventLoopFuture<Void>) {
        (served, note, self.ready) = (other.served, other.note, ready)
    }

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        (ready ?? channel.eventLoop.makeSucceededVoidFuture()).map { Value(channel: channel) }
    }

    func handle(value: Value, logger: Logger) async { note.yield(ObjectIdentifier(value.channel)) }

    func end() { note.finish() }

    func first() async -> ObjectIdentifier? { await served.first { _ in true } }

    func all() async -> [ObjectIdentifier] { await served.reduce(into: []) { $0.append($1) } }
}
