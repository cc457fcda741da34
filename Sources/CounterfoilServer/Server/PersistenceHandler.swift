internal import NIOCore
internal import NIOHTTP1

/// Sets `Connection: close` in each request that is the last one of its connection (RFC 9112, section 9.3): one of
/// HTTP/1.0 without `keep-alive`, or one with `close` in any form. Hummingbird closes the connection only after a
/// request with exactly this header, and does not know the version.
final class PersistenceHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .head(var head) = unwrapInboundIn(data), !head.isKeepAlive else {
            return context.fireChannelRead(data)
        }
        head.headers.replaceOrAdd(name: "Connection", value: "close")
        context.fireChannelRead(wrapInboundOut(.head(head)))
    }
}
