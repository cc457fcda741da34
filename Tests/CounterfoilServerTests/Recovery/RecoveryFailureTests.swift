import AppStoreServer
import Foundation
import Testing

@testable import LedgerServices

@Suite struct `Failures of a recovery` {
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
