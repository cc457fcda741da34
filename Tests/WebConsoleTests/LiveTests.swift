import HTTPTypes
import Hummingbird
import HummingbirdCore
import NIOCore
import Synchronization
import TestSupport
import Testing
import WebConsole

@Suite struct `Live updates` {
    /// Collects the lines of an event stream.
    private final class Lines: ResponseBodyWriter, Sendable {
        private let continuation: AsyncStream<String>.Continuation
        private let hold: @Sendable (String) async -> Void
        let stream: AsyncStream<String>
        /// The number of writes.
        let count = Mutex(0)

        /// - Parameter hold: Called with each line; the stream waits until it returns.
        init(hold: @escaping @Sendable (String) async -> Void = { _ in }) {
            (stream, continuation) = AsyncStream.makeStream()
            self.hold = hold
        }

        func write(_ buffer: ByteBuffer) async throws {
            let line = String(buffer: buffer)
            count.withLock { $0 += 1 }
            continuation.yield(line)
            await hold(line)
        }
        func finish(_ trailingHeaders: HTTPFields?) async throws { continuation.finish() }
    }

    /// A time that no test takes.
    private static let day = Duration.seconds(86_400)

    private func request(_ path: String) -> Request {
        Request(
            head: HTTPRequest(method: .get, scheme: nil, authority: nil, path: path),
            body: RequestBody(buffer: ByteBuffer()))
    }

    @Test(.timeLimit(.minutes(10)))
    func `An event stream sends changes of its topics, merges several, and ends at shutdown`() async throws {
        let hub = EventHub()
        let response = hub.response(to: request("/events?topics=inbox,customer:a%22b"), pause: .zero, silence: Self.day)
        #expect(response.status == .ok && response.headers[.contentType] == "text/event-stream")
        // A buffering proxy would delay an event until more events have arrived.
        let buffering = try #require(HTTPField.Name("X-Accel-Buffering"))
        #expect(response.headers[buffering] == "no")
        let before = hub.lastChange
        let gate = Gate()
        let lines = Lines { if $0.contains("customer") { await gate.pass() } }
        let task = Task { try await response.body.write(lines) }
        var iterator = lines.stream.makeAsyncIterator()
        #expect(await iterator.next()?.hasPrefix("retry: ") == true)
        hub.publish("other")
        hub.publish("customer:a\"b")
        #expect(await iterator.next() == "data: {\"topic\":\"customer:a\\\"b\",\"version\":\(before + 2)}\n\n")
        // The client has not read the event yet.
        for _ in 0..<10 { hub.publish("inbox") }
        gate.open()
        #expect(await iterator.next() == "data: {\"topic\":\"inbox\",\"version\":\(before + 12)}\n\n")
        #expect(hub.count == 1 && hub.watched == ["inbox", "customer:a\"b"])
        hub.publish(prefix: "customer:")
        #expect(await iterator.next()?.contains("\"version\":\(before + 13)") == true)
        hub.shutdown()
        #expect(await iterator.next() == nil)
        try await waitForEnd("the stream has ended") { try await task.value }
        #expect(hub.response(to: request("/events?topics=inbox")).status == .serviceUnavailable)
    }

    @Test(.timeLimit(.minutes(10))) func `An event stream pauses after an event`() async throws {
        let hub = EventHub()
        let response = hub.response(to: request("/events?topics=inbox"), pause: Self.day, silence: Self.day)
        let lines = Lines()
        let task = Task { try await response.body.write(lines) }
        var iterator = lines.stream.makeAsyncIterator()
        #expect(await iterator.next()?.hasPrefix("retry: ") == true)
        hub.publish("inbox")
        #expect(await iterator.next()?.contains("inbox") == true)
        hub.publish("inbox")
        // Long enough for a stream that does not pause.
        for _ in 0..<1000 { await Task.yield() }
        task.cancel()
        let result = try await waitForEnd("the stream has ended") { await task.result }
        #expect(throws: CancellationError.self) { try result.get() }
        #expect(lines.count.withLock { $0 } == 2)
    }

