internal import Basics
internal import Foundation
internal import Hummingbird
internal import HummingbirdCore
internal import HummingbirdTLS
internal import Logging
internal import NIOCore
internal import NIOPosix
internal import ServiceLifecycle
internal import WebConsole

/// Listens, and leads requests to where they are answered.
enum HTTPService {
    static func application(
        _ core: ServerCore, _ identity: Live<TLSIdentity>?, _ console: Console? = nil,
        onRunning: @escaping @Sendable (Int?) -> Void
    ) throws -> some Service {
        let pages = console?.settings.listen == nil ? console?.responder : nil
        return try application(
            core, identity, ConsoleSwitch(base: ServerRoutes.responder(core), console: pages),
            ListenAddress(ofAPI: core.configuration), onRunning)
    }

    /// The pages at an address of their own.
    static func application(
        of console: Console, at address: ServerConfiguration.Console.Address, _ identity: Live<TLSIdentity>?,
        onRunning: @escaping @Sendable () -> Void
    ) throws -> some Service {
        try application(
            console.core, identity, ConsoleOnly(console: console.responder),
            ListenAddress(ofConsole: address, console.core.configuration)
        ) { _ in onRunning() }
    }

    private static func application(
        _ core: ServerCore, _ identity: Live<TLSIdentity>?, _ responder: some HTTPResponder<ServerContext>,
        _ place: ListenAddress, _ onRunning: @escaping @Sendable (Int?) -> Void
    ) throws -> some Service {
        var logger = core.logger
        // What is below it is the talk of connections.
        logger.logLevel = max(logger.logLevel, .error)
        let taken = TakenConnections()
        let application = Application(
            responder: responder,
            server: try server(
                core.configuration, identity, ClientConnections(core.configuration, core.requests), taken),
            configuration: .init(
                address: .hostname(place.host, port: place.port),
                serverName: nil, backlog: 1024,
                availableConnectionsDelegate: .maximum(
                    core.configuration.limits.connections ?? maximumConnections, logger: logger)),
            onServerRunning: { channel in onRunning(channel.localAddress?.port) },
            eventLoopGroupProvider: .shared(loops), logger: logger)
        return ServingApplication(application: application, connections: taken, place: place)
    }

    private struct ServingApplication<Base: ApplicationProtocol>: Service {
        let application: Base
        let connections: TakenConnections
        let place: ListenAddress

        func run() async throws {
            do { try await connections.whileServing { try await application.run() } } catch {
                // The server may have two addresses, and only here it is known which one this is about.
                if let refusal = ServerError(listening: error, at: place) { throw refusal }
                throw error
            }
        }
    }

    /// Half as many as there are cores. They only take requests apart and write answers; what an answer takes is done on the
    /// other threads, and with a loop for each core they wait for each other: of two cores one loop serves a customer 6 to 13 %
    /// more often than two do, though it takes some 9 % fewer notifications (docs/performance.md). One for all servers of a
    /// process, as long as it runs.
    private static let loops = MultiThreadedEventLoopGroup(numberOfThreads: max(1, System.coreCount / 2))

    /// As many as there are file descriptors for, but for those of the ledger and of what the server asks itself.
    private static var maximumConnections: Int {
        guard let descriptors else { return 512 }
        return max(64, min(descriptors, 16_384) - 256)
    }

    /// With fewer, 64 connections leave none for the ledger and for what the server asks itself. Nor does the runtime do
    /// without: where it finds none for a moment, it ends the process.
    private static let fewestDescriptors = 192

    /// How many files the process may have open; nil where the system does not say.
    private static var descriptors: Int? {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return nil }
        return Int(clamping: limit.rlim_cur)
    }

    /// Throws if the process may have too few files open for a server.
    static func requireDescriptors() throws(ServerError) {
        guard let descriptors, descriptors < fewestDescriptors else { return }
        throw ServerError(
            .failed,
            """
            the process may have \(descriptors) files open, and a server needs \(fewestDescriptors); raise the limit with \
            `ulimit -n`, or with LimitNOFILE= in a unit of systemd
            """)
    }

    private static func server(
        _ configuration: ServerConfiguration, _ identity: Live<TLSIdentity>?, _ connections: ClientConnections,
        _ taken: TakenConnections
    ) throws -> HTTPServerBuilder {
        let patience = configuration.limits.sendingTime
        let http = HTTP1Channel.Configuration(
            additionalChannelHandlers: [ConnectionGuard(patience: patience, connections: connections)],
            idleTimeout: TimeAmount(configuration.limits.idleTime),
            httpDecoderConfiguration: .init(
                maxHeaderFieldSize: 16 << 10, maxHeaderListSize: 32 << 10, maxHeaderFieldCount: 100))
        let plain = HTTPServerBuilder { taken.holding(HTTP1Channel(responder: $0, configuration: http)) }
        guard let identity else { return plain }
        return try .tls(plain, tlsConfiguration: TLSIdentity.configuration(identity))
    }
}
