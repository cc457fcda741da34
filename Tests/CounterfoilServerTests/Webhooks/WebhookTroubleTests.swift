@testable import LedgerServices
import CounterfoilServer
import Foundation
import LedgerSQLite
import Logging
import NIOHTTP1
import StoreSimulator
import Synchronization
import TestSupport
import Testing

@testable import Ledger

/// Two endpoints, and a dispatcher over a ledger in which pieces of its work fail.
private struct FailingWorld {
    let ledger: TestLedger
    let storage: FailingWebhookStorage
    let dispatcher: WebhookDispatcher
    let receiver: WebhookReceiver

    /// Calls `body` while the dispatcher runs.
    static func run(_ body: (FailingWorld) async throws -> Void) async throws {
        try await Tool.inTemporaryFolder { folder in
            try await WebhookReceiver.run { receiver in
                let world = try await FailingWorld(in: folder, receiver)
                let dispatcher = world.dispatcher
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask { await dispatcher.run() }
                    // Whatever a start looks for was looked for.
                    await dispatcher.settle()
                    try await body(world)
                    dispatcher.close()
                }
                try world.ledger.storage.close()
            }
        }
    }

    private init(in folder: URL, _ receiver: WebhookReceiver) async throws {
        ledger = try await TestLedger(in: folder)
        storage = FailingWebhookStorage(ledger.storage)
        self.receiver = receiver
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let renderer = EventRenderer(
            storage: ledger.storage, scopes: ledger.scopes, verifier: try TestStore.verifier(), apps: Apps([]),
            logger: logger)
        dispatcher = try await WebhookDispatcher(
            ["a", "b"].map { World.webhook($0, "\(receiver.url)/\($0)") }, storage: storage, scopes: ledger.scopes,
            renderer: renderer, clock: .showing { World.start },
            logger: logger,
            metrics: ServerMetrics(PrometheusMetrics()))
    }

    /// Makes something happen to customers.
    func grant(_ customers: [String] = ["anna", "bob"]) async throws {
        for customer in customers {
            let content = GrantEvent.Content(
                customer: customer, entitlement: "premium", reason: "sorry", actor: "team")
            _ = try await ledger.storage.createGrant(
                "grant of \(customer)", content, in: ledger.scope.id, at: World.start.milliseconds)
        }
    }

    /// What arrived since the last time, at which endpoint.
    func told() -> [String] { receiver.take().map(\.path).sorted() }
}

@Suite struct `Webhooks after trouble` {
    @Test func `the deliveries of an endpoint that was removed go, though the ledger failed`() async throws {
        try await FailingWorld.run { world in
            let endpoint = try #require(try await world.dispatcher.managed().first?.stored)
            _ = try await world.dispatcher.test(endpoint)
            await world.dispatcher.settle()
            func left() async throws -> Int {
                try await world.storage.deliveries(of: endpoint.id, in: nil, before: nil, limit: 9).count
            }
            try #require(try await left() == 1)
            world.storage.failOnce(at: .job)
            try await world.dispatcher.remove(endpoint.id)
            await world.dispatcher.settle()
            #expect(try await left() == 0)
        }
    }

    @Test func `what was made for one endpoint goes, though the ledger failed at the next one`() async throws {
        try await FailingWorld.run { world in
            world.storage.failOnce(at: .fanOut)
            try await world.grant()
            await world.dispatcher.settle()
            #expect(world.told() == ["/a", "/a", "/b", "/b"])
        }
    }

    @Test func `as many events as go into one piece are told without waiting for another`() async throws {
        try await FailingWorld.run { world in
            try await world.grant((0..<WebhookDispatcher.batch).map { "customer \($0)" })
            await world.dispatcher.settle()
            #expect(world.told().count == 2 * WebhookDispatcher.batch)
        }
    }

    @Test func `an endpoint that is switched off while others read what there is gets nothing more`() async throws {
        try await FailingWorld.run { world in
            world.receiver.answer(410)
            world.dispatcher.state.withLock { $0.endpoints = nil }
            let switchOff: @Sendable () async throws -> Void = {
                try await world.grant((0..<2 * WebhookDispatcher.width).map { "customer \($0)" })
                await world.dispatcher.settle()
            }
            let read = try await FailingWebhookStorage.$afterReading.withValue(switchOff) {
                try await world.dispatcher.endpoints()
            }
            try #require(read.map(\.disabled?.reason) == [nil, nil])
            try #require(try await world.storage.webhookEndpoints().map(\.disabled?.reason) == [.gone, .gone])
            // Half of what was made is left for each.
            try #require(world.told().count == 2 * WebhookDispatcher.width)
            await world.dispatcher.settle()
            #expect(world.told().isEmpty)
        }
    }

