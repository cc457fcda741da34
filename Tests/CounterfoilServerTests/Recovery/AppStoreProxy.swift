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

@testable import LedgerServices

/// A proxy between the server and the simulated App Store's Production environment that can answer requests itself.
final class AppStoreProxy: Sendable {
    /// Answers a request by its path. Returns nil to forward the request.
    typealias Answer = @Sendable (String) async throws -> (status: Int, body: String)?

    private let upstream = Mutex<String?>(nil)
    private let answer: Mutex<Answer>
    private let host = Mutex<AppStoreHost?>(nil)

    private init(_ answer: @escaping Answer) { self.answer = Mutex(answer) }

    /// Calls `body` with a proxy that runs until `body` returns.
    static func run(_ answer: @escaping Answer = { _ in nil }, _ body: (AppStoreProxy) async throws -> Void)
        async throws
    {
        let proxy = AppStoreProxy(answer)
        let router = Router()
        router.get("**") { request, _ in try await proxy.respond(request) }
        router.post("**") { request, _ in try await proxy.respond(request) }
        router.put("**") { request, _ in try await proxy.respond(request) }
        let server = try await TestServer(router)
        try await server.whileRunning {
            let host = try AppStoreHost(url: "http://127.0.0.1:\(server.port)", environment: .production)
            proxy.host.withLock { $0 = host }
            try await body(proxy)
        }
    }

    /// Makes the server send its Production requests to this proxy.
    func redirectRequests(in configuration: inout ServerConfiguration) {
        for index in configuration.apps.indices {
            let url = configuration.apps[index].hosts[.production]?.url
            upstream.withLock { $0 = url }
            configuration.apps[index].hosts[.production] = host.withLock { $0 }
        }
    }

    /// Replaces the closure that answers requests.
    func setAnswer(_ answer: @escaping Answer) { self.answer.withLock { $0 = answer } }

    private func respond(_ request: Request) async throws -> Response {
        let body = try await request.body.collect(upTo: 1 << 20)
        let path = request.uri.description
        let answer = answer.withLock { $0 }
        if let (status, text) = try await answer(path) {
            return Response(
                status: .init(code: status), headers: [.contentType: "application/json"],
                body: .init(byteBuffer: ByteBuffer(string: text)))
        }
        var forwarded = HTTPClientRequest(url: (upstream.withLock { $0 } ?? "") + path)
        forwarded.method = HTTPMethod(rawValue: request.method.rawValue)
        for name in [HTTPField.Name.authorization, .contentType] {
            if let value = request.headers[name] { forwarded.headers.add(name: name.rawName, value: value) }
        }
        if body.readableBytes > 0 { forwarded.body = .bytes(body) }
        let response = try await HTTPClient.shared.execute(forwarded, timeout: .seconds(600))
        var headers: HTTPFields = [.contentType: "application/json"]
        headers[.retryAfter] = response.headers.first(name: "Retry-After")
        return Response(
            status: .init(code: Int(response.status.code)), headers: headers,
            body: .init(byteBuffer: try await response.body.collect(upTo: 16 << 20)))
    }
}
