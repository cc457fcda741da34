import NIOCore
import NIOHTTP1
import NIOPosix

/// A developer's server that takes every notification. Made to take as little of the machine as can be: it is not what is
/// measured.
struct Receiver: Sendable {
    let url: String
    private let channel: any Channel

    init(_ receive: @escaping @Sendable () -> Void) async throws {
        let bootstrap = ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.backlog, value: 64)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: 32_768))
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    try pipeline.configureHTTPServerPipeline(withPipeliningAssistance: false, withErrorHandling: false)
                    try pipeline.addHandler(TakingHandler(receive))
                }
            }
        channel = try await bootstrap.bind(host: "127.0.0.1", port: 0).get()
        url = "http://127.0.0.1:\(channel.localAddress?.port ?? 0)/notifications"
    }

    func stop() async throws { try await channel.close() }
}

/// Answers 200 to each request when all of it is there.
private final class TakingHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private static let head = HTTPResponseHead(
        version: .http1_1, status: .ok, headers: HTTPHeaders([("content-length", "0")]))
    private let receive: @Sendable () -> Void

    init(_ receive: @escaping @Sendable () -> Void) { self.receive = receive }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .end = unwrapInboundIn(data) else { return }
        receive()
        context.write(wrapOutboundOut(.head(Self.head)), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    }
}
