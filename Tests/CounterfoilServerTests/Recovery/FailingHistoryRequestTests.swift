import AppStoreModels
import AppStoreServer
import CounterfoilServer
import Foundation
import MemoryLedger
import StoreSimulator
import Synchronization
import TestSupport
import Testing

@testable import Ledger
@testable import LedgerServices

@Suite struct `Failing history requests in recovery` {
    private static let monthly = "com.example.premium.monthly"

    /// Answers requests for the transaction with an error that is retried without end.
    private func refusing(_ transaction: String) -> AppStoreProxy.Answer {
        { path in
            guard path.contains(transaction) else { return nil }
            return (404, #"{"errorCode":4040002,"errorMessage":"Account not found. Please try again."}"#)
        }
    }

    @Test func `A failing history request is retried later and does not block other customers`() async throws {
        try await AppStoreProxy.run { proxy in
            try await World.run(server: { proxy.redirectRequests(in: &$0) }) { world in
                let simulator = world.simulator
                var transactions: [String] = []
                for number in 0..<6 {
                    let outcome = try await simulator.perform(
                        .purchase(customer: "customer-\(number)", product: Self.monthly))
                    transactions.append(try #require(outcome.originalTransactionID))
                }
                try await world.waitUntilIdle()
                try await world.server.core.recovery.runNow()
                try simulator.add(Fault("notification:*", .drop))
                // Longer than the App Store stores notifications, so that only histories show the renewals.
                try await simulator.advance(by: 220 * 86_400)
                let core = try world.server.core
                let appEnvironment = try world.appEnvironment()
                proxy.setAnswer(refusing(transactions[2]))
                try await core.recovery.runNow()
                for transaction in transactions {
                    let count =
                        try await core.storage.lineage(transaction, in: appEnvironment.id)?.transactions.count ?? 0
                    #expect((count == 8) == (transaction != transactions[2]), "\(transaction): \(count)")
                }
                #expect(try await core.storage.historyPass(in: appEnvironment.id)?.finishedAt != nil)
                let completeness = try await world.completeness()
                #expect(completeness.missing.retryingHistoryRequests == 1)
                let named = try #require(completeness.missingItems.historyRequests.first)
                #expect(named.transactionID == transactions[2] && named.failure?.isEmpty == false && !named.isGivenUp)
                // The request is repeated later without manual action.
                proxy.setAnswer { _ in nil }
                try await simulator.advance(by: 600)
                try await core.recovery.runNow()
                #expect(try await core.storage.lineage(transactions[2], in: appEnvironment.id)?.transactions.count == 8)
                #expect(try await world.completeness().missing.retryingHistoryRequests == 0)
            }
        }
    }

    @Test func `An import continues after a customer whose history fails, and lists that customer`() async throws {
        try await AppStoreProxy.run { proxy in
            try await World.run(server: { proxy.redirectRequests(in: &$0) }) { world in
                let simulator = world.simulator
                try simulator.add(Fault("notification:*", .drop))
                var lines: [String] = []
                for number in 0..<70 {
                    let outcome = try await simulator.perform(
                        .purchase(customer: "customer-\(number)", product: Self.monthly))
                    lines.append(try #require(outcome.originalTransactionID))
                }
                let file = world.folder.appending(path: "customers.txt")
                try Data(lines.joined(separator: "\n").utf8).write(to: file)
                try await world.stopServer()
                let bad = lines[3]
                proxy.setAnswer { path in path.contains(bad) ? (200, "not JSON") : nil }
                let progress = try await world.importCustomers(file, in: [.production])
                #expect(progress.lines == 70 && progress.failed == 0 && progress.deferred == 1)
                let failures = try String(contentsOf: file.appendingPathExtension("failed"), encoding: .utf8)
                #expect(failures.hasPrefix("4\tundecodable_response\t") && failures.contains("the server tries again"))
                proxy.setAnswer { _ in nil }
                try await world.startServer()
                let core = try world.server.core
                #expect(try await world.completeness().missingItems.historyRequests.map(\.transactionID) == [bad])
                try await simulator.advance(by: 600)
                try await core.recovery.runNow()
                for line in lines {
                    #expect(try await core.storage.lineage(line, in: world.appEnvironment().id) != nil)
                }
            }
        }
    }

    /// Makes a purchase in the Sandbox without notifications. Returns its original transaction ID.
    private static func purchaseWithoutNotification(_ world: World) async throws -> String {
        try world.simulator.add(Fault("notification:*", .drop))
        let outcome = try await world.simulator.perform(
            .purchase(customer: "anna", product: monthly), in: .sandbox)
        return try #require(outcome.originalTransactionID)
    }

    @Test func `Failing requests of one environment do not block requests of another`() async throws {
        try await AppStoreProxy.run { proxy in
            try await World.run(server: { proxy.redirectRequests(in: &$0) }) { world in
                let (simulator, transaction) = (world.simulator, try await Self.purchaseWithoutNotification(world))
                let (core, sandbox) = (try world.server.core, try world.appEnvironment(.sandbox))
                // The response to a revoked key.
                proxy.setAnswer { _ in (401, "") }
                let older = (0..<70).map { "\(2_000_000_000_000_000 + $0)" }
                try await core.storage.add(requests: older, in: world.appEnvironment().id, because: .restore, at: 0)
                try await core.storage.add(requests: [transaction], in: sandbox.id, because: .restore, at: 1)
                let error = await #expect(throws: AppStoreServerError.self) {
                    try await core.recovery.runHistoryRequests()
                }
                #expect(error?.code == .unauthorized)
                #expect(try await core.storage.lineage(transaction, in: sandbox.id) != nil)
                let remaining = try await core.storage.dueHistoryRequests(
                    in: world.appEnvironment().id, at: simulator.now.milliseconds, limit: 100)
                #expect(remaining.count == older.count && remaining.allSatisfy { $0.attempts == 0 })
            }
        }
    }

    @Test func `A retried request is not delayed by many requests of another environment`() async throws {
        try await AppStoreProxy.run { proxy in
            try await World.run(server: { proxy.redirectRequests(in: &$0) }) { world in
                let (simulator, transaction) = (world.simulator, try await Self.purchaseWithoutNotification(world))
                proxy.setAnswer { _ in (404, #"{"errorCode":4040010,"errorMessage":"Transaction id not found."}"#) }
                // As many times as the client tries with a new token.
                try simulator.add(Fault("route:*", .status(code: 401), environment: .sandbox, count: 2))
                let (storage, appEnvironment) = (try world.server.core.storage, try world.appEnvironment())
                var count = 0
                func addOthers() async throws {
                    let others = (count..<count + 1000).map { "\(2_000_000_000_000_000 + $0)" }
                    count += 1000
                    try await storage.add(requests: others, in: appEnvironment.id, because: .restore, at: 0)
                }
                let sandbox = try world.appEnvironment(.sandbox).id
                try await addOthers()
                try await storage.add(requests: [transaction], in: sandbox, because: .restore, at: 0)
                try await waitUntil("the request of the other environment is done") {
                    try await addOthers()
                    // Long enough for any pause to end.
                    try await simulator.advance(by: 10)
                    return try await storage.lineage(transaction, in: sandbox) != nil
                }
            }
        }
    }

    @Test func `A slow request of one environment does not block requests of another`() async throws {
        try await AppStoreProxy.run { proxy in
            try await World.run(server: { proxy.redirectRequests(in: &$0) }) { world in
                proxy.setAnswer { _ in (404, #"{"errorCode":4040010,"errorMessage":"Transaction id not found."}"#) }
                try world.simulator.add(Fault("route:*", .delay(seconds: 3600), environment: .sandbox))
                let (storage, production) = (try world.server.core.storage, try world.appEnvironment().id)
                // More than one batch.
                let others = (0..<100).map { "\(2_000_000_000_000_000 + $0)" }
                let slow = try world.appEnvironment(.sandbox).id
                try await storage.add(requests: [others[0]], in: slow, because: .restore, at: 0)
                try await storage.add(requests: others, in: production, because: .restore, at: 0)
                try await waitUntil("the requests of the other environment are done") {
                    try await storage.missingCounts(in: production).historyRequests == 0
                }
                #expect(try await storage.missingCounts(in: production).failedHistoryRequests == others.count)
                #expect(try await storage.missingCounts(in: slow).historyRequests == 1)
            }
        }
    }

    /// Such an error is about the app or its configuration: the transaction may exist. But everybody with an old client
    /// can cause such requests.
    @Test func `A transaction that nothing signed names is missing for a week if the App Store does not know the app`()
        async throws
    {
        try await World.run { world in
            let code = APIErrorCode.appNotFound.rawValue
            try world.simulator.add(Fault("route:subscription-statuses", .error(code: code)))
            let (core, scope) = (try world.server.core, try world.appEnvironment().id)
            let now = world.simulator.now.milliseconds
            try await core.storage.add(requests: ["1"], in: scope, because: .unsignedNotificationV1, at: now)
            for _ in 0..<2 {
                try await core.recovery.runHistoryRequests()
                let item = try await world.completeness().missingItems.historyRequests.first
                #expect(item?.transactionID == "1" && item?.failure == "\(APIErrorCode.appNotFound.name ?? "")")
                try await world.simulator.advance(by: 4 * 86_400)
            }
            // The server takes the request at any time too.
            try await waitUntil("the request is removed") {
                try await core.recovery.runHistoryRequests()
                try await world.simulator.advance(by: 86_400)
                return try await core.storage.missingItems(in: scope).historyRequests.isEmpty
            }
        }
    }

    @Test func `A late notification leads to a recovery even if an earlier recovery fails at first`() async throws {
        try await AppStoreProxy.run { proxy in
            try await World.run(server: { configuration in
                proxy.redirectRequests(in: &configuration)
                configuration.recovery.isEnabled = true
                configuration.recovery.interval = .seconds(Int64.max)
            }) { world in
                let (simulator, core) = (world.simulator, try world.server.core)
                let appEnvironment = try world.appEnvironment()
                try await waitUntil("the recovery of the start is done") {
                    core.recovery.mark(of: appEnvironment.id) != nil
                }
                simulator.configure { $0.notificationURL = nil }
                try await simulator.advance(by: 600)
                try await simulator.perform(.purchase(customer: "anna", product: "com.example.unlock"))
                let client = try #require(core.clients[appEnvironment.id])
                let request = NotificationHistoryRequest(startDate: World.start, endDate: World.start + 86_400)
                var signed: String?
                for try await page in client.notificationHistory(request) {
                    signed = signed ?? page.notificationHistory.first?.signedPayload
                }
                let text = try #require(signed)
                // A recovery that cannot be finished.
                proxy.setAnswer { $0.contains("notifications/history") ? (418, "") : nil }
                await #expect(throws: AppStoreServerError.self) {
                    try await core.recovery.runPass(appEnvironment, because: .request)
                }
                try await simulator.advance(by: 3601)
                core.recovery.recordDelivery(try await core.ingest.accept(text, origin: .delivered))
                let failures = core.recovery.failures(in: appEnvironment.id)?.count ?? 0
                try await waitUntil("the server has tried after the late notification") {
                    try await simulator.advance(by: 601)
                    return core.recovery.failures(in: appEnvironment.id)?.count ?? 0 > failures + 1
                }
                // The earlier recovery does not read this one.
                try await simulator.perform(.purchase(customer: "bert", product: "com.example.unlock"))
                try await simulator.advance(by: 600)
                proxy.setAnswer { _ in nil }
                try await waitUntil("the lost notification is recovered") {
                    try await simulator.advance(by: 601)
                    return try await world.storedNotifications() == world.signedNotifications()
                }
            }
        }
    }

    @Test func `A late notification leads to a recovery even if the ledger cannot be written at first`() async throws {
        try await World.run(server: { configuration in
            configuration.recovery.isEnabled = true
            configuration.recovery.interval = .seconds(Int64.max)
        }) { world in
            let (simulator, core, scope) = (world.simulator, try world.server.core, try world.appEnvironment().id)
            try await waitUntil("the recovery of the start is done") { core.recovery.mark(of: scope) != nil }
            simulator.configure { $0.notificationURL = nil }
            try await simulator.advance(by: 600)
            for customer in ["anna", "bert"] {
                try await simulator.perform(.purchase(customer: customer, product: "com.example.unlock"))
            }
            try await simulator.advance(by: 3601)
            let text = try #require(try RandomStoreHistory.payloads(of: simulator).last)
            let late = try await core.ingest.accept(text, origin: .delivered)
            try await world.waitUntilIdle()
            try await world.withReadOnlyLedger {
                core.recovery.recordDelivery(late)
                try await waitUntil("the recovery has failed") { core.recovery.failures(in: scope) != nil }
            }
            // The pause after the failure is over.
            try await simulator.advance(by: 3600)
            try await world.waitUntilAllAreStored()
        }
    }

    @Test func `No customer's request counts a failed attempt while the App Store fails for all`() async throws {
        try await World.run { world in
            let simulator = world.simulator
            let outcome = try await simulator.perform(.purchase(customer: "anna", product: Self.monthly))
            try await world.waitUntilIdle()
            let core = try world.server.core
            try simulator.add(Fault("route:subscription-statuses", .status(code: 418)))
            let transaction = try #require(outcome.transactionID)
            try await core.storage.add(requests: [transaction], in: world.appEnvironment().id, because: .restore, at: 0)
            let error = await #expect(throws: AppStoreServerError.self) { try await core.recovery.runNow() }
            #expect(error?.status == 418)
            let due = try await core.storage.dueHistoryRequests(
                in: world.appEnvironment().id, at: simulator.now.milliseconds, limit: 10)
            #expect(due.map(\.attempts) == [0])
        }
    }
}
