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

    @Test(arguments: [
        (0, Milliseconds(300_000)), (1, 600_000), (8, 76_800_000), (9, 86_400_000), (100, 86_400_000),
    ])
    func `The pauses after failed attempts double up to a day`(_ attempts: Int, _ pause: Milliseconds) {
        let outcome = Self.request(attempts: attempts).outcome(ofFailure: "timeout", at: 20)
        #expect(outcome == .postponed(until: 20 + pause, code: "timeout"))
    }

    /// A day after the fixture's request was added, which is within the week that matters.
    private static let now: Milliseconds = 86_400_005

    @Test(arguments: HistoryRequest.Reason.allCases, HistoryRequest.Refusal.allCases)
    func `Only what something signed names stays missing after a refusal`(
        _ reason: HistoryRequest.Reason, _ refusal: HistoryRequest.Refusal
    ) {
        let expected: HistoryRequest.Outcome =
            switch (reason, refusal) {
            case (.unsignedNotificationV1, .transaction): .finished
            case (.unsignedNotificationV1, .app), (.unsignedNotificationV1, .other):
                .postponed(until: Self.now + 86_400_000, code: "no")
            case (_, .app): .postponed(until: Self.now + 1_200_000, code: "no")
            case (_, .transaction), (_, .other): .failed(code: "no")
            }
        #expect(Self.request(reason).outcome(of: refusal, code: "no", at: Self.now) == expected)
        let mayBeAnswered = refusal == .app && reason != .unsignedNotificationV1
        #expect(Self.request(reason).mayBeAnswered(after: refusal) == mayBeAnswered)
    }

    private static let endOfWeek: Milliseconds = 5 + 7 * 86_400_000

    @Test(arguments: [(endOfWeek - 1, false), (endOfWeek, true), (5, false), (4, true)])
    func `A transaction that nothing signed names is missing for a week`(_ now: Milliseconds, _ isOver: Bool) {
        let outcome = Self.request(.unsignedNotificationV1).outcome(of: .app, code: "no", at: now)
        #expect(outcome == (isOver ? .finished : .postponed(until: now + 86_400_000, code: "no")))
    }

    @Test(arguments: [
        (HistoryRequest.Reason.unsignedNotificationV1, "no_key" as String?, true),
        (.unsignedNotificationV1, nil, false),
        (.restore, "no_key", false),
    ])
    func `Without a key, a transaction that nothing signed names is requested once more`(
        _ reason: HistoryRequest.Reason, _ failure: String?, _ isOver: Bool
    ) {
        let outcome = Self.request(reason, failure: failure).outcomeWithoutKey(at: 20)
        #expect(outcome == (isOver ? .finished : .postponed(until: 20 + 86_400_000, code: "no_key")))
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
