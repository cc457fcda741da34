internal import Basics
internal import HTTPTypes
package import Hummingbird
internal import NIOCore

extension EventHub {
    /// Returns the event stream (server-sent events) for a page that requests `topics=a,b&since=12`. The status is 503
    /// if the maximum number of streams is open, and 429 if the owner has ``ownerCapacity`` of them.
    ///
    /// An event is `{"topic":…,"version":…}` with the number of the change. Each topic is sent at most once per
    /// `pause`, with its latest change. A comment is sent every `silence`, so that a closed connection is noticed.
    ///
    /// - Parameters:
    ///   - owner: The client's key, whose streams are counted; nil if all clients share the streams.
    ///   - audience: The audience whose changes the client may learn of.
    ///   - mayFollow: Whether the client may still receive events. It is called before each event and each comment; the
    ///     stream ends when it returns false.
    package func response(
        to request: Request, for owner: String? = nil, in audience: String = "", pause: Duration = .seconds(1),
        silence: Duration = .seconds(20), while mayFollow: @escaping @Sendable () -> Bool = { true }
    ) -> Response {
        var headers = ConsoleHeaders.all
        let parameters = request.uri.queryParameters
        guard let names = Self.topics(parameters["topics"].map { String($0) }) else {
            return Response(status: .badRequest, headers: headers)
        }
        let topics = Set(names.map { Self.topic($0, for: audience) })
        guard let stream = open(topics, for: owner) else {
            headers[.retryAfter] = "60"
            let status: HTTPResponse.Status = isAtCapacity(owner) ? .tooManyRequests : .serviceUnavailable
            return Response(status: status, headers: headers)
        }
        let since = parameters["since"].flatMap { Int($0) } ?? lastChange(for: audience)
        headers[.contentType] = "text/event-stream"
        // Prevent nginx from buffering the events.
        if let name = HTTPField.Name("X-Accel-Buffering") { headers[name] = "no" }
        let jitter = Int.random(in: 0...2000)
        let body = ResponseBody { [self] writer in
            defer { stream.close() }
            try await writer.write(ByteBuffer(string: "retry: \(3000 + jitter)\n: here\n\n"))
            let heartbeat = Task {
                while !Task.isCancelled {
                    try await Task.sleep(until: self.nextHeartbeat(silence))
                    stream.wake()
                }
            }
            defer { heartbeat.cancel() }
            var last = since
            // The topics may have changed since the page was rendered, before the stream was opened.
            if !self.changedTopics(of: topics, since: since).topics.isEmpty { stream.wake() }
            for await _ in stream.wakeups {
                guard mayFollow() else { break }
                let (changed, now) = self.changedTopics(of: topics, since: last)
                last = now
                try await writer.write(changed.isEmpty ? ByteBuffer(string: ":\n\n") : Self.events(changed))
                if !changed.isEmpty { try await Task.sleep(for: pause) }
            }
            try await writer.finish(nil)
        }
        return Response(status: .ok, headers: headers, body: body)
    }

    /// Returns the time of the next heartbeat. All streams share it, because waking the process once for all of them
    /// costs less than waking it for each.
    private func nextHeartbeat(_ silence: Duration) -> ContinuousClock.Instant {
        let passed = started.duration(to: .now) / silence
        return started + silence * (passed.rounded(.down) + 1)
    }

    private static func events(_ changed: [(name: String, change: Int)]) -> ByteBuffer {
        var buffer = ByteBuffer()
        for one in changed {
            var json = JSONWriter(capacity: 128)
            json.object {
                $0.member("topic", name(of: one.name))
                $0.member("version", one.change)
            }
            buffer.writeString("data: ")
            buffer.writeBytes(json.written)
            buffer.writeString("\n\n")
        }
        return buffer
    }
}
