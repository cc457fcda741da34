internal import LedgerServices
internal import AppStoreModels
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
    /// Holds the route's sentence about its change; nil if the request is not audited.
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

/// The authenticated client and its permissions. A class, since every step of a request copies the context.
final class Principal: Sendable {
    /// The name of the key.
    let name: String
    let scopes: Set<APIScope>
    /// The apps that the key may access; nil for all.
    let apps: Set<String>?
    /// The environments that the key may access; nil for all.
    let environments: Set<AppStoreEnvironment>?
    /// The only customer that the key may access; nil for all.
    let customer: String?

    /// The app transaction ID of the customer's session; nil if the app's backend signed the customer token.
    let appTransactionID: String?

    /// The account token of the customer's purchases, if the app's backend names one that is not the customer's
    /// identifier.
    let appAccountToken: String?

    /// The rate meter of the customer; nil without a limit.
    let meter: RateMeter?

    /// Whether the key ships in an app, where everybody can read it.
    var isPublic: Bool { customer != nil }

    init(
        name: String, scopes: Set<APIScope>, apps: Set<String>? = nil, environments: Set<AppStoreEnvironment>? = nil,
        customer: String? = nil, appTransactionID: String? = nil, appAccountToken: String? = nil,
        meter: RateMeter? = nil
    ) {
        (self.name, self.scopes, self.apps, self.environments) = (name, scopes, apps, environments)
        (self.customer, self.meter) = (customer, meter)
        (self.appTransactionID, self.appAccountToken) = (appTransactionID, appAccountToken)
    }
}
