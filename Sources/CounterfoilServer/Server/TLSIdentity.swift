internal import Basics
internal import ConfigurationReading
package import Foundation
internal import NIOCore
internal import NIOSSL

/// The certificate chain of the server and its private key, read from files.
struct TLSIdentity: Sendable {
    let certificates: [NIOSSLCertificate]
    let key: NIOSSLPrivateKey

    /// - Throws: ``ServerError`` when a file is not the expected PEM, or certificate and key do not match.
    init(_ files: ServerConfiguration.TLS) throws(ServerError) {
        do { certificates = try NIOSSLCertificate.fromPEMFile(files.certificateFile) } catch {
            throw ServerError(.badCertificate, "\(files.certificateFile) contains no certificate in PEM")
        }
        do { key = try NIOSSLPrivateKey(file: files.keyFile, format: .pem) } catch {
            throw ServerError(
                .badCertificate, "\(files.keyFile) contains no private key in PEM, or one with a password")
        }
        // Detect a mismatch of certificate and key now instead of at the first handshake.
        do { _ = try NIOSSLContext(configuration: configuration) } catch {
            throw ServerError(
                .badCertificate,
                """
                the certificate in \(files.certificateFile) and the key in \(files.keyFile) cannot be used together; are \
                they PEM, the server's own first?
                """)
        }
    }

    /// When the server's own certificate expires, in seconds since 1970.
    var expiry: Double? { certificates.first.map { Double($0.notValidAfter) } }

    /// The configuration of a server with this identity; TLS 1.2 or later.
    private var configuration: TLSConfiguration {
        var tls = TLSConfiguration.makeServerConfiguration(
            certificateChain: certificates.map { .certificate($0) }, privateKey: .privateKey(key))
        tls.minimumTLSVersion = .tlsv12
        return tls
    }

    /// Returns the configuration of a server that uses the current identity for each new connection.
    static func configuration(_ identity: SharedValue<TLSIdentity>) -> TLSConfiguration {
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

extension LoadedConfiguration {
    /// How long before its end a certificate is noted, in seconds: a week, like the alert.
    private static let notice: TimeInterval = 7 * 86_400

    /// Returns itself, with a warning if the certificate has expired or expires within a week of `now`. Throws if a
    /// server would not start with the certificate and the key of `listen.tls`.
    ///
    /// Credentials of a systemd unit that does not run are not checked.
    package func requiringUsableTLS(at now: Date) throws(ConfigurationError) -> LoadedConfiguration {
        guard let files = configuration.listen.tls, !hasMissingCredential(in: "listen.tls") else { return self }
        let path = "listen.tls.certificate"
        let expiry: Double?
        do throws(ServerError) { expiry = try TLSIdentity(files).expiry } catch {
            throw ConfigurationError(problems: [issue(error.message, of: path)])
        }
        guard let end = expiry.map({ Date(timeIntervalSince1970: $0) }), end < now + Self.notice else { return self }
        var loaded = self
        let message =
            end < now
            ? "the certificate expired on \(end.formatted(.iso8601)): the App Store and the apps cannot connect"
            : "the certificate expires on \(end.formatted(.iso8601)); then the App Store and the apps cannot connect"
        loaded.warnings.append(issue(message, of: path))
        return loaded
    }
}
