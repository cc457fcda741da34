import AppStoreModels
import Foundation
import TestSupport
import Testing

@testable import StoreSimulator

@Suite struct `Notifications that share their transaction with the store` {
    private static let start = Date(timeIntervalSince1970: 1_767_225_600)

    private static func store() throws -> Store {
        var store = Store(
            environment: .production, app: SimulatedApp(), catalogue: .example, settings: .production, seed: 1)
        _ = try store.perform(
            .purchase(customer: "anna", product: "com.example.unlock", introductory: false), at: start)
        return store
    }

    @Test func `A notification keeps its transaction unchanged when the store's transaction changes`() throws {
        var store = try Self.store()
        let id = try #require(store.transactions.keys.first)
        let before = try #require(store.notifications.first?.purchase?.transaction)
        store.change(id) { $0.revocationDate = Self.start + 5 }
        let after = try #require(store.notifications.first?.purchase?.transaction)
        #expect(after == before && after.revocationDate == nil)
        #expect(store.transactions[id]?.payload.revocationDate == Self.start + 5)
    }

    @Test func `A notification's transaction has the notification's signing date, also when decoded`() throws {
        let store = try Self.store()
        let record = try #require(store.notifications.first)
        #expect(record.purchase?.transaction.signedDate == record.signedDate)
        let again = try JSONDecoder().decode(Store.self, from: JSONEncoder().encode(store))
        #expect(again.notifications.first?.purchase?.transaction == record.purchase?.transaction)
        #expect(again.notifications.first?.purchase?.renewalInfo == record.purchase?.renewalInfo)
        #expect(again.transactions.mapValues(\.payload) == store.transactions.mapValues(\.payload))
    }
}

@Suite struct `Packed payloads` {
    @Test func `A packed payload unpacks to the same bytes`() async throws {
        var random = RandomPayloads(seed: 15)
        var packed = 0
        // All of one kind, so that each is packed against the first.
        for await _ in Yielding(0..<1000) {
            var transaction = random.transaction()
            (transaction.bundleId, transaction.productId, transaction.environment) = ("packed", "p", .xcode)
            (transaction.storefront, transaction.transactionReason) = (nil, nil)
            transaction.inAppOwnershipType = .purchased
            if random.maybe({ _ in true }) ?? false {
                (transaction.advancedCommerceInfo, transaction.commitmentInfo) = (nil, nil)
            }
            let purchase = Packed(wrappedValue: transaction)
            #expect(try purchase.wrappedValue.jsonBytes() == transaction.jsonBytes())
            packed += purchase.template == nil ? 0 : 1
            var renewal = random.renewal()
            (renewal.productId, renewal.environment, renewal.currency) = ("packed", .xcode, nil)
            if random.maybe({ _ in true }) ?? false {
                (renewal.advancedCommerceInfo, renewal.commitmentInfo) = (nil, nil)
                renewal.eligibleWinBackOfferIds = nil
            }
            let info = Packed(wrappedValue: renewal)
            #expect(try info.wrappedValue.jsonBytes() == renewal.jsonBytes())
            packed += info.template == nil ? 0 : 1
        }
        #expect(packed > 600)
    }

    @Test func `Packing keeps the bytes of a text that is canonically equivalent to another`() {
        var first = RandomPayloads(seed: 1).plain
        first.offerIdentifier = "caf\u{E9}"
        var second = first
        second.offerIdentifier = "cafe\u{301}"
        _ = Packed(wrappedValue: first)
        let unpacked = Packed(wrappedValue: second).wrappedValue
        #expect(unpacked == first && unpacked.offerIdentifier?.utf8.count == 6)
    }

    @Test func `A payload with a fraction of a millisecond or a long text is not packed`() {
        var payload = RandomPayloads(seed: 2).plain
        _ = Packed(wrappedValue: payload)
        payload.purchaseDate = Date(timeIntervalSinceReferenceDate: 0.00001)
        #expect(Packed(wrappedValue: payload).template == nil)
        #expect(Packed(wrappedValue: payload).wrappedValue == payload)
        payload.purchaseDate = .distantPast
        payload.offerIdentifier = String(repeating: "x", count: 256)
        #expect(Packed(wrappedValue: payload).template == nil)
        #expect(Packed(wrappedValue: payload).wrappedValue == payload)
    }

    @Test func `The transactions of a renewing subscription are packed`() throws {
        let start = Date(timeIntervalSince1970: 1_767_225_600)
        var store = Store(
            environment: .production, app: SimulatedApp(), catalogue: .example, settings: .production, seed: 1)
        _ = try store.perform(
            .purchase(customer: "anna", product: "com.example.premium.monthly", introductory: false), at: start)
        store.run(until: start + 360 * 86_400)
        #expect(store.transactions.count > 10)
        #expect(store.transactions.values.allSatisfy { $0.$payload.template != nil })
    }
}

extension RandomPayloads {
    fileprivate var plain: JWSTransactionDecodedPayload {
        JWSTransactionDecodedPayload(
            transactionId: "1", originalTransactionId: "1", bundleId: "plain", productId: "plain",
            purchaseDate: .distantPast, originalPurchaseDate: .distantPast, quantity: 1, type: .consumable,
            inAppOwnershipType: .purchased, signedDate: .distantPast, environment: .xcode)
    }
}

@Suite struct `Stored signatures of a notification` {
    @Test func `Signatures keep their parts, also when decoded`() throws {
        let parts = (1...4).map { Data(repeating: UInt8($0), count: $0 == 1 ? 20 : 64) }
        for (transaction, renewalInfo) in [(parts[2], parts[3]), (parts[2], nil), (nil, nil)] as [(Data?, Data?)] {
            let signatures = NotificationRecord.Signatures(
                generation: 7, leaf: parts[0], notification: parts[1], transaction: transaction,
                renewalInfo: renewalInfo)
            #expect(signatures.generation == 7 && signatures.leaf == parts[0] && signatures.notification == parts[1])
            #expect(signatures.transaction == transaction && signatures.renewalInfo == renewalInfo)
            let json = try JSONEncoder().encode([signatures])
            let again = try #require(try JSONDecoder().decode([NotificationRecord.Signatures].self, from: json).first)
            #expect(again.generation == 7 && again.leaf == parts[0] && again.notification == parts[1])
            #expect(again.transaction == transaction && again.renewalInfo == renewalInfo)
        }
    }
}

extension NotificationRecord {
    fileprivate var purchase: Purchase? { if case .purchase(let purchase) = content { purchase } else { nil } }
}
