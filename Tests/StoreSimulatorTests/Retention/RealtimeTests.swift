import AppStoreModels
import AppStoreServer
import Foundation
import Testing

@testable import StoreSimulator

@Suite struct `Before a customer cancels, the simulator` {
    /// Runs `body` with a simulator whose sandbox has message 2 and asks a developer's server, and anna who is subscribed.
    static func run(
        _ body: (Simulator, LoopbackServer, _ subscription: String) async throws -> Void
    ) async throws {
        try await LoopbackServer.run { server, url in
            var configuration = SimulatorConfiguration()
            configuration.clock = .frozen(Sample.now)
            // What is tested here is not how fast this machine is.
            configuration.sandbox.realtimeTimeout = 60
            let simulator = try await Simulator.start(configuration)
            do {
                try send(
                    .uploadMessage, ["messageIdentifier": Sample.id(2)], #"{"header":"h","body":"b"}"#, to: simulator)
                try send(.setRealtimeURL, [:], #"{"realtimeURL":"\#(url)"}"#, to: simulator)
                let bought = try await simulator.perform(
                    .purchase(customer: "anna", product: "com.example.premium.monthly"), in: .sandbox)
                try await body(simulator, server, try #require(bought.transactionID))
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
    ) throws -> APIAnswer {
        try simulator.core.change(.sandbox) { store, now throws(APIFailure) in
            try store.answer(APIRequest(endpoint, path: path, body: Data(body.utf8)), at: now)
        }
    }

    /// A verifier that trusts the simulator.
    static func verifier(_ simulator: Simulator) throws -> SignedDataVerifier {
        var configuration = SignedDataVerifier.Configuration(
            apps: .only([App(bundleID: "com.example.app", appAppleID: 1_234_567_890)]))
        configuration.anchors = try TrustAnchors(
            certificates: simulator.information.rootCertificates.map { try Data(contentsOf: URL(filePath: $0)) })
        return try SignedDataVerifier(configuration)
    }

    @Test func `asks the developer's server, signed, and shows the message that it names`() async throws {
        try await Self.run { simulator, server, subscription in
            server.give(#"{"message":{"messageIdentifier":"\#(Sample.id(2))"}}"#)
            let outcome = try await simulator.perform(.cancel(customer: "anna"), in: .sandbox)
            let record = try #require(outcome.retentionMessage)
            let expected = try Sample.uuid(2)
            #expect(record.shown == .message && record.messageIdentifier == expected)
            #expect(record.result == .success && record.objection == nil)
            #expect(outcome.notifications.map(\.subtype) == [.autoRenewDisabled])
            let body = try JSONDecoder().decode(RealtimeRequestBody.self, from: try #require(server.requests.first))
            let question = try await Self.verifier(simulator).realtimeRequest(body.signedPayload).payload
            #expect(question.originalTransactionId == subscription)
            #expect(question.productId == "com.example.premium.monthly" && question.userLocale == "en-US")
            #expect(question.environment == .sandbox && question.appAppleId == 1_234_567_890)
        }
    }

    @Test func `shows the default message, or nothing, whatever else comes back`() async throws {
        try await Self.run { simulator, server, _ in
            server.give("{}", status: 500)
            let failed = try await simulator.perform(.cancel(customer: "anna"), in: .sandbox)
            #expect(failed.retentionMessage?.shown == .nothing)
            #expect(failed.retentionMessage?.result == .unsuccessfulHTTPResponseCode)
            try Self.send(
                .setDefaultMessage, RetentionEndpointTests.premium, #"{"messageIdentifier":"\#(Sample.id(2))"}"#,
                to: simulator)
            try await simulator.perform(.resume(customer: "anna"), in: .sandbox)
            server.give(#"{"message":{"messageIdentifier":"\#(Sample.id(9))"}}"#)
            let unknown = try await simulator.perform(.cancel(customer: "anna"), in: .sandbox)
            #expect(unknown.retentionMessage?.shown == .defaultMessage)
            #expect(unknown.retentionMessage?.result == .invalidResponse)
        }
    }

    @Test func `takes a promotional offer with the app's signature, and none with another's`() async throws {
        try await Self.run { simulator, server, _ in
            let information = simulator.information
            let key = try SigningKey(
                contentsOf: URL(filePath: information.privateKey), keyID: information.keyID)
            for (bundle, shown) in [("com.example.app", .promotionalOffer), ("com.example.other", .nothing)]
                as [(String, RealtimeRecord.Shown)]
            {
                let signer = try OfferSigner(key: key, issuerID: information.issuerID, bundleID: bundle)
                let signature = try signer.promotionalOffer(
                    productID: "com.example.premium.monthly", offerID: "save20")
                let body = RealtimeResponseBody(
                    promotionalOffer: .init(
                        messageIdentifier: try Sample.uuid(2), promotionalOfferSignatureV1: signature))
                server.give(String(decoding: try JSONEncoder().encode(body), as: UTF8.self))
                let outcome = try await simulator.perform(.cancel(customer: "anna"), in: .sandbox)
                #expect(outcome.retentionMessage?.shown == shown, "\(outcome.retentionMessage?.objection ?? "")")
                try await simulator.perform(.resume(customer: "anna"), in: .sandbox)
            }
        }
    }

    @Test func `does not ask where there is nothing to cancel`() async throws {
        try await Self.run { simulator, server, _ in
            try await simulator.perform(.cancel(customer: "anna"), in: .sandbox)
            await #expect(throws: StoreError.self) {
                try await simulator.perform(.cancel(customer: "anna"), in: .sandbox)
            }
            // Nor is a seat its holder's to cancel.
            try await simulator.perform(
                .assignSeat(customer: "ben", product: "com.example.premium.monthly"), in: .sandbox)
            await #expect(throws: StoreError.self) {
                try await simulator.perform(.cancel(customer: "ben"), in: .sandbox)
            }
            #expect(server.requests.count == 1)
        }
    }

    @Test func `has tested the developer's server with real requests, and production takes the URL of one that passed`()
        async throws
    {
        try await Self.run { simulator, server, subscription in
            Self.configureTests(of: simulator, requestsAtOnce: 2)
            for (answer, verdict) in [
                (#"{}"#, .fail), (#"{"message":{"messageIdentifier":"\#(Sample.id(2))"}}"#, .pass),
            ] as [(String, PerformanceTestStatus)] {
                server.give(answer)
                let before = server.requests.count
                let test = try Self.startTest(subscription, by: simulator)
                try await simulator.settle()
                let result = try Self.result(of: test, by: simulator)
                #expect(result.result == verdict && result.numPending == 0)
                #expect(server.requests.count == before + 6)
            }
            let call = APIRequest(
                .setRealtimeURL, body: Data(#"{"realtimeURL":"https://example.com/realtime"}"#.utf8))
            simulator.core.relayPerformanceTests()
            let status = try simulator.core.change(.production) { store, now in try store.answer(call, at: now).status }
            #expect(status == 200)
        }
    }

    @Test func `sends what is left of a performance test that was given up, and blames nobody for that`() async throws {
        try await Self.run { simulator, server, subscription in
            Self.configureTests(of: simulator, requestsAtOnce: 1)
            server.give(#"{"message":{"messageIdentifier":"\#(Sample.id(2))"}}"#)
            let (asked, question) = AsyncStream.makeStream(of: Void.self)
            let (held, release) = AsyncStream.makeStream(of: Void.self)
            server.hold {
                question.yield()
                for await _ in held {}
            }
            let test = try Self.startTest(subscription, by: simulator)
            let settling = Task { try await simulator.settle() }
            for await _ in asked { break }
            settling.cancel()
            await #expect(throws: CancellationError.self) { try await settling.value }
            server.hold(while: nil)
            release.finish()
            let interrupted = try Self.result(of: test, by: simulator)
            #expect(interrupted.numPending == 6 && interrupted.failures == nil)
            try await simulator.settle()
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
