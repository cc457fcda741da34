/// Starts a performance test in the sandbox. Apple's page: `PerformanceTestRequest`.
public struct PerformanceTestRequest: Sendable, Hashable, Codable {
    /// The original transaction of a subscription in the sandbox.
    public var originalTransactionId: String

    /// Creates the value from its parts.
    public init(originalTransactionId: String) {
        self.originalTransactionId = originalTransactionId
    }
}

/// The response to the start of a performance test. Apple's page: `PerformanceTestResponse`.
public struct PerformanceTestResponse: Sendable, Hashable, Codable {
    /// The parameters of the test.
    public var config: PerformanceTestConfig
    /// The identifier for requesting the result.
    public var requestId: String

    /// Creates the value from its parts.
    public init(config: PerformanceTestConfig, requestId: String) {
        self.config = config
        self.requestId = requestId
    }
}

/// The parameters and the criteria of a performance test. Apple's page: `PerformanceTestConfig`.
public struct PerformanceTestConfig: Sendable, Hashable, Codable {
    /// The number of concurrent requests.
    public var maxConcurrentRequests: Int64
    /// The total number of requests.
    public var totalRequests: Int64
    /// The duration of the test, in milliseconds.
    public var totalDuration: Int64
    /// The time limit of a response, in milliseconds.
    public var responseTimeThreshold: Int64
    /// The share of requests that must succeed, in percent.
    public var successRateThreshold: Int32

    /// Creates the value from its parts.
    public init(
        maxConcurrentRequests: Int64, totalRequests: Int64, totalDuration: Int64, responseTimeThreshold: Int64,
        successRateThreshold: Int32
    ) {
        self.maxConcurrentRequests = maxConcurrentRequests
        self.totalRequests = totalRequests
        self.totalDuration = totalDuration
        self.responseTimeThreshold = responseTimeThreshold
        self.successRateThreshold = successRateThreshold
    }
}

/// The result of a performance test. Apple's page: `PerformanceTestResultResponse`.
public struct PerformanceTestResultResponse: Sendable, Hashable, Codable {
    /// The parameters of the test.
    public var config: PerformanceTestConfig
    /// The URL that was tested.
    public var target: String
    /// Whether the test passed.
    public var result: PerformanceTestStatus
    /// The share of requests that succeeded, in percent.
    public var successRate: Int32
    /// The number of pending requests.
    public var numPending: Int32
    /// The response times.
    public var responseTimes: PerformanceTestResponseTimes
    /// The number of failed requests by result. Unlisted results are kept.
    public var failures: [SendAttemptResult: Int32]?

    /// Creates the value from its parts.
    public init(
        config: PerformanceTestConfig, target: String, result: PerformanceTestStatus, successRate: Int32,
        numPending: Int32, responseTimes: PerformanceTestResponseTimes, failures: [SendAttemptResult: Int32]? = nil
    ) {
        self.config = config
        self.target = target
        self.result = result
        self.successRate = successRate
        self.numPending = numPending
        self.responseTimes = responseTimes
        self.failures = failures
    }
}

/// The response times, in milliseconds. Apple's page: `PerformanceTestResponseTimes`.
public struct PerformanceTestResponseTimes: Sendable, Hashable, Codable {
    /// The mean.
    public var average: Int64
    /// The median.
    public var p50: Int64
    /// The 90th percentile.
    public var p90: Int64
    /// The 95th percentile.
    public var p95: Int64
    /// The 99th percentile.
    public var p99: Int64

    /// Creates the value from its parts.
    public init(average: Int64, p50: Int64, p90: Int64, p95: Int64, p99: Int64) {
        self.average = average
        self.p50 = p50
        self.p90 = p90
        self.p95 = p95
        self.p99 = p99
    }
}

/// Whether a performance test passed. Apple's page: `PerformanceTestStatus`.
public struct PerformanceTestStatus: OpenEnumeration {
    /// The text on the wire.
    public let rawValue: String

    /// Creates a value from any text, including unlisted ones.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The test has not ended.
    public static let pending = Self(rawValue: "PENDING")
    /// The test passed.
    public static let pass = Self(rawValue: "PASS")
    /// The test failed.
    public static let fail = Self(rawValue: "FAIL")
}
