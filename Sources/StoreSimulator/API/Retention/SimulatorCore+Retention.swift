internal import AppStoreModels
internal import AppStoreServer
internal import Basics
internal import Foundation
internal import NIOCore
internal import Synchronization

extension SimulatorCore {
    /// Requests a retention message from the developer's server for a customer who is about to cancel. Returns nil if
    /// no request applies.
    func requestRetentionMessage(
        of customer: String, _ subscription: String?, in environment: AppStoreEnvironment
    ) async -> RealtimeRecord? {
        let request = change(environment) { store, now in
            store.run(until: now.wholeMilliseconds)
            return store.realtimeExchange(for: customer, subscription, at: now.wholeMilliseconds)
        }
        guard let (exchange, url) = request else { return nil }
        let (answer, milliseconds) = await postRealtimeRequest(exchange, at: url)
        return read(environment) { store, now in
            let outcome = exchange.evaluate(answer, store.retention) {
                self.signatureProblem(in: $0, to: exchange.request, of: store, at: now)
            }
            return RealtimeRecord(exchange.request, url: url, outcome, milliseconds: milliseconds)
        }
    }

    /// Posts the request of an exchange and waits up to its time limit for the response.
    private func postRealtimeRequest(
        _ exchange: RealtimeExchange, at url: String
    ) async -> (RealtimeExchange.ServerResult, milliseconds: Int64) {
        let text: String
        do { text = try authority.signer.sign(exchange.request) } catch {
            return (.failure(.other), 0)
        }
        let start = ContinuousClock.now
        let result = await developerServer.post(
            DeveloperServerClient.body(text), to: url, timeout: Double(exchange.timeLimit) / 1000,
            maximumResponseSize: RealtimeExchange.maximumSize)
        let milliseconds = Int64(((ContinuousClock.now - start) / .milliseconds(1)).rounded())
        guard let status = result.status else { return (.failure(result.outcome), milliseconds) }
        return (.response(status: status, body: Array(result.answer), milliseconds: milliseconds), milliseconds)
    }

    /// Sends the remaining requests of the running performance tests. Returns when the tests have ended.
    func runPerformanceTests() async throws(CancellationError) {
        guard hasPerformanceTest else { return }
        try await performanceLock.lock()
        defer { performanceLock.unlock() }
        while !Task.isCancelled, let test = nextPerformanceTest() { await send(test) }
        if Task.isCancelled { throw CancellationError() }
    }

    private var hasPerformanceTest: Bool {
        state.withLock { state in
            let now = state.clock.now()
            return state.sandbox.retention.performanceTests.contains { !$0.hasEnded(now: now) }
        }
    }

    /// A performance test and its remaining requests.
    private typealias PerformanceTest = (run: PerformanceTestRun, exchanges: [RealtimeExchange])

    private func nextPerformanceTest() -> PerformanceTest? {
        change(.sandbox) { store, now in
            let run = store.retention.performanceTests.first { !$0.hasEnded(now: now) }
            guard let run, let subscription = store.subscriptions[run.originalTransactionID] else {
                // The customer's history was cleared, so the subscription of the test no longer exists.
                if let run { store.retention.removePerformanceTest(run.requestID) }
                return nil
            }
            let left = max(Int(run.config.totalRequests) - run.results.count, 0)
            return (
                run: run,
                exchanges: (0..<left).map { _ in store.exchange(for: subscription, at: now.wholeMilliseconds) }
            )
        }
    }

    private func send(_ test: PerformanceTest) async {
        await withTaskGroup(of: Void.self) { group in
            var rest = test.exchanges[...]
            for _ in 0..<max(Int(test.run.config.maxConcurrentRequests), 1) {
                guard let next = rest.popFirst() else { break }
                group.addTask { await self.send(next, of: test.run) }
            }
            while await group.next() != nil {
                guard !Task.isCancelled, let next = rest.popFirst() else { continue }
                group.addTask { await self.send(next, of: test.run) }
            }
        }
    }

    private func send(_ exchange: RealtimeExchange, of run: PerformanceTestRun) async {
        var exchange = exchange
        exchange.timeLimit = max(run.config.responseTimeThreshold, 1)
        let (answer, milliseconds) = await postRealtimeRequest(exchange, at: run.target)
        // The caller was cancelled, so the failure does not count against the developer's server. The request is sent
        // again with the next run.
        if Task.isCancelled, case .failure = answer { return }
        change(.sandbox) { store, now in
            let outcome = exchange.evaluate(answer, store.retention) {
                self.signatureProblem(in: $0, to: exchange.request, of: store, at: now)
            }
            store.retention.record(outcome.result, milliseconds: milliseconds, forTest: run.requestID, now: now)
        }
    }

    /// Copies to the production store whether a performance test has passed in the sandbox.
    func relayPerformanceTests() {
        state.withLock { state in
            let now = state.clock.now()
            state.production.hasPassedPerformanceTest = state.sandbox.retention.hasPassedTest(now: now)
        }
    }
}

// Checks of signatures by the developer's key.
extension SimulatorCore {
    /// Throws unless the Advanced Commerce request in `data` is signed by one of the app's keys.
    func checkSignature(_ data: String) throws(StoreError) {
        try Store.mappingAPIFailure { () throws(APIFailure) in try AdvancedCommerceEnvelope(data).check(by: bearer) }
    }

    /// Returns what is wrong with a signature in the response to `request`; nil if the signatures are valid or there are
    /// none.
    private func signatureProblem(
        in body: RealtimeResponseBody, to request: DecodedRealtimeRequestBody, of store: Store, at now: Date
    ) -> String? {
        if let info = body.advancedCommerceInfo {
            do throws(APIFailure) { try AdvancedCommerceEnvelope(info.advancedCommerceData).check(by: bearer) } catch {
                return error.message
            }
        }
        guard let offer = body.promotionalOffer else { return nil }
        do throws(StoreError) {
            try store.check(offer, inResponseTo: request, by: OfferSignatureCheck(bearer, real: Date()), at: now)
            return nil
        } catch { return error.message }
    }
}
