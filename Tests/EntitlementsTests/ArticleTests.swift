import AppStoreModels
import AppStoreServer
import Entitlements
import Foundation
import TestSupport
import Testing

@Suite struct `The code of the articles` {
    @Test func `Every line of code in the articles occurs in this file`() throws {
        #expect(try Articles.uncompiled(of: "Entitlements", in: #filePath) == [])
    }

    @Test func `The landing page's code determines whether an entitlement is active`() {
        let (facts, now) = (CustomerFacts(transactions: [period("1", 0, 30)]), day(1))
        let engine = EntitlementEngine(
            catalogue: ProductCatalogue(
                entitlements: ["pro": ["pro.month", "pro.year", "pro.lifetime"]],
                levels: ["pro.year": 1, "pro.month": 1]))

        let states = engine.currentState(of: facts, now: now)
        var isActive = false
        if states.entitlement("pro")?.isActive == true { isActive = true }
        #expect(isActive)
    }

    @Test func `The articles' code computes and explains states`() {
        let engine = EntitlementEngine(
            catalogue: ProductCatalogue(
                entitlements: ["pro": ["pro.month", "pro.season"], "map": ["map"]],
                durations: ["pro.season": .months(3)], levels: ["pro.month": 1]))
        func fetch(
            _ client: AppStoreServerClient, _ verifier: SignedDataVerifier, _ transactionID: String
        ) async throws -> CustomerFacts {
            let facts = try await client.customerFacts(of: transactionID, verifiedBy: verifier)
            return facts
        }
        func collect(
            _ transaction: Verified<JWSTransactionDecodedPayload>,
            _ renewalInfo: Verified<JWSRenewalInfoDecodedPayload>,
            _ notification: Verified<ResponseBodyV2DecodedPayload>, _ verifier: SignedDataVerifier
        ) async throws -> CustomerFacts {
            var facts = CustomerFacts()
            facts.transactions.append(TransactionFact(transaction))
            facts.renewals.append(RenewalFact(renewalInfo))
            facts.add(try await verifier.content(of: notification))
            return facts
        }
        let (facts, noon) = (CustomerFacts(transactions: [period("1", 0, 30)]), day(0.5))
        let states = engine.currentState(of: facts, now: Date())
        #expect(states.entitlement("pro")?.isActive == false)
        let why = engine.explanation(of: "pro", facts: facts, asOf: noon)
        print(why.rule.rawValue, why.sentence)
        for fact in why.facts where fact.role == .decides { print(fact.identifier, fact.signedDate) }
        #expect(why.isActive)
    }
}
