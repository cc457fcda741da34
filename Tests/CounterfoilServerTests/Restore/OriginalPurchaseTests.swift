import AppStoreModels
import AppStoreServer
import CounterfoilServer
import Entitlements
import Foundation
import StoreSimulator
import Synchronization
import TestSupport
import Testing

@testable import Ledger
@testable import LedgerServices

/// Tests an app that became free with version 2.0. Early customers report their app transaction or an old receipt.
@Suite struct `Customers who bought the app before it was free` {
    static let path = "/v1/customers/anna/purchases"

    static func run(
        _ rule: OriginalPurchaseRule = .init(version: AppVersion("2.0")),
        policy: ServerConfiguration.RestorePolicy = .transfer, _ body: (World) async throws -> Void
    ) async throws {
        try await World.run(
            simulator: { $0.createsReceiptAuthorityAtStart = true },
            server: { configuration in
                TestAPIClient.configure(&configuration)
                configuration.apps[0].restorePolicy = policy
                configuration.apps[0].catalogue.originalPurchaseRules = ["premium": rule]
            }
        ) { world in
            try await world.simulator.perform(.releaseVersion(version: "2.0"))
            try await body(world)
        }
    }

    private static func premium(_ answer: TestAPIClient.Response) throws -> [String: Any] {
        try #require((answer["entitlements"] as? [[String: Any]])?.first { $0["key"] as? String == "premium" })
    }

