import AppStoreModels
import AppStoreServer
import CounterfoilServer
import Entitlements
import Foundation
import MemoryLedger
import TestSupport
import Testing

@testable import Ledger
@testable import LedgerServices

/// Requests verify up to 2,000 texts, which takes up to a second, and Swift has one thread for each processor.
@Suite struct `Long verifications` {
    /// A task on the main actor that runs as soon as another one lets it.
    @MainActor private final class OtherTask {
        private(set) var hasRun = false

        init() { Task { @MainActor in self.hasRun = true } }
    }

    /// Returns the services of a server that has stopped, and a notification that it has processed.
    private static func processed() async throws -> (core: ServerCore, notification: StoredNotification) {
        try await World.withAPI { world in
            _ = try await world.subscribe("anna")
            let core = try world.server.core
            let filter = InboxFilter(scopes: [try world.appEnvironment().id])
            let page = try await core.storage.notifications(filter, before: .max, limit: 1)
            return (core, try #require(page.items.first))
        }
    }

    @Test @MainActor func `Other tasks run while a report's transactions and renewals are verified`() async throws {
        let (core, notification) = try await Self.processed()
        let data = try await core.historical.notification(notification.text).payload.data
        var (transactions, renewals) = (PurchaseReport(), PurchaseReport())
        transactions.signedTransactions = [
            .init(text: try #require(data?.signedTransactionInfo), parameter: "signed_transactions[0]")
        ]
        renewals.signedRenewals = [
            .init(text: try #require(data?.signedRenewalInfo), parameter: "signed_renewals[0]")
        ]
        for report in [transactions, renewals] {
            let other = OtherTask()
            var forged = 0
            let verified = try await core.purchaseVerifier.verify(report, forged: &forged)
            #expect(other.hasRun)
            #expect(!verified.isEmpty && verified.refused.isEmpty)
        }
    }

    @Test @MainActor func `Other tasks run while stored notifications are verified again`() async throws {
        let (core, notification) = try await Self.processed()
        let other = OtherTask()
        let parts = try await core.customers.parts(of: notification)
        #expect(other.hasRun)
        #expect(parts?.transaction != nil)
    }

    @Test @MainActor func `Other tasks run while the evidence of facts is verified again`() async throws {
        let (core, notification) = try await Self.processed()
        let other = OtherTask()
        var collection = EvidenceCollection(verifier: core.historical)
        await collection.add(.notification(notification, holding: .transaction), "1")
        #expect(other.hasRun)
        #expect(collection.found.count == 1)
    }

    @Test @MainActor func `Other tasks run while a customer with many purchases is read`() async throws {
        let ledger = MemoryLedger()
        let scopes = try await ledger.scopes(of: [(bundleID: TestStore.bundleId, environment: "Sandbox")])
        let appEnvironment = try #require(scopes.all.first)
        let token = UUID()
        let facts = (0...CustomerReader.manyPurchases).map { number in
            let fact = TransactionFact(
                transactionID: "\(number)", originalTransactionID: "\(number)", productID: "coins", type: .consumable,
                purchaseDate: TestStore.now, signedDate: TestStore.now, appAccountToken: token)
            return SignedFact(
                scope: appEnvironment.id, fact: .transaction(fact), origin: .app, receivedAt: 0, text: "\(number)")
        }
        _ = try await ledger.commit(facts)
        let customers = CustomerReader(
            storage: ledger, apps: Apps([AppSettings(bundleID: TestStore.bundleId)]), scopes: scopes,
            verifier: try TestStore.verifier(), clock: .showing { TestStore.now })
        let other = OtherTask()
        let reading = try await customers.customer(token.uuidString.lowercased(), in: appEnvironment, at: nil)
        #expect(other.hasRun)
        #expect(reading.states.purchases.count == facts.count)
    }
}
