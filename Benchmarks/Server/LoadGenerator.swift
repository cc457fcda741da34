import CoreFoundation
import Foundation
import NIOCore
import NIOPosix
import Synchronization

/// Sends prepared HTTP requests over several connections, one at a time on each, and measures the time of each
/// response. It uses as little processor time as possible, because the server runs on the same machine.
struct LoadGenerator: Sendable {
    private let group: MultiThreadedEventLoopGroup
    private let channels: [any Channel]

    /// The result of a run.
    struct Result: Sendable {
        /// The duration of the run in seconds.
        var seconds: Double
        /// The response times in seconds, sorted.
        var latencies: [Double]
        /// The number of responses with another status than 200.
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

    /// Sends a request on each connection whose response does not end.
    func open(_ request: String) async throws {
        for channel in channels { try await channel.writeAndFlush(ByteBuffer(string: request)).get() }
    }

    /// Sends `count` requests: as fast as the responses come, or at `rate` requests per second. If the server is too
    /// slow for the rate, the delay of a request counts as part of its response time.
    func send(
        _ count: Int, rate: Double? = nil, _ request: @escaping @Sendable (Int) -> ByteBuffer
    ) async throws -> Result {
        // Read the processor time first, because a connection starts to send when its handler is added.
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

    /// Returns the processor time of the generator's thread in seconds.
    private func processorTime() async throws -> Double {
        try await group.next().submit {
            var usage = timespec()
            clock_gettime(CLOCK_THREAD_CPUTIME_ID, &usage)
            return Double(usage.tv_sec) + Double(usage.tv_nsec) / 1e9
        }.get()
    }
}

/// Distributes the requests to the connections.
private final class RequestCounter: Sendable {
    let begin = ContinuousClock.now
    private let next = Atomic<Int>(0)
    private let count: Int
    private let rate: Double?

    init(count: Int, rate: Double?) {
        self.count = count
        self.rate = rate
    }

    /// Returns the next request's index and due time; nil if none is left.
    func take() -> (index: Int, due: ContinuousClock.Instant)? {
        let index = next.wrappingAdd(1, ordering: .relaxed).oldValue
        guard index < count else { return nil }
        guard let rate else { return (index, .now) }
        return (index, begin + .seconds(Double(index) / rate))
    }
}

/// The handler of one connection: sends a request, waits for the response, and sends the next one.
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
        guard Self.isComplete(buffer) else { return received = buffer }
        received = nil
        result.latencies.append(sent.duration(to: .now) / .seconds(1))
        if !buffer.readableBytesView.prefix(12).elementsEqual(Self.success) { result.failures += 1 }
        next(context)
    }

    func channelInactive(context: ChannelHandlerContext) { promise.fail(ChannelError.eof) }

    /// Whether a response is complete: its head, and as many bytes as `Content-Length` states. A response nearly always
    /// arrives in one read, so parsing again after each read is cheap.
    private static func isComplete(_ buffer: ByteBuffer) -> Bool {
        buffer.withUnsafeReadableBytes { bytes in
            guard let end = find("\r\n\r\n", in: bytes) else { return false }
            let head = UnsafeRawBufferPointer(rebasing: bytes[..<end])
            guard let field = find("\r\nContent-Length: ", in: head) else { return true }
            let digits = head[(field + 18)...].prefix { $0 >= 0x30 && $0 <= 0x39 }
            return bytes.count - end - 4 >= digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
        }
    }

    /// Returns the offset of a text that begins with a carriage return.
    private static func find(_ word: StaticString, in bytes: UnsafeRawBufferPointer) -> Int? {
        guard let base = bytes.baseAddress else { return nil }
        var offset = 0
        while offset < bytes.count, let found = memchr(base + offset, 13, bytes.count - offset) {
            offset = UnsafeRawPointer(found) - base
            guard offset + word.utf8CodeUnitCount <= bytes.count else { return nil }
            if memcmp(found, word.utf8Start, word.utf8CodeUnitCount) == 0 { return offset }
            offset += 1
        }
        return nil
    }
}
