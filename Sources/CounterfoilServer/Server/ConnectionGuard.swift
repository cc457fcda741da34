internal import HTTPTypes
internal import NIOCore
internal import NIOHTTPTypes

/// Closes connections whose other side takes too long to send a request or to take an answer. One byte a second is as good
/// as none: what counts is when the whole is there. A client with too many connections gets no more of them.
final class ConnectionGuard: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private let patience: TimeAmount
    private let connections: ClientConnections
    /// What the connection is counted for.
    private var client: Network?
    private var isReading = false
    private var answering = 0
    private var sending: Scheduled<Void>?
    private var taking: Scheduled<Void>?

    init(patience: Duration, connections: ClientConnections) {
        self.patience = TimeAmount(patience)
        self.connections = connections
    }

    func handlerAdded(context: ChannelHandlerContext) {
        if context.channel.isActive { opened(context) }
    }

    func handlerRemoved(context: ChannelHandlerContext) { forget() }

    func channelActive(context: ChannelHandlerContext) {
        opened(context)
        context.fireChannelActive()
    }

    private func opened(_ context: ChannelHandlerContext) {
        awaitRequest(context)
        switch connections.admit(context.remoteAddress?.ipAddress) {
        case .counted(let client): self.client = client
        case .exempt: break
        case .refused: context.close(promise: nil)
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        forget()
        context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head:
            isReading = true
            answering += 1
        case .body: break
        case .end:
            isReading = false
            sending?.cancel()
            sending = nil
        }
        context.fireChannelRead(data)
    }

    /// Bytes came. Those that are not a whole request are the beginning of one.
    func channelReadComplete(context: ChannelHandlerContext) {
        if isReading || answering == 0 { awaitRequest(context) }
        context.fireChannelReadComplete()
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        taking?.cancel()
        taking = context.channel.isWritable ? nil : closing(context)
        context.fireChannelWritabilityChanged()
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .end = unwrapOutboundIn(data) { answering -= 1 }
        context.write(data, promise: promise)
    }

    /// We have said all; the other side has that long to close as well.
    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        if mode == .output { awaitRequest(context) }
        context.close(mode: mode, promise: promise)
    }

    private func awaitRequest(_ context: ChannelHandlerContext) {
        if sending == nil { sending = closing(context) }
    }

    private func closing(_ context: ChannelHandlerContext) -> Scheduled<Void> {
        context.eventLoop.assumeIsolated().scheduleTask(in: patience) { context.close(promise: nil) }
    }

    private func forget() {
        sending?.cancel()
        taking?.cancel()
        (sending, taking) = (nil, nil)
        if let client { connections.close(client) }
        client = nil
    }
}
