import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdCore
import NIOCore
import Synchronization
import TestSupport

/// A developer's server on loopback. Stores the request bodies that it receives, and responds as a test configures it.
final class Receiver: Sendable {
    /// The response to a request.
    enum Answer: Sendable {
        case status(Int)
        /// Responds with status 200 and this body, when `after` has returned.
        case body(String, after: (@Sendable () async -> Void)? = nil)
        /// Redirects to another path on this server.
        case redirect(String)
        /// Never responds. The client has to close the connection.
        case nothing
        /// Sends the head and one byte of the body, and never ends. The client has to close the connection.
        case unfinished
    }

    /// The URL to which the simulator sends its requests.
    let url: String
    private let mailbox: Mailbox
    private let server: TestServer

    /// The received bodies, in order.
    var bodies: [Data] { mailbox.state.withLock { $0.bodies } }

    /// The received signed payloads, in order.
    var payloads: [String] {
        get throws { try bodies.map { try JSONDecoder().decode(Body.self, from: $0).signedPayload } }
    }

    /// Sets the responses to the next requests, one each. Later requests get the response of `answerAll`, or 200.
    func answer(_ answers: Answer...) { mailbox.state.withLock { $0.answers = answers } }

    /// Sets the response to all requests that `answer` has set no response for.
    func answerAll(_ answer: Answer) { mailbox.state.withLock { $0.standard = answer } }

    private struct Body: Decodable { let signedPayload: String }

    private final class Mailbox: Sendable {
        struct State {
            var bodies: [Data] = []
            var answers: [Answer] = []
            var standard = Answer.status(200)
        }

        let state = Mutex(State())

        func receive(_ body: Data) -> Answer {
            state.withLock { state in
                state.bodies.append(body)
                return state.answers.isEmpty ? state.standard : state.answers.removeFirst()
            }
        }
    }

    private init() async throws {
        let mailbox = Mailbox()
        let router = Router()
        router.post("/**") { request, _ -> Response in
            let buffer = try await request.body.collect(upTo: 1 << 22)
            return try await Self.response(mailbox.receive(Data(buffer.readableBytesView)))
        }
        // The target of a redirect: browsers and the App Store follow a 302 with GET.
        router.get("/**") { _, _ -> Response in try await Self.response(mailbox.receive(Data())) }
        server = try await TestServer(router)
        url = "http://127.0.0.1:\(server.port)/notifications"
        self.mailbox = mailbox
    }

    private static func response(_ answer: Answer) async throws -> Response {
        switch answer {
        case .status(let code): return Response(status: .init(code: code))
        case .body(let text, after: let delay):
            await delay?()
            return Response(status: .ok, body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
        case .redirect(let path): return Response(status: .found, headers: [.location: path])
        case .nothing:
            // Ends when the server is stopped.
            for await _ in AsyncStream<Void>.makeStream().stream {}
            return Response(status: .ok)
        case .unfinished:
            let body = ResponseBody { writer in
                try await writer.write(ByteBuffer(string: " "))
                // Ends when the server is stopped.
                for await _ in AsyncStream<Void>.makeStream().stream {}
                try await writer.finish(nil)
            }
            return Response(status: .ok, body: body)
        }
    }

    /// Runs a server while `body` runs.
    static func run<Value>(_ body: (Receiver) async throws -> Value) async throws -> Value {
        let receiver = try await Receiver()
        return try await receiver.server.whileRunning { try await body(receiver) }
    }
}
