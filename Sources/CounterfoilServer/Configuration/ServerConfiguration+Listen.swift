extension ServerConfiguration {
    /// Where requests are accepted, and from whom.
    public struct Listen: Sendable, Hashable {
        /// The address to listen on. Default: this machine alone.
        public var host = "127.0.0.1"

        /// The port. 0 is any that is free. Default: 8080.
        public var port = 8080

        /// How the world reaches the server, without a slash at the end; nil if nobody told.
        public var publicURL: String?

        /// The certificate to serve HTTPS with; nil is HTTP, for behind a proxy and for this machine.
        public var tls: TLS?

        /// The proxies whose `X-Forwarded-For` is believed. Default: none.
        public var trustedProxies: [Network] = []

        /// Who may send notifications; nil is everybody, since they are signed. Apple documents 17.0.0.0/8.
        public var notificationNetworks: [Network]?

        /// Who may read `/metrics`. Default: who shows a key.
        public var metrics = MetricsAccess.key

        /// The defaults.
        public init() {}
    }

    /// Who may read `/metrics`.
    @nonexhaustive
    public enum MetricsAccess: String, Sendable, Hashable, CaseIterable {
        /// Who shows a key with the scope `operations:read` for all apps and environments.
        case key
        /// Who shows one, and everybody who asks from this machine: also those for whom an unknown proxy on it does.
        case local
    }

    /// A certificate, for HTTPS. The paths are absolute.
    public struct TLS: Sendable, Hashable {
        /// The file with the certificate and those between it and its root, PEM.
        public var certificateFile: String
        /// The file with the private key, PEM.
        public var keyFile: String

        /// Names the files.
        public init(certificateFile: String, keyFile: String) {
            self.certificateFile = certificateFile
            self.keyFile = keyFile
        }
    }
}
