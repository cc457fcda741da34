@testable import LedgerServices
import AppStoreModels
import AppStoreServer
import CounterfoilServer
import Foundation
import StoreSimulator
import Synchronization
import Testing

@testable import Ledger

@Suite struct `A customer that the App Store does not tell about` {
    private static let monthly = "com.example.premium.monthly"

    /// Answers about one transaction with an error that does not end.
    private func refusing(_ transaction: String) -> Front.Answer {
        { path in
            guard path.contains(transaction) else { return nil }
            return (404, #"{"errorCode":4040002,"errorMessage":"Account not found. Please try again."}"#)
        }
    }

    @Test func `is put aside, and everybody else is asked about`() async throws {
        try await Front.run { front in
            try await World.run(server: { front.stand(before: &$0) }) { world in
                let simulator = world.simulator
                var transactions: [String] = []
                for number in 0..<6 {
                    let outcome = try await simulator.perform(
                        .purchase(customer: "customer-\(number)", product: Self.monthly))
                    transactions.append(try #require(outcome.originalTransactionID))
                }
                try await world.settle()
                try await world.server.core.recovery.runNow()
                try simulator.add(Fault("notification:*", .drop))
                // Longer than the App Store keeps its history: only the customers' transactions tell what happened.
                try await simulator.advance(by: 220 * 86_400)
                let core = try world.server.core
                let scope = try world.scope()
                front.change(refusing(transactions[2]))
                try await core.recovery.runNow()
                for transaction in transactions {
                    let count = try await core.storage.lineage(transaction, in: scope.id)?.transactions.count ?? 0
                    #expect((count == 8) == (transaction != transactions[2]), "\(transaction): \(count)")
                }
                #expect(try await core.storage.historyPass(in: scope.id)?.finishedAt != nil)
                let completeness = try await world.completeness()
                #expect(completeness.missing.putAside == 1)
                let named = try #require(completeness.names.histories.first)
                #expect(named.transactionID == transactions[2] && named.failure?.isEmpty == false && !named.isGivenUp)
                // Asked again later, without anybody's doing.
                front.change { _ in nil }
                try await simulator.advance(by: 600)
                try await core.recovery.runNow()
                #expect(try await core.storage.lineage(transactions[2], in: scope.id)?.transactions.count == 8)
                #expect(try await world.completeness().missing.putAside == 0)
            }
        }
    }

    @Test func `does not keep an import from going on, and is named by it`() async throws {
        try await Front.run { front in
            try await World.run(server: { front.stand(before: &$0) }) { world in
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
                front.change { path in path.contains(bad) ? (200, "not JSON") : nil }
                let progress = try await OfflineServer.run(
                    try world.configuration(), clock: .showing { simulator.core.now }
                ) { core in
                    let production = core.recovery.recoverable.filter { $0.environment == .production }
                    return try await FileImport(core.importer(production), file: file, ledger: "").run { _ in }
                }
                #expect(progress.lines == 70 && progress.failed == 0 && progress.putAside == 1)
                let failures = try String(contentsOf: file.appendingPathExtension("failed"), encoding: .utf8)
                #expect(failures.hasPrefix("4\tundecodable_answer\t") && failures.contains("asked for again"))
                front.change { _ in nil }
                try await world.startServer()
                let core = try world.server.core
                #expect(try await world.completeness().names.histories.map(\.transactionID) == [bad])
                try await simulator.advance(by: 600)
                try await core.recovery.runNow()
                for line in lines { #expect(try await core.storage.lineage(line, in: world.scope().id) != nil) }
            }
        }
    }

    /// One in the sandbox; gives its original transaction.
    private static func purchaseNobodyIsToldOf(_ world: World) async throws -> String {
        try world.simulator.add(Fault("notification:*", .drop))
        let outcome = try await world.simulator.perform(
            .purchase(customer: "anna", product: monthly), in: .sandbox)
        return try #require(outcome.originalTransactionID)
    }

    @Test func `is no reason to keep the customers of another environment waiting`() async throws {
        try await Front.run { front in
            try await World.run(server: { front.stand(before: &$0) }) { world in
                let (simulator, transaction) = (world.simulator, try await Self.purchaseNobodyIsToldOf(world))
                let (core, sandbox) = (try world.server.core, try world.scope(.sandbox))
                // As when the key was revoked.
                front.change { _ in (401, "") }
                let older = (0..<70).map { "\(2_000_000_000_000_000 + $0)" }
                try await core.storage.add(requests: older, in: world.scope().id, because: .restore, at: 0)
                try await core.storage.add(requests: [transaction], in: sandbox.id, because: .restore, at: 1)
                await #expect(throws: AppStoreServerError.self) { try await core.recovery.runHistoryRequests() }
                #expect(try await core.storage.lineage(transaction, in: sandbox.id) != nil)
                let left = try await core.storage.takeHistoryRequests(
                    in: world.scope().id, at: simulator.now.milliseconds, limit: 100)
                #expect(left.count == older.count && left.allSatisfy { $0.attempts == 0 })
            }
        }
    }

    @Test func `is asked about again in time, however many there are in another environment`() async throws {
        try await Front.run { front in
            try await World.run(server: { front.stand(before: &$0) }) { world in
                let (simulator, transaction) = (world.simulator, try await Self.purchaseNobodyIsToldOf(world))
                front.change { _ in (404, #"{"errorCode":4040010,"errorMessage":"Transaction id not found."}"#) }
                // As often as the client tries another token.
                try simulator.add(Fault("route:*", .status(code: 401), environment: .sandbox, count: 2))
                let (storage, scope) = (try world.server.core.storage, try world.scope())
                var count = 0
                func addOthers() async throws {
                    let others = (count..<count + 1000).map { "\(2_000_000_000_000_000 + $0)" }
                    count += 1000
                    try await storage.add(requests: others, in: scope.id, because: .restore, at: 0)
                }
                let sandbox = try world.scope(.sandbox).id
                try await addOthers()
                try await storage.add(requests: [transaction], in: sandbox, because: .restore, at: 0)
                let end = ContinuousClock.now + .seconds(30)
                while try await storage.lineage(transaction, in: sandbox) == nil, ContinuousClock.now < end {
                    try await addOthers()
                    // Whatever pauses has paused for long enough.
                    try await simulator.advance(by: 10)
                }
                #expect(try await storage.lineage(transaction, in: sandbox) != nil)
            }
        }
    }

    @Test func `keeps nobody of another environment waiting while it is asked about`() async throws {
        try await Front.run { front in
            try await World.run(server: { front.stand(before: &$0) }) { world in
                front.change { _ in (404, #"{"errorCode":4040010,"errorMessage":"Transaction id not found."}"#) }
                try world.simulator.add(Fault("route:*", .delay(seconds: 60), environment: .sandbox))
                let (storage, production) = (try world.server.core.storage, try world.scope().id)
                // More than are asked for in one go.
                let others = (0..<100).map { "\(2_000_000_000_000_000 + $0)" }
                let slow = try world.scope(.sandbox).id
                try await storage.add(requests: [others[0]], in: slow, because: .restore, at: 0)
                try await storage.add(requests: others, in: production, because: .restore, at: 0)
                let end = ContinuousClock.now + .seconds(30)
                while try await storage.missing(in: production).historyRequests > 0, ContinuousClock.now < end {
                    await Task.yield()
                }
                #expect(try await storage.missing(in: production).failedHistoryRequests == others.count)
                #expect(try await storage.missing(in: slow).historyRequests == 1)
            }
        }
    }

    @Test func `is no reason to put aside everybody when nobody can be asked about`() async throws {
        try await World.run { world in
            let simulator = world.simulator
            let outcome = try await simulator.perform(.purchase(customer: "anna", product: Self.monthly))
            try await world.settle()
            let core = try world.server.core
            try simulator.add(Fault("route:subscription-statuses", .status(code: 418)))
            let transaction = try #require(outcome.transactionID)
            try await core.storage.add(requests: [transaction], in: world.scope().id, because: .restore, at: 0)
            await #expect(throws: AppStoreServerError.self) { try await core.recovery.runNow() }
            let due = try await core.storage.takeHistoryRequests(
                in: world.scope().id, at: simulator.now.milliseconds, limit: 10)
            #expect(due.map(\.attempts) == [0])
        }
    }
}
