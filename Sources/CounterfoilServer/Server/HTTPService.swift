internal import Basics
internal import Hummingbird
internal import HummingbirdCore
internal import HummingbirdTLS
internal import Logging
internal import NIOCore
internal import NIOPosix
internal import ServiceLifecycle
internal import WebConsole

/// Builds the HTTP services of the API and the console.
enum HTTPService {
    /// Returns the listening services: the console, if it has a separate address, and the API.
    ///
    /// - Parameter onOpen: Called when a service accepts requests, with the API's port, or with nil for the console.
    static func listeners(
        _ core: ServerCore, _ identity: SharedValue<TLSIdentity>?, onOpen: @escaping @Sendable (Int?) -> Void
    ) throws -> [any Service] {
        let configuration = core.configuration
        var listeners: [any Service] = []
        var pages: (any HTTPResponder<ServerContext>)?
        if configuration.console.isEnabled {
            let responder = ConsoleRoutes.responder(core, try Console(core))
            if let address = configuration.console.listen {
                listeners.append(
                    try application(
                        core, identity, responder, ListenAddress(ofConsole: address, configuration),
                        connections: connections(configuration, ofConsole: true)
                    ) { _ in onOpen(nil) })
            } else {
                pages = responder
            }
        }
        let port = configuration.listen.port
        listeners.append(
            try application(
                core, identity, ConsoleRouter(base: ServerRoutes.responder(core), console: pages),
                ListenAddress(ofAPI: configuration), connections: connections(configuration, ofConsole: false)
            ) { onOpen($0 ?? port) })
        return listeners
    }

    private static func application(
        _ core: ServerCore, _ identity: SharedValue<TLSIdentity>?, _ responder: some HTTPResponder<ServerContext>,
        _ address: ListenAddress, connections: Int, _ onRunning: @escaping @Sendable (Int?) -> Void
    ) throws -> some Service {
        var logger = core.logger
        // Below `error`, Hummingbird logs about single connections.
        logger.logLevel = max(logger.logLevel, .error)
        let accepted = AcceptedConnections()
        let application = Application(
            responder: responder,
            server: try server(
                core.configuration, identity, ClientConnections(core.configuration, core.requests, core.logger),
                accepted),
            configuration: .init(
                address: .hostname(address.host, port: address.port),
                serverName: nil, backlog: 1024,
                availableConnectionsDelegate: ConnectionLimit(connections, core.logger)),
            onServerRunning: { channel in onRunning(channel.localAddress?.port) },
            eventLoopGroupProvider: .shared(loops), logger: logger)
        return ServingApplication(application: application, connections: accepted, address: address)
    }

    private struct ServingApplication<Base: ApplicationProtocol>: Service {
        let application: Base
        let connections: AcceptedConnections
        let address: ListenAddress

        func run() async throws {
            do { try await connections.whileServing { try await application.run() } } catch {
                // The server may listen on two addresses. Only here is it known which one failed.
                if let refusal = ServerError(listening: error, at: address) { throw refusal }
                throw error
            }
        }
    }

    /// The event loops: one for two cores, shared by all servers of the process. The loops only parse requests and
    /// write responses; other threads do the rest of the work and would compete with a loop on each core. On two cores,
    /// one loop serves 6 to 13 % more customer requests than two loops, and some 9 % fewer notifications
    /// (docs/performance.md).
    private static let loops = MultiThreadedEventLoopGroup(numberOfThreads: max(1, System.coreCount / 2))

    /// Returns the maximum number of connections of a listener. A console at its own address gets an eighth of all
    /// connections, and the API the others: together they must leave descriptors for the ledger.
    static func connections(_ configuration: ServerConfiguration, ofConsole isConsole: Bool) -> Int {
        let all = configuration.limits.connections ?? maximumConnections(configuration)
        guard configuration.console.isEnabled, configuration.console.listen != nil else { return all }
        return isConsole ? all / 8 : all - all / 8
    }

    /// The default maximum number of connections: the file descriptor limit, minus the reserve.
    private static func maximumConnections(_ configuration: ServerConfiguration) -> Int {
        guard let descriptors = DescriptorLimit.current else { return 512 }
        return max(64, min(descriptors, 16_384) - reserve(configuration))
    }

    /// The descriptors for the ledger and for outgoing connections. Webhooks use the larger part: see
    /// `WebhookDispatcher.maximumShared` and `WebhookSender.maximumKept`. Beside these, each endpoint that does not
    /// respond has a connection.
    private static func reserve(_ configuration: ServerConfiguration) -> Int {
        256 + configuration.webhooks.count + descriptorsOfCores
    }

    /// The descriptors of the event loops, three each, and of the ledger's readers, two each. Their numbers follow that
    /// of the cores.
    private static let descriptorsOfCores = 8 * max(2, System.coreCount)

    /// Throws if the limit of open files is too low for 64 connections and the reserve. The runtime ends the process if it
    /// cannot get a descriptor.
    static func requireDescriptors(_ configuration: ServerConfiguration) throws(ServerError) {
        let minimum = 64 + reserve(configuration)
        guard let descriptors = DescriptorLimit.current, descriptors < minimum else { return }
        throw ServerError(
            .failed,
            """
            the process may open only \(descriptors) files, but a server needs \(minimum); raise the limit with \
            `ulimit -n`, or with LimitNOFILE= in a unit of systemd
            """)
    }

    private static func server(
        _ configuration: ServerConfiguration, _ identity: SharedValue<TLSIdentity>?, _ connections: ClientConnections,
        _ accepted: AcceptedConnections
    ) throws -> HTTPServerBuilder {
        let timeout = configuration.limits.sendingTime
        let bytes = configuration.limits.requestBytes
        let http = HTTP1Channel.Configuration(
            additionalChannelHandlers: [
                ConnectionGuard(timeout: timeout, connections: connections, maximumBytes: bytes)
            ],
            idleTimeout: TimeAmount(configuration.limits.idleTime),
            httpDecoderConfiguration: .init(
                maxHeaderFieldSize: 16 << 10, maxHeaderListSize: 32 << 10, maxHeaderFieldCount: 100))
        let plain = HTTPServerBuilder { accepted.holding(HTTP1Channel(responder: $0, configuration: http)) }
        guard let identity else { return plain }
        return try .tls(plain, tlsConfiguration: TLSIdentity.configuration(identity))
    }
}
