internal import LedgerServices
internal import AppStoreModels
internal import Hummingbird
internal import Logging
internal import NIOCore

/// What a middleware passes a request on to.
typealias NextHandler = @concurrent (Request, ServerContext) async throws -> Response

/// What belongs to one request.
struct ServerContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    /// The address of the other side of the connection, which may be a proxy.
    let peer: String?
    /// Who asks. The routes behind ``Authorization`` have one.
    var principal: Principal?
    /// The beginning of the digest of the console's session that asks; nil for who shows a key.
    var session: String?
    /// Whether an open page of the console asks by itself.
    var isRefetch = false
    /// Where the route says what it changed; nil where nobody notes it.
    var auditDetail: AuditDetail?

    init(source: ApplicationRequestContextSource) {
        coreContext = .init(source: source)
        peer = source.channel.remoteAddress?.ipAddress
    }

    /// The context of a question that the console asks for somebody.
    init(asking context: ServerContext) {
        coreContext = .init(source: LoggerSource(logger: context.logger))
        (peer, principal, session) = (context.peer, context.principal, context.session)
        isRefetch = context.isRefetch
    }

    private struct LoggerSource: RequestContextSource { let logger: Logger }

    var maxUploadSize: Int { 4 << 20 }
}

/// Who asks, and what they may. An object, since a request's context is copied at every step of its way.
final class Principal: Sendable {
    /// The name of the key.
    let name: String
    let scopes: Set<APIScope>
    /// The apps that the key is for; nil for all.
    let apps: Set<String>?
    /// The environments that the key is for; nil for all.
    let environments: Set<AppStoreEnvironment>?
    /// The only customer that may be asked about; nil for all.
    let customer: String?

    /// The Apple account that the customer's session is of; nil if the app's backend spoke for the customer.
    let appTransactionID: String?

    /// The account that the customer's purchases name, where the app's backend says another than the customer's identifier.
    let appAccountToken: String?

    /// What the customer's requests are counted by; nil where they are not counted.
    let meter: RateMeter?

    /// Whether the key is shipped in an app, where everybody can read it.
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
