@testable import LedgerServices
import AppStoreServer
import Foundation
import Testing

@Suite struct `After a failure of the recovery` {
    @Test(arguments: [(0, 5), (1, 10), (2, 20), (6, 320), (7, 600), (8, 600), (1000, 600)])
    func `the next attempt comes the later, the more failed`(count: Int, seconds: Int) {
        let (failures, pause) = RecoveryPause.after(count, AppStoreServerError(.serverFailure, "503"))
        #expect(failures == count + 1)
        #expect(pause == .seconds(seconds))
    }

    @Test(arguments: [(30, 5...30), (4000, 3600...3600), (-30, 5...5)])
    func `the App Store is given the time that it asks for`(seconds: Int, expected: ClosedRange<Int>) {
        let error = AppStoreServerError(.rateLimited, "429", retryAfter: Date() + TimeInterval(seconds))
        let (failures, pause) = RecoveryPause.after(0, error)
        #expect(failures == 1)
        #expect(pause > .seconds(expected.lowerBound - 1) && pause <= .seconds(expected.upperBound))
    }

    /// It called nobody. Each of those counted, and when the App Store was back the recovery slept for up to ten minutes.
    @Test(arguments: [
        (0, 20, 1, 18...20), (3, 20, 3, 18...20), (3, 0, 3, 1...1), (9, -5, 9, 1...1), (9, 5000, 9, 600...600),
    ])
    func `a client that does not call is asked again when it does, and that counts for nothing`(
        count: Int, seconds: Int, failures: Int, pause: ClosedRange<Int>
    ) {
        let error = AppStoreServerError(.circuitOpen, "too many", retryAfter: Date() + TimeInterval(seconds))
        let next = RecoveryPause.after(count, error)
        #expect(next.count == failures)
        #expect(next.pause >= .seconds(pause.lowerBound) && next.pause <= .seconds(pause.upperBound))
    }

    /// Of several windows one tries whether the App Store is back; for the others the client makes no call. Theirs was the
    /// failure that was recorded, which counts for nothing, so the alert on a recovery that fails never fired.
    @Test func `what counts is the call that was made, and not those that were not`() async {
        let failures = [AppStoreServerError.Code.circuitOpen, .serverFailure, .circuitOpen, .timeout]
        await #expect(throws: AppStoreServerError(.serverFailure, "")) {
            try await Concurrently.forEach(failures, atOnce: 1) { throw AppStoreServerError($0, "") }
        }
        await #expect(throws: AppStoreServerError(.circuitOpen, "")) {
            try await Concurrently.forEach([1, 2], atOnce: 1) { _ in throw AppStoreServerError(.circuitOpen, "") }
        }
    }

    /// `GET /v1/completeness` told "too many calls failed" from the second failure on, and no longer why they had.
    @Test func `the reason stays what failed while the client does not call`() {
        let clock = ServerClock.showing { Date() }
        var trouble = LedgerServices.Recovery.Trouble()
        trouble.add(AppStoreServerError(.circuitOpen, "too many calls failed"), clock)
        #expect(trouble.message.hasPrefix("circuit_open"))
        for code in [AppStoreServerError.Code.serverFailure, .timeout] {
            trouble.add(AppStoreServerError(code, "no answer"), clock)
            let reason = trouble.message
            trouble.add(AppStoreServerError(.circuitOpen, "too many calls failed"), clock)
            #expect(!reason.isEmpty && !reason.hasPrefix("circuit_open") && trouble.message == reason)
        }
    }
}
