import AppStoreModels
import AppStoreServer
import AppStoreTrust
import Foundation
import StoreSimulator
import TestSupport
import Testing

@Suite struct `Faults on routes` {
    private func withFault(
        _ effect: Fault.Effect, count: Int? = nil, _ body: (Simulator, String) async throws -> Void
    ) async throws {
        try await Simulator.run { simulator in
            let id = try await simulator.buy("com.example.coins.100")
            try simulator.add(Fault("route:transaction", effect, count: count))
            try await body(simulator, id)
        }
    }

    @Test func `Each route fault causes a client error with the matching code`() async throws {
        let cases: [(Fault.Effect, AppStoreServerError.Code, Int?)] = [
            (.drop, .transport, nil), (.unreachable, .transport, nil), (.truncate, .transport, nil),
            (.delay(seconds: 3600), .timeout, nil), (.status(code: 500), .serverFailure, 500),
            (.status(code: 403), .refused, 403), (.status(code: 302), .unexpectedStatus, 302),
            (.error(code: APIErrorCode.generalInternalRetryable.rawValue), .serverFailure, 500),
            (.rateLimit(retryAfterSeconds: 600), .rateLimited, 429),
        ]
        try await Simulator.run { simulator in
            let id = try await simulator.buy("com.example.coins.100")
            for (effect, code, status) in cases {
                let number = try simulator.add(Fault("route:transaction", effect))
                let client = try simulator.client { if code == .timeout { $0.timeout = .milliseconds(50) } }
                let error = await #expect(throws: AppStoreServerError.self, "\(effect)") {
                    try await client.transaction(id)
                }
                #expect(error?.code == code, "\(effect)")
                #expect(error?.status == status, "\(effect)")
                try simulator.removeFault(number)
                _ = try await simulator.client().transaction(id)
            }
        }
    }

    @Test func `A fault added with seconds ends after that time on the simulator's clock`() async throws {
        try await Simulator.run { simulator in
            let id = try await simulator.buy("com.example.coins.100")
            func add(_ seconds: String) async throws -> Int {
                try await AsyncHTTPClientTransport().send(
                    HTTPTransportRequest(
                        method: "POST", url: simulator.information.controlURL + "/faults?seconds=\(seconds)",
                        headers: [("Content-Type", "application/json")],
                        body: Data(#"{"target": "route:*", "effect": {"rateLimit": {"retryAfterSeconds": 60}}}"#.utf8),
                        timeout: .seconds(600))
                ).status
            }
            #expect(try await add("60") == 201)
            try await simulator.advance(by: 59)
            let client = try simulator.client()
            let error = await #expect(throws: AppStoreServerError.self) { try await client.transaction(id) }
            #expect(error?.code == .rateLimited)
            try await simulator.advance(by: 1)
            // The fault has ended.
            _ = try await simulator.client().transaction(id)
            for wrong in ["0", "-1", "nan", "inf", "31622401", "soon", ""] {
                #expect(try await add(wrong) == 400, "\(wrong)")
            }
        }
    }

    @Test func `The client retries a failed request until it succeeds`() async throws {
        for effect: Fault.Effect in [.status(code: 503), .drop, .truncate] {
            try await withFault(effect, count: 2) { simulator, id in
                let clock = ManualClock(skipsSleeps: true)
                let client = try simulator.client {
                    $0.retry = RetryPolicy()
                    $0.clock = clock
                }
                _ = try await client.transaction(id)
                #expect(clock.sleepDurations.count == 2, "\(effect)")
            }
        }
    }

    @Test func `The client waits for a short Retry-After, and throws a long one to the caller`() async throws {
        for (seconds, isNear) in [(30.0, true), (120.0, false)] {
            try await withFault(.rateLimit(retryAfterSeconds: seconds), count: 1) { simulator, id in
                let clock = ManualClock(skipsSleeps: true)
                let client = try simulator.client {
                    $0.retry = RetryPolicy()
                    $0.clock = clock
                    $0.now = { simulator.now }
                }
                if isNear {
                    _ = try await client.transaction(id)
                    #expect(clock.sleepDurations.first.map { $0 >= .seconds(30) && $0 <= .seconds(31) } == true)
                } else {
                    let error = await #expect(throws: AppStoreServerError.self) { try await client.transaction(id) }
                    #expect(error?.retryAfter == simulator.now + 120)
                    #expect(clock.sleepDurations == [])
                }
            }
        }
    }

    @Test func `A delay within the client's timeout does not fail the request`() async throws {
        try await withFault(.delay(seconds: 0.01), count: 1) { simulator, id in
            _ = try await simulator.client().transaction(id)
        }
    }

    @Test func `The verifier reports an invalid signature and an untrusted chain with different codes`() async throws {
        let cases: [(Fault.Effect, VerificationError.Code)] = [
            (.invalidSignature, .badSignature), (.wrongChain, .untrustedRoot),
        ]
        for (effect, code) in cases {
            try await withFault(effect, count: 1) { simulator, id in
                let client = try simulator.client()
                let invalidToken = try await client.transaction(id).signedTransactionInfo
                let verifier = try simulator.verifier()
                #expect(try await refusal { try await verifier.transaction(invalidToken) } == code)
                let validToken = try await client.transaction(id).signedTransactionInfo
                #expect(try await refusal { try await verifier.transaction(validToken) } == nil)
            }
        }
    }

    @Test func `Unknown values and members in a response are decoded`() async throws {
        try await withFault(.unknownValues, count: 1) { simulator, id in
            let text = try await simulator.client().transaction(id).signedTransactionInfo
            let payload = try await simulator.verifier().transaction(text).payload
            #expect(payload.type.rawValue == "VALUE_OF_THE_FUTURE")
            #expect(payload.inAppOwnershipType.rawValue == "VALUE_OF_THE_FUTURE")
        }
        try await withFault(.extraFields, count: 1) { simulator, id in
            let text = try await simulator.client().transaction(id).signedTransactionInfo
            #expect(try Payload(text).body["fieldOfTheFuture"] != nil)
            #expect(try await simulator.verifier().transaction(text).payload.transactionId == id)
        }
    }

    @Test func `A clock skew fault shifts the signing date`() async throws {
        try await withFault(.clockSkew(seconds: 3600), count: 1) { simulator, id in
            let text = try await simulator.client().transaction(id).signedTransactionInfo
            #expect(try await simulator.verifier().transaction(text).payload.signedDate == simulator.now + 3600)
        }
        try await withFault(.clockSkew(seconds: -900_000_000), count: 1) { simulator, id in
            let text = try await simulator.client().transaction(id).signedTransactionInfo
            let verifier = try simulator.verifier { $0.validationTime = .signingDate }
            #expect(try await refusal { try await verifier.transaction(text) } == .expiredOrNotYetValid)
        }
    }

    @Test func `Clock skew and unknown values apply to app transactions, too`() async throws {
        try await Simulator.run { simulator in
            let id = try await simulator.buy("com.example.coins.100")
            let (client, verifier) = (try simulator.client(), try simulator.verifier())
            let text = try await client.appTransaction(of: id).signedAppTransactionInfo
            let created = try await verifier.appTransaction(text).payload.receiptCreationDate
            try simulator.add(Fault("route:app-transaction", .clockSkew(seconds: 3600), count: 1))
            let skewedText = try await client.appTransaction(of: id).signedAppTransactionInfo
            let skewed = try await verifier.appTransaction(skewedText).payload
            #expect(skewed.receiptCreationDate == created + 3600)
            try simulator.add(Fault("route:app-transaction", .unknownValues, count: 1))
            let unknownText = try await client.appTransaction(of: id).signedAppTransactionInfo
            let unknown = try await verifier.appTransaction(unknownText).payload
            #expect(unknown.originalPlatform?.rawValue == "VALUE_OF_THE_FUTURE")
            #expect(unknown.storeType?.rawValue == "VALUE_OF_THE_FUTURE")
        }
    }

    @Test func `A fault ends after its count or at its date, and affects no other environment and route`() async throws
    {
        try await Simulator.run { simulator in
            let id = try await simulator.buy("com.example.coins.100")
            let sandbox = try await simulator.buy("com.example.coins.100", in: .sandbox)
            let end = simulator.now + 60
            try simulator.add(Fault("route:*", .status(code: 500), environment: .production, until: end))
            let client = try simulator.client()
            let failure = await #expect(throws: AppStoreServerError.self) { try await client.transaction(id) }
            #expect(failure?.status == 500)
            _ = try await simulator.client(.sandbox).transaction(sandbox)
            try await simulator.advance(to: end)
            _ = try await client.transaction(id)
            try simulator.add(Fault("route:transaction", .status(code: 500), count: 2))
            for _ in 0..<2 {
                let failure = await #expect(throws: AppStoreServerError.self) { try await client.transaction(id) }
                #expect(failure?.status == 500)
            }
            _ = try await client.transaction(id)
            try simulator.add(Fault("route:transaction-history", .status(code: 500)))
            _ = try await client.transaction(id)
        }
    }
}
