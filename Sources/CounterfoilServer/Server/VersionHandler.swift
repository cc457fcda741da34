internal import NIOCore
internal import NIOHTTP1

/// Does what depends on the version of a request, which Hummingbird does not know: refuses requests without a valid
/// `Host`, invites clients to send content, and marks the last request of a connection.
final class VersionHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let maximumBytes: Int
    private var isRefused = false

    /// - Parameter maximumBytes: The size of the largest content. The client learns at once that larger content is
    ///   refused.
    init(maximumBytes: Int) { self.maximumBytes = maximumBytes }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        // Nothing may follow a refused request.
        guard !isRefused else { return }
        guard case .head(var head) = unwrapInboundIn(data) else { return context.fireChannelRead(data) }
        guard Self.hasValidHost(head) else {
            isRefused = true
            // Hummingbird answers a parser error with 400 and closes the connection.
            return context.fireErrorCaught(HTTPParserError.invalidHeaderToken)
        }
        // This does not separate the parts of an earlier response: RequestQueue has waited for its end.
        if isInvited(head) {
            let invitation = HTTPResponseHead(version: .http1_1, status: .continue)
            context.writeAndFlush(wrapOutboundOut(.head(invitation)), promise: nil)
        }
        guard !head.isKeepAlive else { return context.fireChannelRead(data) }
        // One of HTTP/1.0 without `keep-alive`, or one with `close` in any form (RFC 9112, section 9.3). Hummingbird
        // closes the connection only after a request with exactly this header.
        head.headers.replaceOrAdd(name: "Connection", value: "close")
        context.fireChannelRead(wrapInboundOut(.head(head)))
    }

    /// Whether a request has exactly one `Host`, or none with HTTP/1.0 (RFC 9112, section 3.2). Of two, a proxy in front
    /// may use another one than the server.
    private static func hasValidHost(_ head: HTTPRequestHead) -> Bool {
        // Without an array of the values: this runs for each request.
        let count = head.headers.count { name, _ in name.utf8.count == 4 && name.lowercased() == "host" }
        return count == 1 || count == 0 && head.version == .http1_0
    }

    /// Whether a client sends `Expect: 100-continue` (RFC 9110, section 10.1.1) and may continue. Hummingbird ignores
    /// the header, and such a client waits for a while, as curl for a second.
    private func isInvited(_ head: HTTPRequestHead) -> Bool {
        let length = head.headers.first(name: "content-length").flatMap { Int($0) } ?? 0
        return head.version == .http1_1 && length <= maximumBytes
            && head.headers[canonicalForm: "expect"].contains { $0.lowercased() == "100-continue" }
    }
}
