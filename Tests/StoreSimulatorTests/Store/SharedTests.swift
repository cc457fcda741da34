import AppStoreModels
import Foundation
import Testing

@testable import StoreSimulator

@Suite struct `A notification shares the transaction with the store` {
    private static let start = Date(timeIntervalSince1970: 1_767_225_600)

    private static func store() throws -> Store {
        var store = Store(
            environment: .production, app: SimulatedApp(), catalogue: .example, settings: .production, seed: 1)
        _ = try store.perform(
            .purchase(customer: "anna", product: "com.example.unlock", introductory: false), at: start)
        return store
    }

    @Test func `and keeps what it said when the transaction changes`() throws {
        var store = try Self.store()
        let id = try #require(store.transactions.keys.first)
        let before = try #require(store.notifications.first?.purchase?.transaction)
        store.change(id) { $0.revocationDate = Self.start + 5 }
        let after = try #require(store.notifications.first?.purchase?.transaction)
        #expect(after == before && after.revocationDate == nil)
        #expect(store.transactions[id]?.payload.revocationDate == Self.start + 5)
    }

    @Test func `but for the instant of its own signature, also out of a snapshot`() throws {
        let store = try Self.store()
        let record = try #require(store.notifications.first)
        #expect(record.purchase?.transaction.signedDate == record.signedDate)
        let again = try JSONDecoder().decode(Store.self, from: JSONEncoder().encode(store))
        #expect(again.notifications.first?.purchase?.transaction == record.purchase?.transaction)
        #expect(again.notifications.first?.purchase?.renewalInfo == record.purchase?.renewalInfo)
        #expect(again.transactions.values.map(\.payload) == store.transactions.values.map(\.payload))
    }
}

extension NotificationRecord {
    fileprivate var purchase: Purchase? { if case .purchase(let purchase) = content { purchase } else { nil } }
}
