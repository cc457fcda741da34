import AppStoreModels
import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import StoreSimulator
import TestSupport
import Testing

@testable import CounterfoilServer
@testable import LedgerServices
@testable import WebConsole

/// `GET /v1/events?topics=…`: the stream of changed topics.
@Suite struct `The stream of changes` {
    /// The contents of a stream up to and including `text`. Empty if the stream ends without it.
    private static func read(_ url: String, key: String = TestAPIClient.key, until text: String) async throws -> String
    {
        var request = HTTPClientRequest(url: url)
        request.headers.add(name: "Authorization", value: "Bearer \(key)")
        let response = try await HTTPClient.shared.execute(request, timeout: .seconds(600))
        #expect(response.status == .ok && response.headers.first(name: "content-type") == "text/event-stream")
        var read = ""
        for try await part in response.body {
            read += String(buffer: part)
            if read.contains(text) { return read }
        }
        return ""
    }

    @Test(.timeLimit(.minutes(10)))
    func `The event stream names changed topics without their contents`() async throws {
        try await World.withAPI { world in
            let anna = try await world.subscribe("anna")
            let topics = "overview,inbox,customer:\(anna)"
            let url = "\(world.url)/v1/events?topics=\(topics)"
            async let stream = Self.read(url, until: "customer:\(anna)")
            try await world.simulator.perform(.cancel(customer: "anna"), in: .production)
            try await world.waitUntilIdle()
            let text = try await stream
            #expect(text.hasPrefix("retry: "))
            #expect(text.contains("data: {\"topic\":\"customer:\(anna)\",\"version\":"))
            #expect(!text.contains("com.example"))
            // A client that reconnects with an earlier version gets the missed changes at once.
            let missed = try await Self.read("\(url)&since=1", until: "inbox")
            #expect(missed.contains("\"topic\":\"inbox\""))
        }
    }

    @Test func `The event stream refuses unknown, missing and too many topics`() async throws {
        try await World.withAPI { world in
            for (query, code) in [
                ("topics=", "invalid_topics"), ("topics=everything", "invalid_topics"),
                ("topics=overview,inbx", "invalid_topics"),
                ("topics=a,b,c,d,e,f,g,h,i", "invalid_topics"), ("topics=inbox&since=never", "invalid_number"),
            ] {
                let answer = try await world.api.get("/v1/events?\(query)")
                #expect(answer.status == 400 && answer.code == code, "\(query)")
            }
        }
    }

    @Test func `The event stream cannot be limited to an app or a page, and a page has no version`() async throws {
        try await World.withAPI { world in
            for (query, name) in [
                ("topics=inbox&app=com.example.app", "app"), ("topics=inbox&app=com.example.foreign", "app"),
                ("environment=Sandbox&topics=inbox", "environment"), ("topics=inbox&environment=x", "environment"),
                ("topics=inbox&page=end", "page"), ("topics=inbox&limit=1", "limit"), ("since=1", "since"),
            ] {
                let answer = try await world.api.get("/v1/events?\(query)")
                #expect(answer.status == 400 && answer.code == "invalid_parameter", "\(query): \(answer.text)")
                #expect(answer["param"] as? String == name, "\(query)")
            }
        }
    }

    @Test func `The event stream requires the scope of each topic`() async throws {
        try await World.withAPI { configuration in
            configuration.keys.append(
                .init(name: "viewer", hash: APIKeyText.hash(of: "viewer"), scopes: [.operationsRead]))
        } _: { world in
            let viewer = TestAPIClient(url: world.url, key: "viewer")
            for (topic, scope) in [
                ("customer:anna", "customers:read"), ("deliveries", "webhooks:write"),
                ("deliveries:b", "webhooks:write"),
            ] {
                let answer = try await viewer.get("/v1/events?topics=inbox,\(topic)")
                #expect(answer.status == 403 && answer.text.contains(scope), "\(topic)")
            }
        }
    }

    /// A key for the sandbox.
    private static let tester = ServerConfiguration.Key(
        name: "tester", hash: APIKeyText.hash(of: "tester"), scopes: Set(APIScope.all), environments: [.sandbox])

