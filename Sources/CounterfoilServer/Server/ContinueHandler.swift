internal import NIOCore
internal import NIOHTTP1

/// Invites a client that sends `Expect: 100-continue` to send the content of its request (RFC 9110, section 10.1.1).
/// Hummingbird ignores the header, and such a client waits for a while, as curl for a second.
final class ContinueHandler: ChannelDuplexHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    private let maximumBytes: Int
    private var pendingResponses = 0

    /// - Parameter maximumBytes: The size of the largest content. The client learns at once that larger content is
    ///   refused.
    init(maximumBytes: Int) { self.maximumBytes = maximumBytes }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if case .head(let head) = unwrapInboundIn(data) {
            // The parts of an earlier response must not be separated.
            if pendingResponses == 0, isInvited(head) {
                let invitation = HTTPResponseHead(version: .http1_1, status: .continue)
                context.writeAndFlush(wrapOutboundOut(.head(invitation)), promise: nil)
            }
            pendingResponses += 1
        }
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .end = unwrapOutboundIn(data) { pendingResponses -= 1 }
        context.write(data, promise: promise)
    }

    private func isInvited(_ head: HTTPRequestHead) -> Bool {
        let length = head.headers.first(name: "content-length").flatMap { Int($0) } ?? 0
        return head.version == .http1_1 && length <= maximumBytes
            && head.headers[canonicalForm: "expect"].contains { $0.lowercased() == "100-continue" }
    }
}
