import Foundation
import Ledger
import Testing

@Suite struct `The decision about a repeated request` {
    @Test func `It depends on the fingerprint, the answer and the age of the first request`() {
        let answer = IdempotentRequest.StoredResponse(status: 201, type: nil, body: Data("{}".utf8))
        let (one, other) = (Data([1]), Data([2]))
        func decide(_ known: IdempotentRequest?, at now: Milliseconds) -> IdempotencyDecision {
            .of(known, fingerprint: one, at: now, lockTimeout: 1000)
        }
        let day = IdempotencyDecision.retention
        #expect(decide(nil, at: 5) == .proceed)
        let answered = IdempotentRequest(fingerprint: one, startedAt: 5, response: answer)
        #expect(decide(answered, at: 5) == .repeats(answer) && decide(answered, at: 4 + day) == .repeats(answer))
        #expect(decide(answered, at: 5 + day) == .proceed)
        let open = IdempotentRequest(fingerprint: one, startedAt: 5)
        #expect(decide(open, at: 6) == .isInProgress)
        #expect(decide(open, at: 1004) == .isInProgress && decide(open, at: 1005) == .proceed)
        // The clock was ahead when the request began, and was corrected since.
        #expect(decide(open, at: -995) == .isInProgress && decide(open, at: -996) == .proceed)
        #expect(decide(IdempotentRequest(fingerprint: other, startedAt: 5), at: 6) == .isDifferentRequest)
    }
}
