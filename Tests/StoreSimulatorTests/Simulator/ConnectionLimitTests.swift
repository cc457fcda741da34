import AsyncHTTPClient
import Hummingbird
import HummingbirdCore
import NIOCore
import NIOHTTP1
import NIOPosix
import StoreSimulator
import Synchronization
import TestSupport
import Testing

/// Many clients of a simulator. The runtime ends the process if it can open no more files.
@Suite struct `Connections to the simulator` {
    private final class Paths: Sendable {
        let all = Mutex<[String]>([])

        var count: Int { all.withLock(\.count) }
        func contains(_ path: String) -> Bool { all.withLock { $0.contains(path) } }
        func add(_ path: String) { all.withLock { $0.append(path) } }
    }

    @Test(.timeLimit(.minutes(10))) func `Further clients wait while the maximum number of connections is open`()
        async throws
    {
        let paths = Paths()
        let responder = CallbackResponder<BasicRequestContext> { request, _ in
            paths.add(request.uri.path)
            return Response(status: .ok)
        }
        let service = try await LoopbackService(responder, label: "test", maximumConnections: 1)
        try await service.whileRunning {
            let first = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
                .connect(to: SocketAddress(ipAddress: "127.0.0.1", port: service.port)).get()
            try await Self.request("/first", over: first, until: 1, paths)
            async let second = HTTPClient.shared.execute(
                HTTPClientRequest(url: "http://127.0.0.1:\(service.port)/second"), timeout: .seconds(600))
            // Another client would be answered meanwhile.
            for count in 2...200 { try await Self.request("/first", over: first, until: count, paths) }
            #expect(!paths.contains("/second"))
            try await first.close()
            let status = try await second.status
            #expect(status == .ok)
        }
    }

    /// Sends a request, and waits until the server has received `count` requests.
    private static func request(
        _ path: String, over channel: any Channel, until count: Int, _ paths: Paths
    ) async throws {
        try await channel.writeAndFlush(ByteBuffer(string: "GET \(path) HTTP/1.1\r\nHost: x\r\n\r\n"))
        try await waitUntil("the server has received the request") { paths.count >= count }
    }
}
