internal import AppStoreModels
internal import Hummingbird
internal import Logging
internal import NIOCore

/// What belongs to one request.
struct ServerContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    /// The address of the other side of the connection, which may be a proxy.
    let peer: String?
    /// Who asks. The routes behind ``Authorization`` have one.
    var principal: Principal?

    init(source: ApplicationRequestContextSource) {
        coreContext = .init(source: source)
        peer = source.channel.remoteAddress?.ipAddress
    }

    var maxUploadSize: Int { 4 << 20 }
}

/// Who asks, and what they may.
struct Principal: Sendable {
    /// The name of the key.
    var name: String
    var scopes: Set<APIScope>
    /// The apps that the key is for; nil for all.
    var apps: Set<String>?
    /// The environments that the key is for; nil for all.
    var environments: Set<AppStoreEnvironment>?
    /// The only customer that may be asked about; nil for all.
    var customer: String?
}
