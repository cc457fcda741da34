import AppStoreModels
import CounterfoilServer
import Foundation
import Logging
import MemoryLedger
import NIOHTTP1
import StoreSimulator
import Synchronization
import TestSupport
import Testing

@testable import Ledger
@testable import LedgerServices

@Suite struct `Webhooks after failures` {
    @Test func `The deliveries of a removed endpoint are deleted although the ledger fails once`() async throws {
        try await FailingWorld.run { world in
            let endpoint = try #require(try await world.dispatcher.managedWebhooks().first?.stored)
            _ = try await world.dispatcher.sendTest(to: endpoint)
            try await world.waitUntilIdle()
            func left() async throws -> Int {
                try await world.ledger.storage.deliveries(of: endpoint.id, limit: 9).count
            }
            try #require(try await left() == 1)
            world.storage.failOnce(at: .job)
            try await world.dispatcher.remove(endpoint.id)
            try await world.waitUntilIdle()
            #expect(try await left() == 0)
        }
    }

    @Test func `A test of a disabled endpoint is forgotten with the endpoint`() async throws {
        try await FailingWorld.run { world in
            let endpoint = try #require(try await world.dispatcher.managedWebhooks().first?.stored)
            try await world.dispatcher.setEnabled(false, for: endpoint, discardingBacklog: false)
            _ = try #require(try await world.dispatcher.sendTest(to: endpoint))
            try await world.waitUntilIdle()
            try #require(world.dispatcher.state.withLock(\.tests).count == 1)
            try await world.dispatcher.remove(endpoint.id)
            try await world.waitUntilIdle()
            #expect(world.dispatcher.state.withLock(\.tests).isEmpty)
        }
    }

    @Test func `Deliveries are sent to all endpoints although the ledger fails once between them`() async throws {
        try await FailingWorld.run { world in
            world.storage.failOnce(at: .fanOut)
            try await world.createGrants()
            try await world.waitUntilIdle()
            #expect(world.takePaths() == ["/a", "/a", "/b", "/b"])
        }
    }

    @Test func `A full batch of events is delivered without waiting for another event`() async throws {
        try await FailingWorld.run { world in
            try await world.createGrants(for: (0..<WebhookDispatcher.batch).map { "customer \($0)" })
            try await world.waitUntilIdle()
            #expect(world.takePaths().count == 2 * WebhookDispatcher.batch)
        }
    }

    /// Each delivery in flight needs a descriptor, and a process without descriptors ends. The clock stands still, so a
    /// failed attempt would not be repeated.
    @Test(arguments: [["a"], ["a", "b", "c", "d", "e", "f", "g"]])
    func `Endpoints that do not respond have few deliveries in flight, and leave connections for one that does`(
        _ hanging: [String]
    ) async throws {
        try await FailingWorld.run(to: hanging + ["h"]) { world in
            let (held, release) = AsyncStream.makeStream(of: Void.self)
            defer { release.finish() }
            let received = Mutex(0)
            world.receiver.answer { message in
                guard message.path == "/h" else { return WebhookReceiver.Answer(status: 200, delay: held) }
                received.withLock { $0 += 1 }
                return WebhookReceiver.Answer(status: 200)
            }
            let count = WebhookDispatcher.maximumConcurrency
            try await world.createGrants(for: (0..<count).map { "customer \($0)" })
            world.dispatcher.wake()
            try await waitUntil("the last endpoint has all messages") { received.withLock(\.self) == count }
            let last = try #require(try await world.dispatcher.endpoints().first { $0.name == "h" }?.id)
            let inFlight = world.dispatcher.state.withLock(\.inFlight).filter { $0.key != last }.map(\.value.count)
            let all = inFlight.reduce(0, +)
            let least = min(hanging.count * count, WebhookDispatcher.maximumShared / 2 + 1)
            #expect(inFlight.count == hanging.count && all >= least, "\(inFlight)")
            #expect(all < WebhookDispatcher.maximumShared + hanging.count, "\(inFlight)")
            release.finish()
            try await world.waitUntilIdle()
            #expect(world.takePaths().count == (hanging.count + 1) * count)
        }
    }

    /// A pass that had begun sent to the former URL, with the former secrets, what the endpoint no longer received.
    @Test(arguments: [FailingWebhookStorage.Step.fanOut, .dueDeliveries])
    func `A reload is effective at once, also in a pass that has begun`(_ step: FailingWebhookStorage.Step)
        async throws
    {
        try await FailingWorld.run { world in
            let dispatcher = world.dispatcher
            var limited = World.webhook("a", "\(world.receiver.url)/limited")
            limited.environments = [.sandbox]
            let changed = [limited, World.webhook("b", "\(world.receiver.url)/moved")]
            world.storage.runOnce(before: step) { try await dispatcher.configure(changed) }
            try await world.createGrants()
            try await world.waitUntilIdle()
            #expect(world.takePaths() == ["/moved", "/moved"])
        }
    }

