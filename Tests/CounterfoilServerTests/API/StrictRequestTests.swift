import AppStoreServer
import Foundation
import HTTPTypes
import StoreSimulator
import Testing

@testable import CounterfoilServer
@testable import Ledger

@Suite struct `Invalid API requests` {
    private static let wrong: [(String, String, String, String)] = [
        ("purchases", #"{"signedTransactions": []}"#, "unknown_member", #"did you mean \"signed_transactions\"?"#),
        ("purchases", "{}", "empty_report", "Send signed_transactions"),
        ("purchases", #"{"signed_transactions": null}"#, "empty_report", "Send signed_transactions"),
        ("purchases", #"{"restore": true, "receipt": null}"#, "empty_report", "Send signed_transactions"),
        ("purchases", "[]", "bad_json", "Expected a JSON object with"), ("purchases", "{", "bad_json", "not JSON"),
        ("purchases", #"{"receipt": 1}"#, "bad_json", "`receipt` is invalid. Expected"),
        ("usage", #"{"transaction_id": "1"}"#, "empty_report", "customer_consented"),
        ("usage", #"{"customer_consent": true}"#, "unknown_member", #"did you mean \"customer_consented\"?"#),
        (
            "offers/promotional", #"{"product_id": "p", "offer": "o"}"#, "unknown_member",
            #"Unknown member \"offer\""#
        ),
        ("offers/introductory", #"{"product_id": "p", "alow": true}"#, "unknown_member", #"did you mean \"allow\"?"#),
        ("offers/introductory", #"{"allow": true}"#, "bad_json", "`product_id` is missing. Expected"),
        ("offers/introductory", #"{"product_id": "p", "nonce": "1"}"#, "bad_json", #"`nonce` takes a UUID, not \"1\""#),
        (
            "offers/promotional", #"{"product_id": "p", "offer_id": "o", "force": true, "format": "jwt"}"#,
            "invalid_format", #"`format` takes jws, original, not \"jwt\""#
        ),
        (
            "offers/promotional",
            #"{"product_id": "p\u2063q", "offer_id": "o", "force": true, "format": "original"}"#,
            "invalid_identifier", "the product ID contains U+2063"
        ),
        (
            "usage", #"{"delivery_status": "LOST"}"#, "invalid_delivery_status",
            "takes DELIVERED, UNDELIVERED_QUALITY_ISSUE, UNDELIVERED_WRONG_ITEM, "
        ),
    ]

    @Test func `A malformed request about a customer is answered with 400, a code and a message`() async throws {
        try await World.withAPI { world in
            for (path, body, type, message) in Self.wrong {
                let answer = try await world.api.send("POST", "/v1/customers/anna/\(path)", body: Data(body.utf8))
                #expect(answer.status == 400, "\(path) \(body)")
                #expect(answer.code == type, "\(path) \(body): \(answer.text)")
                #expect(answer.text.contains(message), "\(path) \(body): \(answer.text)")
            }
        }
    }

    @Test func `The error about an identifier that cannot be signed names its member`() async throws {
        try await World.withAPI { world in
            for member in ["product_id", "offer_id"] {
                var body: [String: Any] = ["product_id": "p", "offer_id": "o", "force": true, "format": "original"]
                body[member] = "a\u{2063}b"
                let answer = try await world.api.send(
                    "POST", "/v1/customers/anna/offers/promotional",
                    body: JSONSerialization.data(withJSONObject: body))
                #expect(answer.status == 400 && answer.code == "invalid_identifier", "\(answer.text)")
                #expect(answer["param"] as? String == member)
            }
        }
    }

    @Test func `Only an identifier that cannot be signed is the fault of the request`() {
        let request = FailureMiddleware.failure(SigningError(.invalidIdentifier, "the offer ID is empty"))
        #expect(request.status == .badRequest && request.code == "invalid_identifier")
        for code: SigningError.Code in [.unreadableFile, .notP256, .unencodable, .invalidDate, .signingFailed] {
            let failure = FailureMiddleware.failure(SigningError(code, "cannot read /etc/counterfoil/key.p8"))
            #expect(failure.status == .internalServerError && failure.code == "signing_failed", "\(code)")
            #expect(!failure.message.contains("/etc"), "\(code)")
        }
    }

    @Test func `A purchase report without transactions is accepted`() async throws {
        try await World.withAPI { world async throws in
            let body = Data(#"{"signed_transactions": []}"#.utf8)
            #expect(try await world.api.send("POST", "/v1/customers/anna/purchases", body: body).status == 200)
        }
    }

    @Test func `A malformed request about webhooks or recoveries is answered with a code and a message`() async throws {
        try await World.withAPI { world in
            let url = #""name": "a", "url": "https://93.184.216.34/""#
            let webhooks: [(String, String, String)] = [
                (#"{\#(url), "evnts": ["subscription.*"]}"#, "unknown_member", #"did you mean \"events\"?"#),
                (
                    #"{\#(url), "events": ["subscription.renwed"]}"#, "unknown_event",
                    #"did you mean \"subscription.renewed\"?"#
                ),
                (#"{\#(url), "events": ["subscriptions.*"]}"#, "unknown_event", "subscriptions.*"),
                (
                    #"{\#(url), "payload": "compat"}"#, "invalid_payload",
                    #"takes counterfoil, compatible, not \"compat\""#
                ),
                (
                    #"{\#(url), "environments": ["Sandbox", "Xcode"]}"#, "unknown_environment",
                    #"takes Production, Sandbox, not \"Xcode\""#
                ),
                (#"{\#(url), "apps": ["com.example.none"]}"#, "unknown_app", #"not \"com.example.none\""#),
            ]
            for (body, type, message) in webhooks {
                let answer = try await world.api.send("POST", "/v1/webhooks", body: Data(body.utf8))
                #expect(answer.status == 400 && answer.code == type, "\(answer.text)")
                #expect(answer.text.contains(message), "\(answer.text)")
            }
            // Patterns that match only later notification types are valid.
            let later = Data(#"{\#(url), "events": ["notification.*", "*.renewed"]}"#.utf8)
            #expect(try await world.api.send("POST", "/v1/webhooks", body: later).status == 201)
            let nothing = try await world.api.send("PATCH", "/v1/webhooks/a", body: Data("{}".utf8))
            #expect(nothing.status == 400 && nothing.code == "empty_change")
            let replay = try await world.api.send("POST", "/v1/webhooks/a/replay", body: Data(#"{"event": "1"}"#.utf8))
            #expect(replay.status == 400 && replay.code == "unknown_member")
            let now = World.start.milliseconds
            let recovery = #"{"from": \#(now - 1000), "to": \#(now), "types": ["EXPRED"]}"#
            let answer = try await world.api.send("POST", "/v1/recoveries", body: Data(recovery.utf8))
            #expect(answer.code == "unknown_type" && answer.text.contains(#"did you mean \"EXPIRED\"?"#))
        }
    }
}
