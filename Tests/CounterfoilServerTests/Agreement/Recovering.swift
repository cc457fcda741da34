import AppStoreModels
import AppStoreServer
import CounterfoilServer
import Foundation
import StoreSimulator

@testable import Ledger

/// What the tests do beside the server's own recovery.
struct Recovering {
    let world: World

    /// Asks the App Store about everybody, whether or not anything looks out of date: a false statement that was believed
    /// does not show.
    func askAnew() async throws {
        let (core, scope) = (try world.server.core, try world.scope())
        let client = try world.store()
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
            var statements: [Statement] = []
            for text in transactions {
                let verified = try await core.historical.transaction(text)
                statements.append(.init(verified, scope: scope, at: core.now, origin: .asked))
            }
            for text in renewals {
                let verified = try await core.historical.renewalInfo(text)
                statements.append(.init(verified, scope: scope, at: core.now, origin: .asked))
            }
            _ = try await core.storage.commit(statements)
        }
    }

    /// The app reports when its customer first got it.
    func report(_ name: String, for customer: String) async throws {
        let core = try world.server.core
        let proven = try await core.historical.appTransaction(try world.appTransaction(ofCustomer: name))
        try await core.storage.keep([
            OriginalPurchase(proven, for: customer, in: try world.scope(), at: core.now.milliseconds, origin: .app)
        ])
    }

    /// The app says whose an Apple account is.
    func claim(_ appTransactionID: String, for customer: String) async throws {
        let core = try world.server.core
        let claim = Claim(
            customer: customer, scope: try world.scope().id, originalTransactionIDs: [],
            appTransactionID: appTransactionID, policy: .transfer, claimedAt: core.now.milliseconds)
        _ = try await core.storage.claim(claim) { _ in false }
    }
}
