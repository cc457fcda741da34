public import Ledger

extension ServerConfiguration {
    /// The pages of the server.
    public struct Console: Sendable {
        /// Whether there are any. Default: no.
        public var isEnabled = false

        /// What sign-in links are made with; nil: keys alone sign in.
        public var secret: Secret?

        /// The address and port of their own, so that the server's port has none of them; nil for the server's.
        public var listen: Address?

        /// Whether nothing can be changed there. Default: no.
        public var isReadOnly = false

        /// Whether looking at a customer is kept in the audit log. Default: no.
        public var auditsReads = false

        /// The defaults.
        public init() {}

        /// Whether another one is the same.
        func isSame(as other: Console) -> Bool {
            isEnabled == other.isEnabled && listen == other.listen && isReadOnly == other.isReadOnly
                && auditsReads == other.auditsReads && secret?.revealed == other.secret?.revealed
        }

        /// Where something listens.
        public struct Address: Sendable, Hashable {
            /// The address. Default: this machine alone.
            public var host = "127.0.0.1"
            /// The port. Default: 8090.
            public var port = 8090

            /// The defaults.
            public init() {}
        }
    }
}
