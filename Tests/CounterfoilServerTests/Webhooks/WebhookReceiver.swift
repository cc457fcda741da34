import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdCore
import NIOCore
import Synchronization
import TestSupport

/// A webhook receiver on loopback that records messages and answers as the test requires.
final class WebhookReceiver: Sendable {
    /// A received request.
    struct Message: Sendable {
        var path: String
        var headers: [String: String]
        var body: Data

        var id: String { headers["webhook-id"] ?? "" }

        /// The body as JSON.
        var json: JSON { JSON(body) }
    }

    struct Answer: Sendable {
        var status: Int
        var headers: [String: String] = [:]
        var body = ""
        /// The answer is sent when this stream ends; nil to send it at once.
        var delay: AsyncStream<Void>?
    }

    private struct State {
        var messages: [Message] = []
        var answer: @Sendable (Message) -> Answer = { _ in Answer(status: 200) }
    }

    private final class Mailbox: Sendable {
        let state = Mutex(State())
    }

    /// The base URL of webhooks. Messages to any path below it are recorded.
    let url: String
    private let mailbox: Mailbox
    private let server: TestServer

    /// Returns the messages since the last call, in order of arrival, and removes them.
    func take() -> [Message] {
        mailbox.state.withLock { state in
            defer { state.messages = [] }
            return state.messages
        }
    }

    /// Sets the answer to all later requests.
    func answer(_ answer: @escaping @Sendable (Message) -> Answer) { mailbox.state.withLock { $0.answer = answer } }
    func answer(_ status: Int, _ headers: [String: String] = [:]) {
        answer { _ in Answer(status: status, headers: headers) }
    }

    private init() async throws {
        let mailbox = Mailbox()
        let router = Router()
        router.post("/**") { request, _ -> Response in try await Self.receive(request, mailbox) }
        server = try await TestServer(router)
        url = "http://127.0.0.1:\(server.port)"
        self.mailbox = mailbox
    }

    private static func receive(_ request: Request, _ mailbox: Mailbox) async throws -> Response {
        let buffer = try await request.body.collect(upTo: 1 << 22)
        let headers = Dictionary(
            request.headers.map { ($0.name.canonicalName, $0.value) }, uniquingKeysWith: { first, _ in first })
        let message = Message(path: request.uri.path, headers: headers, body: Data(buffer.readableBytesView))
        let answer = mailbox.state.withLock { state in
            state.messages.append(message)
            return state.answer(message)
        }
        if let delay = answer.delay { for await _ in delay {} }
        var response = Response(
            status: .init(code: answer.status), body: ResponseBody(byteBuffer: ByteBuffer(string: answer.body)))
        for (name, value) in answer.headers {
            if let name = HTTPField.Name(name) { response.headers[name] = value }
        }
        return response
    }

    /// Calls `body` with a receiver that runs until `body` returns.
    static func run<Value>(_ body: (WebhookReceiver) async throws -> Value) async throws -> Value {
        let receiver = try await WebhookReceiver()
        return try await receiver.server.whileRunning { try await body(receiver) }
    }
}
