import AppStoreModels
import AppStoreServer
import Entitlements
import Foundation
import StoreSimulator
import Synchronization
import Testing

/// The API that users of the libraries need in tests: a simulator, its verifier, its client, and a receiver in the same
/// process.
@Suite struct `A simulator in a test` {
    private static let monthly = "com.example.premium.monthly"

    @Test func `A simulator passes notifications to a closure, and one call verifies their contents`() async throws {
        let received = Mutex<[NotificationRequest]>([])
        let simulator = try await Simulator.start(.frozen) { request in received.withLock { $0.append(request) } }
        try await simulator.perform(.purchase(customer: "anna", product: Self.monthly, introductory: false))
        try await simulator.perform(.purchase(customer: "ben", product: Self.monthly), in: .sandbox)
        let requests = received.withLock(\.self)
        #expect(requests.map(\.environment) == [.production, .sandbox])
        let verifier = try simulator.verifier()
        let notification = try await verifier.notification(try #require(requests.first?.signedPayload))
        guard case .purchase(let transaction, let renewal?) = try await verifier.content(of: notification) else {
            Issue.record("not a subscription")
            return
        }
        #expect(transaction.payload.productId == Self.monthly)
        #expect(transaction.payload.decimalPrice == Decimal(transaction.payload.price ?? 0) / 1000)
        var facts = CustomerFacts()
        facts.add(.purchase(transaction, renewal: renewal))
        #expect(facts.transactions == [TransactionFact(transaction)] && facts.renewals == [RenewalFact(renewal)])
        await simulator.stop()
    }

    @Test func `A simulator retries a notification for which its closure threw an error`() async throws {
        struct NotToday: Error {}
        let callCount = Mutex(0)
        let simulator = try await Simulator.start(.frozen) { _ in
            let isFirst = callCount.withLock { callCount in
                callCount += 1
                return callCount == 1
            }
            if isFirst { throw NotToday() }
        }
        try await simulator.perform(.purchase(customer: "anna", product: Self.monthly, introductory: false))
        #expect(callCount.withLock(\.self) == 1)
        try await simulator.advance(by: .days(1))
        #expect(callCount.withLock(\.self) == 2)
        await simulator.stop()
    }

    @Test func `The client fetches and verifies all facts of a customer from a simulator`() async throws {
        try await Simulator.run { simulator in
            let bought = try await simulator.perform(
                .purchase(customer: "anna", product: Self.monthly, introductory: false))
            try await simulator.advance(by: .months(2))
            let facts = try await simulator.client().customerFacts(
                of: try #require(bought.transactionID), verifiedBy: simulator.verifier())
            #expect(Set(facts.transactions.map(\.transactionID)).count == 3)
            #expect(facts.renewals.map(\.willRenew) == [true])
            let engine = EntitlementEngine(
                catalogue: ProductCatalogue(entitlements: ["premium": [Self.monthly]]))
            #expect(engine.currentState(of: facts, now: simulator.now).entitlements.first?.isActive == true)
            await #expect(throws: (any Error).self) {
                try await simulator.client(.sandbox).customerFacts(
                    of: try #require(bought.transactionID), verifiedBy: simulator.verifier())
            }
        }
    }

    @Test func `A client of the simulator has the retry policy that a test sets`() async throws {
        try await Simulator.run { simulator in
            let bought = try await simulator.perform(
                .purchase(customer: "anna", product: Self.monthly, introductory: false))
            let id = try #require(bought.transactionID)
            try simulator.add(Fault("route:transaction", .error(code: 5_000_001)))
            var configuration = AppStoreServerClient.Configuration()
            (configuration.retry, configuration.timeout) = (.never, .seconds(600))
            let client = try simulator.client(configuration: configuration)
            let error = await #expect(throws: AppStoreServerError.self) { try await client.transaction(id) }
            #expect(error?.apiCode == .generalInternalRetryable && error?.attempts == 1)
            // As for every client of the simulator, dates are those of its clock.
            #expect(client.configuration.now() == simulator.now)
        }
    }

    @Test func `The simulator's validator accepts its receipts in both environments, and Apple's roots do not`()
        async throws
    {
        try await Simulator.run { simulator in
            try await simulator.perform(.purchase(customer: "anna", product: Self.monthly, introductory: false))
            let validator = try simulator.receiptValidator()
            for environment in [AppStoreEnvironment.production, .sandbox] {
                try await simulator.perform(
                    .purchase(customer: "ben", product: Self.monthly, introductory: false), in: environment)
                let receipt = try validator.validate(base64: simulator.receipt(of: "ben", in: environment))
                #expect(validator.purchases(of: receipt).map(\.productID) == [Self.monthly])
            }
            let facts = try validator.facts(
                of: validator.validate(base64: simulator.receipt(of: "anna")), catalogue: ProductCatalogue())
            #expect(facts.transactions.map(\.productID) == [Self.monthly])
            let text = try simulator.receipt(of: "anna")
            #expect(throws: VerificationError(.untrustedRoot, "")) { try ReceiptValidator().validate(base64: text) }
        }
    }

    @Test func `The content of a test notification is the app`() async throws {
        let received = Mutex<[NotificationRequest]>([])
        let simulator = try await Simulator.start(.frozen) { request in received.withLock { $0.append(request) } }
        _ = try await simulator.client().requestTestNotification()
        try await simulator.processDueEvents()
        let verifier = try simulator.verifier()
        let text = try #require(received.withLock(\.first)?.signedPayload)
        guard
            case .app(simulator.information.bundleID, nil) = try await verifier.content(of: verifier.notification(text))
        else {
            Issue.record("not about the app")
            return
        }
        await simulator.stop()
    }
}

@Suite struct `An error of the libraries` {
    @Test func `An error of the libraries has a snake-case code, a message and a retry flag`() async throws {
        let verification = #expect(throws: VerificationError.self) {
            _ = try TrustAnchors(certificates: [Data("none".utf8)])
        }
        let errors: [any CounterfoilError] = [
            try #require(verification), StoreError(.unknownCustomer, "there is no anna"),
            CatalogueError(problems: [.init(message: "bad")]), SimulatorError(.otherApp, "it is of another app"),
        ]
        for error in errors {
            #expect(
                !"\(error.code)".isEmpty && "\(error.code)".allSatisfy { $0 == "_" || $0.isLowercase || $0.isNumber })
            #expect(!error.message.isEmpty && !error.isRetryable)
        }
    }
}
