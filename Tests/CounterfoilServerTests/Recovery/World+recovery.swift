import AppStoreModels
import CounterfoilServer
import Foundation
import StoreSimulator
import TestSupport
import Testing

@testable import Ledger
@testable import LedgerServices

extension World {
    /// Returns the UUIDs of all notifications in the ledger.
    func storedNotifications(_ environment: AppStoreEnvironment = .production) async throws -> Set<String> {
        let filter = InboxFilter(scopes: [try appEnvironment(environment).id])
        var (uuids, position) = (Set<String>(), Int64?.some(.max))
        while let before = position {
            let page = try await server.core.storage.notifications(filter, before: before, limit: 200)
            uuids.formUnion(page.items.map { $0.uuid.lowercased() })
            position = page.next
        }
        return uuids
    }

    /// Returns the UUIDs of all notifications that the simulated App Store has signed.
    func signedNotifications(_ environment: AppStoreEnvironment = .production) -> Set<String> {
        simulator.core.read(environment) { store, _ in
            Set(store.notifications.map { $0.uuid.lowercased() })
        }
    }

    /// Returns the UUIDs of the notifications that were signed from `since` to `until`.
    func signedNotifications(from since: Milliseconds, until: Milliseconds) -> Set<String> {
        simulator.core.read(.production) { store, _ in
            let notifications = store.notifications.filter {
                (since...max(since, until)).contains($0.signedDate.milliseconds) && since <= until
            }
            return Set(notifications.map { $0.uuid.lowercased() })
        }
    }

    /// Waits until the ledger contains all signed notifications.
    func waitUntilAllAreStored() async throws {
        try await waitUntil("all notifications are stored") {
            try await storedNotifications() == signedNotifications()
        }
    }

    /// Imports a file of customers. The server must be stopped.
    @discardableResult
    func importCustomers(
        _ file: URL, in environments: Set<AppStoreEnvironment> = [.production, .sandbox], ledger: String = "one",
        _ report: @Sendable (FileImport.Progress) -> Void = { _ in }
    ) async throws -> FileImport.Progress {
        try await runOffline { core in
            let scopes = core.recovery.recoverable.filter { environments.contains($0.environment) }
            return try await FileImport(core.importer(scopes), file: file, ledger: ledger).run(report)
        }
    }

    /// Calls `body` with a server without a port, on the ledger of the stopped one, as commands do.
    func runOffline<Value: Sendable>(
        timeout: Duration = .seconds(60), _ body: (ServerCore) async throws -> Value
    ) async throws -> Value {
        let simulator = simulator
        return try await OfflineServer.run(
            try configuration(), clock: .showing { simulator.core.now }, ledger: ledger, timeout: timeout, body)
    }

    /// Returns the server's report on its gaps.
    func completeness(_ environment: AppStoreEnvironment = .production) async throws -> Completeness {
        try await server.core.recovery.completeness(of: [appEnvironment(environment)])[0]
    }
}
