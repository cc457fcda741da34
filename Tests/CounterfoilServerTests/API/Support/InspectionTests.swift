import AppStoreModels
import CounterfoilServer
import Entitlements
import Foundation
import StoreSimulator
import Testing

@testable import Ledger
@testable import LedgerServices

@Suite struct `Search` {
    @Test func `A notification with a UUID in upper case is found by search and by its routes`() async throws {
        try await World.withAPI { world in
            let uuid = "71A9F1FE-B72C-469B-9126-85EB294665E0"
            let information = world.simulator.information
            let signed = Int64(World.start.timeIntervalSince1970 * 1000)
            let payload = """
                {"notificationType":"TEST","notificationUUID":"\(uuid)","version":"2.0","signedDate":\(signed),\
                "data":{"bundleId":"\(information.bundleID)","appAppleId":\(information.appAppleID),\
                "environment":"Production"}}
                """
            let text = try world.simulator.core.authority.signer.sign(json: Array(payload.utf8))
            let body = Data(#"{"signedPayload":"\#(text)"}"#.utf8)
            #expect(try await world.api.send("POST", "/apple/notifications", body: body).status == 200)
            try await world.waitUntilIdle()
            #expect(try await world.api.get("/v1/notifications").items.first?["uuid"] as? String == uuid)
            #expect(try await world.api.get("/v1/notifications/\(uuid)")["uuid"] as? String == uuid)
            #expect(try await world.api.send("POST", "/v1/notifications/\(uuid)/reprocess").status == 202)
            #expect(try await world.api.get("/v1/search?q=\(uuid)").items.first?["id"] as? String == uuid)
        }
    }

    @Test func `Search finds transactions, notifications, customers and events, and lists what it tried`() async throws
    {
        try await World.withAPI { world in
            let anna = try await world.subscribe("anna")
            let reading = try await world.server.core.customers.customer(anna, in: world.appEnvironment(), at: nil)
            let transaction = try #require(reading.facts.transactions.first?.transactionID)
            let found = try await world.api.get("/v1/search?q=\(transaction)")
            #expect(found.items.first?["kind"] as? String == "original_transaction")
            #expect(found.items.first?["customers"] as? [String] == [anna])
            let uuid = try #require(try await world.api.get("/v1/notifications").items.first?["uuid"] as? String)
            let byUUID = try await world.api.get("/v1/search?q=\(uuid.uppercased())")
            #expect(byUUID.items.compactMap { $0["kind"] as? String } == ["notification"])
            let byName = try await world.api.get("/v1/search?q=%20\(anna)%20")
            #expect(byName.items.compactMap { $0["kind"] as? String } == ["customer"])
            let data = try #require(try await world.api.get("/v1/events").items.first?["data"] as? [String: Any])
            let event = try #require(data["id"] as? String)
            #expect(try await world.api.get("/v1/search?q=\(event)").items.first?["kind"] as? String == "event")
            let order = try await world.api.get("/v1/search?q=MVTEST12345")
            #expect(order.items.isEmpty)
            let tried = try #require(order["tried"] as? [[String: Any]]).compactMap { $0["kind"] as? String }
            #expect(tried == ["customer", "order"])
        }
    }

    @Test func `Search finds a customer whose ID begins with a space`() async throws {
        try await World.withAPI { world in
            let outcome = try await world.simulator.perform(
                .purchase(customer: "anna", product: "com.example.premium.monthly", appAccountToken: .absent))
            try await world.waitUntilIdle()
            let texts = try await world.signedTransactions(of: try #require(outcome.transactionID))
            let claimed = try await world.api.post("/v1/customers/%20anna/purchases", ["signed_transactions": texts])
            #expect(claimed.status == 200, "\(claimed.text)")
            let found = try await world.api.get("/v1/search?q=%20anna")
            #expect(found.items.compactMap { $0["id"] as? String } == [" anna"])
            #expect(try await world.api.get("/v1/search?q=anna").isEmptyList)
        }
    }

    @Test func `Search returns nothing of environments that the key does not allow`() async throws {
        try await World.withAPI { configuration in
            configuration.keys.append(
                .init(
                    name: "sandbox", hash: APIKeyText.hash(of: "sandbox"), scopes: [.supportRead],
                    environments: [.sandbox]))
        } _: { world in
            let anna = try await world.subscribe("anna")
            var api = world.api
            api.key = "sandbox"
            #expect(try await api.get("/v1/search?q=\(anna)").isEmptyList)
            #expect(try await world.api.get("/v1/search?q=").status == 400)
            let refused = try await world.api.get("/v1/search?q=a%01b")
            #expect(refused.status == 400 && refused.text.contains("control characters"))
            #expect(try await world.api.get("/v1/search").status == 400)
        }
    }
}

@Suite struct `The audit log` {
    @Test func `The audit log has each write and each refusal with a valid hash chain`() async throws {
        try await World.withAPI { world in
            let anna = try await world.subscribe("anna")
            let grant = ["entitlement": "premium", "reason": "goodwill", "actor": "tests"]
            _ = try await world.api.post("/v1/customers/\(anna)/grants", grant)
            _ = try await world.api.get("/v1/customers/\(anna)")
            var stranger = world.api
            stranger.key = "nobody's"
            #expect(try await stranger.get("/v1/notifications").status == 401)
            stranger.key = TestAPIClient.readerKey
            #expect(try await stranger.get("/v1/audit").status == 403)
            let items = try await world.api.get("/v1/audit").items
            #expect(
                items.compactMap { $0["action"] as? String }
                    == ["GET /v1/audit", "GET /v1/notifications", "POST /v1/customers/{id}/grants"])
            #expect(
                items.compactMap { ($0["result"] as? String)?.prefix(3) } == ["403", "401", "201"])
            #expect(items.last?["target"] as? String == anna)
            #expect(items.allSatisfy { $0["is_chained"] as? Bool == true })
            let table = try await world.api.get("/v1/audit?format=csv")
            #expect(table.text.hasPrefix("id,at,actor"))
        }
    }

