@testable import LedgerServices
import AppStoreModels
import AppStoreServer
import AsyncHTTPClient
import CounterfoilServer
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import NIOHTTP1
import Synchronization
import TestSupport

/// Stands between the server and the simulated App Store in production, and answers some requests itself.
final class Front: Sendable {
    /// Answers a request for a path; nil to pass it on.
    typealias Answer = @Sendable (String) async throws -> (status: Int, body: String)?

    private let behind = Mutex<String?>(nil)
    private let answer: Mutex<Answer>
    private let host = Mutex<AppStoreHost?>(nil)

    private init(_ answer: @escaping Answer) { self.answer = Mutex(answer) }

    /// Calls `body` with one that answers until it returns.
    static func run(_ answer: @escaping Answer = { _ in nil }, _ body: (Front) async throws -> Void) async throws {
        let front = Front(answer)
        let router = Router()
        router.get("**") { request, _ in try await front.respond(request) }
        router.post("**") { request, _ in try await front.respond(request) }
        router.put("**") { request, _ in try await front.respond(request) }
        let server = try await TestServer(router)
        try await server.whileRunning {
            let host = try AppStoreHost(url: "http://127.0.0.1:\(server.port)", environment: .production)
            front.host.withLock { $0 = host }
            try await body(front)
        }
    }

    /// Has a server ask here.
    func stand(before configuration: inout ServerConfiguration) {
        for index in configuration.apps.indices {
            let url = configuration.apps[index].hosts[.production]?.url
            behind.withLock { $0 = url }
            configuration.apps[index].hosts[.production] = host.withLock { $0 }
        }
    }

    /// From now on it answers in another way.
    func change(_ answer: @escaping Answer) { self.answer.withLock { $0 = answer } }

    private func respond(_ request: Request) async throws -> Response {
        let body = try await request.body.collect(upTo: 1 << 20)
        let path = request.uri.description
        let answer = answer.withLock { $0 }
        if let (status, text) = try await answer(path) {
            return Response(
                status: .init(code: status), headers: [.contentType: "application/json"],
                body: .init(byteBuffer: ByteBuffer(string: text)))
        }
        var onward = HTTPClientRequest(url: (behind.withLock { $0 } ?? "") + path)
        onward.method = HTTPMethod(rawValue: request.method.rawValue)
        for name in [HTTPField.Name.authorization, .contentType] {
            if let value = request.headers[name] { onward.headers.add(name: name.rawName, value: value) }
        }
        if body.readableBytes > 0 { onward.body = .bytes(body) }
        let response = try await HTTPClient.shared.execute(onward, timeout: .seconds(60))
        return Response(
            status: .init(code: Int(response.status.code)), headers: [.contentType: "application/json"],
            body: .init(byteBuffer: try await response.body.collect(upTo: 16 << 20)))
    }
}
