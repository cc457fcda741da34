public import AppStoreTrust
public import Ledger
public import Logging

extension ServerConfiguration {
    /// Which roots and which dates count.
    public struct Trust: Sendable, Hashable {
        /// The roots of signed data: notifications, transactions and the App Store's answers. Default: Apple's.
        public var anchors = TrustAnchors.apple

        /// The roots of receipts. Default: Apple's. A file that has `anchors` and no `receipts` has the same for both; who
        /// sets ``anchors`` in code sets these as well.
        public var receiptAnchors = TrustAnchors.apple

        /// Whether the App Store is asked if certificates of signed data were revoked. Default: soft. Receipts are not asked
        /// about: they are judged as of their creation.
        public var revocation = RevocationPolicy.soft

        /// Hosts that may be asked beside Apple's.
        public var revocationHosts: Set<String> = []

        /// When certificates have to be valid: now, or, for data of long ago, when it was signed.
        public var validAt = ValidationInstant.now

        /// The defaults.
        public init() {}
    }

    /// Where everything is kept.
    public struct Storage: Sendable, Hashable {
        /// The SQLite file. Default: `counterfoil.sqlite`, which the reader puts beside the configuration.
        public var path = "counterfoil.sqlite"

        /// How sure a commit is. Default: full.
        public var synchronous = Synchronous.full

        /// How many refused deliveries are kept. Default: 10,000.
        public var refusedKept = 10_000

        /// How many bytes of refused deliveries are kept. Default: 64 MiB.
        public var refusedBytes = 64 << 20

        /// How much of the file is held in memory, in MiB. Default: 128.
        public var cacheMiB = 128

        /// The defaults.
        public init() {}
    }

    /// How sure a commit is.
    @nonexhaustive
    public enum Synchronous: String, Sendable, Hashable, CaseIterable {
        /// Acknowledged is kept, through a power cut.
        case full
        /// Acknowledged is kept through a crash of the server; a power cut may lose the last moments.
        case normal
    }

    /// How gaps are closed.
    public typealias Recovery = RecoverySettings

    /// How much a client may ask for.
    public struct Limits: Sendable, Hashable {
        /// The largest request, in bytes. Default: 4 MiB; a receipt with many purchases is large.
        public var requestBytes = 4 << 20
        /// The bytes of all request bodies that may be in memory at once; one client may have a quarter of them. Default:
        /// 64 MiB.
        public var bufferedBytes = 64 << 20
        /// The connections that one address may have open; of IPv6, one network of 64 bits. Trusted proxies may have any
        /// number. Default: 256.
        public var connectionsPerAddress = 256
        /// The requests that a key may make in a second, on average. Default: 1000.
        public var requestsPerSecond = 1000
        /// How long a request may take. Default: 30 seconds.
        public var requestTime = Duration.seconds(30)

        /// How long a client may take to send a request, and to take an answer.
        package var sendingTime = Duration.seconds(15)
        /// How long a connection may be without a request. Longer than the minute that load balancers have.
        package var idleTime = Duration.seconds(75)
        /// How many connections may be open; nil for what the system lets the process have.
        package var connections: Int?
        /// The requests that one customer may make in a second with a key that is shipped in an app.
        package var requestsPerSecondOfCustomer = 20

        /// The defaults.
        public init() {}
    }

    /// What is written about the server's work.
    public struct Log: Sendable, Hashable {
        /// From which level on. Default: info.
        public var level = Logger.Level.info
        /// In which form. Default: text.
        public var format = LogFormat.text

        /// The defaults.
        public init() {}
    }

    /// The form of the log.
    @nonexhaustive
    public enum LogFormat: String, Sendable, Hashable, CaseIterable {
        /// Lines for people.
        case text
        /// One JSON object a line.
        case json
    }
}
