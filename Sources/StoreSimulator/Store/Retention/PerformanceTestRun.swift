package import AppStoreModels
package import Foundation

extension PerformanceTestConfig {
    /// A test that takes a developer's server seconds. Of these numbers, Apple documents only the 700 ms.
    package static let standard = PerformanceTestConfig(
        maxConcurrentRequests: 5, totalRequests: 50, totalDuration: 10_000, responseTimeThreshold: 700,
        successRateThreshold: 95)
}

/// A performance test of the developer's server. The sender of the requests records the result of each.
package struct PerformanceTestRun: Sendable, Hashable, Codable {
    package let requestID: UUID
    package let originalTransactionID: String
    package let config: PerformanceTestConfig
    /// The URL under test.
    package let target: String
    package let startedAt: Date
    package private(set) var results: [Result] = []

    private enum CodingKeys: String, CodingKey {
        case requestID = "requestId"
        case originalTransactionID = "originalTransactionId"
        case config, target, startedAt, results
    }

    package struct Result: Sendable, Hashable, Codable {
        package let outcome: SendAttemptResult
        package let milliseconds: Int64
    }

    init(
        requestID: UUID, originalTransactionID: String, config: PerformanceTestConfig, target: String, startedAt: Date
    ) {
        self.requestID = requestID
        self.originalTransactionID = originalTransactionID
        // At least one request, so that there is a success rate, and no more than can be stored.
        self.config = PerformanceTestConfig(
            maxConcurrentRequests: min(max(config.maxConcurrentRequests, 1), 1000),
            totalRequests: min(max(config.totalRequests, 1), 100_000),
            totalDuration: Self.limited(config.totalDuration),
            responseTimeThreshold: Self.limited(config.responseTimeThreshold),
            successRateThreshold: min(max(config.successRateThreshold, 0), 100))
        self.target = target
        self.startedAt = startedAt
    }

    /// Reads a test of a snapshot, with the same limits: people can edit the file.
    package init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            requestID: try members.decode(UUID.self, forKey: .requestID),
            originalTransactionID: try members.decode(String.self, forKey: .originalTransactionID),
            config: try members.decode(PerformanceTestConfig.self, forKey: .config),
            target: try members.decode(String.self, forKey: .target),
            startedAt: try members.decode(Date.self, forKey: .startedAt))
        results = try members.decode([Result].self, forKey: .results).map {
            Result(outcome: $0.outcome, milliseconds: Self.limited($0.milliseconds))
        }
    }

    private static func limited(_ milliseconds: Int64) -> Int64 { min(max(milliseconds, 0), 86_400_000) }

    /// Records the result of a request. A success slower than the threshold counts as a timeout. Results after the end
    /// are ignored.
    mutating func record(_ outcome: SendAttemptResult, milliseconds: Int64, now: Date) {
        guard !hasEnded(now: now) else { return }
        let milliseconds = Self.limited(milliseconds)
        let isSlow = outcome == .success && milliseconds > config.responseTimeThreshold
        results.append(Result(outcome: isSlow ? .timedOut : outcome, milliseconds: milliseconds))
    }

    /// Whether all results were recorded, or twice the planned duration has passed: a test must end even if the sender
    /// of the requests is gone.
    package func hasEnded(now: Date) -> Bool {
        Int64(results.count) >= config.totalRequests
            || now.timeIntervalSince(startedAt) >= Double(config.totalDuration) / 1000 * 2
    }

    package func status(now: Date) -> PerformanceTestStatus {
        guard hasEnded(now: now) else { return .pending }
        return successRate >= config.successRateThreshold ? .pass : .fail
    }

    /// The successes in percent of all requests, rounded down.
    private var successRate: Int32 {
        Int32(clamping: Int64(results.count { $0.outcome == .success }) * 100 / config.totalRequests)
    }

    package func response(now: Date) -> PerformanceTestResultResponse {
        let missing = Int32(clamping: config.totalRequests - Int64(results.count))
        let hasEnded = hasEnded(now: now)
        var failures = Dictionary(grouping: results.filter { $0.outcome != .success }, by: \.outcome)
            .mapValues { Int32(clamping: $0.count) }
        if hasEnded, missing > 0 { failures[.timedOut, default: 0] += missing }
        return PerformanceTestResultResponse(
            config: config, target: target, result: status(now: now), successRate: successRate,
            numPending: hasEnded ? 0 : missing, responseTimes: responseTimes,
            failures: failures.isEmpty ? nil : failures)
    }

    /// Percentiles by nearest rank; all zero without results.
    private var responseTimes: PerformanceTestResponseTimes {
        let sorted = results.map(\.milliseconds).sorted()
        func percentile(_ percent: Int) -> Int64 {
            let rank = (sorted.count * percent + 99) / 100
            return sorted.dropFirst(max(rank - 1, 0)).first ?? 0
        }
        return PerformanceTestResponseTimes(
            average: sorted.reduce(0, +) / Int64(max(sorted.count, 1)), p50: percentile(50), p90: percentile(90),
            p95: percentile(95), p99: percentile(99))
    }
}
