internal import NIOCore
internal import NIOHTTP1

/// Passes a request on only when the response to the previous one is written, and reads no more while requests wait.
///
/// Without it, the responses to a client that sends many requests at once are created faster than the event loop learns
/// that the client does not read them: with TLS, ten connections with 60 KB of requests each took more than 3 GB.
final class RequestQueue: ChannelDuplexHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    private enum Event {
        case part(HTTPServerRequestPart)
        case error(any Error)
        case inputClosed
    }

    /// What follows the first request that waits. Empty unless a client sends requests without waiting for responses.
    private var waiting = CircularBuffer<Event>()
    private var pendingResponses = 0
    private var isReadWanted = false

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let part = unwrapInboundIn(data)
        guard waiting.isEmpty, !mustWait(part) else { return waiting.append(.part(part)) }
        count(part)
        // As it is: to wrap the part again would allocate memory.
        context.fireChannelRead(data)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if waiting.isEmpty { context.fireErrorCaught(error) } else { waiting.append(.error(error)) }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        // The requests that the client sent before it closed its side come first.
        if !waiting.isEmpty, let closing = event as? ChannelEvent, closing == .inputClosed {
            waiting.append(.inputClosed)
        } else {
            context.fireUserInboundEventTriggered(event)
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        waiting.removeAll()
        context.fireChannelInactive()
    }

    func read(context: ChannelHandlerContext) {
        if waiting.isEmpty { context.read() } else { isReadWanted = true }
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        var isEnd = false
        if case .end = unwrapOutboundIn(data) { isEnd = true }
        context.write(data, promise: promise)
        guard isEnd else { return }
        pendingResponses -= 1
        if !waiting.isEmpty { passWaiting(context) }
    }

    private func mustWait(_ part: HTTPServerRequestPart) -> Bool {
        if case .head = part { pendingResponses > 0 } else { false }
    }

    private func count(_ part: HTTPServerRequestPart) {
        if case .head = part { pendingResponses += 1 }
    }

    private func passWaiting(_ context: ChannelHandlerContext) {
        while let event = waiting.first {
            if case .part(let part) = event, mustWait(part) { break }
            waiting.removeFirst()
            switch event {
            case .part(let part):
                count(part)
                context.fireChannelRead(wrapInboundOut(part))
            case .error(let error): context.fireErrorCaught(error)
            case .inputClosed: context.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
            }
        }
        context.fireChannelReadComplete()
        guard waiting.isEmpty, isReadWanted else { return }
        isReadWanted = false
        context.read()
    }
}
