package import AppStoreModels
package import Foundation

extension RetentionMessaging {
    /// The maximum number of stored tests.
    private static let maximumTests = 100

    /// R13. Starts a performance test with the identifier `id`. `check` must throw unless the text is the original
    /// transaction identifier of a subscription: 4000006, 4000048, 4000185, 4000187. One test runs at a time. Outside
    /// the sandbox, throws status 404 without a code.
    package mutating func startPerformanceTest(
        _ body: RequestBody, id: UUID, now: Date, check: (String) throws(APIFailure) -> Void
    ) throws(APIFailure) -> PerformanceTestResponse {
        guard isSandbox else { throw APIFailure(status: 404, "performance tests are in the sandbox only") }
        let transaction = try body.string("originalTransactionId", or: .invalidPerformanceTestRequest)
        try check(transaction)
        guard let target = realtimeURL else {
            throw APIFailure(.invalidPerformanceTestRequest, "There is no realtime URL to be tested.")
        }
        guard performanceTests.allSatisfy({ $0.hasEnded(now: now) }) else {
            throw APIFailure(.existingPerformanceTestRun, "A performance test is running.")
        }
        if performanceTests.count >= Self.maximumTests {
            let oldest = performanceTests.removeFirst()
            hasPassedForgottenTest = hasPassedForgottenTest || oldest.status(now: now) == .pass
        }
        let run = PerformanceTestRun(
            requestID: id, originalTransactionID: transaction, config: performanceTestConfig, target: target,
            startedAt: now)
        performanceTests.append(run)
        return PerformanceTestResponse(config: run.config, requestId: id.text)
    }

    /// R14. Returns the results of a performance test.
    package func performanceTest(_ requestID: String, now: Date) throws(APIFailure) -> PerformanceTestResultResponse {
        guard let id = UUID(text: requestID) else {
            throw APIFailure(.invalidRequestId, "The requestId is not a UUID.")
        }
        guard isSandbox, let run = performanceTests.first(where: { $0.requestID == id }) else {
            throw APIFailure(.performanceTestRunNotFound, "There is no performance test \(id.text).")
        }
        return run.response(now: now)
    }

    /// Records the result of one request of a test. Does nothing if the test is unknown or has ended.
    package mutating func record(_ outcome: SendAttemptResult, milliseconds: Int64, forTest id: UUID, now: Date) {
        guard let index = performanceTests.firstIndex(where: { $0.requestID == id }) else { return }
        performanceTests[index].record(outcome, milliseconds: milliseconds, now: now)
    }

    /// Removes a test whose results cannot be requested any more.
    mutating func removePerformanceTest(_ id: UUID) { performanceTests.removeAll { $0.requestID == id } }

    /// Whether any test has passed. Production requires it before it accepts a realtime URL.
    package func hasPassedTest(now: Date) -> Bool {
        hasPassedForgottenTest || performanceTests.contains { $0.status(now: now) == .pass }
    }
}
