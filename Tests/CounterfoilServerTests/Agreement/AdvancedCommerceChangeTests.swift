import AppStoreModels
import CounterfoilServer
import StoreSimulator
import TestSupport
import Testing

extension `Server and simulator agree` {
    /// Random histories ignore refusals. A change that is always refused would test nothing.
    @Test(arguments: AdvancedCommerceChange.allCases)
    func `The App Store makes each change of the random histories for a subscription that allows it`(
        _ change: AdvancedCommerceChange
    ) async throws {
        try await World.run {
            $0.catalogue = .shop
        } _: { world in
            let isOrdinary = change == .migration
            try await world.simulator.perform(
                isOrdinary ? .purchase(customer: "anna", product: "gold") : .advancedCommerce(for: "anna", nil))
            let before = try #require(try world.simulator.state(of: "anna").subscriptions.first)
            try await change.request(of: before.transactionID, from: world.appStoreClient())
            let history = world.simulator.core.read(.production) { store, _ in store.notifications.map(\.type.rawValue)
            }
            let expected: [AdvancedCommerceChange: String] = [
                .migration: "MIGRATION", .cancellation: "DID_CHANGE_RENEWAL_STATUS", .price: "PRICE_CHANGE",
                .revocation: "REFUND",
            ]
            #expect(history.last == expected[change], "\(history)")
        }
    }
}