    @Test(.timeLimit(.minutes(10)))
    func `An event stream ends without a further event when its client loses access`() async throws {
        let hub = EventHub()
        let checks = Mutex(0)
        let response = hub.response(to: request("/events?topics=inbox"), pause: .zero, silence: Self.day) {
            checks.withLock { count in
                count += 1
                return count < 2
            }
        }
        let lines = Lines()
        let task = Task { try await response.body.write(lines) }
        var iterator = lines.stream.makeAsyncIterator()
        #expect(await iterator.next()?.hasPrefix("retry: ") == true)
        hub.publish("inbox")
        #expect(await iterator.next()?.contains("inbox") == true)
        hub.publish("inbox")
        #expect(await iterator.next() == nil)
        // A stream that goes on would be awaited for ever. One that ended is not changed by this.
        task.cancel()
        try await task.value
        #expect(hub.count == 0)
    }

    @Test func `An event stream sends no earlier change to a client that has lost access since its page was rendered`()
        async throws
    {
        let hub = EventHub()
        let rendered = hub.lastChange
        hub.expect(["inbox"])
        hub.publish("inbox")
        let response = hub.response(
            to: request("/events?topics=inbox&since=\(rendered)"), pause: .zero, silence: Self.day
        ) { false }
        let lines = Lines()
        try await response.body.write(lines)
        #expect(lines.count.withLock { $0 } == 1)
    }

    /// Returns the first event of a stream, or nil if the stream does not send one at once.
    private func firstEvent(of hub: EventHub, _ path: String) async throws -> String? {
        let response = hub.response(to: request(path), pause: .zero, silence: .milliseconds(1))
        let lines = Lines()
        let task = Task { try await response.body.write(lines) }
        var iterator = lines.stream.makeAsyncIterator()
        _ = await iterator.next()
        let first = await iterator.next()
        task.cancel()
        return first == ":\n\n" ? nil : first
    }

    @Test func `An event stream begins with the changes since its page was rendered`() async throws {
        let hub = EventHub()
        let rendered = hub.lastChange
        hub.expect(["inbox"])
        #expect(hub.watched == ["inbox"])
        // A stream of another page, so that the topic stays watched however long the test takes.
        let open = hub.response(to: request("/e?topics=inbox"))
        defer { withExtendedLifetime(open) {} }
        #expect(try await firstEvent(of: hub, "/e?topics=inbox&since=\(rendered)") == nil)
        hub.publish("other")
        #expect(try await firstEvent(of: hub, "/e?topics=inbox&since=\(rendered)") == nil)
        hub.publish("inbox")
        let event = try await firstEvent(of: hub, "/e?topics=inbox&since=\(rendered)")
        #expect(event == "data: {\"topic\":\"inbox\",\"version\":\(rendered + 2)}\n\n")
        #expect(try await firstEvent(of: hub, "/e?topics=inbox&since=\(rendered + 2)") == nil)
        // The topic was not watched, or another process rendered the page: the page may be outdated.
        hub.publish("inbox")
        #expect(try await firstEvent(of: hub, "/e?topics=overview&since=\(rendered + 2)") != nil)
        #expect(try await firstEvent(of: hub, "/e?topics=inbox&since=\(rendered + 99)") != nil)
        #expect(try await firstEvent(of: hub, "/e?topics=overview") == nil)
    }

    @Test func `The number of event streams is limited, and invalid topics are refused`() async throws {
        let hub = EventHub(capacity: 2)
        var open = [hub.response(to: request("/e?topics=a")), hub.response(to: request("/e?topics=a"))]
        #expect(open.map(\.status) == [.ok, .ok] && hub.count == 2)
        #expect(hub.response(to: request("/e?topics=a")).status == .serviceUnavailable)
        // A response that was never sent frees its place.
        open.removeLast()
        #expect(hub.count == 1)
        #expect(hub.response(to: request("/e?topics=a")).status == .ok)
        for topics in ["", "a,b,c,d,e,f,g,h,i", "a%0Ab", String(repeating: "x", count: 801)] {
            #expect(hub.response(to: request("/e?topics=\(topics)")).status == .badRequest, "\(topics)")
        }
        #expect(hub.response(to: request("/e")).status == .badRequest)
        open = []
        #expect(hub.count == 0 && hub.watched.isEmpty)
        hub.shutdown()
    }
}
