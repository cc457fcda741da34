import AppStoreModels
import Foundation
import Hummingbird
import NIOCore
import Synchronization
import TestSupport

/// A developer's server on loopback that sends one response to every request and stores the request bodies.
final class LoopbackServer: Sendable {
    private let bodies = Mutex<[Data]>([])
    private let answer = Mutex<(status: Int, body: String)>((200, "{}"))
    private let pause = Mutex<(@Sendable () async -> Void)?>(nil)

    /// The bodies of the requests, in order.
    var requests: [Data] { bodies.withLock { $0 } }

    func setResponse(_ body: String, status: Int = 200) { answer.withLock { $0 = (status, body) } }

    /// Delays every later response until `pause` returns; nil ends the delay.
    func delayResponses(while pause: (@Sendable () async -> Void)?) { self.pause.withLock { $0 = pause } }

    fileprivate func respond(to body: Data) async -> (status: Int, body: String) {
        bodies.withLock { $0.append(body) }
        let pause = pause.withLock { $0 }
        await pause?()
        return answer.withLock { $0 }
    }

    /// Runs `body` with a server and its URL.
    static func run(_ body: (LoopbackServer, String) async throws -> Void) async throws {
        let server = LoopbackServer()
        let router = Router()
        router.post("/realtime") { request, context -> Response in
            let buffer = try await request.body.collect(upTo: 1 << 20)
            let (status, text) = await server.respond(to: Data(buffer.readableBytesView))
            return Response(
                status: .init(code: status), body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
        }
        let running = try await TestServer(router)
        try await running.whileRunning { try await body(server, "http://127.0.0.1:\(running.port)/realtime") }
    }
}