    @Test(.timeLimit(.minutes(10)))
    func `A key of one environment learns of no change in the other, and not even how many there are`() async throws {
        let webhook = World.webhook("backend", "http://127.0.0.1:1/")
        try await World.withAPI { configuration in
            configuration.keys.append(Self.tester)
            configuration.webhooks = [webhook]
        } _: { world in
            let anna = try await world.subscribe("anna")
            let token = try #require(UUID(uuidString: anna))
            let core = try world.server.core
            let audience = try #require(core.access.current.keys[Self.tester.hash]).principal.audience
            let topics = [
                ChangeTopic.overview, ChangeTopic.inbox, ChangeTopic.recoveries, ChangeTopic.deliveries,
                ChangeTopic.deliveries(of: "backend"), ChangeTopic.customer(anna),
            ]
            let hub = EventHub()
            var watch = ChangeWatch(core, hub)
            let own = Set(topics.map { EventHub.topic($0, for: audience) })
            let stream = hub.open(own)
            // Somebody with access to everything follows the same topics.
            let all = hub.open(Set(topics))
            defer { withExtendedLifetime((stream, all)) {} }
            var quiet = false
            for _ in 0..<100 where !quiet {
                let before = hub.lastChange(for: audience)
                for _ in 0..<5 { await watch.poll() }
                quiet = hub.lastChange(for: audience) == before
            }
            #expect(quiet)

            let (before, beforeAll) = (hub.lastChange(for: audience), hub.lastChange)
            for environment in [AppStoreEnvironment.production, .sandbox] {
                try await world.simulator.perform(
                    .purchase(
                        customer: "anna", product: "com.example.premium.yearly", appAccountToken: AppAccountToken(token)
                    ), in: environment)
                try await world.waitUntilIdle()
                for _ in 0..<5 { await watch.poll() }
                guard environment == .production else { continue }
                #expect(hub.lastChange > beforeAll)
                #expect(hub.lastChange(for: audience) == before)
            }
            let changed = hub.changedTopics(of: own, since: before)
            let names = Set(changed.topics.map { EventHub.name(of: $0.name) })
            #expect(names.isSuperset(of: [ChangeTopic.overview, ChangeTopic.inbox, ChangeTopic.customer(anna)]))
        }
    }

    @Test(.timeLimit(.minutes(10)))
    func `The event stream of a limited key follows its own environment, and ends when that changes`() async throws {
        try await World.withAPI { configuration in
            configuration.keys.append(Self.tester)
        } _: { world in
            let core = try world.server.core
            let configuration = try world.configuration()
            let audience = try #require(core.access.current.keys[Self.tester.hash]).principal.audience
            async let rest = Self.read(
                "\(world.url)/v1/events?topics=inbox", key: "tester", until: "nothing of the kind")
            let topic = EventHub.topic(ChangeTopic.inbox, for: audience)
            try await waitUntil("the stream is open") { core.changes.watched.contains(topic) }
            await (try world.server).reload {
                var changed = configuration
                for index in changed.keys.indices where changed.keys[index].name == "tester" {
                    changed.keys[index].environments = [.production]
                }
                return changed
            }
            core.changes.publish(topic)
            #expect(try await rest.isEmpty)
        }
    }

    @Test(.timeLimit(.minutes(10)))
    func `The event stream ends when the server shuts down`() async throws {
        try await World.withAPI { world in
            let core = try world.server.core
            // The stream ends without this text.
            async let rest = Self.read("\(world.url)/v1/events?topics=customer:nobody", until: "nothing of the kind")
            try await waitUntil("the stream is open") { core.changes.count > 0 }
            core.changes.shutdown()
            #expect(try await rest.isEmpty)
            #expect(core.changes.count == 0)
        }
    }

    @Test(.timeLimit(.minutes(10)))
    func `The event stream ends when its key is removed from the configuration`() async throws {
        try await World.withAPI { world in
            let core = try world.server.core
            let configuration = try world.configuration()
            async let rest = Self.read("\(world.url)/v1/events?topics=inbox", until: "nothing of the kind")
            try await waitUntil("the stream is open") { core.changes.count > 0 }
            await (try world.server).reload {
                var changed = configuration
                changed.keys.removeAll { $0.hash == APIKeyText.hash(of: TestAPIClient.key) }
                return changed
            }
            core.changes.publish("inbox")
            #expect(try await rest.isEmpty)
        }
    }

    @Test(.timeLimit(.minutes(10))) func `One key has at most half of the event streams`() async throws {
        try await World.withAPI { configuration in
            configuration.keys.append(
                .init(name: "other", hash: APIKeyText.hash(of: "other"), scopes: [.operationsRead]))
        } _: { world in
            let hub = try world.server.core.changes
            let streams = (0..<40).compactMap { _ in hub.open(["inbox"], for: "all") }
            #expect(streams.count == 32)
            let refused = try await world.api.get("/v1/events?topics=inbox")
            #expect(refused.status == 429 && refused.code == "too_many_streams", "\(refused.text)")
            #expect(refused["retryable"] as? Bool == true && refused.text.contains("The key all has 32 streams open"))
            let others = (0..<40).compactMap { _ in hub.open(["inbox"], for: "other") }
            #expect(others.count == 32)
            withExtendedLifetime((streams, others)) {}
        }
    }

    @Test(.timeLimit(.minutes(10))) func `A console page's stream counts for the key of its session`() async throws {
        try await `The console`.run { world, browser in
            try await browser.signIn()
            let hub = try world.server.core.changes
            let streams = (0..<32).compactMap { _ in hub.open(["inbox"], for: "all") }
            let refused = try await browser.get("/console/events?topics=inbox")
            #expect(streams.count == 32 && refused.status == 429)
            withExtendedLifetime(streams) {}
        }
    }

    @Test func `A 65th event stream is refused with a retryable error`() async throws {
        try await World.withAPI { world in
            let core = try world.server.core
            let streams = (0..<64).compactMap { _ in core.changes.open(["inbox"]) }
            #expect(streams.count == 64)
            let answer = try await world.api.get("/v1/events?topics=inbox")
            #expect(answer.status == 503 && answer.code == "too_many_streams")
            #expect(answer["retryable"] as? Bool == true)
            withExtendedLifetime(streams) {}
        }
    }
}
