internal import Basics
internal import HTTPTypes
package import Hummingbird
internal import NIOCore

extension EventHub {
    /// The stream that a page listens to: `topics=a,b&since=12`. 503 where there are enough streams.
    ///
    /// An event is `{"topic":…,"version":…}`, with the number of the change. Each topic comes at most once in `pause`, the
    /// newest wins; a comment comes each `silence`, by which a connection that is gone is noticed.
    ///
    /// - Parameter mayFollow: Whether who asked may still be told. It is asked before each event and each comment; the stream
    ///   ends with the first no.
    package func response(
        to request: Request, pause: Duration = .seconds(1), silence: Duration = .seconds(20),
        while mayFollow: @escaping @Sendable () -> Bool = { true }
    ) -> Response {
        var headers = ConsoleHeaders.all
        let parameters = request.uri.queryParameters
        guard let topics = Self.topics(parameters["topics"].map { String($0) }) else {
            return Response(status: .badRequest, headers: headers)
        }
        guard let stream = open(topics) else {
            headers[.retryAfter] = "60"
            return Response(status: .serviceUnavailable, headers: headers)
        }
        let since = parameters["since"].flatMap { Int($0) } ?? lastChange
        headers[.contentType] = "text/event-stream"
        // nginx would keep what happens until there is enough of it.
        if let name = HTTPField.Name("X-Accel-Buffering") { headers[name] = "no" }
        let jitter = Int.random(in: 0...2000)
        let body = ResponseBody { [self] writer in
            defer { stream.close() }
            try await writer.write(ByteBuffer(string: "retry: \(3000 + jitter)\n: here\n\n"))
            let heartbeat = Task {
                while !Task.isCancelled {
                    try await Task.sleep(until: self.nextBeat(silence))
                    stream.wake()
                }
            }
            defer { heartbeat.cancel() }
            var (news, last) = self.news(of: topics, since: since)
            if !news.isEmpty {
                try await writer.write(Self.events(news))
                try await Task.sleep(for: pause)
            }
            for await _ in stream.wakeups {
                guard mayFollow() else { break }
                (news, last) = self.news(of: topics, since: last)
                try await writer.write(news.isEmpty ? ByteBuffer(string: ":\n\n") : Self.events(news))
                if !news.isEmpty { try await Task.sleep(for: pause) }
            }
            try await writer.finish(nil)
        }
        return Response(status: .ok, headers: headers, body: body)
    }

    /// When all streams are woken next, together: to wake the process for each of them takes more than to write to all.
    private func nextBeat(_ silence: Duration) -> ContinuousClock.Instant {
        let passed = begun.duration(to: .now) / silence
        return begun + silence * (passed.rounded(.down) + 1)
    }

    private static func events(_ news: [(name: String, change: Int)]) -> ByteBuffer {
        var buffer = ByteBuffer()
        for one in news {
            var json = JSONWriter(capacity: 128)
            json.object {
                $0.member("topic", one.name)
                $0.member("version", one.change)
            }
            buffer.writeString("data: ")
            buffer.writeBytes(json.written)
            buffer.writeString("\n\n")
        }
        return buffer
    }
}
