import CoreFoundation
import Foundation
import NIOCore
import NIOPosix
import Synchronization

/// Sends prepared HTTP requests over some connections, one at a time on each, and notes how long each answer took. Made
/// to take as little of the machine as can be: it measures somebody else.
struct LoadGenerator: Sendable {
    private let group: MultiThreadedEventLoopGroup
    private let channels: [any Channel]

    /// What came out.
    struct Result: Sendable {
        /// How long it took, in seconds.
        var seconds: Double
        /// How long each answer took, in seconds, sorted.
        var latencies: [Double]
        /// Answers other than 200.
        var failures: Int
        /// The generator's own processor time, in seconds.
        var processor: Double

        var rate: Double { Double(latencies.count) / seconds }

        func percentile(_ part: Double) -> Double {
            latencies.isEmpty ? .nan : latencies[min(latencies.count - 1, Int(Double(latencies.count) * part))]
        }
    }

    init(port: Int, connections: Int) async throws {
        group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        var channels: [any Channel] = []
        for _ in 0..<connections {
            let bootstrap = ClientBootstrap(group: group)
                .channelOption(.tcpOption(.tcp_nodelay), value: 1)
                .channelOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: 16_384))
            channels.append(try await bootstrap.connect(host: "127.0.0.1", port: port).get())
        }
        self.channels = channels
    }

    func stop() async throws {
        for channel in channels { try await channel.close() }
        try await group.shutdownGracefully()
    }

    /// Sends one request on each connection, whose answer does not end.
    func open(_ request: String) async throws {
        for channel in channels { try await channel.writeAndFlush(ByteBuffer(string: request)).get() }
    }

    /// Sends `count` requests, as fast as they are answered, or `rate` a second however fast they are answered. Where the
    /// machine is too slow for that, waiting for one's turn counts as part of the answer's time.
    func send(
        _ count: Int, rate: Double? = nil, _ request: @escaping @Sendable (Int) -> ByteBuffer
    ) async throws -> Result {
        // Taken first: a connection sends as soon as it has its handler.
        let own = try await processorTime()
        let counter = RequestCounter(count: count, rate: rate)
        let begin = counter.begin
        var handlers: [EventLoopFuture<AnswerHandler.Result>] = []
        for channel in channels {
            let promise = channel.eventLoop.makePromise(of: AnswerHandler.Result.self)
            try await channel.eventLoop.submit {
                try channel.pipeline.syncOperations.addHandler(
                    AnswerHandler(counter: counter, request: request, promise: promise), name: "answers")
            }.get()
            handlers.append(promise.futureResult)
        }
        var latencies: [Double] = []
        var failures = 0
        for future in handlers {
            let result = try await future.get()
            latencies += result.latencies
            failures += result.failures
        }
        let seconds = begin.duration(to: .now) / .seconds(1)
        for channel in channels { try await channel.pipeline.removeHandler(name: "answers").get() }
        let processor = try await processorTime() - own
        return Result(seconds: seconds, latencies: latencies.sorted(), failures: failures, processor: processor)
    }

    /// What the one thread of the generator has taken so far, in seconds.
    private func processorTime() async throws -> Double {
        try await group.next().submit {
            var usage = timespec()
            clock_gettime(CLOCK_THREAD_CPUTIME_ID, &usage)
            return Double(usage.tv_sec) + Double(usage.tv_nsec) / 1e9
        }.get()
    }
}

/// Hands out the requests to the connections.
private final class RequestCounter: Sendable {
    let begin = ContinuousClock.now
    private let next = Atomic<Int>(0)
    private let count: Int
    private let rate: Double?

    init(count: Int, rate: Double?) {
        self.count = count
        self.rate = rate
    }

    /// The next request, and when it is due; nil when there is none left.
    func take() -> (index: Int, due: ContinuousClock.Instant)? {
        let index = next.wrappingAdd(1, ordering: .relaxed).oldValue
        guard index < count else { return nil }
        guard let rate else { return (index, .now) }
        return (index, begin + .seconds(Double(index) / rate))
    }
}

/// One connection: sends, waits for the answer, sends again.
private final class AnswerHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    struct Result: Sendable {
        var latencies: [Double] = []
        var failures = 0
    }

    private static let success = Array("HTTP/1.1 200".utf8)

    private let counter: RequestCounter
    private let request: (Int) -> ByteBuffer
    private let promise: EventLoopPromise<Result>
    private var result = Result()
    private var sent = ContinuousClock.now
    private var received: ByteBuffer?

    init(counter: RequestCounter, request: @escaping (Int) -> ByteBuffer, promise: EventLoopPromise<Result>) {
        self.counter = counter
        self.request = request
        self.promise = promise
    }

    func handlerAdded(context: ChannelHandlerContext) { next(context) }

    private func next(_ context: ChannelHandlerContext) {
        guard let (index, due) = counter.take() else { return promise.succeed(result) }
        let now = ContinuousClock.now
        if due > now {
            let wait = now.duration(to: due)
            let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
            let this = NIOLoopBound(self, eventLoop: context.eventLoop)
            context.eventLoop.scheduleTask(in: .nanoseconds(Int64(wait / .nanoseconds(1)))) {
                this.value.write(index, due, bound.value)
            }
        } else {
            write(index, due, context)
        }
    }

    private func write(_ index: Int, _ due: ContinuousClock.Instant, _ context: ChannelHandlerContext) {
        sent = due
        context.writeAndFlush(wrapOutboundOut(request(index)), promise: nil)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var buffer = unwrapInboundIn(data)
        if var earlier = received {
            earlier.writeBuffer(&buffer)
            buffer = earlier
        }
        guard Self.isWhole(buffer) else { return received = buffer }
        received = nil
        result.latencies.append(sent.duration(to: .now) / .seconds(1))
        if !buffer.readableBytesView.prefix(12).elementsEqual(Self.success) { result.failures += 1 }
        next(context)
    }

    func channelInactive(context: ChannelHandlerContext) { promise.fail(ChannelError.eof) }

    /// Whether an answer is complete: its head, and as many bytes as `content-length` says. It comes in one piece nearly
    /// always, so this looks at its bytes once.
    private static func isWhole(_ buffer: ByteBuffer) -> Bool {
        buffer.withUnsafeReadableBytes { bytes in
            guard let end = find("\r\n\r\n", in: bytes) else { return false }
            let head = UnsafeRawBufferPointer(rebasing: bytes[..<end])
            guard let field = find("\r\nContent-Length: ", in: head) else { return true }
            let digits = head[(field + 18)...].prefix { $0 >= 0x30 && $0 <= 0x39 }
            return bytes.count - end - 4 >= digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
        }
    }

    /// Where a word is that begins with a carriage return.
    private static func find(_ word: StaticString, in bytes: UnsafeRawBufferPointer) -> Int? {
        guard let base = bytes.baseAddress else { return nil }
        var place = 0
        while place < bytes.count, let found = memchr(base + place, 13, bytes.count - place) {
            place = UnsafeRawPointer(found) - base
            guard place + word.utf8CodeUnitCount <= bytes.count else { return nil }
            if memcmp(found, word.utf8Start, word.utf8CodeUnitCount) == 0 { return place }
            place += 1
        }
        return nil
    }
}
