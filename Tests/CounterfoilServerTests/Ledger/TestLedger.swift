import AppStoreModels
import AppStoreServer
import AppStoreTrust
import CounterfoilServer
import Entitlements
import Foundation
import TestSupport

@testable import LedgerSQLite
@testable import Ledger

/// A ledger in a folder of its own, which is written without waiting for the disk.
struct TestLedger {
    let storage: SQLiteStorage
    let scopes: ScopeRegistry
    let scope: Scope

    init(in folder: URL, name: String = UUID().uuidString) async throws {
        var options = SQLiteStorage.Options()
        options.isSynchronous = false
        storage = try SQLiteStorage(path: folder.appending(path: name).path, options: options)
        scopes = try await storage.scopes(
            of: ["Production", "Sandbox"].map { (bundleID: StoreLife.bundleID, environment: $0) })
        guard let scope = scopes[StoreLife.bundleID, .production] else { throw CocoaError(.coderValueNotFound) }
        self.scope = scope
    }

    /// Something that comes to a ledger.
    enum Arrival {
        case notification(ReceivedNotification, FoldedNotification)
        case statement(Statement)
    }

    /// What a life makes arrive: each notification, and of some what is inside them by itself too.
    func arrivals(of life: StoreLife, statements: Int = 3, at now: Date = World.start) async throws -> [Arrival] {
        var arrivals: [Arrival] = []
        for notification in life.notifications {
            arrivals.append(
                .notification(
                    ReceivedNotification(
                        notification, scope: scope, at: now, origin: .delivered),
                    FoldedNotification(
                        try await NotificationParts(
                            inside: notification.payload, in: scope, verifiedBy: life.verifier), id: 0, scope: scope,
                        at: now)))
        }
        for (index, transaction) in life.transactions.enumerated() where index % statements == 0 {
            arrivals.append(
                .statement(
                    Statement(transaction, scope: scope, at: now, origin: .asked)))
        }
        for (index, renewal) in life.renewals.enumerated() where index % statements == 1 {
            arrivals.append(
                .statement(Statement(renewal, scope: scope, at: now, origin: .app)))
        }
        return try arrivals + receipts(of: life, statements, now)
    }

    /// What receipts say, made before and after the App Store signed the transactions; one that it never signed among them.
    private func receipts(of life: StoreLife, _ statements: Int, _ now: Date) throws -> [Arrival] {
        var facts: [TransactionFact] = []
        for (index, transaction) in life.transactions.enumerated() where index % statements == 2 {
            for days in [-3.0, 3] {
                var fact = TransactionFact(transaction.payload)
                (fact.signedDate, fact.quantity) = (fact.signedDate + days * 86_400, 7)
                facts.append(fact)
                (fact.transactionID, fact.originalTransactionID) = ("r\(index)", "r\(index)")
                facts.append(fact)
            }
        }
        return try facts.map { fact in
            .statement(try Statement(receipt: fact, scope: scope, at: now, origin: .app))
        }
    }

    /// Takes everything in, in this order: in batches of random size, and folded whenever it happens to be.
    func take(_ arrivals: [Arrival], _ random: inout SeededGenerator) async throws {
        var waiting: [FoldedNotification] = []
        var rest = arrivals[...]
        while !rest.isEmpty {
            let batch = rest.prefix(Int.random(in: 1...12, using: &random))
            rest = rest.dropFirst(batch.count)
            var received: [(ReceivedNotification, FoldedNotification)] = []
            for arrival in batch {
                switch arrival {
                case .notification(let notification, let folded): received.append((notification, folded))
                case .statement(let statement): _ = try await storage.commit([statement])
                }
            }
            waiting.shuffle(using: &random)
            let folding = waiting.prefix(Int.random(in: 0...waiting.count, using: &random))
            waiting.removeFirst(folding.count)
            let receptions = try await storage.commit(receiving: received.map(\.0), folding: Array(folding))
            for (reception, (_, folded)) in zip(receptions, received) {
                guard case .kept(let id) = reception else { continue }
                var folded = folded
                folded.id = id
                waiting.append(folded)
            }
        }
        _ = try await storage.commit(receiving: [], folding: waiting)
    }
}
