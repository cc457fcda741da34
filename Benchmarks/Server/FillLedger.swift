import AppStoreModels
import AppStoreTrust
import Basics
import CounterfoilServer
import Entitlements
import Foundation
import GRDB
import Ledger
import LedgerSQLite
import StoreSimulator

/// Creates a ledger of any size in minutes, equal to one after years of notifications: a notification with its text for
/// each transaction, and the resulting facts. Only the signatures are random.
enum FillLedger {
    /// `fill LEDGER TRANSACTIONS`.
    static func run(_ arguments: [String]) async throws {
        guard arguments.count == 2, let transactions = Int(arguments[1]), transactions >= LoadedStore.renewals else {
            throw StorageError(
                .failed, "usage: fill LEDGER TRANSACTIONS, with at least \(LoadedStore.renewals) transactions")
        }
        let store = try LoadedStore(customers: transactions / LoadedStore.renewals)
        let storage = try SQLiteStorage(path: arguments[0])
        let scopes = try await storage.scopes(of: [
            (LoadedStore.bundleID, AppStoreEnvironment.production.rawValue),
            (LoadedStore.bundleID, AppStoreEnvironment.sandbox.rawValue),
        ])
        guard let appEnvironment = scopes[LoadedStore.bundleID, .production] else {
            throw CocoaError(.featureUnsupported)
        }
        try await storage.pool.writeWithoutTransaction { db in
            // Durability is not needed: no other process uses the file, and it can be created again.
            try db.execute(sql: "PRAGMA synchronous = OFF; PRAGMA cache_size = -1000000;")
        }
        let begin = ContinuousClock.now
        try await fill(storage, store, appEnvironment, transactions, begin)
        try await storage.pool.writeWithoutTransaction { db in
            try db.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)")
        }
        report("fill", begin.duration(to: .now) / .seconds(1), "s")
        try storage.close()
    }

    private static func fill(
        _ storage: SQLiteStorage, _ store: LoadedStore, _ appEnvironment: AppEnvironment, _ transactions: Int,
        _ begin: ContinuousClock.Instant
    ) async throws {
        let header = headerText(store)
        let batch = 1000
        // Prepare each batch while the previous one is written.
        var processed: [ProcessedNotification] = []
        var id: Int64 = 0
        var prepared = prepare(0..<min(batch, store.customers), store, appEnvironment, header)
        for start in stride(from: 0, to: store.customers, by: batch) {
            let received = try await prepared.value
            let end = min(start + 2 * batch, store.customers)
            if start + batch < end { prepared = prepare(start + batch..<end, store, appEnvironment, header) }
            processed = []
            for (offset, customer) in (start..<min(start + batch, store.customers)).enumerated() {
                for renewal in 0..<LoadedStore.renewals {
                    id += 1
                    let transaction = store.transaction(renewal * store.customers + customer)
                    let notification = received[offset * LoadedStore.renewals + renewal]
                    processed.append(
                        ProcessedNotification(
                            id: id, scope: appEnvironment.id, uuid: notification.uuid, type: .didRenew,
                            signedDate: notification.signedDate, transaction: TransactionFact(transaction),
                            renewal: renewal == LoadedStore.renewals - 1
                                ? RenewalFact(store.renewal(transaction)) : nil,
                            processedAt: notification.receivedAt))
                }
            }
            _ = try await storage.commit(received: received, processed: processed)
            if start % (100 * batch) == 0 {
                let seconds = begin.duration(to: .now) / .seconds(1)
                FileHandle.standardError.write(Data("\(Int(id)) of \(transactions), \(Int(seconds)) s\n".utf8))
            }
        }
    }

    private static func prepare(
        _ customers: Range<Int>, _ store: LoadedStore, _ appEnvironment: AppEnvironment, _ header: String
    ) -> Task<[ReceivedNotification], any Error> {
        Task.detached {
            var received: [ReceivedNotification] = []
            for customer in customers {
                for renewal in 0..<LoadedStore.renewals {
                    let (payload, _) = try store.notification(renewal * store.customers + customer) { json in
                        unsigned(header, json)
                    }
                    let text = unsigned(header, try payload.jsonBytes())
                    received.append(
                        ReceivedNotification(
                            scope: appEnvironment.id, uuid: payload.notificationUUID,
                            type: payload.notificationType.rawValue,
                            signedDate: payload.signedDate.milliseconds,
                            receivedAt: payload.signedDate.milliseconds + 200, origin: .delivered, text: text))
                }
            }
            return received
        }
    }

    private static func unsigned(_ header: String, _ json: [UInt8]) -> String {
        var random = SystemRandomNumberGenerator()
        let signature = (0..<8).flatMap { _ in withUnsafeBytes(of: random.next()) { Array($0) } }
        return header + "." + Base64.encodeURL(json) + "." + Base64.encodeURL(signature)
    }

    private static func headerText(_ store: LoadedStore) -> String {
        Base64.encodeURL(Array(Authority.header(chain: store.authority.chain).utf8))
    }
}
