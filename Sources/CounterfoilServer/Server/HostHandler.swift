internal import NIOCore
internal import NIOHTTP1

/// Refuses requests of HTTP/1.1 without exactly one `Host`, as RFC 9112, section 3.2, requires. Of two, a proxy in front
/// may use another one than the server.
final class HostHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart

    private var isRefused = false

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        // Hummingbird answers a parser error with 400 and closes the connection. Nothing may follow.
        guard !isRefused else { return }
        if case .head(let head) = unwrapInboundIn(data), !Self.hasValidHost(head) {
            isRefused = true
            context.fireErrorCaught(HTTPParserError.invalidHeaderToken)
            return
        }
        context.fireChannelRead(data)
    }

    private static func hasValidHost(_ head: HTTPRequestHead) -> Bool {
        // Without an array of the values: this runs for each request.
        let count = head.headers.count { name, _ in name.utf8.count == 4 && name.lowercased() == "host" }
        return count == 1 || count == 0 && head.version == .http1_0
    }
}
