import AppStoreModels
internal import Basics
public import Foundation
public import Logging

/// Calls the App Store Server API, the Retention Messaging API and the Advanced Commerce API for one app in one
/// environment.
///
/// Every call waits for its turn under Apple's quotas, repeats what is safe to repeat, and throws an
/// ``AppStoreServerError`` when it has given up. Share one client between all tasks: quotas and circuit are counted per
/// client (a copy is the same client).
public struct AppStoreServerClient: Sendable {
    /// Where the requests go.
    public let host: AppStoreHost

    /// How the client behaves.
    public let configuration: Configuration

    package let tokens: APITokenSource
    let transport: any HTTPTransport
    let clock: WaitingClock
    let limiter: RateLimiter?
    let circuit: Circuit?

    /// The version of this library, part of the `User-Agent`.
    public static let version = "0.1.0"

    /// Creates a client.
    ///
    /// - Parameters:
    ///   - tokens: Makes the bearer tokens; names the app.
    ///   - host: Where the requests go.
    ///   - configuration: Limits, repetition, clocks, log.
    ///   - transport: What sends the requests. The default uses the HTTP client that the whole process shares and that
    ///     needs no shutdown.
    public init(
        tokens: APITokenSource, host: AppStoreHost = .production, configuration: Configuration = Configuration(),
        transport: any HTTPTransport = AsyncHTTPClientTransport()
    ) {
        self.tokens = tokens
        self.host = host
        self.configuration = configuration
        self.transport = transport
        let clock = WaitingClock(configuration.clock)
        self.clock = clock
        let isSandbox = host.environment != .production
        limiter = configuration.rates.map { RateLimiter($0, isSandbox: isSandbox, clock: clock) }
        circuit = configuration.circuit.map { Circuit($0, clock: clock) }
    }

    /// Limits, repetition, clocks and log of a client.
    public struct Configuration: Sendable {
        /// How long one request may take; a call with repetitions takes longer.
        public var timeout: Duration = .seconds(30)

        /// The most bytes of an answer to accept: 16 MiB.
        public var maximumAnswerSize = 16 << 20

        /// When to repeat a request.
        public var retry = RetryPolicy()

        /// How much of Apple's quotas to use; nil to send without waiting.
        public var rates: RatePolicy? = RatePolicy()

        /// When to stop calling for a while; nil for never.
        public var circuit: CircuitPolicy? = CircuitPolicy()

        /// The clock that waits: between repetitions, for the quotas, and while the client calls nobody.
        public var clock: any Clock<Duration> = ContinuousClock()

        /// The date, to compare with the instant that the server names with status 429.
        public var now: @Sendable () -> Date = { Date() }

        /// Gives numbers from 0 to below 1, for pauses that differ from one another.
        public var random: @Sendable () -> Double = { Double.random(in: 0..<1) }

        /// Where to log each request at the level `debug`: endpoint, attempt, status. Never a token, a path or a body.
        public var logger = Logger(label: "counterfoil.client") { _ in SwiftLogNoOpLogHandler() }

        /// The header `User-Agent`.
        public var userAgent = "counterfoil/\(AppStoreServerClient.version)"

        /// Creates the configuration that suits most.
        public init() {}
    }
}