    @Test(arguments: [("1.9", true), ("1.10", true), ("2.0", false), ("2", false), (nil, false)])
    func `An entitlement is active for customers whose first version is before the configured one`(
        _ version: String?, _ isEarly: Bool
    ) async throws {
        try await Self.run { world in
            try await world.simulator.perform(.createCustomer(customer: "anna", firstVersion: version))
            let before = try Self.premium(try await world.api.get("/v1/customers/anna"))
            #expect(before["is_active"] as? Bool == false)
            #expect(before["details"] as? [String] == ["original_purchase_unknown"])
            let text = try world.appTransaction(ofCustomer: "anna")
            let answer = try await world.api.post(Self.path, ["app_transaction": text])
            #expect(answer.status == 200, "\(answer.text)")
            let premium = try Self.premium(answer)
            #expect(premium["is_active"] as? Bool == isEarly)
            #expect(premium["details"] as? [String] == (isEarly ? ["bought_before"] : []))
            let original = try #require(answer["original_purchase"] as? [String: Any])
            #expect(original["application_version"] as? String == version ?? "2.0")
            #expect(original["purchase_date"] as? Int == Int(World.start.milliseconds))
            // A later request gives the same answer.
            #expect(
                try await world.api.get("/v1/customers/anna").text == answer.text.truncatedObject(before: ",\"kept\""))
        }
    }

    @Test func `An entitlement can depend on the date of the first purchase`() async throws {
        let boundary = World.start - 86_400
        try await Self.run(.init(date: boundary)) { world in
            for (name, date) in [("anna", boundary - 0.001), ("ben", boundary)] {
                try await world.simulator.perform(
                    .createCustomer(customer: name, firstPurchaseDate: date))
                let answer = try await world.api.post(
                    "/v1/customers/\(name)/purchases",
                    ["app_transaction": try world.appTransaction(ofCustomer: name)])
                #expect(try Self.premium(answer)["is_active"] as? Bool == (name == "anna"))
            }
            let refused = await #expect(throws: StoreError.self) {
                try await world.simulator.perform(
                    .createCustomer(customer: "carl", firstPurchaseDate: World.start + 0.001))
            }
            #expect(refused?.code == .invalidArgument)
        }
    }

    @Test func `The explanation contains the app transaction and its certificates, and the timeline shows it`()
        async throws
    {
        try await Self.run { world in
            try await world.simulator.perform(.createCustomer(customer: "anna", firstVersion: "1.4"))
            let text = try world.appTransaction(ofCustomer: "anna")
            _ = try await world.api.post(Self.path, ["app_transaction": text])
            let why = try await world.api.get("/v1/customers/anna/entitlements/premium/explain?include=signed_data")
            #expect(why["rule"] as? String == "bought_before" && why["is_active"] as? Bool == true)
            let original = try #require(why["original_purchase"] as? [String: Any])
            #expect(original["finding"] as? String == "before" && original["kind"] as? String == "app_transaction")
            #expect(original["signed_data"] as? String == text)
            #expect((original["verification"] as? [String: Any])?["certificates"] as? [Any] != nil)
            let entry = try #require(try await world.api.get("/v1/customers/anna/timeline").items.first)
            #expect(entry["type"] as? String == "app.purchased")
            #expect(entry["sentence"] as? String == "The customer first got the app, at version 1.4.")
            let nobody = try await world.api.get("/v1/customers/ben/entitlements/premium/explain")
            #expect((nobody["original_purchase"] as? [String: Any])?["finding"] as? String == "nothing_known")
        }
    }

    @Test func `A receipt proves an early purchase for one customer, according to the restore policy`() async throws {
        try await Self.run { world in
            try await world.simulator.perform(.createCustomer(customer: "anna", firstVersion: "1.4"))
            let receipt = ["receipt": try world.simulator.receipt(of: "anna")]
            let anna = try await world.api.post(Self.path, receipt)
            #expect(try Self.premium(anna)["is_active"] as? Bool == true, "\(anna.text)")
            try await world.simulator.advance(by: 60)
            let instant = world.simulator.now
            try await world.simulator.advance(by: 60)
            // One receipt entitles one customer at a time.
            let ben = try await world.api.post("/v1/customers/ben/purchases", receipt)
            #expect(try Self.premium(ben)["is_active"] as? Bool == true)
            let after = try await world.api.get("/v1/customers/anna")
            #expect(try Self.premium(after)["is_active"] as? Bool == false && after["original_purchase"] == nil)
            let past = try await world.api.get("/v1/customers/anna?at=\(instant.milliseconds)")
            #expect(try Self.premium(past)["is_active"] as? Bool == true)
        }
        try await Self.run(policy: .keepOriginal) { world in
            try await world.simulator.perform(.createCustomer(customer: "anna", firstVersion: "1.4"))
            let receipt = ["receipt": try world.simulator.receipt(of: "anna")]
            _ = try await world.api.post(Self.path, receipt)
            let ben = try await world.api.post("/v1/customers/ben/purchases", receipt)
            #expect(try Self.premium(ben)["is_active"] as? Bool == false)
            #expect(try Self.premium(await world.api.get("/v1/customers/anna"))["is_active"] as? Bool == true)
        }
    }

    /// Anna's purchase has her account token. Another account of the app on her device reports it.
    @Test(arguments: [ServerConfiguration.RestorePolicy.transfer, .keepOriginal])
    func `A refused report of another customer leaves the claims on the Apple account unchanged`(
        _ policy: ServerConfiguration.RestorePolicy
    ) async throws {
        try await Self.run(policy: policy) { world in
            try await world.simulator.perform(.createCustomer(customer: "anna", firstVersion: "1.4"))
            let token = UUID()
            let outcome = try await world.simulator.perform(
                .purchase(
                    customer: "anna", product: "com.example.premium.monthly", appAccountToken: AppAccountToken(token)))
            let texts = try await world.signedTransactions(of: try #require(outcome.transactionID))
            let complete: [String: Any] = [
                "signed_transactions": texts, "app_transaction": try world.appTransaction(ofCustomer: "anna"),
            ]
            let receipt: [String: Any] = ["receipt": try world.simulator.receipt(of: "anna")]
            let anna = token.uuidString.lowercased()
            // With the policy `keepOriginal`, no customer has claimed the Apple account yet.
            let reports: [[String: Any]] =
                policy == .transfer ? [complete, receipt] : [["signed_transactions": texts]]
            for report in reports {
                #expect(try await world.api.post("/v1/customers/\(anna)/purchases", report).status == 200)
            }
            let (storage, scope) = (try world.server.core.storage, try world.appEnvironment().id)
            let accounts = try await storage.accounts(of: anna, in: scope)
            try #require(accounts.count == (policy == .transfer ? 2 : 0))
            for report in [complete, receipt] {
                let answer = try await world.api.post("/v1/customers/ben/purchases", report)
                #expect(answer.status == 409 && answer.code == "receipt_already_in_use", "\(answer.text)")
                #expect(try await storage.accounts(of: "ben", in: scope).isEmpty)
                #expect(try await storage.accounts(of: anna, in: scope) == accounts)
            }
            guard policy == .transfer else { return }
            let premium = try Self.premium(try await world.api.get("/v1/customers/\(anna)"))
            #expect((premium["details"] as? [String])?.contains("bought_before") == true)
        }
    }

    @Test func `With the policy "transfer if inactive", an account with an active early purchase is not transferred`()
        async throws
    {
        try await Self.run(policy: .transferIfInactive) { world in
            try await world.simulator.perform(.createCustomer(customer: "anna", firstVersion: "1.4"))
            let body = ["app_transaction": try world.appTransaction(ofCustomer: "anna")]
            #expect(try await world.api.post(Self.path, body).status == 200)
            let ben = try await world.api.post("/v1/customers/ben/purchases", body)
            #expect(ben.status == 409 && ben.code == "receipt_already_in_use", "\(ben.text)")
            // The report has no purchase that could belong to her.
            #expect(ben.text.contains("The Apple account belongs to another customer, and stays there"), "\(ben.text)")
            #expect(try Self.premium(await world.api.get("/v1/customers/anna"))["is_active"] as? Bool == true)
        }
    }

    @Test func `A Sandbox purchase is test data and counts only if the rule says so`() async throws {
        for countsTestData in [false, true] {
            let rule = OriginalPurchaseRule(version: AppVersion("2.0"), countsTestData: countsTestData)
            try await Self.run(rule) { world in
                try await world.simulator.perform(
                    .createCustomer(customer: "anna", firstVersion: "1.4"), in: .sandbox)
                let text = try world.appTransaction(ofCustomer: "anna", in: .sandbox)
                let answer = try await world.api.post(Self.path, ["app_transaction": text])
                #expect(answer["environment"] as? String == "Sandbox")
                let original = try #require(answer["original_purchase"] as? [String: Any])
                #expect(original["application_version"] as? String == "1.0")
                #expect(original["is_test_data"] as? Bool == true)
                let premium = try Self.premium(answer)
                #expect(premium["is_active"] as? Bool == countsTestData)
                #expect(
                    premium["details"] as? [String] == [countsTestData ? "bought_before" : "original_purchase_unknown"])
            }
        }
    }
}

extension World {
    /// Returns the app transaction on the customer's device. The customer need not have bought anything in the app.
    func appTransaction(
        ofCustomer name: String, in environment: AppStoreEnvironment = .production
    ) throws -> String {
        let payload = try simulator.core.read(environment) { store, now in
            store.appTransaction(of: try store.customer(name), at: now)
        }
        return try simulator.core.authority.signer.sign(payload)
    }
}

extension String {
    /// Returns the text before `text` and a closing brace: a JSON object without its last members.
    fileprivate func truncatedObject(before text: String) -> String {
        (range(of: text).map { String(self[..<$0.lowerBound]) } ?? self) + "}"
    }
}
