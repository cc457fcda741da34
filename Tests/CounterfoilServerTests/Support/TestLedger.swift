import AppStoreModels
import AppStoreServer
import AppStoreTrust
import CounterfoilServer
import Entitlements
import Foundation
import TestSupport

@testable import Ledger
@testable import LedgerSQLite

/// A ledger in its own file, opened without waiting for the disk on commit.
struct TestLedger {
    let sqlite: SQLiteStorage
    var storage: any LedgerEngine { sqlite }
    let scopes: AppEnvironmentRegistry
    let appEnvironment: AppEnvironment

    init(in folder: URL, name: String = UUID().uuidString) async throws {
        var options = SQLiteStorage.Options()
        options.isSynchronous = false
        sqlite = try SQLiteStorage(path: folder.appending(path: name).path, options: options)
        scopes = try await sqlite.scopes(
            of: ["Production", "Sandbox"].map { (bundleID: RandomStoreHistory.bundleID, environment: $0) })
        guard let appEnvironment = scopes[RandomStoreHistory.bundleID, .production] else {
            throw CocoaError(.coderValueNotFound)
        }
        self.appEnvironment = appEnvironment
    }

    /// A notification or a signed fact that is stored in the ledger.
    enum Arrival {
        case notification(ReceivedNotification, ProcessedNotification)
        case signedFact(SignedFact)
    }

    /// Returns each notification of `history`, and signed facts about one in `interval` of its transactions, renewals
    /// and receipt entries.
    func arrivals(of history: RandomStoreHistory, signedFactInterval interval: Int = 3, at now: Date = World.start)
        async throws
        -> [Arrival]
    {
        var arrivals: [Arrival] = []
        for notification in history.notifications {
            arrivals.append(
                .notification(
                    ReceivedNotification(
                        try GenuineNotification(notification), in: appEnvironment, at: now, origin: .delivered),
                    ProcessedNotification(
                        try await NotificationParts(
                            inside: notification.payload, in: appEnvironment, verifiedBy: history.verifier), id: 0,
                        in: appEnvironment,
                        at: now)))
        }
        for (index, transaction) in history.transactions.enumerated() where index % interval == 0 {
            arrivals.append(
                .signedFact(
                    SignedFact(transaction, in: appEnvironment, at: now, origin: .asked)))
        }
        for (index, renewal) in history.renewals.enumerated() where index % interval == 1 {
            arrivals.append(
                .signedFact(SignedFact(renewal, in: appEnvironment, at: now, origin: .app)))
        }
        return try arrivals + receipts(of: history, interval, now)
    }

    /// Returns signed facts from receipts, dated before and after the signed transactions. Half of them name
    /// transactions that were never signed.
    private func receipts(of history: RandomStoreHistory, _ interval: Int, _ now: Date) throws -> [Arrival] {
        var facts: [TransactionFact] = []
        for (index, transaction) in history.transactions.enumerated() where index % interval == 2 {
            for days in [-3.0, 3] {
                var fact = TransactionFact(transaction.payload)
                (fact.signedDate, fact.quantity) = (fact.signedDate + days * 86_400, 7)
                facts.append(fact)
                (fact.transactionID, fact.originalTransactionID) = ("r\(index)", "r\(index)")
                facts.append(fact)
            }
        }
        return try facts.map { fact in
            .signedFact(try SignedFact(receipt: fact, in: appEnvironment, at: now, origin: .app))
        }
    }

    /// Stores all arrivals in this order, in batches of random size, and processes notifications in random order at
    /// random times.
    func commit(_ arrivals: [Arrival], _ random: inout SeededGenerator) async throws {
        var waiting: [ProcessedNotification] = []
        var rest = arrivals[...]
        while !rest.isEmpty {
            let batch = rest.prefix(Int.random(in: 1...12, using: &random))
            rest = rest.dropFirst(batch.count)
            var received: [(ReceivedNotification, ProcessedNotification)] = []
            for arrival in batch {
                switch arrival {
                case .notification(let notification, let processed): received.append((notification, processed))
                case .signedFact(let signedFact): _ = try await storage.commit([signedFact])
                }
            }
            waiting.shuffle(using: &random)
            let processed = waiting.prefix(Int.random(in: 0...waiting.count, using: &random))
            waiting.removeFirst(processed.count)
            let insertions = try await storage.commit(received: received.map(\.0), processed: Array(processed))
            for (insertion, (_, notification)) in zip(insertions, received) {
                guard case .stored(let id) = insertion else { continue }
                var notification = notification
                notification.id = id
                waiting.append(notification)
            }
        }
        _ = try await storage.commit(received: [], processed: waiting)
    }
}

extension TestLedger {
    /// Writes an export to a file.
    func export(to file: URL) async throws { try await sqlite.export(to: file) }

    /// Imports a file of an export.
    func importFile(_ file: URL, verifiedBy verifier: SignedDataVerifier) async throws -> LedgerImport.Report {
        try await LedgerImport(sqlite, verifier: verifier, scopes: scopes, at: .now)
            .run(try FileHandle(forReadingFrom: file))
    }
}

extension SQLiteStorage {
    /// Writes an export of the ledger to a file.
    @discardableResult
    func export(to file: URL) async throws -> (count: LedgerExport.Count, digest: String) {
        _ = FileManager.default.createFile(atPath: file.path, contents: nil)
        let handle = try FileHandle(forWritingTo: file)
        defer { try? handle.close() }
        return try await LedgerExport.make(of: self) { try handle.write(contentsOf: $0) }
    }
}
