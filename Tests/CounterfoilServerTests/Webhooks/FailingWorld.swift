import AppStoreModels
import CounterfoilServer
import Foundation
import Logging
import MemoryLedger
import StoreSimulator
import TestSupport

@testable import Ledger
@testable import LedgerServices

/// A dispatcher with two or more endpoints, on a ledger whose operations can fail.
struct FailingWorld {
    let ledger: TestLedger
    let storage: FailingWebhookStorage
    let dispatcher: WebhookDispatcher
    let receiver: WebhookReceiver

    /// Calls `body` while the dispatcher runs.
    static func run(
        to endpoints: [String] = ["a", "b"], logger: Logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
        _ body: (FailingWorld) async throws -> Void
    ) async throws {
        try await Tool.inTemporaryFolder { folder in
            try await WebhookReceiver.run { receiver in
                let world = try await FailingWorld(in: folder, receiver, endpoints, logger)
                let dispatcher = world.dispatcher
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask { await dispatcher.run() }
                    // The dispatcher has finished the work of its start.
                    try await world.waitUntilIdle()
                    try await body(world)
                    dispatcher.close()
                }
                try await world.ledger.storage.close()
            }
        }
    }

    private init(
        in folder: URL, _ receiver: WebhookReceiver, _ endpoints: [String], _ logger: Logger
    ) async throws {
        ledger = try await TestLedger(in: folder)
        storage = FailingWebhookStorage(ledger.storage)
        self.receiver = receiver
        let renderer = EventRenderer(
            storage: ledger.storage, scopes: ledger.scopes, verifier: try TestStore.verifier(), apps: Apps([]),
            logger: logger)
        dispatcher = try await WebhookDispatcher(
            endpoints.map { World.webhook($0, "\(receiver.url)/\($0)") }, storage: storage, scopes: ledger.scopes,
            renderer: renderer, timeout: .seconds(600), drainTimeout: .seconds(10), clock: .showing { World.start },
            logger: logger, metrics: ServerMetrics(PrometheusMetrics()))
    }

    /// Creates an event for each customer by a grant.
    func createGrants(for customers: [String] = ["anna", "bob"]) async throws {
        for customer in customers {
            let content = GrantEvent.Content(
                customer: customer, entitlement: "premium", reason: "sorry", actor: "team")
            _ = try await ledger.storage.createGrant(
                "grant of \(customer)", content, in: ledger.appEnvironment.id, at: World.start.milliseconds)
        }
    }

    /// Waits until every due delivery was attempted.
    func waitUntilIdle() async throws {
        try await waitForEnd("every due delivery was attempted") { [dispatcher] in await dispatcher.waitUntilIdle() }
    }

    /// Returns the paths of the messages since the last call, sorted.
    func takePaths() -> [String] { receiver.take().map(\.path).sorted() }
}
