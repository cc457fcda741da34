import HTTPTypes
import Hummingbird
import HummingbirdCore
import NIOCore
import Synchronization
import Testing
import WebConsole

@Suite("Live updates") struct LiveTests {
    /// Collects what a stream says.
    private final class Lines: ResponseBodyWriter {
        private let continuation: AsyncStream<String>.Continuation
        let stream: AsyncStream<String>

        init() { (stream, continuation) = AsyncStream.makeStream() }

        func write(_ buffer: ByteBuffer) async throws { continuation.yield(String(buffer: buffer)) }
        func finish(_ trailingHeaders: HTTPFields?) async throws { continuation.finish() }
    }

    private func request(_ path: String) -> Request {
        Request(
            head: HTTPRequest(method: .get, scheme: nil, authority: nil, path: path),
            body: RequestBody(buffer: ByteBuffer()))
    }

    @Test(.timeLimit(.minutes(10)))
    func `a page hears of its topics, several changes as one, and the stream ends at shutdown`() async throws {
        let hub = EventHub()
        let response = hub.response(to: request("/events?topics=inbox,customer:a%22b"), pause: .seconds(2))
        #expect(response.status == .ok && response.headers[.contentType] == "text/event-stream")
        let lines = Lines()
        let task = Task { try await response.body.write(lines) }
        var iterator = lines.stream.makeAsyncIterator()
        #expect(await iterator.next()?.hasPrefix("retry: ") == true)
        hub.publish("other")
        hub.publish("customer:a\"b")
        #expect(await iterator.next() == "data: {\"topic\":\"customer:a\\\"b\",\"version\":1}\n\n")
        // While the stream rests.
        for _ in 0..<10 { hub.publish("inbox") }
        #expect(await iterator.next() == "data: {\"topic\":\"inbox\",\"version\":10}\n\n")
        #expect(hub.count == 1 && hub.isFollowed("customer:") && !hub.isFollowed("other"))
        hub.shutdown()
        #expect(await iterator.next() == nil)
        try await task.value
        #expect(hub.response(to: request("/events?topics=inbox")).status == .serviceUnavailable)
    }

    @Test func `there are as many streams as there may be, and no topics that nobody could have`() async throws {
        let hub = EventHub(capacity: 2)
        let open = [hub.response(to: request("/e?topics=a")), hub.response(to: request("/e?topics=a"))]
        #expect(open.map(\.status) == [.ok, .ok])
        #expect(hub.response(to: request("/e?topics=a")).status == .serviceUnavailable)
        for topics in ["", "a,b,c,d,e,f,g,h,i", "a%0Ab", String(repeating: "x", count: 201)] {
            #expect(hub.response(to: request("/e?topics=\(topics)")).status == .badRequest, "\(topics)")
        }
        #expect(hub.response(to: request("/e")).status == .badRequest)
        hub.shutdown()
    }
}
