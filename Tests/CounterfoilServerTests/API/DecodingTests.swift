import AppStoreModels
import CounterfoilServer
import Entitlements
import Foundation
import StoreSimulator
import Testing

@testable import Ledger
@testable import LedgerServices

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
                #expect(parts.map { $0["kind"] as? String } == ["transaction", "renewal_info"])
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

    @Test func `A key of one app learns nothing about another app by decoding`() async throws {
        try await World.withAPI { configuration in
            configuration.apps.append(.init(bundleID: "com.example.other", environments: [.sandbox]))
            configuration.keys.append(
                .init(
                    name: "other", hash: APIKeyText.hash(of: "other"), scopes: [.supportRead],
                    apps: ["com.example.other"]))
        } _: { world in
            let anna = try await world.subscribe("anna")
            let app = world.simulator.information.bundleID
            let other = TestAPIClient(url: world.url, key: "other")
            var texts: [(text: String, code: String)] = []
            for format in ["original", "jws"] {
                let offer = ["product_id": "com.example.premium.monthly", "offer_id": "save20", "format": format]
                let signed = try await world.api.post("/v1/customers/\(anna)/offers/promotional?app=\(app)", offer)
                try #require(signed.status == 200, "\(signed.text)")
                texts.append((signed["jws"] as? String ?? signed.text, "unknown_key"))
            }
            // Names its app in another part of the payload.
            try await world.simulator.perform(.rescindConsent(customer: "anna"))
            try await world.waitUntilIdle()
            let notifications = try await world.api.get("/v1/notifications").items
            try #require(notifications.contains { $0["type"] as? String == "RESCIND_CONSENT" })
            for notification in notifications {
                let uuid = try #require(notification["uuid"] as? String)
                let stored = try await world.api.get("/v1/notifications/\(uuid)?include=signed_data")
                texts.append((try #require(stored["signed_data"] as? String), "wrong_app"))
            }
            for (text, code) in texts {
                let proven = try await world.api.send("POST", "/v1/decode", body: Data(text.utf8))
                #expect(proven["is_proven"] as? Bool == true, "\(proven.text)")
                let answer = try await other.send("POST", "/v1/decode", body: Data(text.utf8))
                #expect(answer["is_proven"] as? Bool == false && answer.code == code, "\(answer.text)")
                #expect(answer["known"] == nil)
                #expect((answer["message"] as? String)?.contains("Valid") == false)
            }
        }
    }

    @Test func `Decoding refuses an offer signature dated more than five minutes ahead`() async throws {
        try await World.withAPI { world in
            let anna = try await world.subscribe("anna")
            let now = world.simulator.core.now
            for format in ["original", "jws"] {
                let offer = ["product_id": "com.example.premium.monthly", "offer_id": "save20", "format": format]
                let signed = try await world.api.post("/v1/customers/\(anna)/offers/promotional", offer)
                try #require(signed.status == 200, "\(signed.text)")
                let text = signed["jws"] as? String ?? signed.text
                for (seconds, code) in [(-302, "not_yet_valid"), (-298, nil), (0, nil)] as [(Double, String?)] {
                    let decoder = try PastedDataDecoder(
                        world.configuration(), world.server.core.apps, .showing { now + seconds })
                    let verdict = await decoder.verdict(Array(text.utf8), .init(), secrets: [:])
                    #expect(verdict.code == code && verdict.isProven == (code == nil), "\(format) \(seconds)")
                }
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
            // By the real clock, as webhooks are dated; the simulated one stands still. A request takes a while.
            for (seconds, code, note) in [
                (-302, "expired", "Older than five minutes: receivers refuse it now."), (-200, nil, nil),
                (298, nil, nil),
                (400, "not_yet_valid", "Dated more than five minutes in the future: receivers refuse it now."),
            ] as [(Double, String?, String?)] {
                let headers = WebhookSignature.headers(
                    id: "evt_1", date: Date() + seconds, body: Data("{}".utf8), secrets: [Secret(World.webhookSecret)])
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
