internal import NIOCore
internal import NIOHTTP1
internal import NIOHTTPTypes

/// Closes a connection if the client takes too long to send a complete request or to read a response. Slow progress
/// does not extend the time. Also closes new connections of a client that has too many.
final class ConnectionGuard: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private let timeout: TimeAmount
    private let connections: ClientConnections
    private let maximumBytes: Int
    /// The network for which the connection is counted.
    private var client: Network?
    private var isReading = false
    private var pendingResponses = 0
    private var requestTimeout: Scheduled<Void>?
    private var responseTimeout: Scheduled<Void>?

    /// - Parameter maximumBytes: The size of the largest content that a client is invited to send.
    init(timeout: Duration, connections: ClientConnections, maximumBytes: Int) {
        self.timeout = TimeAmount(timeout)
        self.connections = connections
        self.maximumBytes = maximumBytes
    }

    func handlerAdded(context: ChannelHandlerContext) {
        addParserHandlers(context)
        if context.channel.isActive { admit(context) }
    }

    /// Adds the handlers that follow the parser: the one for the version of a request, which is known only there, and
    /// before it the one for requests that wait.
    private func addParserHandlers(_ context: ChannelHandlerContext) {
        let operations = context.pipeline.syncOperations
        do {
            let decoder = try operations.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)
            let position = ChannelPipeline.SynchronousOperations.Position.after(decoder)
            try operations.addHandler(VersionHandler(maximumBytes: maximumBytes), position: position)
            try operations.addHandler(RequestQueue(), position: position)
        } catch { context.fireErrorCaught(error) }
    }

    func handlerRemoved(context: ChannelHandlerContext) { release() }

    func channelActive(context: ChannelHandlerContext) {
        admit(context)
        context.fireChannelActive()
    }

    private func admit(_ context: ChannelHandlerContext) {
        startRequestTimeout(context)
        switch connections.admit(context.remoteAddress?.ipAddress) {
        case .counted(let client): self.client = client
        case .exempt: break
        case .refused: context.close(promise: nil)
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        release()
        context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head:
            isReading = true
            pendingResponses += 1
        case .body: break
        case .end:
            isReading = false
            requestTimeout?.cancel()
            requestTimeout = nil
        }
        context.fireChannelRead(data)
    }

    /// Starts the request timeout if the received bytes leave a request incomplete.
    func channelReadComplete(context: ChannelHandlerContext) {
        if isReading || pendingResponses == 0 { startRequestTimeout(context) }
        context.fireChannelReadComplete()
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        responseTimeout?.cancel()
        responseTimeout = context.channel.isWritable ? nil : scheduleClose(context)
        context.fireChannelWritabilityChanged()
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .end = unwrapOutboundIn(data) { pendingResponses -= 1 }
        context.write(data, promise: promise)
    }

    /// Starts the timeout for the client to close its side after the server has closed its output.
    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        if mode == .output { startRequestTimeout(context) }
        context.close(mode: mode, promise: promise)
    }

    private func startRequestTimeout(_ context: ChannelHandlerContext) {
        if requestTimeout == nil { requestTimeout = scheduleClose(context) }
    }

    private func scheduleClose(_ context: ChannelHandlerContext) -> Scheduled<Void> {
        context.eventLoop.assumeIsolated().scheduleTask(in: timeout) { context.close(promise: nil) }
    }

    private func release() {
        requestTimeout?.cancel()
        responseTimeout?.cancel()
        (requestTimeout, responseTimeout) = (nil, nil)
        if let client { connections.close(client) }
        client = nil
    }
}
