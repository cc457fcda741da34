import AppStoreModels
import Foundation
import StoreSimulator
import Testing
internal import TestSupport

/// The notification matrix, row by row: what each notification carries, and what follows from it.
@Suite struct MatrixTests {
    @Test func `The table has a row for every notification there is`() {
        let rows = MatrixRow.all.map { [$0.type.rawValue, $0.subtype?.rawValue] }
        #expect(Set(rows).count == rows.count)
        #expect(Set(rows) == Set(NotificationKind.all.map { [$0.type.rawValue, $0.subtype?.rawValue] }))
    }

    @Test(arguments: MatrixRow.all, [AppStoreEnvironment.production, .sandbox])
    func `A notification carries what its row says`(_ row: MatrixRow, _ environment: AppStoreEnvironment) throws {
        var shop = Shop(environment)
        let outcome = try shop.store.trigger(TriggerRequest(row.type, row.subtype), at: shop.now)
        let record = try #require(shop.store.notifications.last)
        #expect(outcome.notifications.last?.notificationUUID == record.uuid)
        #expect(record.type == row.type)
        #expect(record.subtype == row.subtype)
        #expect(record.date == shop.now)
        #expect((shop.now..<shop.now + 1).contains(record.signedDate))

        let kind = try #require(NotificationKind.exactly(row.type, row.subtype))
        #expect(kind.content.fits(record.content))

        guard case .purchase(let purchase) = record.content else {
            #expect(!row.isSubscription)
            #expect(outcome.transactionId == nil)
            return
        }
        let transaction = purchase.transaction
        #expect(outcome.transactionId == transaction.transactionId)
        #expect(outcome.originalTransactionId == transaction.originalTransactionId)
        #expect(transaction.signedDate == record.signedDate)
        #expect(purchase.renewalInfo.map { $0.signedDate == record.signedDate } ?? true)
        #expect((purchase.renewalInfo != nil) == row.isSubscription)
        #expect(purchase.status == row.status)
        #expect((purchase.consumptionRequestReason != nil) == (row.type == .consumptionRequest))
        if let expected = row.baseline(of: purchase) {
            let info = try #require(purchase.renewalInfo)
            #expect(expected == info)
        }
        try #require(row.holds(purchase, shop.now), "\(purchase)")

        guard row.isSubscription, let customer = record.customer else { return }
        let state = try shop.state(customer)
        #expect(state.status == row.status)
        #expect(state.hasAccess == (row.status == .active || row.status == .billingGracePeriod))
        #expect(state.transactionId == transaction.transactionId)
    }

    @Test(arguments: MatrixRow.all)
    func `What the notification said stays true until something else happens`(_ row: MatrixRow) throws {
        var shop = Shop()
        _ = try shop.store.trigger(TriggerRequest(row.type, row.subtype), at: shop.now)
        try expectSound(shop.store, at: shop.now)
        shop.wait(.year)
        try expectSound(shop.store, at: shop.now)
    }
}
