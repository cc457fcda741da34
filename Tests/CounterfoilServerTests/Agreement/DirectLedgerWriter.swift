import AppStoreModels
import AppStoreServer
import CounterfoilServer
import Foundation
import StoreSimulator

@testable import Ledger

/// Writes to the ledger directly, beside the server's own recovery.
struct DirectLedgerWriter {
    let world: World

    /// Fetches all customers from the App Store, even if nothing looks out of date: a stored false statement is not
    /// recognisable.
    func refetchAll() async throws {
        let (core, appEnvironment) = (try world.server.core, try world.appEnvironment())
        let client = try world.appStoreClient()
        for state in world.simulator.states() where !(state.subscriptions.isEmpty && state.purchases.isEmpty) {
            var transactions: [String] = []
            var renewals: [String] = []
            for try await text in client.transactionHistory(of: state.appTransactionID).items {
                transactions.append(text)
            }
            for item in try await client.subscriptionStatuses(of: state.appTransactionID).data
                .flatMap(\.lastTransactions)
            {
                transactions.append(item.signedTransactionInfo)
                renewals.append(item.signedRenewalInfo)
            }
            var signedFacts: [SignedFact] = []
            for text in transactions {
                let verified = try await core.historical.transaction(text)
                signedFacts.append(.init(verified, in: appEnvironment, at: core.now, origin: .asked))
            }
            for text in renewals {
                let verified = try await core.historical.renewalInfo(text)
                signedFacts.append(.init(verified, in: appEnvironment, at: core.now, origin: .asked))
            }
            _ = try await core.storage.commit(signedFacts)
        }
    }

    /// Stores the app transaction of a customer, as if the app reported it.
    func report(_ name: String, for customer: String) async throws {
        let core = try world.server.core
        let proven = try await core.historical.appTransaction(try world.appTransaction(ofCustomer: name))
        try await core.storage.store([
            OriginalPurchase(
                proven, for: customer, in: try world.appEnvironment(), at: core.now.milliseconds, origin: .app)
        ])
    }

    /// Claims an Apple account for a customer, as if the app reported it.
    func claim(_ appTransactionID: String, for customer: String) async throws {
        let core = try world.server.core
        let claim = Claim(
            customer: customer, scope: try world.appEnvironment().id, originalTransactionIDs: [],
            appTransactionID: appTransactionID, policy: .transfer, claimedAt: core.now.milliseconds)
        _ = try await core.storage.claim(claim) { _ in false }
    }
}
