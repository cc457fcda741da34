internal import AppStoreTrust
package import AppStoreModels
package import AppStoreServer
package import Basics
internal import Crypto
internal import Foundation
internal import NIOCore
internal import Synchronization

extension SimulatorCore {
    /// Asks the developer's server what to show a customer who is about to cancel, if there is one to ask.
    func askBeforeCancellation(
        of customer: String, _ subscription: String?, in environment: AppStoreEnvironment
    ) async -> RealtimeRecord? {
        let asked = change(environment) { store, now in
            store.run(until: now.wholeMilliseconds)
            return store.question(about: customer, subscription, at: now.wholeMilliseconds)
        }
        guard let (exchange, url) = asked else { return nil }
        let (answer, milliseconds) = await ask(
            exchange.question, at: url, timeout: Double(exchange.timeLimit) / 1000, in: environment)
        return read(environment) { store, _ in
            let outcome = exchange.judge(answer, store.retention) { self.problem(of: $0) }
            return RealtimeRecord(exchange.question, url: url, outcome, milliseconds: milliseconds)
        }
    }

    /// Posts a question, and waits no longer than `timeout` seconds for the answer.
    private func ask(
        _ question: DecodedRealtimeRequestBody, at url: String, timeout: TimeInterval,
        in environment: AppStoreEnvironment
    ) async -> (RealtimeExchange.Answer, milliseconds: Int64) {
        let text: String
        do { text = try writer(environment).sign(question.jsonBytes(), Tampering()) } catch {
            return (.failure(.other), 0)
        }
        let start = ContinuousClock.now
        let (result, body) = await courier.post(
            Courier.body(text), to: url, timeout: timeout, largestAnswer: RealtimeExchange.maximumSize)
        let milliseconds = Int64(((ContinuousClock.now - start) / .milliseconds(1)).rounded())
        guard let status = result.status else { return (.failure(result.outcome), milliseconds) }
        return (.response(status: status, body: Array(body), milliseconds: milliseconds), milliseconds)
    }

    /// Sends what is left of the performance tests that run, and returns when they have ended.
    func runPerformanceTests() async throws(CancellationError) {
        guard hasPerformanceTest else { return }
        do { try await performanceGate.enter() } catch { throw CancellationError() }
        defer { performanceGate.leave() }
        while !Task.isCancelled, let test = nextPerformanceTest() { await send(test) }
        if Task.isCancelled { throw CancellationError() }
    }

    private var hasPerformanceTest: Bool {
        state.withLock { state in
            let now = state.clock.now()
            return state.sandbox.retention.performanceTests.contains { !$0.hasEnded(now: now) }
        }
    }

    /// A performance test, and the exchanges it is made of.
    private struct PerformanceTest {
        var run: PerformanceTestRun
        var exchanges: [RealtimeExchange]
    }

    private func nextPerformanceTest() -> PerformanceTest? {
        change(.sandbox) { store, now in
            let run = store.retention.performanceTests.first { !$0.hasEnded(now: now) }
            guard let run, let subscription = store.subscriptions[run.originalTransactionID] else {
                // The customer's history was cleared: there is nothing left to ask about.
                if let run { store.retention.abandon(run.requestID) }
                return nil
            }
            let left = max(Int(run.config.totalRequests) - run.results.count, 0)
            return PerformanceTest(
                run: run,
                exchanges: (0..<left).map { _ in store.exchange(about: subscription, at: now.wholeMilliseconds) })
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
        let limit = Double(exchange.timeLimit) / 1000
        let (answer, milliseconds) = await ask(exchange.question, at: run.target, timeout: limit, in: .sandbox)
        // Whoever had the test sent has given up, which is not the developer's server's fault: it is asked again.
        if Task.isCancelled, case .failure = answer { return }
        change(.sandbox) { store, now in
            let outcome = exchange.judge(answer, store.retention) { self.problem(of: $0) }
            store.retention.record(outcome.result, milliseconds: milliseconds, forTest: run.requestID, now: now)
        }
    }

    /// Tells production whether a performance test has passed in the sandbox.
    func relayPerformanceTests() {
        state.withLock { state in
            let now = state.clock.now()
            state.production.hasPassedPerformanceTest = state.sandbox.retention.hasPassedTest(now: now)
        }
    }
}

// Signatures by the developer's key.
extension SimulatorCore {
    /// Throws unless a request that an app has was signed by the app's key.
    func checkSignature(_ data: String) throws(StoreError) {
        try Store.asking { () throws(APIFailure) in try bearer.check(AdvancedCommerceEnvelope(data)) }
    }

    /// What is wrong with the signature in an answer; nil if it is good or there is none.
    private func problem(of body: RealtimeResponseBody) -> String? {
        if let info = body.advancedCommerceInfo {
            do throws(APIFailure) { try bearer.check(AdvancedCommerceEnvelope(info.advancedCommerceData)) } catch {
                return error.message
            }
        }
        guard let offer = body.promotionalOffer else { return nil }
        if let signature = offer.promotionalOfferSignatureV1, !bearer.isSigned(signature) {
            return "the signature of the promotional offer is not by the app's key"
        }
        if let token = offer.promotionalOfferSignatureV2, !bearer.isSigned(token) {
            return "the signature of the promotional offer is not by the app's key"
        }
        return nil
    }
}

extension BearerCheck {
    /// Throws unless the app's key has signed the request.
    func check(_ envelope: AdvancedCommerceEnvelope) throws(APIFailure) {
        try envelope.check(key, named: keyNames, issuerID: issuerID, bundleID: bundleID)
    }

    fileprivate func isSigned(_ offer: PromotionalOfferSignatureV1) -> Bool {
        guard let key = key(offer.keyId), let der = Data(base64Encoded: offer.encodedSignature),
            let signature = try? P256.Signing.ECDSASignature(derRepresentation: der),
            let text = try? OfferSigner.promotionalOfferText(
                bundleID: bundleID, keyID: offer.keyId, productID: offer.productId, offerID: offer.offerIdentifier,
                appAccountToken: offer.appAccountToken, nonce: offer.nonce, timestamp: offer.timestamp)
        else { return false }
        return key.isValidSignature(signature, for: Data(text.utf8))
    }

    fileprivate func isSigned(_ token: String) -> Bool {
        guard let jws = DeveloperJWS(token), let key = key(jws.keyID) else { return false }
        return jws.isSigned(by: key)
    }
}

extension DecodedRealtimeRequestBody: JSONWritable {
    package func writeMembers(to json: inout JSONWriter) throws(SigningError) {
        json.member("appAppleId", appAppleId)
        json.member("environment", environment)
        json.member("originalTransactionId", originalTransactionId)
        json.member("productId", productId)
        json.member("requestIdentifier", requestIdentifier)
        try json.member("signedDate", signedDate)
        json.member("userLocale", userLocale)
    }
}
