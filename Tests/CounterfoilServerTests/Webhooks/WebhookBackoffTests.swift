import CounterfoilServer
import Foundation
internal import NIOHTTP1
import StoreSimulator
import Synchronization
import Testing

@testable import Ledger
@testable import LedgerServices

@Suite struct `Backoff of failing webhook endpoints` {
    /// Enough deliveries that some are not attempted before the pauses become minutes long.
    private static let count = 40

    /// Creates deliveries while the receiver fails.
    private static func createFailingDeliveries(_ world: World, _ receiver: WebhookReceiver) async throws {
        receiver.answer(503)
        for number in 0..<count { _ = try await world.buy("customer-\(number)") }
        try await world.deliverWebhooks()
        try #require(try await world.deliveries().count == count)
    }

    /// Returns the number of deliveries that were never attempted.
    private static func untriedCount(_ world: World) async throws -> Int {
        try await world.deliveries().count { $0.attempts == 0 && $0.lastError == nil }
    }

    @Test func `A failing endpoint gets few attempts, and all deliveries after it recovers`() async throws {
        let lines = LogCapture()
        try await World.runWithWebhooks(logger: lines.logger(.init())) { world, receiver in
            try await Self.createFailingDeliveries(world, receiver)
            #expect(receiver.take().count < 30)
            #expect(try await Self.untriedCount(world) > 10)
            receiver.answer(200)
            try await world.deliverWebhooks(after: 60)
            #expect(try await world.deliveries().allSatisfy { $0.state == .delivered })
            #expect(Set(receiver.take().map(\.id)).count == Self.count)
        }
        for words in ["warning a webhook keeps failing", "notice a webhook works again endpoint=backend"] {
            #expect(lines.text.split(separator: "\n").count { $0.contains(words) } == 1, "\(words)\n\(lines.text)")
        }
    }

    @Test func `The API and the console show until when an endpoint is paused`() async throws {
        try await World.runWithWebhooks({ configuration, _ in
            configuration.console.isEnabled = true
            configuration.keys = [
                .init(name: "test", hash: APIKeyText.hash(of: World.key), scopes: [.webhooksWrite, .consoleOpen])
            ]
        }) { world, receiver in
            let browser = Browser(world.url)
            try await browser.signIn(World.key)
            try await Self.createFailingDeliveries(world, receiver)
            // Until the pauses are a minute long.
            for _ in 0..<6 { try await world.deliverWebhooks(after: 60) }
            var isShown = false
            // Repeated, because on a busy machine the pause may end between two requests.
            for _ in 0..<20 where !isShown {
                try await world.deliverWebhooks(after: 60)
                let now = Double(world.simulator.now.milliseconds)
                let until = try await world.send(.GET, "/v1/webhooks/backend").json["paused_until"].number
                let listed = try await world.send(.GET, "/v1/webhooks").json["items"].items
                let page = try await browser.get("/console/webhooks/backend").text
                guard let until, until > now, until <= now + 60_000 else { continue }
                isShown =
                    listed.map { $0["paused_until"].number } == [until] && page.contains("<dt>Paused until</dt>")
            }
            #expect(isShown)
            receiver.answer(200)
            #expect(try await world.send(.POST, "/v1/webhooks/backend/test").status == 202)
            try await world.deliverWebhooks()
            #expect(!(try await world.send(.GET, "/v1/webhooks/backend").json.keys.contains("paused_until")))
            #expect(!(try await browser.get("/console/webhooks/backend").text.contains("paused until")))
        }
    }

    @Test func `A failing endpoint gets one delivery at a time also after the clock was set back`() async throws {
        try await World.runWithWebhooks { world, receiver in
            try await Self.createFailingDeliveries(world, receiver)
            // Until the pauses are a minute long.
            for _ in 0..<6 { try await world.deliverWebhooks(after: 60) }
            world.clockLead.withLock { $0 = 3600 }
            try await world.deliverWebhooks()
            try #require(try await Self.untriedCount(world) > 0)
            _ = receiver.take()
            world.clockLead.withLock { $0 = 0 }
            try await world.deliverWebhooks()
            // More than one only if a pause ended meanwhile, on a very busy machine.
            #expect((1..<5).contains(receiver.take().count))
        }
    }

    @Test func `A test event is sent before the pending deliveries`() async throws {
        try await World.runWithWebhooks { world, receiver in
            try await Self.createFailingDeliveries(world, receiver)
            try #require(try await Self.untriedCount(world) > 10)
            let answer = try await world.send(.POST, "/v1/webhooks/backend/test")
            let test = try #require(answer.json["event_id"].text)
            try await world.deliverWebhooks()
            #expect(receiver.take().contains { $0.id == test })
            #expect(try await world.deliveries().last?.attempts == 1)
        }
    }

    @Test(arguments: ["test", "replay", "enable"])
    func `A test, a replay or enabling ends the pause at once`(_ request: String) async throws {
        try await World.runWithWebhooks { world, receiver in
            try await Self.createFailingDeliveries(world, receiver)
            let event = try #require(receiver.take().first?.id)
            // Until the pauses are a minute long.
            for _ in 0..<6 { try await world.deliverWebhooks(after: 60) }
            try #require(try await Self.untriedCount(world) > 0)
            receiver.answer(200)
            let answer =
                switch request {
                case "test": try await world.send(.POST, "/v1/webhooks/backend/test")
                case "replay":
                    try await world.send(.POST, "/v1/webhooks/backend/replay", #"{"event_id": "\#(event)"}"#)
                default: try await world.send(.PATCH, "/v1/webhooks/backend", #"{"enabled": true}"#)
                }
            #expect((200..<300).contains(answer.status))
            try await world.deliverWebhooks()
            #expect(try await Self.untriedCount(world) == 0)
        }
    }
}