    /// A pass that had begun skipped the events that the endpoint received by then, and moved its cursor past them.
    @Test func `A change by the API is effective for all later events, also in a pass that has begun`() async throws {
        try await FailingWorld.run { world in
            var webhook = World.webhook("crm", "\(world.receiver.url)/crm")
            webhook.events = ["subscription.*"]
            let added = try #require(try await world.dispatcher.add(webhook)).stored.id
            try await world.waitUntilIdle()
            webhook.events = nil
            let changed = webhook
            world.storage.runOnce(before: .fanOut) {
                try await world.dispatcher.updateEndpoint(added, to: changed)
                try await world.createGrants(for: ["bob"])
            }
            try await world.createGrants(for: ["anna"])
            try await world.waitUntilIdle()
            #expect(world.takePaths().filter { $0 == "/crm" }.count == 2)
        }
    }

    @Test func `An endpoint that is disabled while the endpoints are read gets no more messages`() async throws {
        try await FailingWorld.run { world in
            world.receiver.answer(410)
            world.dispatcher.state.withLock { $0.endpoints = nil }
            let switchOff: @Sendable () async throws -> Void = {
                try await world.createGrants(
                    for: (0..<2 * WebhookDispatcher.maximumConcurrency).map { "customer \($0)" })
                try await world.waitUntilIdle()
            }
            let read = try await FailingWebhookStorage.$afterReading.withValue(switchOff) {
                try await world.dispatcher.endpoints()
            }
            try #require(read.map(\.disabled?.reason) == [nil, nil])
            try #require(try await world.storage.webhookEndpoints().map(\.disabled?.reason) == [.gone, .gone])
            // As many deliveries are still pending for each endpoint.
            try #require(world.takePaths().count == 2 * WebhookDispatcher.maximumConcurrency)
            try await world.waitUntilIdle()
            #expect(world.takePaths().isEmpty)
        }
    }

    /// A change that does not say whether the endpoint is enabled writes what it has read.
    @Test func `An endpoint that answers that it is gone while its backlog is discarded stays disabled`() async throws {
        try await FailingWorld.run(to: ["a"]) { world in
            world.receiver.answer(410)
            let dispatcher = world.dispatcher
            try await dispatcher.serializeChanges {
                let endpoint = try #require(try await dispatcher.managedWebhooks().first?.stored)
                try #require(endpoint.disabled == nil)
                try await world.createGrants(for: ["anna"])
                dispatcher.wake()
                try await waitUntil("the outcome waits for the change, or is recorded") {
                    if dispatcher.changeLock.waiting > 0 { return true }
                    return try await world.storage.webhookEndpoints().first?.disabled != nil
                }
                try await dispatcher.setEnabled(endpoint.disabled == nil, for: endpoint, discardingBacklog: true)
            }
            try await world.waitUntilIdle()
            try #require(world.takePaths() == ["/a"])
            #expect(try await world.storage.webhookEndpoints().map(\.disabled?.reason) == [.gone])
        }
    }

    /// The dispatcher remembers the endpoints, and the repeated recording does not disable the endpoint again.
    @Test func `An endpoint that a commit disabled gets no more messages although the commit was not confirmed`()
        async throws
    {
        let lines = LogCapture()
        try await FailingWorld.run(to: ["a"], logger: lines.logger(ServerConfiguration.Log())) { world in
            world.receiver.answer(410)
            world.storage.loseAnswerToOutcomes()
            try await world.createGrants(for: ["anna"])
            try await world.waitUntilIdle()
            try #require(world.takePaths() == ["/a"])
            try #require(try await world.storage.webhookEndpoints().map(\.disabled?.reason) == [.gone])
            #expect(try await world.dispatcher.endpoints().map(\.disabled?.reason) == [.gone])
            let endpoint = try #require(try await world.storage.webhookEndpoints().first).id
            let deliveries = try await world.ledger.storage.dueDeliveries(of: endpoint, at: .max, limit: 9)
            #expect(deliveries.map(\.attempts) == [1])
        }
        let entry = "a webhook endpoint was disabled endpoint=a reason=gone"
        #expect(lines.text.split(separator: entry).count - 1 == 1, "\(lines.text)")
    }

    @Test func `A replay is delivered although the ledger fails once`() async throws {
        try await FailingWorld.run { world in
            try await world.createGrants()
            try await world.waitUntilIdle()
            try #require(world.takePaths().count == 4)
            world.storage.failOnce(at: .releaseDeliveries)
            let endpoint = try #require(try await world.dispatcher.managedWebhooks().first)
            let all = ReplayRange(from: 0, to: .max, after: 0, through: .max, limit: 10)
            let replayed = try await world.dispatcher.replay(all, to: endpoint)
            try #require(replayed.deliveries == 2)
            try await world.waitUntilIdle()
            #expect(world.takePaths() == ["/a", "/a"])
        }
    }

