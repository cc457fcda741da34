internal import Basics
internal import NIOCore
internal import NIOSSL

/// The certificate that the server shows, and its key, as they were read from files.
struct TLSIdentity: Sendable {
    let certificates: [NIOSSLCertificate]
    let key: NIOSSLPrivateKey

    /// - Throws: ``ServerError`` when a file does not hold what it should, or both do not fit together.
    init(_ files: ServerConfiguration.TLS) throws(ServerError) {
        do { certificates = try NIOSSLCertificate.fromPEMFile(files.certificateFile) } catch {
            throw ServerError(.badCertificate, "\(files.certificateFile) contains no certificate in PEM")
        }
        do { key = try NIOSSLPrivateKey(file: files.keyFile, format: .pem) } catch {
            throw ServerError(
                .badCertificate, "\(files.keyFile) contains no private key in PEM, or one with a password")
        }
        // What does not fit together is found out now, and not by the first client.
        do { _ = try NIOSSLContext(configuration: configuration) } catch {
            throw ServerError(
                .badCertificate,
                """
                the certificate in \(files.certificateFile) and the key in \(files.keyFile) cannot be used together; are \
                they PEM, the server's own first?
                """)
        }
    }

    /// A server that shows this identity, from TLS 1.2 on.
    private var configuration: TLSConfiguration {
        var tls = TLSConfiguration.makeServerConfiguration(
            certificateChain: certificates.map { .certificate($0) }, privateKey: .privateKey(key))
        tls.minimumTLSVersion = .tlsv12
        return tls
    }

    /// A server that shows the identity of the moment to each client that comes.
    static func configuration(_ identity: Live<TLSIdentity>) -> TLSConfiguration {
        var tls = identity.current.configuration
        tls.sslContextCallback = { _, answer in
            let identity = identity.current
            var override = NIOSSLContextConfigurationOverride()
            override.certificateChain = identity.certificates.map { .certificate($0) }
            override.privateKey = .privateKey(identity.key)
            answer.succeed(override)
        }
        return tls
    }
}
