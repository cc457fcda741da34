import AppStoreModels
import CounterfoilServer
import Entitlements
import Foundation
import StoreSimulator
import TestSupport
import Testing

@testable import Ledger

@Suite struct `Merging customers` {
    private static func merge(
        _ client: TestAPIClient, into customer: String, _ members: [String: Any]
    ) async throws -> TestAPIClient.Response {
        let body = try JSONSerialization.data(withJSONObject: members)
        return try await client.send("POST", "/v1/customers/\(customer)/merge", body: body)
    }

    private static func buy(_ world: World, _ product: String, token: UUID?) async throws -> String {
        let outcome = try await world.simulator.perform(
            .purchase(customer: "anna", product: product, appAccountToken: AppAccountToken(token)))
        try await world.waitUntilIdle()
        return try #require(outcome.transactionID)
    }

    @Test func `A merge gives one customer's claims, signed purchases and later purchases to the other`() async throws {
        try await World.withAPI { world in
            let token = UUID()
            let anonymous = token.uuidString.lowercased()
            let named = try await Self.buy(world, "com.example.unlock", token: token)
            let bought = try await Self.buy(world, "com.example.premium.monthly", token: nil)
            let body = ["app_transaction": try await world.appTransaction(of: bought)]
            let app = world.appClient(for: anonymous)
            let sent = try await app.send(
                "POST", "/v1/customers/\(anonymous)/purchases", body: JSONSerialization.data(withJSONObject: body))
            #expect((sent["subscriptions"] as? [Any])?.count == 1 && (sent["purchases"] as? [Any])?.count == 1)
            let members = ["from": anonymous, "from_token": app.token ?? ""]
            let answer = try await Self.merge(world.appClient(for: "account"), into: "account", members)
            #expect(answer.status == 200 && answer["id"] as? String == "account")
            #expect((answer["subscriptions"] as? [Any])?.count == 1 && (answer["purchases"] as? [Any])?.count == 1)
            let remaining = try await world.api.get("/v1/customers/\(anonymous)")
            #expect(
                (remaining["subscriptions"] as? [Any])?.isEmpty == true
                    && (remaining["purchases"] as? [Any])?.isEmpty == true)
            // A later purchase of the Apple account without an account token belongs to the merged customer.
            let later = try await Self.buy(world, "com.example.coins.100", token: nil)
            let read = try await world.api.get("/v1/customers/account")
            #expect(read.text.contains(later) && read.text.contains(named))
            // Repeating the merge changes nothing.
            let storage = try world.server.core.storage
            let events = try await world.api.get("/v1/customers/account/timeline").items.count
            let digest = try await storage.digest()
            #expect(try await Self.merge(world.appClient(for: "account"), into: "account", members).status == 200)
            #expect(try await storage.digest() == digest)
            #expect(try await world.api.get("/v1/customers/account/timeline").items.count == events)
        }
    }

    @Test func `A merge moves grants, and the grant events lose the former name when it is erased`() async throws {
        try await World.withAPI { world in
            let body = try JSONSerialization.data(
                withJSONObject: ["entitlement": "premium", "reason": "the outage of May", "actor": "maria"])
            let created = try await world.api.send("POST", "/v1/customers/nobody/grants", body: body)
            #expect(created.status == 201)
            for _ in 0..<2 {
                #expect(try await Self.merge(world.api, into: "account", ["from": "nobody"]).status == 200)
            }
            #expect(try await TransferRouteTests.hasAccess(world, "account"))
            #expect(try await !TransferRouteTests.hasAccess(world, "nobody"))
            #expect(try await world.api.get("/v1/customers/nobody/grants").isEmptyList)
            #expect(try await world.api.get("/v1/customers/account/grants").items.count == 1)
            // The grant's events contain the former name until it is erased.
            #expect(try await world.storedCustomerData().contains("nobody"))
            #expect(try await world.api.send("DELETE", "/v1/customers/nobody").status == 200)
            #expect(try await TransferRouteTests.hasAccess(world, "account"))
            #expect(!(try await world.storedCustomerData().contains("nobody")))
        }
    }

    @Test func `A session's customer can be merged into an account`() async throws {
        try await World.withAPI { world in
            try world.simulator.add(Fault("notification:*", .drop))
            let outcome = try await world.simulator.perform(
                .purchase(
                    customer: "anna", product: "com.example.unlock", appAccountToken: .absent, device: "phone"))
            let device = try world.simulator.core.contents(of: "phone", of: "anna", in: .production)
            let session = try await TestAPIClient(url: world.url, key: TestAPIClient.publicKey).send(
                "POST", "/v1/sessions",
                body: JSONSerialization.data(
                    withJSONObject: ["app_transaction": try #require(device.signedAppTransactionInfo)]))
            let name = try #require(session["customer"] as? String)
            let token = try #require(session["token"] as? String)
            let texts = device.all.map(\.signedTransactionInfo)
            _ = try await TestAPIClient(url: world.url, key: TestAPIClient.publicKey, token: token).send(
                "POST", "/v1/customers/\(name)/purchases",
                body: JSONSerialization.data(withJSONObject: ["signed_transactions": texts]))
            let answer = try await Self.merge(
                world.appClient(for: "anna"), into: "anna", ["from": name, "from_token": token])
            let bought = try #require(outcome.transactionID)
            #expect(answer.status == 200 && answer.text.contains(bought))
        }
    }

    @Test func `A merge with a public key needs the tokens of both customers`() async throws {
        try await World.withAPI { world in
            let from = try await world.subscribe("anna")
            let proof = try #require(world.appClient(for: from).token)
            let account = world.appClient(for: "account")
            let refusals: [([String: Any], Int, String)] = [
                (["from": from], 403, "forbidden"), (["from": "otto", "from_token": proof], 403, "forbidden"),
                (["from": from, "from_token": account.token ?? ""], 403, "forbidden"),
                (["from": from, "from_token": "e30.e30.e30"], 400, "from_token_invalid"),
                (["from": from, "from_token": ""], 400, "from_token_invalid"),
                (["from": "", "from_token": proof], 400, "invalid_customer"),
                (["from": "jose\u{301}", "from_token": proof], 400, "invalid_customer"),
                (["from_token": proof], 400, "bad_json"), (["from": 7, "from_token": proof], 400, "bad_json"),
            ]
            for (members, status, type) in refusals {
                let answer = try await Self.merge(account, into: "account", members)
                #expect(answer.status == status && answer.code == type, "\(members): \(answer.text)")
            }
            // The target is not the customer of the token.
            let members: [String: Any] = ["from": from, "from_token": proof]
            #expect(try await Self.merge(account, into: "otto", members).status == 403)
            let old = Int64(World.start.timeIntervalSince1970) - 90_000
            let expired = TestAPIClient.token(claims: #"{"sub":"\#(from)","iat":\#(old),"exp":\#(old + 3600)}"#)
            let late = try await Self.merge(account, into: "account", ["from": from, "from_token": expired])
            #expect(late.status == 400 && late.code == "from_token_expired")
            #expect((try await world.api.get("/v1/customers/\(from)")["subscriptions"] as? [Any])?.count == 1)
            // A backend's key needs no proof.
            #expect(try await Self.merge(world.api, into: "account", ["from": from]).status == 200)
            #expect((try await world.api.get("/v1/customers/account")["subscriptions"] as? [Any])?.count == 1)
            // Merging a customer into itself changes nothing.
            #expect(try await Self.merge(world.api, into: "account", ["from": "account"]).status == 200)
            #expect((try await world.api.get("/v1/customers/account")["subscriptions"] as? [Any])?.count == 1)
        }
    }

    /// Makes random claims and merges in two separate ledgers. Importing both exports in any order gives the same
    /// ledger.
    @Test(arguments: 0..<8 as Range<UInt64>)
    func `Importing exports with merges in any order gives the same ledger`(_ seed: UInt64) async throws {
        try await Tool.inTemporaryFolder { folder in
            var random = SeededGenerator(seed: seed)
            var files: [URL] = []
            for number in 0..<2 {
                let ledger = try await TestLedger(in: folder)
                for step in 0..<12 {
                    let names = ["anna", "ben", "cleo"].shuffled(using: &random)
                    let instant = Int64(step / 3)
                    if Bool.random(using: &random) {
                        _ = try await ledger.storage.merge(
                            names[0], into: names[1], in: ledger.appEnvironment.id, at: instant)
                    } else {
                        let policy = ServerConfiguration.RestorePolicy.allCases.randomElement(using: &random)
                        let claim = Claim(
                            customer: names[0], scope: ledger.appEnvironment.id,
                            originalTransactionIDs: ["\(Int.random(in: 1...3, using: &random))"],
                            appTransactionID: Bool.random(using: &random) ? "a" : nil, policy: policy ?? .share,
                            overridesNamedAccount: true, claimedAt: instant)
                        _ = try await ledger.storage.claim(claim) { _ in false }
                    }
                }
                let file = folder.appending(path: "\(number).jsonl")
                try await ledger.export(to: file)
                files.append(file)
            }
            let verifier = try await RandomStoreHistory.shared.value.verifier
            var digests: Set<String> = []
            for order in [files, files.reversed(), files + files] {
                let ledger = try await TestLedger(in: folder)
                for file in order {
                    _ = try await ledger.importFile(file, verifiedBy: verifier)
                }
                digests.insert(try await ledger.storage.digest())
            }
            #expect(digests.count == 1)
        }
    }
}
