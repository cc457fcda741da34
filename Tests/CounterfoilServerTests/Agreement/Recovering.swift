import AppStoreModels
import CounterfoilServer
import Entitlements
import Foundation
import GRDB
import StoreSimulator
internal import AppStoreServer

/// Finds out what the server has missed, and says whose it is.
struct Recovering {
    let world: World

    func run(since start: Date) async throws {
        let core = try world.server.core
        let scope = try world.scope()
        guard let client = core.clients[scope.id] else { throw StorageError(.failed, "no client") }
        let request = NotificationHistoryRequest(startDate: start, endDate: core.now)
        for try await item in client.notificationHistory(request).items {
            _ = try await core.ingest.accept(item.signedPayload, origin: .recovered)
        }
        for state in world.simulator.states() where !(state.subscriptions.isEmpty && state.purchases.isEmpty) {
            var statements: [CounterfoilServer.Statement] = []
            for try await page in client.transactionHistory(of: state.appTransactionId) {
                for text in page.signedTransactions {
                    let verified = try await core.historical.transaction(text)
                    statements.append(
                        CounterfoilServer.Statement(verified, scope: scope, at: core.now, origin: .asked, headers: core.storage.headers))
                }
            }
            let statuses = try await client.subscriptionStatuses(of: state.appTransactionId)
            for item in statuses.data.flatMap(\.lastTransactions) {
                let transaction = try await core.historical.transaction(item.signedTransactionInfo)
                let renewal = try await core.historical.renewalInfo(item.signedRenewalInfo)
                let headers = core.storage.headers
                statements.append(
                    CounterfoilServer.Statement(transaction, scope: scope, at: core.now, origin: .asked, headers: headers))
                statements.append(CounterfoilServer.Statement(renewal, scope: scope, at: core.now, origin: .asked, headers: headers))
            }
            _ = try await core.storage.commit(statements)
        }
        try await world.settle()
    }

    /// The app says whose an Apple account is.
    func claim(_ appTransactionId: String, for customer: String) async throws {
        let scope = try world.scope().id
        guard let storage = try world.server.core.storage as? SQLiteStorage else { return }
        try await storage.pool.write { db in
            try db.execute(
                sql: "INSERT OR REPLACE INTO account_claims VALUES (?, ?, ?, 0)",
                arguments: [scope, appTransactionId, customer])
        }
    }
}
