import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdCore
import NIOCore
import Synchronization
import TestSupport

/// The developer's server: on loopback, keeps what it is sent, and answers as a test wants.
final class Receiver: Sendable {
    /// How a request is answered.
    enum Answer: Sendable {
        case status(Int)
        /// Sends the caller to another place on this server.
        case redirect(String)
        /// The caller has to hang up.
        case nothing
        /// Sends the head and one byte of the body. Then the caller has to hang up.
        case unfinished
    }

    /// Where notifications go.
    let url: String
    private let mailbox: Mailbox
    private let server: TestServer

    /// What was received, in order, byte for byte.
    var bodies: [Data] { mailbox.state.withLock { $0.bodies } }

    /// The signed payloads that were received, in order.
    var payloads: [String] {
        get throws { try bodies.map { try JSONDecoder().decode(Body.self, from: $0).signedPayload } }
    }

    /// The next requests are answered like this, one by one, and all after them with 200.
    func answer(_ answers: Answer...) { mailbox.state.withLock { $0.answers = answers } }

    /// Every request from now on is answered like this.
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
        // Where a redirection may lead to: browsers, and the App Store, turn 302 into GET.
        router.get("/**") { _, _ -> Response in try await Self.response(mailbox.receive(Data())) }
        server = try await TestServer(router)
        url = "http://127.0.0.1:\(server.port)/notifications"
        self.mailbox = mailbox
    }

    private static func response(_ answer: Answer) async throws -> Response {
        switch answer {
        case .status(let code): return Response(status: .init(code: code))
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

    /// Calls `body` with a server that is there until it returns.
    static func run<Value>(_ body: (Receiver) async throws -> Value) async throws -> Value {
        let receiver = try await Receiver()
        return try await receiver.server.whileRunning { try await body(receiver) }
    }
}
