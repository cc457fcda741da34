internal import Hummingbird
internal import Logging
internal import NIOCore

/// The next handler of a middleware.
typealias NextHandler = @concurrent (Request, ServerContext) async throws -> Response

/// The context of a request.
struct ServerContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    /// The address of the connection's peer, which may be a proxy.
    let peer: String?
    /// The authenticated client. Routes behind ``Authorization`` always have one.
    var principal: Principal?
    /// The beginning of the digest of the console session; nil for a request with a key.
    var session: String?
    /// Whether an open console page sent the request by itself.
    var isRefetch = false
    /// Holds the route's sentences about its change; nil if the request is not audited.
    var auditDetail: AuditDetail?

    init(source: ApplicationRequestContextSource) {
        coreContext = .init(source: source)
        peer = source.channel.remoteAddress?.ipAddress
    }

    /// Creates the context of an API request that the console makes for its user.
    init(forConsoleRequestIn context: ServerContext) {
        coreContext = .init(source: LoggerSource(logger: context.logger))
        (peer, principal, session) = (context.peer, context.principal, context.session)
        isRefetch = context.isRefetch
    }

    private struct LoggerSource: RequestContextSource { let logger: Logger }

    var maxUploadSize: Int { 4 << 20 }
}
