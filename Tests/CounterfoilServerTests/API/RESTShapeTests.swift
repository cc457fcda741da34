import Basics
import CounterfoilServer
import Entitlements
import Foundation
import StoreSimulator
import Testing
import Yams

@testable import CounterfoilServer
@testable import Ledger

@Suite struct `An answer of the API` {
    @Test(arguments: [
        ("PUT", "/v1/customers/anna", ["DELETE", "GET"]), ("GET", "/v1/customers/anna/merge", ["POST"]),
        ("GET", "/apple/notifications", ["POST"]), ("POST", "/health/live", ["GET"]),
        ("DELETE", "/v1/webhooks", ["GET", "POST"]), ("HEAD", "/openapi.yaml", ["GET"]),
    ])
    func `names the methods that a path takes when it is asked with another`(
        _ method: String, _ path: String, _ allowed: [String]
    ) async throws {
        try await World.withAPI { world in
            let answer = try await world.api.send(method, path)
            #expect(answer.status == 405)
            #expect(answer.headers["allow"] == allowed.joined(separator: ", "))
            #expect(method == "HEAD" || answer.code == "method_not_allowed")
        }
    }

    @Test(arguments: ["/v1/customers", "/v1/customers/anna/nothing/here", "/nothing", "/v1", "/"])
    func `says that there is nothing where no method would help`(_ path: String) async throws {
        try await World.withAPI { world in
            let answer = try await world.api.send("PUT", path)
            #expect(answer.status == 404 && answer.code == "not_found" && answer.headers["allow"] == nil)
        }
    }

    @Test func `that is an error has the number of its request`() async throws {
        try await World.withAPI { world in
            for path in ["/v1/customers/anna?at=never", "/nothing", "/v1/transactions/1"] {
                let answer = try await world.api.get(path)
                let number = try #require(answer.headers["x-request-id"])
                #expect(answer["request_id"] as? String == number && !number.isEmpty && number != "none")
                #expect(answer["type"] == nil && answer.code != nil)
            }
        }
    }

    @Test func `to an instant in ISO 8601 is that to its milliseconds`() async throws {
        try await World.withAPI { world in
            let anna = try await world.subscriber("anna")
            let path = "/v1/customers/\(anna)?at="
            let expected = try await world.api.get(path + "1780000000000")["as_of"] as? Int
            #expect(expected == 1_780_000_000_000)
            for text in [
                "2026-05-28T20:26:40Z", "2026-05-28T20:26:40.000Z", "2026-05-28T22:26:40%2B02:00",
                "2026-05-28T22:26:40+02:00",
            ] {
                #expect(try await world.api.get(path + text)["as_of"] as? Int == expected, "\(text)")
            }
            for text in ["2026-05-28", "2026-05-28T20:26:40", "today", "1e3", "99999999999999999999", ""] {
                let answer = try await world.api.get(path + text)
                #expect(answer.status == 400 && answer.code == "invalid_instant", "\(text): \(answer.text)")
            }
            let grant = try await world.api.post(
                "/v1/customers/\(anna)/grants",
                ["entitlement": "premium", "reason": "r", "actor": "a", "until": "2036-01-01T00:00:00Z"])
            #expect(grant.status == 201 && grant["until"] as? Int == 2_082_758_400_000)
        }
    }

    @Test(arguments: ["sandbox", "SANDBOX", "Sandbox"])
    func `takes an environment in either case`(_ name: String) async throws {
        try await World.withAPI { world in
            let answer = try await world.api.get("/v1/customers/anna?environment=\(name)")
            #expect(answer.status == 200 && answer["environment"] as? String == "Sandbox")
            #expect(try await world.api.get("/v1/notifications?environment=\(name)").status == 200)
        }
    }

    @Test func `has a word for each status of a subscription`() async throws {
        try await World.withAPI { world in
            let anna = try await world.subscriber("anna")
            let customer = try await world.api.get("/v1/customers/\(anna)")
            let subscription = try #require((customer["subscriptions"] as? [[String: Any]])?.first)
            #expect(subscription["status"] as? Int == 1 && subscription["status_name"] as? String == "active")
            let event = try #require(try await world.api.get("/v1/events").items.first?["data"] as? [String: Any])
            #expect(event["status"] as? Int == 1 && event["status_name"] as? String == "active")
        }
    }

    @Test func `is described with the words that the code has`() throws {
        let document = try #require(try Yams.load(yaml: APIDescription.text) as? [String: Any])
        let schemas = try #require((document["components"] as? [String: Any])?["schemas"] as? [String: Any])
        func words(_ name: String) -> Set<String> {
            Set((schemas[name] as? [String: Any])?["enum"] as? [String] ?? [])
        }
        // An endpoint asks for that one itself; nobody subscribes to it.
        #expect(words("EventType") == Set(EventType.all + ["webhook.test"]))
        #expect(words("SegmentName") == Set(Segment.allCases.map(\.name)))
        #expect(words("DeliveryState") == Set(WebhookDelivery.State.allCases.map(\.name)))
    }
}
