internal import Foundation
internal import Hummingbird
internal import HummingbirdCore
internal import HummingbirdTLS
internal import Logging
internal import NIOCore
internal import NIOSSL

/// Listens, and leads requests to where they are answered.
enum HTTPService {
    static func application(_ core: ServerCore, onRunning: @escaping @Sendable (Int?) -> Void) throws
        -> some ApplicationProtocol
    {
        var logger = core.logger
        // What is below it is the talk of connections.
        logger.logLevel = max(logger.logLevel, .error)
        return Application(
            responder: ServerRoutes.router(core).buildResponder(), server: try server(core.configuration.listen),
            configuration: .init(
                address: .hostname(core.configuration.listen.host, port: core.configuration.listen.port),
                serverName: nil, backlog: 1024),
            onServerRunning: { channel in onRunning(channel.localAddress?.port) }, logger: logger)
    }

    private static func server(_ listen: ServerConfiguration.Listen) throws -> HTTPServerBuilder {
        let http = HTTP1Channel.Configuration(idleTimeout: .seconds(75))
        guard let files = listen.tls else { return .http1(configuration: http) }
        let certificates = try NIOSSLCertificate.fromPEMFile(files.certificateFile)
            .map { NIOSSLCertificateSource.certificate($0) }
        let key = try NIOSSLPrivateKey(file: files.keyFile, format: .pem)
        var tls = TLSConfiguration.makeServerConfiguration(certificateChain: certificates, privateKey: .privateKey(key))
        tls.minimumTLSVersion = .tlsv12
        return try .tls(.http1(configuration: http), tlsConfiguration: tls)
    }
}