    @Test func `A delivery waits while its notification is processed again, and no attempt is counted`() async throws {
        try await World.runWithWebhooks { world, receiver in
            _ = try await world.buy("anna")
            try await world.deliverWebhooks()
            try #require(receiver.take().count == 1)
            let core = try world.server.core
            let stored = try await core.storage.notifications(
                InboxFilter(scopes: [try world.appEnvironment().id]), before: .max, limit: 9)
            try await core.storage.reprocess(stored.items.map(\.id), at: 0)
            let all = ReplayRange(from: 0, to: .max, after: 0, through: .max, limit: 10)
            try #require(try await core.webhooks.replay(all, to: try await world.endpoint()).deliveries == 1)
            try await world.deliverWebhooks()
            #expect(receiver.take().isEmpty)
            let pending = try #require(try await world.deliveries().last)
            #expect(pending.state == .pending && pending.attempts == 0 && pending.lastError == nil)
            core.processor.rescan()
            try await world.waitUntilIdle()
            try await world.deliverWebhooks(after: 2)
            #expect(receiver.take().count == 1)
            #expect(try await world.deliveries().last?.attempts == 1)
        }
    }

    @Test func `An event whose text no longer verifies is delivered without its data, as in the feed`() async throws {
        try await World.runWithWebhooks { world, receiver in
            #expect(try await world.send(.PATCH, "/v1/webhooks/backend", #"{"enabled": false}"#).status == 200)
            _ = try await world.buy("anna")
            try await world.simulator.perform(.cancel(customer: "anna"))
            try await world.waitUntilIdle()
            let core = try world.server.core
            try await world.damageNotification(.oldest)
            #expect(try await world.send(.PATCH, "/v1/webhooks/backend", #"{"enabled": true}"#).status == 200)
            try await world.deliverWebhooks()
            let messages = receiver.take()
            #expect(messages.map { $0.json["type"].text } == ["subscription.started", "subscription.cancelled"])
            #expect(messages.map { $0.json["data"]["transaction"]["product_id"].text } == [nil, World.monthly])
            #expect(try await world.deliveries().map(\.state) == [.delivered, .delivered])
            let feed = try await core.events.page(
                FeedQuery(after: 0, scopes: [try world.appEnvironment().id], limit: 9))
            #expect(feed.bodies == messages.map(\.body))
        }
    }

    @Test func `Closing the dispatcher does not wait for outcomes that the ledger refuses`() async throws {
        try await FailingWorld.run { world in
            world.storage.refuseOutcomes(true)
            try await world.createGrants(for: ["anna"])
            world.dispatcher.wake()
            try await waitUntil("an outcome is refused") { world.dispatcher.state.withLock { !$0.outcomes.isEmpty } }
            world.dispatcher.close()
            try await waitUntil("the dispatcher is draining") { world.dispatcher.state.withLock { $0.isDraining } }
            world.storage.refuseOutcomes(false)
        }
    }

    /// The dispatcher tries again every second, with a full disk all night.
    @Test func `A failure that lasts is logged once, and so is its end`() async throws {
        let lines = LogCapture()
        try await FailingWorld.run(logger: lines.logger(ServerConfiguration.Log())) { world in
            world.storage.refuseOutcomes(true)
            try await world.createGrants(for: ["anna"])
            try await waitUntil("outcomes are refused several times") {
                world.dispatcher.wake()
                return world.storage.refusedCount >= 3
            }
            world.storage.refuseOutcomes(false)
            try await world.waitUntilIdle()
        }
        #expect(lines.count(of: "webhooks cannot be sent now") == 1, "\(lines.text)")
        #expect(lines.count(of: "webhooks are sent again") == 1)
    }

    @Test func `A replay to a disabled endpoint is delivered after it is enabled`() async throws {
        try await World.runWithWebhooks { world, receiver in
            _ = try await world.buy("anna")
            try await world.deliverWebhooks()
            let event = try #require(receiver.take().first?.id)
            #expect(try await world.send(.PATCH, "/v1/webhooks/backend", #"{"enabled": false}"#).status == 200)
            let replayed = try await world.send(
                .POST, "/v1/webhooks/backend/replay", #"{"event_id": "\#(event)"}"#)
            try #require(replayed.json["deliveries"].number == 1)
            try await world.deliverWebhooks()
            #expect(receiver.take().isEmpty)
            #expect(try await world.send(.PATCH, "/v1/webhooks/backend", #"{"enabled": true}"#).status == 200)
            try await world.deliverWebhooks()
            #expect(receiver.take().map(\.id) == [event])
        }
    }
}
