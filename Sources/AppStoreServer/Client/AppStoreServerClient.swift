import AppStoreModels
internal import Basics
public import Foundation
public import Logging

/// Calls the App Store Server API, the Retention Messaging API and the Advanced Commerce API for one app in one
/// environment.
///
/// Every call waits until Apple's quotas allow it, retries where that is safe, and throws an ``AppStoreServerError``
/// when it gives up. Share one client between all tasks: the quotas and the circuit breaker belong to the client
/// (copies share them).
///
/// The documentation of each method lists the values of ``AppStoreServerError/apiCode`` that Apple documents for its
/// endpoint. All endpoints share 4290000 and 5000000, and most share 5000001. Other codes are possible.
public struct AppStoreServerClient: Sendable {
    /// The server to which requests are sent.
    public let host: AppStoreHost

    /// The configuration of the client.
    public let configuration: Configuration

    package let tokens: APITokenSource
    let transport: any HTTPTransport
    let clock: AnyClock
    let limiter: RateLimiter?
    let circuit: CircuitBreaker?

    /// The version of this library, part of the `User-Agent`.
    public static let version = "0.1.0"

    /// Creates a client.
    ///
    /// - Parameters:
    ///   - tokens: Creates the bearer tokens, and determines the app.
    ///   - host: The server to which requests are sent.
    ///   - configuration: Limits, retries, clocks, logger.
    ///   - transport: Sends the requests. The default uses an HTTP client that the whole process shares and that needs
    ///     no shutdown.
    public init(
        tokens: APITokenSource, host: AppStoreHost = .production, configuration: Configuration = Configuration(),
        transport: any HTTPTransport = AsyncHTTPClientTransport()
    ) {
        self.tokens = tokens
        self.host = host
        self.configuration = configuration
        self.transport = transport
        let clock = AnyClock(configuration.clock)
        self.clock = clock
        let isSandbox = host.environment != .production
        limiter = configuration.rateLimit.map { RateLimiter($0, isSandbox: isSandbox, clock: clock) }
        circuit = configuration.circuitBreaker.map { CircuitBreaker($0, clock: clock) }
    }

    /// Limits, retries, clocks and logger of a client.
    public struct Configuration: Sendable {
        /// The time limit of one request. A call with retries can take longer.
        public var timeout: Duration = .seconds(30)

        /// The maximum size of a response body, in bytes. Default: 16 MiB.
        public var maximumResponseSize = 16 << 20

        /// When to retry a request.
        public var retry = RetryPolicy()

        /// The fraction of Apple's quotas to use; nil to send without waiting.
        public var rateLimit: RatePolicy? = RatePolicy()

        /// When to stop calling for a while; nil for never.
        public var circuitBreaker: CircuitBreakerPolicy? = CircuitBreakerPolicy()

        /// The clock for pauses: between retries, for the quotas, and while the circuit is open.
        public var clock: any Clock<Duration> = ContinuousClock()

        /// The date, for comparison with the instant that the server names with status 429.
        public var now: @Sendable () -> Date = { Date() }

        /// Returns random numbers from 0 up to but not including 1, to randomize pauses.
        public var random: @Sendable () -> Double = { Double.random(in: 0..<1) }

        /// Logs each request at the level `debug`: endpoint, attempt, status. Never a token, a path or a body.
        public var logger = Logger(label: "counterfoil.client") { _ in SwiftLogNoOpLogHandler() }

        /// The value of the `User-Agent` header.
        public var userAgent = "counterfoil/\(AppStoreServerClient.version)"

        /// Creates the default configuration.
        public init() {}
    }
}
