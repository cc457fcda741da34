import AppStoreModels
import AppStoreServer
import Foundation
import Testing

@testable import StoreSimulator

@Suite struct `Real-time retention messages` {
    /// Runs `body` with a simulator whose sandbox has message 2, a developer's server and a subscription of anna.
    static func run(
        _ body: (Simulator, Receiver, _ subscription: String) async throws -> Void
    ) async throws {
        try await Receiver.run { receiver in
            var configuration = SimulatorConfiguration()
            configuration.clock = .frozen(Sample.now)
            // Slow machines must not fail the test.
            configuration.sandbox.realtimeTimeout = 600
            let simulator = try await Simulator.start(configuration)
            do {
                try send(
                    .uploadMessage, ["messageIdentifier": Sample.id(2)], #"{"header":"h","body":"b"}"#, to: simulator)
                try send(.setRealtimeURL, [:], #"{"realtimeURL":"\#(receiver.url)"}"#, to: simulator)
                let bought = try await simulator.perform(
                    .purchase(customer: "anna", product: "com.example.premium.monthly"), in: .sandbox)
                try await body(simulator, receiver, try #require(bought.transactionID))
            } catch {
                await simulator.stop()
                throw error
            }
            await simulator.stop()
        }
    }

    @discardableResult
    static func send(
        _ endpoint: AppStoreEndpoint, _ path: [String: String], _ body: String, to simulator: Simulator
    ) throws -> APIResponse {
        try simulator.core.change(.sandbox) { store, now throws(APIFailure) in
            try store.respond(to: APIRequest(endpoint, path: path, body: Data(body.utf8)), at: now)
        }
    }

    /// Returns a verifier that trusts the simulator.
    static func verifier(_ simulator: Simulator) throws -> SignedDataVerifier {
        var configuration = SignedDataVerifier.Configuration(
            apps: .only([App(bundleID: "com.example.app", appAppleID: 1_234_567_890)]))
        configuration.anchors = try TrustAnchors(
            certificates: simulator.information.rootCertificates.map { try Data(contentsOf: URL(filePath: $0)) })
        return try SignedDataVerifier(configuration)
    }

    @Test func `A cancellation sends a signed realtime request and shows the message of the response`() async throws {
        try await Self.run { simulator, receiver, subscription in
            receiver.answerAll(.body(#"{"message":{"messageIdentifier":"\#(Sample.id(2))"}}"#))
            let outcome = try await simulator.perform(.cancel(customer: "anna"), in: .sandbox)
            let record = try #require(outcome.retentionMessage)
            let expected = try Sample.uuid(2)
            #expect(record.content == .message && record.messageIdentifier == expected)
            #expect(record.result == .success && record.rejectionReason == nil)
            #expect(outcome.notifications.map(\.subtype) == [.autoRenewDisabled])
            let body = try JSONDecoder().decode(RealtimeRequestBody.self, from: try #require(receiver.bodies.first))
            let request = try await Self.verifier(simulator).realtimeRequest(body.signedPayload).payload
            #expect(request.originalTransactionId == subscription)
            #expect(request.productId == "com.example.premium.monthly" && request.userLocale == "en-US")
            #expect(request.environment == .sandbox && request.appAppleId == 1_234_567_890)
        }
    }

    @Test func `A failed or invalid realtime response shows the default message, or nothing without one`() async throws
    {
        try await Self.run { simulator, receiver, _ in
            receiver.answerAll(.status(500))
            let failed = try await simulator.perform(.cancel(customer: "anna"), in: .sandbox)
            #expect(failed.retentionMessage?.content == .nothing)
            #expect(failed.retentionMessage?.result == .unsuccessfulHTTPResponseCode)
            try Self.send(
                .setDefaultMessage, RetentionEndpointTests.premium, #"{"messageIdentifier":"\#(Sample.id(2))"}"#,
                to: simulator)
            try await simulator.perform(.resume(customer: "anna"), in: .sandbox)
            receiver.answerAll(.body(#"{"message":{"messageIdentifier":"\#(Sample.id(9))"}}"#))
            let unknown = try await simulator.perform(.cancel(customer: "anna"), in: .sandbox)
            #expect(unknown.retentionMessage?.content == .defaultMessage)
            #expect(unknown.retentionMessage?.result == .invalidResponse)
        }
    }

    @Test func `A promotional offer is shown only if it is signed for the app`() async throws {
        try await Self.run { simulator, receiver, _ in
            let information = simulator.information
            let key = try SigningKey(
                contentsOf: URL(filePath: information.privateKey), keyID: information.keyID)
            for (bundle, shown) in [("com.example.app", .promotionalOffer), ("com.example.other", .nothing)]
                as [(String, RealtimeRecord.Content)]
            {
                let signer = try OfferSigner(key: key, issuerID: information.issuerID, bundleID: bundle)
                let signature = try signer.promotionalOffer(
                    productID: "com.example.premium.monthly", offerID: "save20")
                let body = RealtimeResponseBody(
                    promotionalOffer: .init(
                        messageIdentifier: try Sample.uuid(2), promotionalOfferSignatureV1: signature))
                receiver.answerAll(.body(String(decoding: try JSONEncoder().encode(body), as: UTF8.self)))
                let outcome = try await simulator.perform(.cancel(customer: "anna"), in: .sandbox)
                #expect(
                    outcome.retentionMessage?.content == shown,
                    "\(outcome.retentionMessage?.rejectionReason ?? "")")
                try await simulator.perform(.resume(customer: "anna"), in: .sandbox)
            }
        }
    }

    @Test func `A promotional offer as a JWS is shown only if a purchase would accept its signature`() async throws {
        try await Self.run { simulator, receiver, subscription in
            let information = simulator.information
            let key = try SigningKey(
                contentsOf: URL(filePath: information.privateKey), keyID: information.keyID)
            func signer(of bundle: String, now: @escaping @Sendable () -> Date = { Date() }) throws -> OfferSigner {
                try OfferSigner(key: key, issuerID: information.issuerID, bundleID: bundle, now: now)
            }
            let product = "com.example.premium.monthly"
            func offer(
                _ signer: OfferSigner, _ offer: String = "save20", _ transaction: String? = nil
            ) throws -> String {
                try signer.promotionalOfferV2(productID: product, offerID: offer, transactionID: transaction)
            }
            let valid = try signer(of: "com.example.app")
            let introductory = try valid.introductoryOfferEligibility(
                productID: product, isAllowed: true, transactionID: subscription)
            let tokens: [(String, RealtimeRecord.Content)] = [
                (try offer(valid, "save20", subscription), .promotionalOffer),
                (try offer(valid, "save20", "1"), .nothing), (try offer(valid, "comeback"), .nothing),
                (try offer(signer(of: "com.example.other")), .nothing),
                (try offer(signer(of: "com.example.app", now: { Sample.now - 90_000 })), .nothing),
                (introductory, .nothing),
            ]
            for (token, shown) in tokens {
                let body = RealtimeResponseBody(
                    promotionalOffer: .init(messageIdentifier: try Sample.uuid(2), promotionalOfferSignatureV2: token))
                receiver.answerAll(.body(String(decoding: try JSONEncoder().encode(body), as: UTF8.self)))
                let outcome = try await simulator.perform(.cancel(customer: "anna"), in: .sandbox)
                let message = try #require(outcome.retentionMessage)
                #expect(message.content == shown, "\(message.rejectionReason ?? "")")
                try await simulator.perform(.resume(customer: "anna"), in: .sandbox)
            }
        }
    }

    @Test func `No realtime request is sent when there is nothing to cancel`() async throws {
        try await Self.run { simulator, receiver, _ in
            try await simulator.perform(.cancel(customer: "anna"), in: .sandbox)
            let cancelled = await #expect(throws: StoreError.self) {
                try await simulator.perform(.cancel(customer: "anna"), in: .sandbox)
            }
            #expect(cancelled?.code == .impossibleTransition)
            // The holder of a seat cannot cancel the subscription.
            try await simulator.perform(
                .assignSeat(customer: "ben", product: "com.example.premium.monthly"), in: .sandbox)
            let assigned = await #expect(throws: StoreError.self) {
                try await simulator.perform(.cancel(customer: "ben"), in: .sandbox)
            }
            #expect(assigned?.code == .impossibleTransition)
            #expect(receiver.bodies.count == 1)
        }
    }

    @Test func `A performance test sends real requests, and production accepts a URL after a passed test`()
        async throws
    {
        try await Self.run { simulator, receiver, subscription in
            Self.configureTests(of: simulator, requestsAtOnce: 2)
            for (answer, verdict) in [
                (#"{}"#, .fail), (#"{"message":{"messageIdentifier":"\#(Sample.id(2))"}}"#, .pass),
            ] as [(String, PerformanceTestStatus)] {
                receiver.answerAll(.body(answer))
                let before = receiver.bodies.count
                let test = try Self.startTest(subscription, by: simulator)
                try await simulator.processDueEvents()
                let result = try Self.result(of: test, by: simulator)
                #expect(result.result == verdict && result.numPending == 0)
                #expect(receiver.bodies.count == before + 6)
            }
            let call = APIRequest(
                .setRealtimeURL, body: Data(#"{"realtimeURL":"https://example.com/realtime"}"#.utf8))
            simulator.core.relayPerformanceTests()
            let status = try simulator.core.change(.production) { store, now in
                try store.respond(to: call, at: now).status
            }
            #expect(status == 200)
        }
    }

    @Test func `An interrupted performance test resumes, and the interruption counts as no failure`() async throws {
        try await Self.run { simulator, receiver, subscription in
            Self.configureTests(of: simulator, requestsAtOnce: 1)
            let answer = #"{"message":{"messageIdentifier":"\#(Sample.id(2))"}}"#
            let (requestArrived, requestSignal) = AsyncStream.makeStream(of: Void.self)
            let (responseAllowed, responseSignal) = AsyncStream.makeStream(of: Void.self)
            receiver.answerAll(
                .body(
                    answer,
                    after: {
                        requestSignal.yield()
                        for await _ in responseAllowed {}
                    }))
            let test = try Self.startTest(subscription, by: simulator)
            let processing = Task { try await simulator.processDueEvents() }
            for await _ in requestArrived { break }
            processing.cancel()
            await #expect(throws: CancellationError.self) { try await processing.value }
            receiver.answerAll(.body(answer))
            responseSignal.finish()
            let interrupted = try Self.result(of: test, by: simulator)
            #expect(interrupted.numPending == 6 && interrupted.failures == nil)
            try await simulator.processDueEvents()
            let result = try Self.result(of: test, by: simulator)
            #expect(result.result == .pass && result.successRate == 100)
        }
    }

    // MARK: - Performance tests

    private static func configureTests(of simulator: Simulator, requestsAtOnce count: Int64) {
        simulator.core.change(.sandbox) { store, _ in
            store.retention.performanceTestConfig = PerformanceTestConfig(
                maxConcurrentRequests: count, totalRequests: 6, totalDuration: 10_000, responseTimeThreshold: 60_000,
                successRateThreshold: 90)
        }
    }

    private static func startTest(
        _ subscription: String, by simulator: Simulator
    ) throws -> PerformanceTestResponse {
        let started = try send(
            .startPerformanceTest, [:], #"{"originalTransactionId":"\#(subscription)"}"#, to: simulator)
        guard case .model(let test as PerformanceTestResponse) = started.body else {
            throw AdvancedCommerceStore.Missing()
        }
        return test
    }

    private static func result(
        of test: PerformanceTestResponse, by simulator: Simulator
    ) throws -> PerformanceTestResultResponse {
        let answered = try send(.performanceTest, ["requestId": test.requestId], "", to: simulator)
        guard case .model(let result as PerformanceTestResultResponse) = answered.body else {
            throw AdvancedCommerceStore.Missing()
        }
        return result
    }
}
