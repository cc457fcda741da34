import Ledger
import Testing

@Suite struct `The queue of history requests` {
    private static func request(
        _ reason: HistoryRequest.Reason = .restore, attempts: Int = 2, failure: String? = "no", isGivenUp: Bool = false
    ) -> HistoryRequest {
        HistoryRequest(
            id: 1, scope: 7, transactionID: "t", reason: reason, addedAt: 5, attempts: attempts, nextAttemptAt: 50,
            failure: failure, isGivenUp: isGivenUp)
    }

    private static func added(_ reason: HistoryRequest.Reason, to known: HistoryRequest?) -> HistoryRequest {
        HistoryRequest.adding("t", in: 7, because: reason, to: known, id: 9, at: 20)
    }

    @Test func `A new request is due at once`() {
        let request = Self.added(.receipt, to: nil)
        #expect(
            request
                == HistoryRequest(
                    id: 9, scope: 7, transactionID: "t", reason: .receipt, addedAt: 20, attempts: 0, nextAttemptAt: 20))
    }

    @Test func `A request that is added again is another one, with the same schedule`() {
        var expected = Self.request()
        expected.id = 9
        #expect(Self.added(.receipt, to: Self.request()) == expected)
    }

    @Test func `A request that was given up is due when it is added again`() {
        var expected = Self.request(attempts: 0, failure: nil)
        (expected.id, expected.nextAttemptAt) = (9, 20)
        #expect(Self.added(.receipt, to: Self.request(isGivenUp: true)) == expected)
    }

    @Test(arguments: HistoryRequest.Reason.allCases)
    func `The first reason stays, unless nothing signed named the transaction`(_ reason: HistoryRequest.Reason) {
        let added = Self.added(.receipt, to: Self.request(reason)).reason
        #expect(added == (reason == .unsignedNotificationV1 ? .receipt : reason))
    }

    @Test func `A failed attempt counts, and the stored request keeps its row identifier`() {
        var known = Self.request(attempts: 4)
        known.id = 3
        let postponed = Self.request().postponed(as: known, id: 9, until: 90, code: "timeout")
        var expected = known
        (expected.attempts, expected.nextAttemptAt, expected.failure) = (5, 90, "timeout")
        #expect(postponed == expected)
    }

    @Test func `A request that was finished before its attempt failed is added again`() {
        let postponed = Self.request().postponed(as: nil, id: 9, until: 90, code: "timeout")
        #expect(postponed.id == 9 && postponed.attempts == 3 && postponed.addedAt == 5)
    }

    @Test func `A retry does not change a request in the queue`() {
        func retried(_ known: HistoryRequest?) -> HistoryRequest? {
            HistoryRequest.retrying("t", in: 7, known: known, id: 9, code: "timeout", until: 90, at: 20)
        }
        #expect(retried(Self.request()) == nil)
        let again = retried(Self.request(isGivenUp: true))
        #expect(again?.id == 1 && again?.attempts == 1 && again?.nextAttemptAt == 90 && again?.isGivenUp == false)
        #expect(again?.failure == "timeout" && again?.reason == .restore)
        let new = retried(nil)
        #expect(new?.id == 9 && new?.reason == .retry && new?.addedAt == 20 && new?.nextAttemptAt == 90)
    }
}
