import AppStoreModels
import Basics
import Foundation
internal import NIOHTTP1
import StoreSimulator
import TestSupport
import Testing

@testable import CounterfoilServer
@testable import Ledger
@testable import LedgerServices

@Suite struct `The API of webhooks` {
    private static let url = "https://93.184.216.34/hooks"

    @Test func `An endpoint can be created, changed and deleted, and its secret is shown once`() async throws {
        try await World.runWithWebhooks { world, _ in
            let created = try await world.send(
                .POST, "/v1/webhooks", #"{"name": "mine", "url": "\#(Self.url)", "events": ["purchase.*"]}"#)
            #expect(created.status == 201)
            #expect(created.json["object"].text == "webhook")
            #expect(created.json["secret"].text?.hasPrefix("whsec_") == true)
            #expect(created.json["events"].items.map(\.text) == ["purchase.*"])
            let shown = try await world.send(.GET, "/v1/webhooks/mine").json
            #expect(shown["secret"].text == nil)
            let old = try #require(shown["secrets"].items.first?["fingerprint"].text)
            let alone = try await world.send(.PATCH, "/v1/webhooks/mine", #"{"retire_secret": "\#(old)"}"#)
            #expect(alone.json["code"].text == "last_secret")
            let rotated = try await world.send(.PATCH, "/v1/webhooks/mine", #"{"add_secret": true, "events": null}"#)
                .json
            #expect(rotated["secret"].text != created.json["secret"].text)
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

    @Test func `A change of an endpoint that fails has no effect`() async throws {
        try await World.runWithWebhooks { world, _ in
            let created = try await world.send(.POST, "/v1/webhooks", #"{"name": "mine", "url": "\#(Self.url)"}"#)
            try #require(created.status == 201)
            let change = #"{"url": "\#(Self.url)/new", "add_secret": true, "enabled": false}"#
            try await world.withFailing(.disabledWebhook) {
                let failed = try await world.send(.PATCH, "/v1/webhooks/mine", change)
                #expect(failed.status == 503)
            }
            let stored = try await world.send(.GET, "/v1/webhooks/mine").json
            #expect(stored["url"].text == Self.url && stored["secrets"].items.count == 1)
            let changed = try await world.send(.PATCH, "/v1/webhooks/mine", change).json
            #expect(changed["url"].text == Self.url + "/new" && changed["secrets"].items.count == 2)
            #expect(changed["disabled_reason"].text == "requested")
        }
    }

    @Test func `Deleting an endpoint waits for a running change of it`() async throws {
        try await World.runWithWebhooks { world, _ in
            let created = try await world.send(.POST, "/v1/webhooks", #"{"name": "mine", "url": "\#(Self.url)"}"#)
            try #require(created.status == 201)
            let webhooks = try world.server.core.webhooks
            let removal = try await webhooks.serializeChanges {
                let removal = Task { try await world.send(.DELETE, "/v1/webhooks/mine").status }
                try await waitUntil("the removal waits") { webhooks.changeLock.waiting == 1 }
                let status = try await world.send(.GET, "/v1/webhooks/mine").status
                #expect(status == 200)
                return removal
            }
            #expect(try await removal.value == 204)
            #expect(try await world.send(.GET, "/v1/webhooks/mine").status == 404)
        }
    }

    @Test func `The audit log does not contain a secret that is sent in place of its fingerprint`() async throws {
        try await World.runWithWebhooks { configuration, _ in
            configuration.keys.append(
                .init(name: "auditor", hash: APIKeyText.hash(of: "auditor"), scopes: [.auditRead]))
        } _: { world, _ in
            let created = try await world.send(.POST, "/v1/webhooks", #"{"name": "mine", "url": "\#(Self.url)"}"#).json
            let secret = try #require(created["secret"].text)
            let fingerprint = try #require(created["secrets"].items.first?["fingerprint"].text)
            for (sent, code) in [(secret, "unknown_secret"), (fingerprint, "last_secret")] {
                let answer = try await world.send(.PATCH, "/v1/webhooks/mine", #"{"retire_secret": "\#(sent)"}"#)
                #expect(answer.json["code"].text == code)
            }
            let entries = try await world.send(.GET, "/v1/audit", key: "auditor").json["items"].items
            #expect(
                entries.compactMap { $0["detail"].text } == [
                    "retired the secret \(fingerprint)", "retired an unknown secret", "created mine",
                ])
        }
    }

    @Test func `Concurrent changes of an endpoint keep every added secret`() async throws {
        try await World.runWithWebhooks { world, _ in
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

    @Test func `The deliveries of an event are listed with endpoint, state and attempts`() async throws {
        try await World.runWithWebhooks { world, receiver in
            _ = try await world.buy("anna")
            try await world.deliverWebhooks()
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

    @Test func `Many replays of an event do not hide its first delivery`() async throws {
        try await World.runWithWebhooks { world, receiver in
            _ = try await world.buy("anna")
            try await world.deliverWebhooks()
            let event = try #require(receiver.take().first?.id)
            let first = try await world.send(.GET, "/v1/events/\(event)/deliveries").json["items"].items
            for _ in 0..<100 {
                let replay = #"{"event_id": "\#(event)"}"#
                _ = try await world.send(.POST, "/v1/webhooks/backend/replay", replay)
            }
            let all = try await world.send(.GET, "/v1/events/\(event)/deliveries").json["items"].items
            #expect(all.count == 101 && all.last?["id"].text == first.last?["id"].text)
        }
    }

    @Test func `Invalid and forbidden requests about webhooks are answered with a code`() async throws {
        try await World.runWithWebhooks { configuration, _ in
            configuration.apps.append(.init(bundleID: "com.example.Kit", environments: [.sandbox]))
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
            #expect(try await refusal(#"{"name": "..", "url": "\#(Self.url)"}"#) == "invalid_name")
            #expect(try await refusal(#"{"name": "a"}"#) == "invalid_url")
            #expect(try await refusal(#"{"name": "a", "url": "http://93.184.216.34/"}"#) == "insecure_url")
            #expect(try await refusal(#"{"name": "a", "url": "https://127.0.0.1/"}"#) == "address_not_public")
            #expect(try await refusal(#"{"name": "a", "url": "https://localhost/"}"#) == "address_not_public")
            #expect(try await refusal(#"{"name": "a", "url": "\#(Self.url)", "events": []}"#) == "invalid_events")
            #expect(try await refusal(#"{"name": "a", "url": "\#(Self.url)", "apps": ["x"]}"#) == "unknown_app")
            // The Kelvin sign is canonically equivalent to K.
            let kelvin = #"{"name": "a", "url": "\#(Self.url)", "apps": ["com.example.\u212Ait"]}"#
            #expect(try await refusal(kelvin) == "unknown_app")
            #expect(try await refusal(#"{"name": "a", "url": "\#(Self.url)", "payload": "x"}"#) == "invalid_payload")
            #expect(try await refusal(#"{"name": "backend", "url": "\#(Self.url)"}"#) == "name_taken")
            #expect(try await refusal(#"{"name": "a", "url": "\#(Self.url)"}"#, key: "other") == "forbidden")
            // A key for the Sandbox creates endpoints for the Sandbox and sees no others.
            let body = #"{"name": "a", "url": "\#(Self.url)", "environments": null}"#
            #expect(try await refusal(body, key: "sandbox") == "forbidden")
            let created = try await world.send(
                .POST, "/v1/webhooks", #"{"name": "a", "url": "\#(Self.url)"}"#, key: "sandbox"
            ).json
            #expect(created["environments"].items.map(\.text) == ["Sandbox"])
            let hidden = try await world.send(.GET, "/v1/webhooks/backend", key: "sandbox")
            let missing = try await world.send(.GET, "/v1/webhooks/nowhere", key: "sandbox")
            #expect(hidden.status == 404 && missing.status == 404)
            // The message gives the key's limit and does not reveal whether the endpoint exists.
            let reason = "The key sandbox can manage no endpoint with this name: it is limited to"
            #expect(hidden.json["message"].text?.contains(reason) == true)
            #expect(hidden.json["message"].text == missing.json["message"].text)
            let seen = try await world.send(.GET, "/v1/webhooks", key: "sandbox").json["items"].items
            #expect(seen.map { $0["name"].text } == ["a"])
            // Configured endpoints can only be changed in the configuration.
            let changed = try await world.send(.PATCH, "/v1/webhooks/backend", #"{"url": "\#(Self.url)"}"#)
            #expect(changed.json["code"].text == "configured")
            #expect(try await world.send(.DELETE, "/v1/webhooks/backend").status == 409)
        }
    }

    @Test(.timeLimit(.minutes(5))) func `A webhook's URL is checked before its change waits for other changes`()
        async throws
    {
        try await World.runWithWebhooks { world, _ in
            let created = try await world.send(.POST, "/v1/webhooks", #"{"name": "a", "url": "\#(Self.url)"}"#)
            #expect(created.status == 201)
            let webhooks = try world.server.core.webhooks
            let (begun, gate) = (Gate(), Gate())
            async let other: Void = webhooks.serializeChanges {
                begun.open()
                await gate.pass()
            }
            defer { gate.open() }
            await begun.pass()
            let refused = try await world.send(.PATCH, "/v1/webhooks/a", #"{"url": "https://127.0.0.1/"}"#)
            #expect(refused.json["code"].text == "address_not_public")
            gate.open()
            try await other
        }
    }

    @Test(.timeLimit(.minutes(5))) func `Requests look up at most eight hosts at once, also after they were cancelled`()
        async throws
    {
        let nameServer = DispatchSemaphore(value: 0)
        let (begun, beginning) = AsyncStream.makeStream(of: Void.self)
        let lookups = HostLookups { _ in
            beginning.yield()
            nameServer.wait()
            return ["192.0.2.1"]
        }
        await withTaskGroup(of: [String].self) { group in
            for number in 0..<HostLookups.maximum { group.addTask { await lookups.addresses(of: "host-\(number)") } }
            var count = 0
            for await _ in begun {
                count += 1
                if count == HostLookups.maximum { break }
            }
            let refused = await lookups.addresses(of: "another")
            #expect(refused.isEmpty)
            group.cancelAll()
            for await found in group { #expect(found.isEmpty) }
        }
        // The threads still wait for the name server. It answers all of them, and one lookup after them.
        let refused = await lookups.addresses(of: "another")
        #expect(refused.isEmpty)
        for _ in 0...HostLookups.maximum { nameServer.signal() }
        try await waitUntil("a lookup ended") { await lookups.addresses(of: "another") == ["192.0.2.1"] }
    }

    @Test func `A replay sends one event or a period of events again, and a test sends a test event`() async throws {
        try await World.runWithWebhooks { world, receiver in
            for customer in ["anna", "bob", "carl"] {
                _ = try await world.buy(customer)
                // Process the purchase before the clock advances: a replay's range refers to the time of processing.
                try await world.waitUntilIdle()
                try await world.deliverWebhooks(after: 3600)
            }
            let first = receiver.take()
            #expect(first.count == 3)
            let single = try await world.send(
                .POST, "/v1/webhooks/backend/replay", #"{"event_id": "\#(first[1].id)"}"#)
            #expect(single.status == 202)
            #expect(single.json["deliveries"].number == 1)
            try await world.deliverWebhooks()
            let second = receiver.take()
            #expect(second.map(\.id) == [first[1].id])
            #expect(second.map(\.body) == [first[1].body])
            let start = World.start.milliseconds
            let range = try await world.send(
                .POST, "/v1/webhooks/backend/replay", #"{"from": \#(start + 1000), "to": \#(start + 7_201_000)}"#)
            #expect(range.json["deliveries"].number == 2)
            #expect(range.json["is_complete"].flag == true)
            try await world.deliverWebhooks()
            #expect(receiver.take().map(\.id).sorted() == first[1...].map(\.id).sorted())
            #expect(try await world.send(.POST, "/v1/webhooks/backend/replay", "{}").status == 400)
            #expect(
                try await world.send(.POST, "/v1/webhooks/backend/replay", #"{"event_id": "x"}"#).status == 404)
            let test = try await world.send(.POST, "/v1/webhooks/backend/test")
            #expect(test.status == 202)
            try await world.deliverWebhooks()
            let tests = receiver.take()
            #expect(tests.map(\.id) == [test.json["event_id"].text])
            #expect(tests.map { $0.json["type"].text } == ["webhook.test"])
            let page = try await world.send(.GET, "/v1/webhooks/backend/deliveries?limit=4&state=delivered").json
            #expect(page["items"].items.count == 4)
            let next = try #require(page["next_page"].text)
            let rest = try await world.send(.GET, "/v1/webhooks/backend/deliveries?limit=4&page=\(next)").json
            #expect(rest["items"].items.count == 3)
            #expect(rest["next_page"].text == nil)
        }
    }
}
