/// Starts a performance test in the sandbox. Apple's page: `PerformanceTestRequest`.
public struct PerformanceTestRequest: Sendable, Hashable, Codable {
    /// A subscription in the sandbox.
    public var originalTransactionId: String

    /// Creates the value from its parts.
    public init(originalTransactionId: String) {
        self.originalTransactionId = originalTransactionId
    }
}

/// Says that a performance test began. Apple's page: `PerformanceTestResponse`.
public struct PerformanceTestResponse: Sendable, Hashable, Codable {
    /// What is tested.
    public var config: PerformanceTestConfig
    /// The identifier to ask for the result with.
    public var requestId: String

    /// Creates the value from its parts.
    public init(config: PerformanceTestConfig, requestId: String) {
        self.config = config
        self.requestId = requestId
    }
}

/// What a performance test consists of and asks for. Apple's page: `PerformanceTestConfig`.
public struct PerformanceTestConfig: Sendable, Hashable, Codable {
    /// How many requests run at a time.
    public var maxConcurrentRequests: Int64
    /// How many requests there are.
    public var totalRequests: Int64
    /// How long the test takes, in milliseconds.
    public var totalDuration: Int64
    /// How long an answer may take, in milliseconds.
    public var responseTimeThreshold: Int64
    /// How many requests must succeed, in percent.
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

/// How a performance test went. Apple's page: `PerformanceTestResultResponse`.
public struct PerformanceTestResultResponse: Sendable, Hashable, Codable {
    /// What was tested.
    public var config: PerformanceTestConfig
    /// The URL that was tested.
    public var target: String
    /// Whether it passed.
    public var result: PerformanceTestStatus
    /// How many requests succeeded, in percent.
    public var successRate: Int32
    /// How many requests are still to come.
    public var numPending: Int32
    /// How long the answers took.
    public var responseTimes: PerformanceTestResponseTimes
    /// How many requests failed in which way. Results unknown today are kept.
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

/// How long answers took, in milliseconds. Apple's page: `PerformanceTestResponseTimes`.
public struct PerformanceTestResponseTimes: Sendable, Hashable, Codable {
    /// The mean.
    public var average: Int64
    /// Half of the answers took no longer than this.
    public var p50: Int64
    /// Ninety percent took no longer than this.
    public var p90: Int64
    /// Ninety-five percent took no longer than this.
    public var p95: Int64
    /// Ninety-nine percent took no longer than this.
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
public struct PerformanceTestStatus: RawRepresentable, Hashable, Sendable, Codable {
    /// The text on the wire.
    public let rawValue: String

    /// Takes any text, listed below or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// It has not ended.
    public static let pending = Self(rawValue: "PENDING")
    /// It passed.
    public static let pass = Self(rawValue: "PASS")
    /// It failed.
    public static let fail = Self(rawValue: "FAIL")
}
