import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import Synchronization

/// Somebody's backend: on loopback, keeps what it is sent, and answers as a test wants.
final class WebhookReceiver: Sendable {
    /// What was sent.
    struct Message: Sendable {
        var path: String
        var headers: [String: String]
        var body: Data

        var id: String { headers["webhook-id"] ?? "" }

        /// The body, or an empty object.
        var json: JSON { JSON(body) }
    }

    struct Answer: Sendable {
        var status: Int
        var headers: [String: String] = [:]
    }

    private struct State {
        var messages: [Message] = []
        var answer: @Sendable (Message) -> Answer = { _ in Answer(status: 200) }
    }

    private final class Mailbox: Sendable {
        let state = Mutex(State())
    }

    struct NotListening: Error {}

    /// Where webhooks go; any path below is kept too.
    let url: String
    private let mailbox: Mailbox
    private let server: Task<Void, any Error>

    /// What was received, in order.
    var messages: [Message] { mailbox.state.withLock { $0.messages } }

    /// What was received since the last time.
    func take() -> [Message] {
        mailbox.state.withLock { state in
            defer { state.messages = [] }
            return state.messages
        }
    }

    /// How every request is answered from now on.
    func answer(_ answer: @escaping @Sendable (Message) -> Answer) { mailbox.state.withLock { $0.answer = answer } }
    func answer(_ status: Int, _ headers: [String: String] = [:]) {
        answer { _ in Answer(status: status, headers: headers) }
    }

    private init() async throws {
        let mailbox = Mailbox()
        let (ports, continuation) = AsyncStream.makeStream(of: Int.self)
        let router = Router()
        router.post("/**") { request, _ -> Response in try await Self.receive(request, mailbox) }
        var logger = Logger(label: "receiver")
        logger.logLevel = .critical
        let application = Application(
            router: router, configuration: .init(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { channel in
                if let port = channel.localAddress?.port { continuation.yield(port) }
                continuation.finish()
            }, logger: logger)
        let server = Task {
            defer { continuation.finish() }
            try await application.run()
        }
        var port: Int?
        for await found in ports { port = found }
        guard let port else { throw NotListening() }
        url = "http://127.0.0.1:\(port)"
        self.mailbox = mailbox
        self.server = server
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
        var response = Response(status: .init(code: answer.status))
        for (name, value) in answer.headers {
            if let name = HTTPField.Name(name) { response.headers[name] = value }
        }
        return response
    }

    /// Calls `body` with a server that is there until it returns.
    static func run<Value>(_ body: (WebhookReceiver) async throws -> Value) async throws -> Value {
        let receiver = try await WebhookReceiver()
        let result: Result<Value, any Error>
        do { result = .success(try await body(receiver)) } catch { result = .failure(error) }
        receiver.server.cancel()
        // Cancelled is stopped.
        _ = await receiver.server.result
        return try result.get()
    }
}

/// JSON to look into.
struct JSON {
    let value: Any?

    init(_ value: Any?) { self.value = value }

    init(_ data: Data) { value = try? JSONSerialization.jsonObject(with: data, options: .fragmentsAllowed) }

    subscript(_ key: String) -> JSON { JSON((value as? [String: Any])?[key]) }
    var text: String? { value as? String }
    var number: Double? { value as? Double ?? (value as? Int).map { Double($0) } }
    var flag: Bool? { value as? Bool }
    var items: [JSON] { (value as? [Any])?.map { JSON($0) } ?? [] }
    var keys: Set<String> { Set((value as? [String: Any])?.keys.map { $0 } ?? []) }
}
