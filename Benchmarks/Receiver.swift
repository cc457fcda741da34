import NIOCore
import NIOHTTP1
import NIOPosix

/// A minimal server that accepts every notification. It uses as little processor time as possible, because it is not
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
                    try pipeline.addHandler(AcceptingHandler(receive))
                }
            }
        channel = try await bootstrap.bind(host: "127.0.0.1", port: 0).get()
        url = "http://127.0.0.1:\(channel.localAddress?.port ?? 0)/notifications"
    }

    func stop() async throws { try await channel.close() }
}

/// Responds with 200 to each complete request.
private final class AcceptingHandler: ChannelInboundHandler {
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
