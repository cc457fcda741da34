import AppStoreModels
import Entitlements
import Foundation
import Ledger
import MemoryLedger
import TestSupport
import Testing

// Erasures of customers.
extension `The contract of claims and erasures` {
    /// Adds a consumption request, whose event and inquiry name the present owner.
    private static func addRequest(
        about fact: TransactionFact, at instant: Milliseconds, to ledger: any LedgerEngine,
        in appEnvironment: AppEnvironment
    ) async throws {
        let uuid = "00000000-0000-4000-8000-000000000001"
        let received = ReceivedNotification(
            scope: appEnvironment.id, uuid: uuid, type: "CONSUMPTION_REQUEST", signedDate: instant,
            receivedAt: instant, origin: .delivered, text: "text 2")
        let id = try #require(try await ledger.commit(received: [received], processed: []).first?.id)
        let request = ProcessedNotification(
            id: id, scope: appEnvironment.id, uuid: uuid, type: .consumptionRequest, signedDate: instant,
            transaction: fact, processedAt: instant)
        _ = try await ledger.commit(received: [], processed: [request])
    }

    @Test(arguments: Engine.allCases)
    func `An erasure removes stored responses about the customer, except those of another environment`(
        _ engine: Engine
    ) async throws {
        try await Self.withLedger(engine) { ledger, appEnvironment in
            func begin(_ key: String, about customer: String = "anna") async throws -> IdempotencyDecision {
                try await ledger.beginRequest(
                    key, of: "app", about: customer, fingerprint: Data([1]), at: 5, lockTimeout: 10)
            }
            func answer(_ environment: String) -> IdempotentRequest.StoredResponse {
                .init(status: 200, type: nil, body: Data(#"{"environment":"\#(environment)"}"#.utf8))
            }
            let (own, other) = (answer(appEnvironment.environment.rawValue), answer("Elsewhere"))
            for (key, customer, answer) in [("own", "anna", own), ("other", "anna", other), ("ben's", "ben", own)] {
                #expect(try await begin(key, about: customer) == .proceed)
                try await ledger.endRequest(key, of: "app", begunAt: 5, with: answer)
            }
            _ = try await ledger.erase("anna", in: appEnvironment, at: 6)
            #expect(try await begin("own") == .proceed)
            #expect(try await begin("other") == .repeats(other))
            #expect(try await begin("ben's", about: "ben") == .repeats(own))
        }
    }

    /// Detects engines that look for the customer without the app or the environment.
    @Test(arguments: Engine.allCases)
    func `An erasure applies to one app in one environment`(_ engine: Engine) async throws {
        try await Tool.inTemporaryFolder { folder in
            let ledger = try engine.open(in: folder)
            let apps = [
                ("com.example.shop", "Production"), ("com.example.shop", "Sandbox"), ("com.example.other", "Sandbox"),
            ]
            let scopes = try await ledger.scopes(of: apps.map { (bundleID: $0.0, environment: $0.1) }).all
            try #require(scopes.count == 3)
            let fact = TransactionFact(
                transactionID: "1", originalTransactionID: "1", productID: "gold", type: .nonConsumable,
                purchaseDate: RandomFacts.start, signedDate: RandomFacts.start, appTransactionID: "x")
            for appEnvironment in scopes {
                let signedFact = SignedFact(
                    scope: appEnvironment.id, fact: .transaction(fact), origin: .app, receivedAt: 0, text: "text 1")
                _ = try await ledger.commit([signedFact])
                let claim = Self.claim("anna", ["1"], account: "x", at: 5, in: appEnvironment)
                _ = try await ledger.claim(claim) { _ in false }
                let content = GrantEvent.Content(customer: "anna", entitlement: "pro", reason: "sorry", actor: "team")
                _ = try await ledger.createGrant("g\(appEnvironment.id)", content, in: appEnvironment.id, at: 5)
                let report = UsageReport(consumptionPercentage: 5, reportedAt: 5)
                try await ledger.record(report, of: "anna", in: appEnvironment.id)
            }
            _ = try await ledger.erase("anna", in: scopes[1], at: 6)
            for (appEnvironment, count) in zip(scopes, [1, 0, 1]) {
                let scope = appEnvironment.id
                #expect(try await ledger.owners(of: "1", in: scope).count == count)
                #expect(try await ledger.isOwnerErased(of: "1", in: scope) == (count == 0))
                #expect(try await !ledger.isOwnerErased(of: "unknown", in: scope))
                #expect(try await ledger.accounts(of: "anna", in: scope).count == count)
                #expect(try await ledger.grants(of: "anna", in: scope).count == count)
                let usage = try await ledger.usage(of: "anna", transactionID: "1", productID: "gold", in: scope)
                #expect(usage.count == count)
                #expect(try await ledger.lastErasure(of: "anna", in: appEnvironment) == (count == 0 ? 6 : nil))
                let page = try await ledger.events(FeedQuery(after: 0, scopes: [scope], limit: 9), within: .none)
                let isNamed = page.items.contains { $0.event.customer == "anna" }
                #expect(isNamed == (count == 1))
            }
        }
    }

    /// Detects engines that store a response whose request is gone.
    @Test(arguments: Engine.allCases)
    func `A response that is stored after its customer was erased is discarded`(_ engine: Engine) async throws {
        try await Self.withLedger(engine) { ledger, appEnvironment in
            func begin() async throws -> IdempotencyDecision {
                try await ledger.beginRequest(
                    "k", of: "app", about: "anna", fingerprint: Data([1]), at: 5, lockTimeout: 10)
            }
            #expect(try await begin() == .proceed)
            _ = try await ledger.erase("anna", in: appEnvironment, at: 6)
            let answer = IdempotentRequest.StoredResponse(status: 200, type: nil, body: Data("anna".utf8))
            try await ledger.endRequest("k", of: "app", begunAt: 5, with: answer)
            #expect(try await begin() == .proceed)
        }
    }

    /// The notification was missed, and a recovery fetches it after the erasure.
    @Test(arguments: Engine.allCases)
    func `A purchase from before an erasure that becomes known after it has no owner until it is claimed`(
        _ engine: Engine
    ) async throws {
        try await engine.withLedger { ledger, appEnvironment in
            let start = RandomFacts.start.milliseconds
            _ = try await ledger.erase(Self.token, in: appEnvironment, at: start + 1000)
            var fact = TransactionFact(
                transactionID: "1", originalTransactionID: "1", productID: "gold", type: .nonConsumable,
                purchaseDate: RandomFacts.start, signedDate: RandomFacts.start,
                appAccountToken: UUID(uuidString: Self.token))
            try await Self.addRequest(about: fact, at: start, to: ledger, in: appEnvironment)
            (fact.transactionID, fact.originalTransactionID) = ("2", "2")
            let earlier = SignedFact(
                scope: appEnvironment.id, fact: .transaction(fact), origin: .asked, receivedAt: 0, text: "text 2")
            (fact.transactionID, fact.originalTransactionID) = ("3", "3")
            fact.purchaseDate += 2
            let later = SignedFact(
                scope: appEnvironment.id, fact: .transaction(fact), origin: .asked, receivedAt: 0, text: "text 3")
            _ = try await ledger.commit([earlier, later])
            let id = appEnvironment.id
            for original in ["1", "2"] {
                let owners = try await ledger.owners(of: original, in: id)
                #expect(owners.isEmpty, "\(original): \(owners)")
            }
            #expect(try await ledger.owners(of: "3", in: id) == [Self.token])
            let event = try #require(try await ledger.firstEvents(1).first?.event)
            #expect(event.namedCustomer == nil)
            // The customer returns.
            let claim = Self.claim(Self.token, ["1", "2"], at: start + 5000, in: appEnvironment)
            #expect(try await ledger.claim(claim) { _ in false } == .granted(["1", "2"]))
            #expect(try await ledger.owners(of: "1", in: id) == [Self.token])
            _ = try await ledger.commit([earlier])
            #expect(try await ledger.owners(of: "2", in: id) == [Self.token])
        }
    }

    @Test(arguments: Engine.allCases)
    func `An erasure removes the customer's name from records with instants later than the clock`(_ engine: Engine)
        async throws
    {
        try await Self.withLedger(engine) { ledger, appEnvironment in
            _ = try await ledger.claim(Self.claim("anna", ["1"], account: "x", at: 100, in: appEnvironment)) { _ in
                false
            }
            let content = GrantEvent.Content(customer: "anna", entitlement: "pro", reason: "sorry", actor: "team")
            _ = try await ledger.createGrant("g", content, in: appEnvironment.id, at: 120)
            try await ledger.record(
                UsageReport(customerConsented: true, reportedAt: 140), of: "anna", in: appEnvironment.id)
            // The clock was set back.
            let report = try await ledger.erase("anna", in: appEnvironment, at: 50)
            #expect(report.claims == 2 && report.grants == 1 && report.usage == 1, "\(report)")
            #expect(try await ledger.purchases(ownedBy: "anna", in: appEnvironment.id).isEmpty)
            #expect(try await ledger.grants(of: "anna", in: appEnvironment.id).isEmpty)
            #expect(try await ledger.lastErasure(of: "anna", in: appEnvironment) == 140)
            let owners = try await ledger.owners(of: "1", in: appEnvironment.id)
            #expect(owners.isEmpty, "\(owners)")
        }
    }

    /// An import applies the erasure again to everything up to its instant.
    @Test(arguments: Engine.allCases)
    func `What an erased customer gets afterwards has a later instant than the erasure, even if the clock is behind`(
        _ engine: Engine
    ) async throws {
        try await Self.withLedger(engine) { ledger, appEnvironment in
            let scope = appEnvironment.id
            func grant(_ id: String, to customer: String, at instant: Milliseconds) async throws {
                let content = GrantEvent.Content(customer: customer, entitlement: "pro", reason: "sorry", actor: "team")
                _ = try await ledger.createGrant(id, content, in: scope, at: instant)
            }
            try await grant("ben's", to: "ben", at: 5)
            _ = try await ledger.claim(Self.claim("ben", ["2"], account: "y", at: 5, in: appEnvironment)) { _ in false }
            _ = try await ledger.erase("anna", in: appEnvironment, at: 100)
            _ = try await ledger.claim(Self.claim("anna", ["1"], account: "x", at: 100, in: appEnvironment)) { _ in
                false
            }
            try await grant("anna's", to: "anna", at: 90)
            #expect(try await ledger.merge("ben", into: "anna", in: scope, at: 95) == ["2"])
            let owned = try await ledger.purchases(ownedBy: "anna", in: scope)
            #expect(owned.map(\.lineage.originalTransactionID) == ["1", "2"])
            for purchase in owned {
                let last = try #require(purchase.ownership.claims.events.last)
                #expect(last.customer == "anna" && last.instant > 100, "\(last)")
            }
            #expect(try await ledger.accounts(of: "anna", in: scope) == ["x", "y"])
            let grants = try await ledger.grants(of: "anna", in: scope)
            #expect(grants.map(\.id) == ["ben's", "anna's"])
            #expect(grants.allSatisfy { $0.heldSince > 100 }, "\(grants)")
        }
    }

    @Test(arguments: Engine.allCases)
    func `An erasure removes the name from past events and inquiries of a purchase that another account now owns`(
        _ engine: Engine
    ) async throws {
        try await Self.withLedger(engine) { ledger, appEnvironment in
            let start = RandomFacts.start.milliseconds
            let own = Self.claim("anna", [], account: "x", at: start, in: appEnvironment)
            try #require(try await ledger.claim(own) { _ in false } == .granted(["1"]))
            let first = TransactionFact(
                transactionID: "1", originalTransactionID: "1", productID: "gold", type: .nonConsumable,
                purchaseDate: RandomFacts.start, signedDate: RandomFacts.start, appTransactionID: "x")
            try await Self.addRequest(about: first, at: start, to: ledger, in: appEnvironment)
            var second = first
            (second.transactionID, second.appAccountToken) = ("2", UUID(uuidString: Self.token))
            second.purchaseDate += 60
            _ = try await ledger.commit([
                SignedFact(
                    scope: appEnvironment.id, fact: .transaction(second), origin: .app, receivedAt: 0, text: "text 3")
            ])
            func events() async throws -> [LedgerEvent] {
                try await ledger.firstEvents(2).map { $0.event }
            }
            func inquiry() async throws -> ConsumptionInquiry? {
                try await ledger.inquiries(about: ["1"], transactionID: nil, in: appEnvironment.id, limit: 9).first
            }
            try #require(try await ledger.owners(of: "1", in: appEnvironment.id) == [Self.token])
            try #require(try await events().map(\.customer) == ["anna", "anna"])
            try #require(try await inquiry()?.customer == "anna")
            _ = try await ledger.erase("anna", in: appEnvironment, at: start + 90_000)
            let renamed = try await events()
            #expect(renamed.count == 2 && renamed.allSatisfy { $0.customer.map { Erasure.isStandIn($0) } ?? false })
            #expect(renamed.first?.data == nil)
            let remaining = try #require(try await inquiry())
            #expect(remaining.customer == nil)
        }
    }

    @Test(arguments: Engine.allCases)
    func `An erasure removes the name from past events and inquiries of a purchase whose account token was replaced`(
        _ engine: Engine
    ) async throws {
        try await engine.withLedger { ledger, appEnvironment in
            let start = RandomFacts.start.milliseconds
            var fact = TransactionFact(
                transactionID: "1", originalTransactionID: "1", productID: "gold", type: .nonConsumable,
                purchaseDate: RandomFacts.start, signedDate: RandomFacts.start,
                appAccountToken: UUID(uuidString: Self.token))
            try await Self.addRequest(about: fact, at: start, to: ledger, in: appEnvironment)
            fact.signedDate += 60
            fact.appAccountToken = UUID(uuidString: RandomFacts.tokens[1])
            _ = try await ledger.commit([
                SignedFact(
                    scope: appEnvironment.id, fact: .transaction(fact), origin: .app, receivedAt: 0, text: "text 3")
            ])
            func names() async throws -> [String?] {
                let event = try await ledger.firstEvents(1).first?.event
                let inquiries = try await ledger.inquiries(
                    about: ["1"], transactionID: nil, in: appEnvironment.id, limit: 9)
                return [event?.customer] + inquiries.map(\.customer)
            }
            let before = try await names()
            try #require(before.compactMap(\.self) == [Self.token, Self.token])
            _ = try await ledger.erase(Self.token, in: appEnvironment, at: start + 90_000)
            let after = try await names()
            let standIn = Erasure.standIn(for: Self.token, in: appEnvironment.bundleID)
            #expect(after.count == 2 && after[0] == standIn && after[1] == nil)
        }
    }

    @Test(arguments: Engine.allCases)
    func `A merge changes nothing if its customer was erased after the request arrived`(_ engine: Engine) async throws {
        try await Self.withLedger(engine, named: Self.token) { ledger, appEnvironment in
            let id = appEnvironment.id
            let known = try await ledger.lastErasure(of: "anna", in: appEnvironment) ?? .min
            _ = try await ledger.erase("anna", in: appEnvironment, at: 5)
            let digest = try await ledger.digest()
            let overtaken = try await ledger.merge(
                Self.token, into: "anna", in: id, at: 6, erasuresKnownUntil: known)
            #expect(overtaken == nil)
            #expect(try await ledger.digest() == digest)
            #expect(try await ledger.owners(of: "1", in: id) == [Self.token])
            // A request after the erasure succeeds, even within the same millisecond.
            let erasure = try #require(try await ledger.lastErasure(of: "anna", in: appEnvironment))
            let moved = try await ledger.merge(
                Self.token, into: "anna", in: id, at: 5, erasuresKnownUntil: erasure)
            #expect(moved == ["1"])
            #expect(try await ledger.owners(of: "1", in: id) == ["anna"])
        }
    }

    @Test(arguments: Engine.allCases)
    func `An erasure removes a former owner from the event of a transfer after the account token was replaced`(
        _ engine: Engine
    ) async throws {
        try await Self.withLedger(engine, named: Self.token) { ledger, appEnvironment in
            let start = RandomFacts.start.milliseconds
            var transfer = Self.claim("bob", ["1"], at: start, in: appEnvironment)
            transfer.overridesNamedAccount = true
            try #require(try await ledger.claim(transfer) { _ in false } == .granted(["1"]))
            let fact = TransactionFact(
                transactionID: "1", originalTransactionID: "1", productID: "gold", type: .nonConsumable,
                purchaseDate: RandomFacts.start, signedDate: RandomFacts.start + 60,
                appAccountToken: UUID(uuidString: RandomFacts.tokens[1]), appTransactionID: "x")
            _ = try await ledger.commit([
                SignedFact(
                    scope: appEnvironment.id, fact: .transaction(fact), origin: .app, receivedAt: 0, text: "text 2")
            ])
            let before = try #require(try await ledger.firstEvents(1).first?.event)
            try #require(before.data?.contains(Self.token) == true)
            _ = try await ledger.erase(Self.token, in: appEnvironment, at: start + 90_000)
            let after = try #require(try await ledger.firstEvents(1).first?.event)
            #expect(after.customer == "bob" && after.data == nil)
        }
    }
}