    @Test func `With "audit_reads" the audit log has each read of a customer with a backend key`() async throws {
        try await World.withAPI(server: { $0.console.auditsReads = true }) { world in
            let anna = try await world.subscribe("anna")
            for path in ["/v1/customers/\(anna)", "/v1/notifications", "/v1/customers/\(anna)"] {
                #expect(try await world.api.get(path).status == 200)
            }
            let items = try await world.api.get("/v1/audit").items
            #expect(items.map { $0["action"] as? String } == ["GET /v1/customers/{id}", "GET /v1/customers/{id}"])
            #expect(items.allSatisfy { $0["target"] as? String == anna })
        }
    }

    @Test func `The audit log has a session that was refused because of its key`() async throws {
        try await World.withAPI { world in
            var stranger = world.api
            stranger.key = "nobody's"
            #expect(try await stranger.post("/v1/sessions", ["app_transaction": "any"]).status == 401)
            stranger.key = TestAPIClient.readerKey
            #expect(try await stranger.post("/v1/sessions", ["app_transaction": "any"]).status == 403)
            let items = try await world.api.get("/v1/audit").items
            #expect(items.compactMap { $0["action"] as? String } == ["POST /v1/sessions", "POST /v1/sessions"])
            #expect(items.compactMap { $0["actor"] as? String } == ["reader", "nobody"])
        }
    }

    @Test func `The audit log has each refused request for metrics, and no other`() async throws {
        try await World.withAPI { world in
            var stranger = world.api
            stranger.key = "nobody's"
            #expect(try await stranger.get("/metrics").status == 401)
            stranger.key = TestAPIClient.readerKey
            #expect(try await stranger.get("/metrics").status == 403)
            #expect(try await world.api.get("/metrics").status == 200)
            let items = try await world.api.get("/v1/audit").items
            #expect(items.compactMap { $0["action"] as? String } == ["GET /metrics", "GET /metrics"])
            #expect(items.compactMap { $0["actor"] as? String } == ["reader", "nobody"])
            #expect(items.compactMap { ($0["result"] as? String)?.prefix(3) } == ["403", "401"])
        }
    }

    @Test func `The audit log shortens what a request without a key names, also a letter with many accents`()
        async throws
    {
        try await World.withAPI { world in
            var stranger = world.api
            stranger.key = "nobody's"
            let name = "e" + String(repeating: "%CC%81", count: 600)
            #expect(try await stranger.get("/v1/customers/\(name)?app=\(name)").status == 401)
            let entry = try #require(try await world.api.get("/v1/audit").items.first)
            let (target, detail) = (try #require(entry["target"] as? String), try #require(entry["detail"] as? String))
            #expect(target.unicodeScalars.count == 255 && detail.unicodeScalars.count == 600)
        }
    }

    @Test func `The audit log has its own export as CSV, by the parameter and by the header`() async throws {
        try await World.withAPI { world in
            for (number, (query, accept)) in [("?format=csv", ""), ("", "text/csv")].enumerated() {
                let headers = accept.isEmpty ? [] : [(name: "Accept", value: accept)]
                let table = try await world.api.send("GET", "/v1/audit" + query, headers: headers)
                #expect(table.text.hasPrefix("id,at,actor"))
                let items = try await world.api.get("/v1/audit").items
                #expect(items.map { $0["action"] as? String } == Array(repeating: "GET /v1/audit", count: number + 1))
            }
        }
    }

    @Test func `Each page of the audit log's CSV links to a next page of the same length`() async throws {
        try await World.withAPI { world in
            for name in ["anna", "ben", "carl", "dora", "emil"] {
                _ = try await world.api.post("/v1/customers/\(name)/usage", ["customer_consented": true])
            }
            var (path, lines) = ("/v1/audit?format=csv&limit=2", [Int]())
            while lines.count < 3 {
                let page = try await world.api.get(path)
                lines.append(page.text.split(whereSeparator: \.isNewline).count - 1)
                guard let link = page.headers["link"] else { break }
                path = String(link.dropFirst().prefix { $0 != ">" })
            }
            #expect(lines == [2, 2, 1])
        }
    }
}
