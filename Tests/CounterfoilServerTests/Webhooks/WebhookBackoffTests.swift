@testable import LedgerServices
import CounterfoilServer
import Foundation
import StoreSimulator
import Testing
internal import NIOHTTP1

@testable import Ledger

@Suite struct `A webhook endpoint that only fails` {
    /// More than fail before it is noticed and with the pauses of some minutes.
    private static let count = 40

    /// Has much wait for a receiver that is down.
    private static func fail(_ world: World, _ receiver: WebhookReceiver) async throws {
        receiver.answer(503)
        for number in 0..<count { _ = try await world.buy("customer-\(number)") }
        try await world.tell()
        try #require(try await world.deliveries().count == count)
    }

    /// How many deliveries were never attempted.
    private static func untried(_ world: World) async throws -> Int {
        try await world.deliveries().count { $0.attempts == 0 && $0.lastError == nil }
    }

    @Test func `is tried with few deliveries, and gets all when it is back`() async throws {
        try await World.runTelling { world, receiver in
            try await Self.fail(world, receiver)
            #expect(receiver.take().count < 30)
            #expect(try await Self.untried(world) > 10)
            receiver.answer(200)
            try await world.tell(after: 60)
            #expect(try await world.deliveries().allSatisfy { $0.state == .delivered })
            #expect(Set(receiver.take().map(\.id)).count == Self.count)
        }
    }

    @Test func `says until when it pauses, in the API and on its page`() async throws {
        try await World.runTelling({ configuration, _ in
            configuration.console.isEnabled = true
            configuration.keys = [
                .init(name: "test", hash: APIKeyText.hash(of: World.key), scopes: [.webhooksWrite, .consoleOpen])
            ]
        }) { world, receiver in
            let browser = Browser(world.url)
            try await browser.signIn(World.key)
            try await Self.fail(world, receiver)
            // Until the pauses are longer than this test takes.
            for _ in 0..<6 { try await world.tell(after: 60) }
            let now = Double(world.simulator.now.milliseconds)
            let endpoint = try await world.send(.GET, "/v1/webhooks/backend").json
            let until = try #require(endpoint["paused_until"].number)
            #expect(until > now && until <= now + 60_000)
            let listed = try await world.send(.GET, "/v1/webhooks").json["items"].items
            #expect(listed.map { $0["paused_until"].number } == [until])
            #expect(try await browser.get("/console/webhooks/backend").text.contains("<dt>paused until</dt>"))
            receiver.answer(200)
            #expect(try await world.send(.POST, "/v1/webhooks/backend/test").status == 202)
            try await world.tell()
            #expect(!(try await world.send(.GET, "/v1/webhooks/backend").json.keys.contains("paused_until")))
            #expect(!(try await browser.get("/console/webhooks/backend").text.contains("paused until")))
        }
    }

    @Test func `gets a test before what waits`() async throws {
        try await World.runTelling { world, receiver in
            try await Self.fail(world, receiver)
            try #require(try await Self.untried(world) > 10)
            let answer = try await world.send(.POST, "/v1/webhooks/backend/test")
            let test = try #require(answer.json["event_id"].text)
            try await world.tell()
            #expect(receiver.take().contains { $0.id == test })
            #expect(try await world.deliveries().last?.attempts == 1)
        }
    }

    @Test(arguments: ["test", "replay", "enable"])
    func `is tried at once when somebody believes that it works`(_ request: String) async throws {
        try await World.runTelling { world, receiver in
            try await Self.fail(world, receiver)
            let event = try #require(receiver.take().first?.id)
            // Until the pauses are longer than this test takes.
            for _ in 0..<6 { try await world.tell(after: 60) }
            try #require(try await Self.untried(world) > 0)
            receiver.answer(200)
            try await world.tell()
            try #require(try await Self.untried(world) > 0)
            let answer =
                switch request {
                case "test": try await world.send(.POST, "/v1/webhooks/backend/test")
                case "replay":
                    try await world.send(.POST, "/v1/webhooks/backend/replay", #"{"event_id": "\#(event)"}"#)
                default: try await world.send(.PATCH, "/v1/webhooks/backend", #"{"enabled": true}"#)
                }
            #expect((200..<300).contains(answer.status))
            try await world.tell()
            #expect(try await Self.untried(world) == 0)
        }
    }
}
