@testable import LedgerServices
import AppStoreModels
import CounterfoilServer
import Entitlements
import Foundation
import StoreSimulator
import Testing

@testable import Ledger

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
            #expect(try await world.api.get("/v1/search?q=anna").items.isEmpty)
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
            #expect(try await api.get("/v1/search?q=\(anna)").items.isEmpty)
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

    @Test func `The hash chain of the audit log shows where an entry was changed or removed`() {
        var (stored, last): ([StoredAuditEntry], Data) = ([], Data())
        for number in 1...5 {
            let entry = AuditEntry(at: Milliseconds(number), actor: "a", action: "POST /v1/x", result: "200")
            last = entry.digest(after: last)
            stored.append(StoredAuditEntry(id: Int64(number), entry: entry, digest: last))
        }
        #expect(StoredAuditEntry.breaks(in: stored).isEmpty)
        var changed = stored
        changed[2].entry.actor = "b"
        #expect(StoredAuditEntry.breaks(in: changed) == [3])
        var shortened = stored
        shortened.remove(at: 2)
        #expect(StoredAuditEntry.breaks(in: shortened) == [4])
        // A missing value and an empty one have different digests.
        changed = stored
        changed[4].entry.session = ""
        #expect(StoredAuditEntry.breaks(in: changed) == [5])
    }
}