    @Test func `what is sent again goes, though the ledger failed`() async throws {
        try await FailingWorld.run { world in
            try await world.grant()
            await world.dispatcher.settle()
            try #require(world.told().count == 4)
            world.storage.failOnce(at: .letGo)
            let endpoint = try #require(try await world.dispatcher.managed().first)
            let all = ReplayRange(from: 0, to: .max, after: 0, through: .max, limit: 10)
            let replayed = try await world.dispatcher.replay(all, to: endpoint)
            try #require(replayed.deliveries == 2)
            await world.dispatcher.settle()
            #expect(world.told() == ["/a", "/a"])
        }
    }

    @Test func `a delivery whose notification is being read again waits, and that is no attempt`() async throws {
        try await World.runTelling { world, receiver in
            _ = try await world.buy("anna")
            try await world.tell()
            try #require(receiver.take().count == 1)
            let core = try world.server.core
            let kept = try await core.storage.notifications(
                InboxFilter(scopes: [try world.scope().id]), before: .max, limit: 9)
            try await core.storage.reprocess(kept.items.map(\.id), at: 0)
            let all = ReplayRange(from: 0, to: .max, after: 0, through: .max, limit: 10)
            try #require(try await core.webhooks.replay(all, to: try await world.endpoint()).deliveries == 1)
            await core.webhooks.settle()
            #expect(receiver.take().isEmpty)
            let waiting = try #require(try await world.deliveries().last)
            #expect(waiting.state == .pending && waiting.attempts == 0 && waiting.lastError == nil)
            core.processor.lookAgain()
            try await world.settle()
            try await world.tell(after: 2)
            #expect(receiver.take().count == 1)
            #expect(try await world.deliveries().last?.attempts == 1)
        }
    }

    @Test func `a text that does not verify any more is told once, without what it says, as the feed tells it`()
        async throws
    {
        try await World.runTelling { world, receiver in
            #expect(try await world.send(.PATCH, "/v1/webhooks/backend", #"{"enabled": false}"#).status == 200)
            _ = try await world.buy("anna")
            try await world.simulator.perform(.cancel(customer: "anna"))
            try await world.settle()
            let core = try world.server.core
            let storage = try #require(core.storage as? SQLiteStorage)
            try await storage.damageNotification("id = (SELECT min(id) FROM notifications)")
            #expect(try await world.send(.PATCH, "/v1/webhooks/backend", #"{"enabled": true}"#).status == 200)
            try await world.tell()
            let told = receiver.take()
            #expect(told.map { $0.json["type"].text } == ["subscription.started", "subscription.cancelled"])
            #expect(told.map { $0.json["data"]["transaction"]["product_id"].text } == [nil, World.monthly])
            #expect(try await world.deliveries().map(\.state) == [.delivered, .delivered])
            let feed = try await core.events.page(FeedQuery(after: 0, scopes: [try world.scope().id], limit: 9))
            #expect(feed.bodies == told.map(\.body))
        }
    }

    @Test func `an end takes no longer because the ledger does not take what came of attempts`() async throws {
        try await FailingWorld.run { world in
            world.storage.refuseOutcomes(true)
            try await world.grant(["anna"])
            world.dispatcher.wake()
            let limit = ContinuousClock.now + .seconds(30)
            var (isRefused, isEnding) = (false, false)
            while !isRefused, ContinuousClock.now < limit {
                await Task.yield()
                isRefused = world.dispatcher.state.withLock { !$0.outcomes.isEmpty }
            }
            try #require(isRefused)
            world.dispatcher.close()
            while !isEnding, ContinuousClock.now < limit {
                await Task.yield()
                isEnding = world.dispatcher.state.withLock { $0.isDraining }
            }
            #expect(isEnding)
            world.storage.refuseOutcomes(false)
        }
    }

    @Test func `what is sent again to an endpoint that is off arrives when it is on`() async throws {
        try await World.runTelling { world, receiver in
            _ = try await world.buy("anna")
            try await world.tell()
            let event = try #require(receiver.take().first?.id)
            #expect(try await world.send(.PATCH, "/v1/webhooks/backend", #"{"enabled": false}"#).status == 200)
            let replayed = try await world.send(
                .POST, "/v1/webhooks/backend/replay", #"{"event_id": "\#(event)"}"#)
            try #require(replayed.json["deliveries"].number == 1)
            try await world.tell()
            #expect(receiver.take().isEmpty)
            #expect(try await world.send(.PATCH, "/v1/webhooks/backend", #"{"enabled": true}"#).status == 200)
            try await world.tell()
            #expect(receiver.take().map(\.id) == [event])
        }
    }
}
