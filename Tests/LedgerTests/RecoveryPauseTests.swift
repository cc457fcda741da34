import Ledger
import Testing

@Suite struct `Pauses of a recovery` {
    @Test(arguments: [(-1, 5), (0, 5), (1, 10), (2, 20), (6, 320), (7, 600), (8, 600), (1000, 600)])
    func `The pause doubles with each failure, up to ten minutes`(count: Int, seconds: Int) {
        let next = RecoveryPause.after(count, requestedDelay: nil, isCircuitOpen: false)
        #expect(next.count == count + 1)
        #expect(next.pause == .seconds(seconds))
    }

    @Test(arguments: [(0, 30, 30), (0, 4000, 3600), (0, -30, 5), (7, 30, 600), (7, 700, 700)])
    func `The pause follows the App Store's Retry-After, with a minimum of its own`(
        count: Int, delay: Int, seconds: Int
    ) {
        let next = RecoveryPause.after(count, requestedDelay: .seconds(delay), isCircuitOpen: false)
        #expect(next.count == count + 1)
        #expect(next.pause == .seconds(seconds))
    }

    /// The client makes no call while its circuit breaker is open. If these failures counted, recovery would pause for
    /// up to ten minutes after the App Store is back.
    @Test(arguments: [
        (0, 500, 1, 500), (3, 500, 3, 500), (3, 0, 3, 1), (9, -5, 9, 1), (9, 5000, 9, 600),
    ])
    func `An open circuit breaker does not count as a failure, and the pause ends with it`(
        count: Int, delay: Int, failures: Int, seconds: Int
    ) {
        let next = RecoveryPause.after(count, requestedDelay: .seconds(delay), isCircuitOpen: true)
        #expect(next.count == failures)
        #expect(next.pause == .seconds(seconds))
    }

    @Test(arguments: [(0, 900), (1, 1800), (6, 57_600), (7, 86_400), (1000, 86_400)])
    func `The pause doubles with each reading that changes nothing, up to a day`(count: Int, seconds: Int) {
        #expect(RecoveryPause.beforeRereading(count, interval: .seconds(900)) == .seconds(seconds))
    }
}
