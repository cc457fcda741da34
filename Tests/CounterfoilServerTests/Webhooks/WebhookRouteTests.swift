@testable import LedgerServices
import AppStoreModels
import Basics
import CounterfoilServer
import Foundation
import StoreSimulator
import Testing
internal import NIOHTTP1

@testable import Ledger

@Suite struct `The API of webhooks` {
    private static let url = "https://93.184.216.34/hooks"

    @Test func `makes an endpoint, shows its secret once, changes its secrets, removes it`() async throws {
        try await World.runTelling { world, _ in
            let made = try await world.send(
                .POST, "/v1/webhooks", #"{"name": "mine", "url": "\#(Self.url)", "events": ["purchase.*"]}"#)
            #expect(made.status == 201)
            #expect(made.json["object"].text == "webhook")
            #expect(made.json["secret"].text?.hasPrefix("whsec_") == true)
            #expect(made.json["events"].items.map(\.text) == ["purchase.*"])
            let shown = try await world.send(.GET, "/v1/webhooks/mine").json
            #expect(shown["secret"].text == nil)
            let old = try #require(shown["secrets"].items.first?["fingerprint"].text)
            let alone = try await world.send(.PATCH, "/v1/webhooks/mine", #"{"retire_secret": "\#(old)"}"#)
            #expect(alone.json["code"].text == "last_secret")
            let rotated = try await world.send(.PATCH, "/v1/webhooks/mine", #"{"add_secret": true, "events": null}"#)
                .json
            #expect(rotated["secret"].text != made.json["secret"].text)
            #expect(rotated["secrets"].items.count == 2)
            #expect(rotated["events"].items.isEmpty)
            let retired = try await world.send(.PATCH, "/v1/webhooks/mine", #"{"retire_secret": "\#(old)"}"#).json
            #expect(retired["secrets"].items.count == 1)
            let list = try await world.send(.GET, "/v1/webhooks").json
            #expect(list["items"].items.map { $0["name"].text } == ["backend", "mine"])
            #expect(try await world.send(.DELETE, "/v1/webhooks/mine").status == 204)
            #expect(try await world.send(.GET, "/v1/webhooks/mine").status == 404)
        }
    }

    @Test func `removes an endpoint after the change of it that is under way`() async throws {
        try await World.runTelling { world, _ in
            let made = try await world.send(.POST, "/v1/webhooks", #"{"name": "mine", "url": "\#(Self.url)"}"#)
            try #require(made.status == 201)
            let webhooks = try world.server.core.webhooks
            let removal = try await webhooks.changing {
                let removal = Task { try await world.send(.DELETE, "/v1/webhooks/mine").status }
                let limit = ContinuousClock.now + .seconds(30)
                while webhooks.changeGate.waiting == 0, ContinuousClock.now < limit { await Task.yield() }
                #expect(webhooks.changeGate.waiting == 1)
                let status = try await world.send(.GET, "/v1/webhooks/mine").status
                #expect(status == 200)
                return removal
            }
            #expect(try await removal.value == 204)
            #expect(try await world.send(.GET, "/v1/webhooks/mine").status == 404)
        }
    }

    @Test func `keeps a secret that is sent for its fingerprint out of the audit log`() async throws {
        try await World.runTelling { configuration, _ in
            configuration.keys.append(
                .init(name: "auditor", hash: APIKeyText.hash(of: "auditor"), scopes: [.auditRead]))
        } _: { world, _ in
            let made = try await world.send(.POST, "/v1/webhooks", #"{"name": "mine", "url": "\#(Self.url)"}"#).json
            let secret = try #require(made["secret"].text)
            let fingerprint = try #require(made["secrets"].items.first?["fingerprint"].text)
            for (sent, code) in [(secret, "unknown_secret"), (fingerprint, "last_secret")] {
                let answer = try await world.send(.PATCH, "/v1/webhooks/mine", #"{"retire_secret": "\#(sent)"}"#)
                #expect(answer.json["code"].text == code)
            }
            let entries = try await world.send(.GET, "/v1/audit", key: "auditor").json["items"].items
            #expect(
                entries.compactMap { $0["detail"].text } == [
                    "retired the secret \(fingerprint)", "retired an unknown secret", "made mine",
                ])
        }
    }

    @Test func `keeps the secret of each who adds one while others change the endpoint`() async throws {
        try await World.runTelling { world, _ in
            let body = #"{"name": "mine", "url": "\#(Self.url)"}"#
            #expect(try await world.send(.POST, "/v1/webhooks", body).status == 201)
            let changes = [#"{"add_secret": true}"#, #"{"url": "\#(Self.url)"}"#, #"{"payload": "counterfoil"}"#]
            let shown = try await withThrowingTaskGroup(of: String?.self) { group in
                for _ in 0..<3 {
                    for change in changes {
                        group.addTask {
                            try await world.send(.PATCH, "/v1/webhooks/mine", change).json["secret"].text
                        }
                    }
                }
                var shown: [String] = []
                for try await secret in group { shown += secret.map { [$0] } ?? [] }
                return shown
            }
            #expect(shown.count == 3)
            let secrets = try await world.endpoint("mine").definition.secrets.map(\.revealed)
            #expect(secrets.count == 4 && Set(secrets).isSuperset(of: shown))
        }
    }

    @Test func `tells what became of an event at each endpoint`() async throws {
        try await World.runTelling { world, receiver in
            _ = try await world.buy("anna")
            try await world.tell()
            let event = try #require(receiver.take().first?.id)
            let answer = try await world.send(.GET, "/v1/events/\(event)/deliveries")
            let item = try #require(answer.json["items"].items.first)
            #expect(answer.json["items"].items.count == 1)
            #expect(item["endpoint"].text == "backend" && item["state"].text == "delivered")
            #expect(item["event_id"].text == event)
            #expect(item["attempt_list"].items.map { $0["status"].number } == [200])
            #expect(try await world.send(.GET, "/v1/events/evt_none/deliveries").status == 404)
        }
    }

    @Test func `refuses what is wrong, with the reason`() async throws {
        try await World.runTelling { configuration, _ in
            configuration.keys += [
                .init(name: "other", hash: APIKeyText.hash(of: "other"), scopes: [.customersRead]),
                .init(
                    name: "sandbox", hash: APIKeyText.hash(of: "sandbox"), scopes: [.webhooksWrite],
                    environments: [.sandbox]),
            ]
        } _: { world, _ in
            func refusal(_ body: String, key: String = World.key) async throws -> String? {
                try await world.send(.POST, "/v1/webhooks", body, key: key).json["code"].text
            }
            #expect(try await refusal("{") == "bad_json")
            #expect(try await refusal(#"{"url": "x"}"#) == "bad_json")
            #expect(try await refusal(#"{"name": "a b", "url": "\#(Self.url)"}"#) == "invalid_name")
            #expect(try await refusal(#"{"name": "a"}"#) == "invalid_url")
            #expect(try await refusal(#"{"name": "a", "url": "http://93.184.216.34/"}"#) == "insecure_url")
            #expect(try await refusal(#"{"name": "a", "url": "https://127.0.0.1/"}"#) == "address_not_public")
            #expect(try await refusal(#"{"name": "a", "url": "https://localhost/"}"#) == "address_not_public")
            #expect(try await refusal(#"{"name": "a", "url": "\#(Self.url)", "events": []}"#) == "invalid_events")
            #expect(try await refusal(#"{"name": "a", "url": "\#(Self.url)", "apps": ["x"]}"#) == "unknown_app")
            #expect(try await refusal(#"{"name": "a", "url": "\#(Self.url)", "payload": "x"}"#) == "invalid_payload")
            #expect(try await refusal(#"{"name": "backend", "url": "\#(Self.url)"}"#) == "name_taken")
            #expect(try await refusal(#"{"name": "a", "url": "\#(Self.url)"}"#, key: "other") == "forbidden")
            // A key for the sandbox makes endpoints for the sandbox, and sees no others.
            let body = #"{"name": "a", "url": "\#(Self.url)", "environments": null}"#
            #expect(try await refusal(body, key: "sandbox") == "forbidden")
            let made = try await world.send(
                .POST, "/v1/webhooks", #"{"name": "a", "url": "\#(Self.url)"}"#, key: "sandbox"
            ).json
            #expect(made["environments"].items.map(\.text) == ["Sandbox"])
            let hidden = try await world.send(.GET, "/v1/webhooks/backend", key: "sandbox")
            let missing = try await world.send(.GET, "/v1/webhooks/nowhere", key: "sandbox")
            #expect(hidden.status == 404 && missing.status == 404)
            // Why it may not be seen is said, whether or not there is one.
            let reason = "The key sandbox can manage no endpoint with this name: it is limited to"
            #expect(hidden.json["message"].text?.contains(reason) == true)
            #expect(hidden.json["message"].text == missing.json["message"].text)
            let seen = try await world.send(.GET, "/v1/webhooks", key: "sandbox").json["items"].items
            #expect(seen.map { $0["name"].text } == ["a"])
            // The configuration's are changed in the configuration.
            let changed = try await world.send(.PATCH, "/v1/webhooks/backend", #"{"url": "\#(Self.url)"}"#)
            #expect(changed.json["code"].text == "configured")
            #expect(try await world.send(.DELETE, "/v1/webhooks/backend").status == 409)
        }
    }

    @Test func `sends again one event, or all of a time, or a test`() async throws {
        try await World.runTelling { world, receiver in
            for customer in ["anna", "bob", "carl"] {
                _ = try await world.buy(customer)
                // Before the clock moves: it is the time at which the server learns of it that counts.
                try await world.settle()
                try await world.tell(after: 3600)
            }
            let first = receiver.take()
            #expect(first.count == 3)
            let again = try await world.send(
                .POST, "/v1/webhooks/backend/replay", #"{"event_id": "\#(first[1].id)"}"#)
            #expect(again.status == 202)
            #expect(again.json["deliveries"].number == 1)
            try await world.tell()
            let second = receiver.take()
            #expect(second.map(\.id) == [first[1].id])
            #expect(second.map(\.body) == [first[1].body])
            let start = World.start.milliseconds
            let range = try await world.send(
                .POST, "/v1/webhooks/backend/replay", #"{"from": \#(start + 1000), "to": \#(start + 7_201_000)}"#)
            #expect(range.json["deliveries"].number == 2)
            #expect(range.json["is_complete"].flag == true)
            try await world.tell()
            #expect(receiver.take().map(\.id).sorted() == first[1...].map(\.id).sorted())
            #expect(try await world.send(.POST, "/v1/webhooks/backend/replay", "{}").status == 400)
            #expect(
                try await world.send(.POST, "/v1/webhooks/backend/replay", #"{"event_id": "x"}"#).status == 404)
            let test = try await world.send(.POST, "/v1/webhooks/backend/test")
            #expect(test.status == 202)
            try await world.tell()
            let told = receiver.take()
            #expect(told.map(\.id) == [test.json["event_id"].text])
            #expect(told.map { $0.json["type"].text } == ["webhook.test"])
            let page = try await world.send(.GET, "/v1/webhooks/backend/deliveries?limit=4&state=delivered").json
            #expect(page["items"].items.count == 4)
            let next = try #require(page["next_page"].text)
            let rest = try await world.send(.GET, "/v1/webhooks/backend/deliveries?limit=4&page=\(next)").json
            #expect(rest["items"].items.count == 3)
            #expect(rest["next_page"].text == nil)
        }
    }

    @Test func `gives up what waits when it is told to`() async throws {
        try await World.runTelling { world, receiver in
            #expect(try await world.send(.PATCH, "/v1/webhooks/backend", #"{"enabled": false}"#).status == 200)
            _ = try await world.buy("anna")
            try await world.tell()
            #expect(try await world.endpoint().stored.disabled?.reason == .requested)
            #expect(try await world.send(.POST, "/v1/webhooks/backend/test").status == 409)
            let body = #"{"enabled": true, "discard_backlog": true}"#
            #expect(try await world.send(.PATCH, "/v1/webhooks/backend", body).status == 200)
            try await world.tell()
            #expect(receiver.take().isEmpty)
        }
    }
}
