import AppStoreServer
import Foundation
import Testing

@testable import LedgerServices

@Suite struct `Pause after a failed recovery` {
    @Test(arguments: [(0, 5), (1, 10), (2, 20), (6, 320), (7, 600), (8, 600), (1000, 600)])
    func `The pause doubles with each failure, up to ten minutes`(count: Int, seconds: Int) {
        let (failures, pause) = RecoveryPause.after(count, AppStoreServerError(.serverFailure, "503"))
        #expect(failures == count + 1)
        #expect(pause == .seconds(seconds))
    }

    @Test(arguments: [(30, 5...30), (4000, 3600...3600), (-30, 5...5)])
    func `The pause follows the App Store's Retry-After, with a minimum of five seconds`(
        seconds: Int, expected: ClosedRange<Int>
    ) {
        let error = AppStoreServerError(.rateLimited, "429", retryAfter: Date() + TimeInterval(seconds))
        let (failures, pause) = RecoveryPause.after(0, error)
        #expect(failures == 1)
        #expect(pause > .seconds(expected.lowerBound - 1) && pause <= .seconds(expected.upperBound))
    }

    /// The client makes no call while its circuit breaker is open. If these failures counted, recovery would pause for
    /// up to ten minutes after the App Store is back.
    @Test(arguments: [
        (0, 500, 1, 400...500), (3, 500, 3, 400...500), (3, 0, 3, 1...1), (9, -5, 9, 1...1), (9, 5000, 9, 600...600),
    ])
    func `An open circuit breaker does not count as a failure, and the pause ends with it`(
        count: Int, seconds: Int, failures: Int, pause: ClosedRange<Int>
    ) {
        let error = AppStoreServerError(.circuitOpen, "too many", retryAfter: Date() + TimeInterval(seconds))
        let next = RecoveryPause.after(count, error)
        #expect(next.count == failures)
        #expect(next.pause >= .seconds(pause.lowerBound) && next.pause <= .seconds(pause.upperBound))
    }

    /// While the circuit breaker is half open, one of several concurrent windows makes a call and the others fail with
    /// `circuitOpen`. If one of those errors were thrown, the failure would not count, and the alert on failing
    /// recovery would never fire.
    @Test func `Concurrent calls throw the error of a call that was made rather than an open circuit breaker`() async {
        let failures = [AppStoreServerError.Code.circuitOpen, .serverFailure, .circuitOpen, .timeout]
        await #expect(throws: AppStoreServerError(.serverFailure, "")) {
            try await Concurrently.forEach(failures, atOnce: 1) { throw AppStoreServerError($0, "") }
        }
        await #expect(throws: AppStoreServerError(.circuitOpen, "")) {
            try await Concurrently.forEach([1, 2], atOnce: 1) { _ in throw AppStoreServerError(.circuitOpen, "") }
        }
    }

    /// `GET /v1/completeness` shows this reason. An open circuit breaker must not replace the error that opened it.
    @Test func `The stored reason is not replaced by an open circuit breaker`() {
        let clock = ServerClock.showing { Date() }
        var failures = LedgerServices.Recovery.Failures()
        failures.add(AppStoreServerError(.circuitOpen, "too many calls failed"), clock)
        #expect(failures.message.hasPrefix("circuit_open"))
        for code in [AppStoreServerError.Code.serverFailure, .timeout] {
            failures.add(AppStoreServerError(code, "no answer"), clock)
            let reason = failures.message
            failures.add(AppStoreServerError(.circuitOpen, "too many calls failed"), clock)
            #expect(!reason.isEmpty && !reason.hasPrefix("circuit_open") && failures.message == reason)
        }
    }
}
