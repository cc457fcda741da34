public import AppStoreTrust
public import Ledger
public import Logging

extension ServerConfiguration {
    /// The trusted root certificates, and how certificates are validated.
    public struct Trust: Sendable, Hashable {
        /// The roots for signed data: notifications, transactions and the App Store's responses. Default: Apple's.
        public var anchors = TrustAnchors.apple

        /// The roots for receipts. Default: Apple's. In a file, `receipts` defaults to `anchors`. In code, set both
        /// properties.
        public var receiptAnchors = TrustAnchors.apple

        /// Whether the revocation status of the certificates of signed data is checked by OCSP. Default: soft. The
        /// certificates of receipts are not checked: receipts are validated as of their creation date.
        public var revocation = RevocationPolicy.soft

        /// Further OCSP hosts that may be queried, besides Apple's.
        public var revocationHosts: Set<String> = []

        /// The date at which certificates must be valid: now, or the signing date, for old data.
        public var validationTime = ValidationTime.now

        /// Creates the default settings.
        public init() {}
    }

    /// The settings of the ledger's database.
    public struct Storage: Sendable, Hashable {
        /// The SQLite file. Default: `counterfoil.sqlite`; a relative path in a configuration file starts in its
        /// folder.
        public var path = "counterfoil.sqlite"

        /// The durability of a commit. Default: full.
        public var synchronous = Synchronous.full

        /// The maximum number of refused deliveries that are stored. Default: 10,000.
        public var maximumRefusedDeliveries = 10_000

        /// The maximum number of bytes of refused deliveries that are stored. Default: 64 MiB.
        public var maximumRefusedBytes = 64 << 20

        /// The size of the page cache in MiB. Default: 128.
        public var cacheMiB = 128

        /// Creates the default settings.
        public init() {}
    }

    /// The durability of a commit.
    @nonexhaustive
    public enum Synchronous: String, Sendable, Hashable, CaseIterable {
        /// Acknowledged data survives a power cut.
        case full
        /// Acknowledged data survives a crash of the server. A power cut can lose the last commits.
        case normal
    }

    /// The settings of recovery, which fetches missed notifications.
    public typealias Recovery = RecoverySettings

    /// The limits for clients.
    public struct Limits: Sendable, Hashable {
        /// The largest request, in bytes. Default: 4 MiB; a receipt with many purchases is large. Notifications are
        /// limited to 1 MiB in any case, and requests that are always small to less.
        public var requestBytes = 4 << 20
        /// The maximum number of bytes of all request bodies in memory. One client may use a quarter of them. Default:
        /// 64 MiB.
        public var bufferedBytes = 64 << 20
        /// The maximum number of open connections of one address (IPv4) or one /64 network (IPv6). Trusted proxies have
        /// no such limit. Default: 256.
        public var connectionsPerAddress = 256
        /// The maximum number of requests per second of one key, on average. Default: 1000.
        public var requestsPerSecond = 1000
        /// The maximum duration of a request. Default: 30 seconds.
        public var requestTimeout = Duration.seconds(30)

        /// The maximum time for a client to send a request, and to receive a response.
        package var sendingTime = Duration.seconds(15)
        /// The maximum idle time of a connection. Longer than the usual idle timeout of load balancers, one minute.
        package var idleTime = Duration.seconds(75)
        /// The maximum time until the response of a webhook receiver begins.
        package var webhookTimeout = Duration.seconds(15)
        /// The maximum time that a shutdown waits for the responses of webhook receivers.
        package var webhookDrainTimeout = Duration.seconds(10)
        /// The maximum duration of one request to the App Store.
        package var appStoreTimeout = Duration.seconds(30)
        /// The maximum time that a request waits for the App Store's history of a customer. The client for apps gives a
        /// request up after ten seconds, and needs some of them for its connection.
        package var historyTimeout = Duration.seconds(7)
        /// The maximum duration of a graceful shutdown. After that, the remaining requests are cancelled.
        package var shutdownTimeout = Duration.seconds(25)
        /// The maximum number of open connections; nil derives it from the process's file descriptor limit.
        package var connections: Int?
        /// The maximum number of requests per second of one customer with a public key.
        package var requestsPerSecondOfCustomer = 20

        /// Creates the default limits.
        public init() {}
    }

    /// The settings of the log.
    public struct Log: Sendable, Hashable {
        /// The minimum level. Default: info.
        public var level = Logger.Level.info
        /// The format. Default: text.
        public var format = LogFormat.text

        /// Creates the default settings.
        public init() {}
    }

    /// The format of the log.
    @nonexhaustive
    public enum LogFormat: String, Sendable, Hashable, CaseIterable {
        /// Human-readable lines.
        case text
        /// One JSON object per line.
        case json
    }
}