@Suite struct `Decoding` {
    @Test func `Decoding verifies a notification and its parts, and names the customers`() async throws {
        try await World.withAPI { world in
            let anna = try await world.subscribe("anna")
            let uuid = try #require(try await world.api.get("/v1/notifications").items.first?["uuid"] as? String)
            let stored = try await world.api.get("/v1/notifications/\(uuid)?include=signed_data")
            let text = try #require(stored["signed_data"] as? String)
            for body in [text, #"{"signedPayload":"\#(text)"}"#, " \(text)\n"] {
                let answer = try await world.api.send("POST", "/v1/decode", body: Data(body.utf8))
                #expect(answer.status == 200)
                #expect(answer["kind"] as? String == "notification")
                #expect(answer["is_proven"] as? Bool == true)
                let known = try #require(answer["known"] as? [String: Any])
                #expect(known["id"] as? String == uuid)
                let parts = try #require(answer["parts"] as? [[String: Any]])
                #expect(parts.map { $0["is_proven"] as? Bool } == [true, true])
            }
            let transaction = try #require(
                try await world.server.core.customers.customer(anna, in: world.appEnvironment(), at: nil)
                    .facts.transactions.first?.transactionID)
            let signed = try #require(try await world.signedTransactions(of: transaction).first)
            let answer = try await world.api.send("POST", "/v1/decode", body: Data(signed.utf8))
            #expect((answer["known"] as? [String: Any])?["customers"] as? [String] == [anna])
            #expect((answer["known"] as? [String: Any])?["differences"] as? [[String: String]] == [])
            // After a refund the text is outdated.
            try await world.simulator.advance(by: 60)
            world.simulator.configure { $0.refundDecision = .byCommand }
            try await world.simulator.perform(.requestRefund(customer: "anna"))
            try await world.simulator.perform(.approveRefund(customer: "anna"))
            try await world.waitUntilIdle()
            let old = try await world.api.send("POST", "/v1/decode", body: Data(signed.utf8))
            let known = try #require(old["known"] as? [String: Any])
            let differences = try #require(known["differences"] as? [[String: String]])
            // Every member that differs in the newest text is listed.
            let members = Set(differences.compactMap { $0["member"] })
            #expect(members.isSuperset(of: ["signedDate", "revocationDate", "revocationReason"]), "\(members)")
            #expect(!members.contains("productId") && !members.contains("price"))
            let date = differences.first { $0["member"] == "revocationDate" }
            #expect(date?["shown"] == "none" && date?["kept"]?.hasPrefix("20") == true)
        }
    }

    @Test func `Decoding names the marker extensions of the certificate chain`() async throws {
        try await World.withAPI { world in
            _ = try await world.subscribe("anna")
            let uuid = try #require(try await world.api.get("/v1/notifications").items.first?["uuid"] as? String)
            let stored = try await world.api.get("/v1/notifications/\(uuid)?include=signed_data")
            let text = try #require(stored["signed_data"] as? String)
            let answer = try await world.api.send("POST", "/v1/decode", body: Data(text.utf8))
            let names = (answer["checks"] as? [[String: Any]] ?? []).compactMap { $0["name"] as? String }
            #expect(names.firstIndex(of: "names").map { names[$0 + 1] } == "chain_signatures")
            let trace = try #require(answer["verification"] as? [String: Any])
            let certificates = trace["certificates"] as? [[String: Any]] ?? []
            #expect(
                certificates.map { $0["markers"] as? [String] } == [
                    ["1.2.840.113635.100.6.11.1"], ["1.2.840.113635.100.6.2.1"], [],
                ])
        }
    }

    @Test func `Decoding verifies an offer signature in the original format`() async throws {
        try await World.withAPI { world in
            let anna = try await world.subscribe("anna")
            let offer = ["product_id": "com.example.premium.monthly", "offer_id": "save20", "format": "original"]
            let signed = try await world.api.post("/v1/customers/\(anna)/offers/promotional", offer)
            #expect(signed.status == 200)
            let answer = try await world.api.send("POST", "/v1/decode", body: Data(signed.text.utf8))
            #expect(answer["kind"] as? String == "offer_signature" && answer["is_proven"] as? Bool == true)
            let alone = try await world.api.send(
                "POST", "/v1/decode", body: Data(try #require(signed["signature"] as? String).utf8))
            #expect(alone["kind"] as? String == "offer_signature" && alone["code"] as? String == "incomplete")
            #expect(alone["is_proven"] as? Bool == false)
            func code(_ change: (inout String) -> Void) async throws -> String? {
                var text = signed.text
                change(&text)
                let answer = try await world.api.send("POST", "/v1/decode", body: Data(text.utf8))
                #expect(answer["is_proven"] as? Bool == false)
                return answer["code"] as? String
            }
            #expect(try await code { $0.replace("save20", with: "save90") } == "bad_signature")
            #expect(try await code { $0.replace("offer_id", with: "offer") } == "bad_json")
            let key = try #require(signed["key_id"] as? String)
            #expect(try await code { $0.replace(key, with: "ANOTHERKEY") } == "unknown_key")
            try await world.simulator.advance(by: 2 * 86_400)
            #expect(try await code { _ in } == "expired")
        }
    }

    @Test(arguments: ["original", "jws"])
    func `Decoding refuses an offer signature dated more than five minutes ahead`(_ format: String) async throws {
        try await World.withAPI { world in
            let anna = try await world.subscribe("anna")
            let now = world.simulator.core.now
            let offer = ["product_id": "com.example.premium.monthly", "offer_id": "save20", "format": format]
            let signed = try await world.api.post("/v1/customers/\(anna)/offers/promotional", offer)
            try #require(signed.status == 200, "\(signed.text)")
            let text = signed["jws"] as? String ?? signed.text
            for (seconds, code) in [(-302, "not_yet_valid"), (-298, nil), (0, nil)] as [(Double, String?)] {
                let decoder = try PastedDataDecoder(
                    world.configuration(), world.server.core.apps, .showing { now + seconds })
                let verdict = await decoder.verdict(Array(text.utf8), .init(), secrets: [:])
                #expect(verdict.code == code && verdict.isProven == (code == nil), "\(seconds)")
            }
        }
    }

    @Test func `Decoding names the check that a forged text fails and shows its claims as not proven`() async throws {
        try await World.withAPI { world in
            _ = try await world.subscribe("anna")
            let uuid = try #require(try await world.api.get("/v1/notifications").items.first?["uuid"] as? String)
            let stored = try await world.api.get("/v1/notifications/\(uuid)?include=signed_data")
            var parts = try #require(stored["signed_data"] as? String).split(separator: ".").map(String.init)
            parts[1] = Data(#"{"notificationType":"FORGED"}"#.utf8).base64EncodedString()
                .replacingOccurrences(of: "=", with: "")
            let answer = try await world.api.send("POST", "/v1/decode", body: Data(parts.joined(separator: ".").utf8))
            #expect(answer["is_proven"] as? Bool == false)
            #expect(answer["code"] as? String == "bad_signature")
            #expect((answer["payload"] as? [String: Any])?["notificationType"] as? String == "FORGED")
            #expect(answer["known"] == nil)
            let checks = try #require(answer["checks"] as? [[String: Any]])
            let results = Dictionary(
                uniqueKeysWithValues: checks.map { ($0["name"] as? String ?? "", $0["result"] as? String ?? "") })
            #expect(results["chain_signatures"] == "passed")
            #expect(results["signature"] == "failed")
            #expect(results["dates"] == "not_reached")
        }
    }

    @Test func `Decoding refuses a webhook with an extreme timestamp`() async throws {
        try await World.withAPI(server: { $0.webhooks = [World.webhook("backend", "http://127.0.0.1:9/")] }) { world in
            for time in [Int64.max, Int64.max - 1, Int64.min] {
                let text = "webhook-id: evt_1\nwebhook-timestamp: \(time)\nwebhook-signature: v1,AAAA\n\n{}"
                let answer = try await world.api.send("POST", "/v1/decode", body: Data(text.utf8))
                #expect(answer.status == 200 && answer["kind"] as? String == "webhook", "\(answer.text)")
                #expect(answer["is_proven"] as? Bool == false && answer.code == "bad_signature", "\(answer.text)")
            }
        }
    }

    @Test func `Decoding refuses a webhook whose time differs from now by more than five minutes`() async throws {
        try await World.withAPI(server: { $0.webhooks = [World.webhook("backend", "http://127.0.0.1:9/")] }) { world in
            let now = world.simulator.core.now
            for (seconds, code, note) in [
                (-302, "expired", "Older than five minutes: receivers refuse it now."), (-298, nil, nil),
                (298, nil, nil),
                (302, "not_yet_valid", "Dated more than five minutes in the future: receivers refuse it now."),
            ] as [(Double, String?, String?)] {
                let headers = WebhookSignature.headers(
                    id: "evt_1", date: now + seconds, body: Data("{}".utf8), secrets: [Secret(World.webhookSecret)])
                let text = headers.map { "\($0.name): \($0.value)\n" }.joined() + "\n{}"
                let answer = try await world.api.send("POST", "/v1/decode", body: Data(text.utf8))
                #expect(answer["is_proven"] as? Bool == (code == nil), "\(answer.text)")
                #expect(answer["code"] as? String == code, "\(answer.text)")
                let checks = try #require(answer["checks"] as? [[String: Any]])
                #expect(checks.last?["note"] as? String == note, "\(answer.text)")
            }
        }
    }

    @Test func `Decoding answers malformed texts with a verdict`() async throws {
        try await World.withAPI { world in
            for text in [
                "{", "eyJ9.eyJ9.x", "....", "-----BEGIN CERTIFICATE-----\nx", "MIIB", "\u{202E}", "[[[[", "{}",
                // Claims in UTF-16, and after a byte order mark.
                "eyJhIjoxfQ.ewAiAGEAIgA6ADEAfQA.AAAA", "eyJhIjoxfQ.77u_eyJhIjoxfQ.AAAA",
            ] {
                let answer = try await world.api.send("POST", "/v1/decode", body: Data(text.utf8))
                #expect(answer.status == 200, "\(text)")
                #expect(answer["is_proven"] as? Bool == false, "\(text)")
            }
            #expect(try await world.api.send("POST", "/v1/decode", body: Data(count: 5 << 20)).status == 413)
        }
    }
}
