import ClientWorld
import CounterfoilClient
import CounterfoilClientTesting
import Foundation
import Testing

@Suite struct `Number of requests to a server that fails for a day` {
    /// Answers every request in the same way, and opens the app again whenever nothing is pending. Returns the times of
    /// the requests.
    private func requests(_ answer: (inout Harness) -> Void) -> [Date] {
        var harness = Harness.signedIn(anna) { $0.token = { _ in "token" } }
        let (monthly, unlock) = (subscription(), lifetime())
        var requests: [Date] = []
        while harness.now < t0 + day, requests.count < 1000 {
            harness.gather(
                unfinished: [monthly, unlock, coins()], current: [monthly, unlock], statuses: [status(monthly)])
            if !harness.tokenRequests.isEmpty {
                harness.tokenRequests = []
                let fresh = CustomerCredential(customer: anna, token: "token \(requests.count)")
                harness.send(.token(customer: anna, .success(fresh)))
            } else if !harness.open.isEmpty {
                requests.append(harness.now)
                answer(&harness)
            } else if harness.timers[.retry] != nil {
                harness.fire(.retry)
            } else {
                harness.pass(600)
                harness.send(.foreground)
            }
        }
        return requests
    }

    /// The largest number of requests within an hour.
    private func maximum(_ requests: [Date]) -> Int {
        requests.map { first in requests.filter { first <= $0 && $0 < first + hour }.count }.max() ?? 0
    }

    @Test(arguments: [
        BackendFailure(status: 400, code: "unknown_app"), BackendFailure(status: 400, code: "bad_signature"),
        BackendFailure(status: 400, code: "http_400"), BackendFailure(status: 401, code: "token_expired"),
        BackendFailure(status: 401, code: "unauthorized"), BackendFailure(status: 401, code: "http_401"),
        BackendFailure(status: 403, code: "forbidden"), BackendFailure(status: 404, code: "not_found"),
        BackendFailure(status: 409, code: "receipt_already_in_use"),
        BackendFailure(status: 409, code: "customer_erased"), BackendFailure(status: 413, code: "too_large"),
        BackendFailure(status: 413, code: "http_413"), BackendFailure(status: 422, code: "odd"),
        BackendFailure(status: 429, code: "rate_limited"),
        BackendFailure(status: 429, code: "rate_limited", retryAfter: 0),
        BackendFailure(status: 429, code: "rate_limited", retryAfter: -5),
        BackendFailure(status: 429, code: "rate_limited", retryAfter: 60),
        BackendFailure(status: 302, code: "http_302"), BackendFailure(status: 500, code: "internal"),
        BackendFailure(status: 503, code: "unavailable", retryAfter: 1, isRetryable: true), .noConnection, .timeout,
        .invalidResponse, .unverifiedResponse,
    ])
    func `No failure causes more than twenty requests in an hour`(_ failure: BackendFailure) {
        let times = requests { $0.fail(failure) }
        #expect(!times.isEmpty && maximum(times) <= 20)
    }

    enum OddAnswer: CaseIterable { case aboutAnother, namesNothing, cannotCheckRevocation }

    @Test(arguments: OddAnswer.allCases)
    func `No odd answer causes more than twenty requests in an hour`(_ odd: OddAnswer) {
        let times = requests { harness in
            harness.answerOnce { answer in
                answer.kept = []
                switch odd {
                case .aboutAnother: answer.id = bert
                case .namesNothing: break
                case .cannotCheckRevocation:
                    answer.refused = ["1", "5", "7"].map { RefusedItem(id: $0, code: "revocation_unknown") }
                }
            }
        }
        #expect(!times.isEmpty && maximum(times) <= 20)
    }
}
