internal import HTTPTypes
package import Hummingbird
internal import NIOCore

extension EventHub {
    /// The stream that a page listens to: `topics=a,b`. 503 where there are enough streams.
    ///
    /// An event is `{"topic":…,"version":…}`. Each topic comes at most once in `pause`, the newest wins; a comment comes each
    /// `silence`, by which a connection that is gone is noticed.
    package func response(
        to request: Request, pause: Duration = .seconds(1), silence: Duration = .seconds(20)
    ) -> Response {
        var headers = ConsoleHeaders.all
        let asked = request.uri.queryParameters["topics"].map { String($0) }
        guard let topics = Self.topics(asked) else { return Response(status: .badRequest, headers: headers) }
        guard let stream = open(topics) else {
            headers[.retryAfter] = "60"
            return Response(status: .serviceUnavailable, headers: headers)
        }
        headers[.contentType] = "text/event-stream"
        let jitter = Int.random(in: 0...2000)
        let body = ResponseBody { [self] writer in
            defer { close(stream.id) }
            try await writer.write(ByteBuffer(string: "retry: \(3000 + jitter)\n: here\n\n"))
            let heartbeat = Task {
                while !Task.isCancelled {
                    try await Task.sleep(for: silence)
                    wake(stream.id)
                }
            }
            defer { heartbeat.cancel() }
            var told = versions(of: topics)
            for await _ in stream.wakeups {
                let current = versions(of: topics)
                let changed = current.filter { told[$0.key] != $0.value }.sorted { $0.key < $1.key }
                told = current
                let text = changed.map { "data: {\"topic\":\(Self.quoted($0.key)),\"version\":\($0.value)}\n\n" }
                try await writer.write(ByteBuffer(string: text.isEmpty ? ":\n\n" : text.joined()))
                if !text.isEmpty { try await Task.sleep(for: pause) }
            }
            try await writer.finish(nil)
        }
        return Response(status: .ok, headers: headers, body: body)
    }

    private static func quoted(_ text: String) -> String {
        "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
    }
}
