public import Ledger

extension ServerConfiguration {
    /// The settings of the web console.
    public struct Console: Sendable {
        /// Whether the console is served. Default: no.
        public var isEnabled = false

        /// The secret that signs sign-in links; nil allows sign-in by key only.
        public var secret: Secret?

        /// A separate address and port for the console; nil serves the console on the server's port.
        public var listen: Address?

        /// Whether the console rejects changes. Default: no.
        public var isReadOnly = false

        /// Whether viewing a customer is recorded in the audit log. Default: no.
        public var auditsReads = false

        /// Creates the default settings.
        public init() {}

        /// Whether all settings are equal, including the secret.
        func isSame(as other: Console) -> Bool {
            isEnabled == other.isEnabled && listen == other.listen && isReadOnly == other.isReadOnly
                && auditsReads == other.auditsReads && secret?.revealed == other.secret?.revealed
        }

        /// An address and port to listen on.
        public struct Address: Sendable, Hashable {
            /// The address. Default: loopback.
            public var host = "127.0.0.1"
            /// The port. Default: 8090.
            public var port = 8090

            /// Creates the default address.
            public init() {}
        }
    }
}
