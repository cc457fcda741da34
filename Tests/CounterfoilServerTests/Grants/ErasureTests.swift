import AppStoreModels
import CounterfoilServer
import Entitlements
import Foundation
import StoreSimulator
import Testing

@testable import Ledger
@testable import LedgerServices

@Suite struct `Erasure of a customer` {
    static func run(
        policy: ServerConfiguration.RestorePolicy = .transfer, _ body: (World) async throws -> Void
    ) async throws {
        try await World.withAPI(server: { $0.apps[0].restorePolicy = policy }, body)
    }

    /// Creates the customer `person-anna` with a claimed purchase, a grant and a usage report. Returns the transaction.
    static func populate(_ world: World) async throws -> String {
        let outcome = try await world.simulator.perform(
            .purchase(customer: "anna", product: "com.example.premium.monthly", appAccountToken: .absent))
        try await world.waitUntilIdle()
        let id = try #require(outcome.transactionID)
        let texts = try await world.signedTransactions(of: id)
        let path = "/v1/customers/person-anna"
        let transaction = try world.appTransaction(ofCustomer: "anna")
        _ = try await world.api.post(
            path + "/purchases", ["signed_transactions": texts, "app_transaction": transaction])
        _ = try await world.api.send(
            "POST", path + "/grants",
            body: Data(#"{"entitlement":"premium","reason":"person-anna asked","actor":"maria"}"#.utf8),
            headers: [("Idempotency-Key", "one")])
        _ = try await world.api.post(path + "/usage", ["customer_consented": true])
        try await world.simulator.perform(.cancel(customer: "anna"))
        try await world.waitUntilIdle()
        return id
    }

    @Test func `Erasing a customer removes the ID from the ledger and keeps the purchase`() async throws {
        try await Self.run { world in
            let id = try await Self.populate(world)
            #expect(try await world.storedCustomerData().contains("person-anna"))
            let answer = try await world.api.send("DELETE", "/v1/customers/person-anna")
            #expect(
                answer.status == 200 && answer["grants"] as? Int == 1 && answer["usage"] as? Int == 1, "\(answer.text)")
            #expect(answer["purchases_kept"] as? Int == 1)
            #expect(!(try await world.storedCustomerData().contains("person-anna")))
            let customer = try await world.api.get("/v1/customers/person-anna")
            #expect((customer["subscriptions"] as? [Any])?.isEmpty == true && customer["original_purchase"] == nil)
            #expect(try await world.api.get("/v1/customers/person-anna/timeline").isEmptyList)
            #expect(try await world.api.get("/v1/customers/person-anna/grants").isEmptyList)
            let transaction = try await world.api.get("/v1/transactions/\(id)")
            #expect((transaction["customers"] as? [Any])?.isEmpty == true, "\(transaction.text)")
            // `erased:` is refused as a customer's ID, and a public key may not erase.
            let owner = Erasure.standIn(for: "person-anna", in: try world.appEnvironment().bundleID)
            #expect(try await world.api.get("/v1/customers/" + owner).code == "invalid_customer")
            let merged = try await world.api.post("/v1/customers/ben/merge", ["from": owner])
            #expect(merged.code == "invalid_customer" && merged["param"] as? String == "from", "\(merged.text)")
            #expect(
                try await world.appClient(for: "person-anna").send("DELETE", "/v1/customers/person-anna").status == 403)
            // Erasing again changes nothing.
            let again = try await world.api.send("DELETE", "/v1/customers/person-anna")
            #expect(again["purchases_kept"] as? Int == 0 && again["claims"] as? Int == 0)
        }
    }

    @Test func `No response names an erased customer's placeholder`() async throws {
        try await Self.run { world in
            let id = try await Self.populate(world)
            _ = try await world.api.send("DELETE", "/v1/customers/person-anna")
            try await world.simulator.perform(.requestRefund(customer: "anna"))
            try await world.simulator.perform(.rescindConsent(customer: "anna"))
            try await world.waitUntilIdle()
            let texts = try await world.signedTransactions(of: id)
            let decoded = try await world.api.send("POST", "/v1/decode", body: Data(texts[0].utf8))
            #expect(((decoded["known"] as? [String: Any])?["customers"] as? [Any])?.isEmpty == true, "\(decoded.text)")
            for path in [
                "transactions/\(id)", "subscriptions/\(id)", "search?q=\(id)", "segments/will_not_renew", "events",
                "consumption", "purchases?claimed=false",
            ] {
                let answer = try await world.api.get("/v1/" + path)
                #expect(answer.status == 200 && !answer.text.contains("erased:"), "\(path): \(answer.text)")
            }
            let events = try await world.api.get("/v1/events").items.compactMap { $0["data"] as? [String: Any] }
            #expect(events.count > 3 && events.allSatisfy { $0["customer"] == nil }, "\(events)")
            for path in ["subscriptions/\(id)", "transactions/\(id)"] {
                let answer = try await world.api.get("/v1/" + path)
                #expect((answer["customers"] as? [Any])?.isEmpty == true, "\(answer.text)")
            }
        }
    }

    @Test func `Erasing a customer covers purchases with a signed app account token`() async throws {
        try await Self.run { world in
            let anna = try await world.subscribe("anna")
            #expect(try await world.api.send("DELETE", "/v1/customers/\(anna)").status == 200)
            let path = "/v1/customers/\(anna)"
            #expect((try await world.api.get(path)["subscriptions"] as? [Any])?.isEmpty == true)
            // Later notifications about the purchase do not restore the customer.
            try await world.simulator.advance(by: .month)
            try await world.waitUntilIdle()
            #expect((try await world.api.get(path)["subscriptions"] as? [Any])?.isEmpty == true)
            #expect(!(try await world.storedCustomerData().contains(anna)))
            let events = try await world.api.get("/v1/events")
            #expect(events.items.count > 1 && !events.text.contains(anna), "\(events.text)")
        }
    }

    @Test func `The account token finds the purchases of an erased customer before the erasure only`() async throws {
        try await Self.run { world in
            let anna = try await world.subscribe("anna")
            let path = "/v1/customers/\(anna)"
            try await world.simulator.advance(by: .month)
            try await world.waitUntilIdle()
            let erasure = try await world.api.send("DELETE", path)
            let instant = try #require(erasure["erased_at"] as? Int, "\(erasure.text)")
            let before = try await world.api.get(path + "?at=\(instant - 1)")
            #expect((before["subscriptions"] as? [Any])?.count == 1, "\(before.text)")
            let after = try await world.api.get(path + "?at=\(instant)")
            #expect((after["subscriptions"] as? [Any])?.isEmpty == true, "\(after.text)")
        }
    }

    /// The account token in the signed data is the name of the erased customer.
    @Test func `Events about a purchase do not name an erased customer to the next owner`() async throws {
        try await Self.run { world in
            let (anna, original) = try await TransferRouteTests.bought(world)
            _ = try await world.api.send("DELETE", "/v1/customers/\(anna)")
            _ = try await world.api.post(
                "/v1/customers/ben/purchases/\(original)/transfer", ["reason": "ticket 4711"])
            try await world.simulator.advance(by: .month)
            try await world.waitUntilIdle()
            let events = try await world.api.get("/v1/events")
            let data = events.items.compactMap { $0["data"] as? [String: Any] }
            #expect(data.contains { $0["customer"] as? String == "ben" && $0["transaction"] != nil }, "\(events.text)")
            #expect(!events.text.contains(anna), "\(events.text)")
        }
    }

    @Test func `Explanations and timelines say that a customer was erased`() async throws {
        try await Self.run { world in
            func sentences(_ customer: String) async throws -> (explanation: String, timeline: [String]) {
                let path = "/v1/customers/\(customer)"
                let explanation = try await world.api.get(path + "/entitlements/premium/explain")
                let timeline = try await world.api.get(path + "/timeline").items
                return (
                    explanation["sentence"] as? String ?? "", timeline.compactMap { $0["sentence"] as? String }
                )
            }
            let (anna, original) = try await TransferRouteTests.bought(world)
            let transfer = "/purchases/\(original)/transfer"
            _ = try await world.api.post("/v1/customers/ben" + transfer, ["reason": "ticket 4711"])
            _ = try await world.api.send("DELETE", "/v1/customers/ben")
            let former = try await sentences(anna)
            let product = "com.example.premium.monthly"
            #expect(former.explanation.hasPrefix("\(product) was transferred to an erased customer on "), "\(former)")
            #expect(former.timeline.contains("The purchase \(original) was transferred to an erased customer."))
            let claims = try await world.api.get("/v1/customers/\(anna)/claims")
            #expect(claims.items.map { $0["reason"] as? String } == ["erased"], "\(claims.text)")
            #expect(claims.items.allSatisfy { ($0["owners"] as? [Any])?.isEmpty == true }, "\(claims.text)")
            let entries = try await world.api.get("/v1/customers/\(anna)/timeline")
            #expect(!entries.text.contains("erased:"), "\(entries.text)")
            _ = try await world.api.post("/v1/customers/dora" + transfer, ["reason": "ticket 4712"])
            let gained = "The purchase \(original) was transferred to this customer from an erased customer."
            let next = try await sentences("dora")
            #expect(next.timeline.contains(gained), "\(next)")
            let linked = try await world.api.get("/v1/customers/dora/timeline").items
                .first { $0["sentence"] as? String == gained }
            #expect(linked?["type"] as? String == "purchase.linked" && (linked?["from"] as? [Any])?.isEmpty == true)

            let carol = try await world.subscribe("carol")
            _ = try await world.api.send("DELETE", "/v1/customers/\(carol)")
            let erased = try await sentences(carol)
            #expect(erased.explanation.hasPrefix("\(product) lost its owner on "), "\(erased)")
            #expect(erased.explanation.hasSuffix(": the customer was erased."))
            #expect(erased.timeline.contains { $0.hasSuffix(" lost its owner: this customer was erased.") })
        }
    }

    @Test func `The console says that the owner was erased, without a link to the placeholder`() async throws {
        try await World.withConsole { world, browser in
            let (anna, original) = try await TransferRouteTests.bought(world)
            let transfer = "/v1/customers/ben/purchases/\(original)/transfer"
            _ = try await world.api.post(transfer, ["reason": "ticket 4711"])
            _ = try await world.api.send("DELETE", "/v1/customers/ben")
            let former = try await browser.get("/console/customers/\(anna)").text
            #expect(former.contains("an erased customer") && former.contains("the customer was erased"))
            let transaction = try await browser.get("/console/transactions/\(original)").text
            #expect(transaction.contains("or the customer was erased"))
            let found = try await browser.get("/console/customers?q=\(original)").text
            for page in [former, transaction, found] { #expect(!page.contains("erased:")) }
        }
    }

    @Test(arguments: [true, false])
    func `A report that is overtaken by an erasure is answered with 409 and claims nothing`(_ restore: Bool)
        async throws
    {
        try await AppStoreProxy.run { proxy in
            try await World.run(server: { configuration in
                TestAPIClient.configure(&configuration)
                proxy.redirectRequests(in: &configuration)
            }) { world in
                try world.simulator.add(Fault("notification:*", .drop))
                let outcome = try await world.simulator.perform(
                    .purchase(customer: "anna", product: "com.example.premium.monthly", appAccountToken: .absent))
                let id = try #require(outcome.transactionID)
                let texts = try await world.signedTransactions(of: id)
                let body: [String: Any] = ["signed_transactions": texts, "restore": restore]
                let path = "/v1/customers/person-anna"
                proxy.setAnswer { requested in
                    guard requested.contains("/history/") else { return nil }
                    _ = try await world.api.send("DELETE", path)
                    return nil
                }
                let overtaken = try await world.api.post(path + "/purchases", body)
                #expect(overtaken.status == 409 && overtaken.code == "customer_erased", "\(overtaken.text)")
                let owners = try await world.server.core.storage.owners(of: id, in: world.appEnvironment().id)
                #expect(owners.isEmpty, "\(owners)")
                #expect(!(try await world.storedCustomerData().contains("person-anna")))
                // A report that begins after the erasure is accepted, even at the same instant.
                proxy.setAnswer { _ in nil }
                let back = try await world.api.post(path + "/purchases", body)
                #expect((back["subscriptions"] as? [Any])?.count == 1, "\(back.text)")
            }
        }
    }

    @Test func `A claim that began before the erasure is refused with customer_erased`() async throws {
        try await Self.run { world in
            let id = try await Self.populate(world)
            _ = try await world.api.send("DELETE", "/v1/customers/person-anna")
            let (restores, appEnvironment) = (try world.server.core.restores, try world.appEnvironment())
            let error = await #expect(throws: ServiceFailure.self) {
                try await restores.claim(
                    [id], nil, for: "person-anna", in: appEnvironment, .everything, skipsRefused: true,
                    needsPurchase: true,
                    erasuresKnownUntil: .min)
            }
            #expect(error?.code == "customer_erased" && error?.kind == .conflict && error?.isRetryable == false)
            #expect(error?.message.contains("Sign them out") == true)
        }
    }

    @Test func `A report that began before the erasure does not merge the account token`() async throws {
        try await Self.run { world in
            let token = try await world.subscribe("anna")
            _ = try await world.api.send("DELETE", "/v1/customers/person-anna")
            let (restores, appEnvironment) = (try world.server.core.restores, try world.appEnvironment())
            let error = await #expect(throws: ServiceFailure.self) {
                try await restores.mergeAccount(
                    token, into: "person-anna", in: appEnvironment, erasuresKnownUntil: .min)
            }
            #expect(error?.code == "customer_erased")
            #expect(!(try await world.storedCustomerData().contains("person-anna")))
            let answer = try await world.api.get("/v1/customers/\(token)")
            #expect((answer["subscriptions"] as? [Any])?.count == 1)
        }
    }

    @Test(arguments: ServerConfiguration.RestorePolicy.allCases)
    func `A purchase of an erased customer can be restored under every policy`(
        _ policy: ServerConfiguration.RestorePolicy
    ) async throws {
        try await Self.run(policy: policy) { world in
            let id = try await Self.populate(world)
            _ = try await world.api.send("DELETE", "/v1/customers/person-anna")
            let texts = try await world.signedTransactions(of: id)
            let back = try await world.api.post(
                "/v1/customers/somebody/purchases", ["signed_transactions": texts, "restore": true])
            #expect(back.status == 200, "\(back.text)")
            #expect((back["subscriptions"] as? [Any])?.count == 1)
        }
    }
}
