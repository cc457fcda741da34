extension ServerConfiguration {
    /// The addresses on which the server listens, and the networks that it accepts requests from.
    public struct Listen: Sendable, Hashable {
        /// The address to listen on. Default: loopback.
        public var host = "127.0.0.1"

        /// The port; 0 for any free port. Default: 8080.
        public var port = 8080

        /// The public URL of the server, without a slash at the end; nil if it is not configured.
        public var publicURL: String?

        /// The certificate for HTTPS; nil for HTTP, which is meant for use behind a proxy or on one machine.
        public var tls: TLS?

        /// The proxies whose `X-Forwarded-For` and `X-Forwarded-Proto` are trusted. Default: none.
        public var trustedProxies: [Network] = []

        /// The networks that may send notifications; nil for any, since notifications are signed. Apple documents
        /// 17.0.0.0/8.
        public var notificationNetworks: [Network]?

        /// The clients that may read `/metrics`. Default: those with a key.
        public var metrics = MetricsAccess.key

        /// Creates the default settings.
        public init() {}
    }

    /// The clients that may read `/metrics`.
    @nonexhaustive
    public enum MetricsAccess: String, Sendable, Hashable, CaseIterable {
        /// Requests with a key that has the scope `operations:read` for all apps and environments.
        case key
        /// Requests with such a key, and all requests from this machine. If a proxy on this machine is not among
        /// `trusted_proxies`, the requests that it forwards count as local.
        case local
    }

    /// The files of a certificate for HTTPS. The paths are absolute.
    public struct TLS: Sendable, Hashable {
        /// The PEM file with the certificate and its intermediates.
        public var certificateFile: String
        /// The PEM file with the private key.
        public var keyFile: String

        /// Creates the settings from two paths.
        public init(certificateFile: String, keyFile: String) {
            self.certificateFile = certificateFile
            self.keyFile = keyFile
        }
    }
}

extension ServerConfiguration.Listen {
    /// Returns the URL at which this machine reaches the server on a host. The unspecified address becomes loopback.
    package func url(_ host: String, port: Int) -> String {
        let host = ["0.0.0.0": "127.0.0.1", "::": "::1"][host] ?? host
        return "\(tls == nil ? "http" : "https")://\(ServerConfiguration.authority(host, port))"
    }
}

extension ServerConfiguration {
    /// Returns a host and a port as a URL has them: `127.0.0.1:8080` or `[::1]:8080`.
    package static func authority(_ host: String, _ port: Int) -> String {
        "\(host.contains(":") ? "[\(host)]" : host):\(port)"
    }
}
