@testable import CounterfoilServer
@testable import LedgerServices
@testable import WebConsole
import AppStoreModels
import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import StoreSimulator
import Testing

/// `GET /v1/events?topics=…`: what changes, as it does.
@Suite struct `The stream of changes` {
    /// What a stream sends until it has sent `text`; empty when it ends before.
    private static func read(_ url: String, key: String = Asker.key, until text: String) async throws -> String {
        var request = HTTPClientRequest(url: url)
        request.headers.add(name: "Authorization", value: "Bearer \(key)")
        let response = try await HTTPClient.shared.execute(request, timeout: .seconds(30))
        #expect(response.status == .ok && response.headers.first(name: "content-type") == "text/event-stream")
        var read = ""
        for try await part in response.body {
            read += String(buffer: part)
            if read.contains(text) { return read }
        }
        return ""
    }

    @Test func `names the topic that changed, and says no more`() async throws {
        try await World.withAPI { world in
            let anna = try await world.subscriber("anna")
            let topics = "overview,inbox,customer:\(anna)"
            let url = "\(world.url)/v1/events?topics=\(topics)"
            async let news = Self.read(url, until: "customer:\(anna)")
            try await world.simulator.perform(.cancel(customer: "anna"), in: .production)
            try await world.settle()
            let text = try await news
            #expect(text.hasPrefix("retry: "))
            #expect(text.contains("data: {\"topic\":\"customer:\(anna)\",\"version\":"))
            #expect(!text.contains("com.example"))
            // Whoever comes back with a version of before is told at once.
            let missed = try await Self.read("\(url)&since=1", until: "inbox")
            #expect(missed.contains("\"topic\":\"inbox\""))
        }
    }

    @Test func `refuses what is no topic`() async throws {
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

    @Test func `needs the scope of each topic`() async throws {
        try await World.withAPI { configuration in
            configuration.keys.append(
                .init(name: "viewer", hash: APIKeyText.hash(of: "viewer"), scopes: [.operationsRead]))
        } _: { world in
            let viewer = Asker(url: world.url, key: "viewer")
            for (topic, scope) in [
                ("customer:anna", "customers:read"), ("deliveries", "webhooks:write"),
                ("deliveries:b", "webhooks:write"),
            ] {
                let answer = try await viewer.get("/v1/events?topics=inbox,\(topic)")
                #expect(answer.status == 403 && answer.text.contains(scope), "\(topic)")
            }
        }
    }

    @Test(.timeLimit(.minutes(5)))
    func `ends with the server`() async throws {
        try await World.withAPI { world in
            let core = try world.server.core
            // It ends before it has said this.
            async let rest = Self.read("\(world.url)/v1/events?topics=customer:nobody", until: "nothing of the kind")
            while core.changes.count == 0 { await Task.yield() }
            core.changes.shutdown()
            #expect(try await rest.isEmpty)
            #expect(core.changes.count == 0)
        }
    }

    @Test(.timeLimit(.minutes(5)))
    func `ends when its key is gone`() async throws {
        try await World.withAPI { world in
            let core = try world.server.core
            let configuration = try world.configuration()
            async let rest = Self.read("\(world.url)/v1/events?topics=inbox", until: "nothing of the kind")
            while core.changes.count == 0 { await Task.yield() }
            await (try world.server).reload {
                var changed = configuration
                changed.keys.removeAll { $0.hash == APIKeyText.hash(of: Asker.key) }
                return changed
            }
            core.changes.publish("inbox")
            #expect(try await rest.isEmpty)
        }
    }

    @Test func `is refused where all streams are in use`() async throws {
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
