import AppStoreModels
import Foundation
import StoreSimulator
internal import TestSupport
import Testing

/// Compares each notification with its row of the notification matrix, and checks the store after it.
@Suite struct MatrixTests {
    @Test func `The notification matrix has one row for every type and subtype`() {
        let rows = MatrixRow.all.map { [$0.type.rawValue, $0.subtype?.rawValue] }
        #expect(Set(rows).count == rows.count)
        #expect(Set(rows) == Set(NotificationKind.all.map { [$0.type.rawValue, $0.subtype?.rawValue] }))
    }

    @Test(arguments: MatrixRow.all, [AppStoreEnvironment.production, .sandbox])
    func `A triggered notification matches its row of the matrix`(_ row: MatrixRow, _ environment: AppStoreEnvironment)
        throws
    {
        try expect(row, in: Shop(environment))
    }

    /// Settings that do not change the content of a notification.
    enum Setting: CaseIterable, Sendable {
        case chargedAhead, chargedLate, anyDay, announcedSwitch, withoutFamilies

        func apply(to settings: inout StoreSettings) {
            switch self {
            case .chargedAhead: settings.maximumRenewalLeadTime = 86_400
            case .chargedLate: settings.maximumRenewalDelay = 7200
            case .anyDay: settings.renewsOnOriginalDayOfMonth = false
            case .announcedSwitch: settings.sendsAutoRenewEnabledOnPlanChange = true
            case .withoutFamilies: settings.sendsNotificationsForFamilyMembers = false
            }
        }
    }

    @Test(arguments: MatrixRow.all, Setting.allCases)
    func `A triggered notification matches its row of the matrix under every store setting`(
        _ row: MatrixRow, _ setting: Setting
    ) throws {
        try expect(row, in: Shop { setting.apply(to: &$0) })
    }

    @Test(arguments: MatrixRow.all)
    func `With version 1, triggering any notification but TEST is refused without effect`(_ row: MatrixRow) throws {
        var shop = Shop { $0.notificationVersion = .one }
        let before = try shop.store.bytes
        let request = TriggerRequest(row.type, row.subtype)
        guard row.type != .test else { return _ = try shop.store.trigger(request, at: shop.now) }
        let error = #expect(throws: StoreError.self) { try shop.store.trigger(request, at: shop.now) }
        #expect(error?.code == .impossibleTransition)
        #expect(try shop.store.bytes == before)
    }

    private func expect(_ row: MatrixRow, in start: Shop) throws {
        var shop = start
        let outcome = try shop.store.trigger(TriggerRequest(row.type, row.subtype), at: shop.now)
        let record = try #require(
            shop.store.notifications.last { $0.uuid == outcome.notifications.last?.notificationUUID })
        #expect(record.type == row.type)
        #expect(record.subtype == row.subtype)
        #expect(record.date == shop.now)
        #expect((shop.now..<shop.now + 1).contains(record.signedDate))

        let kind = try #require(NotificationKind.exactly(row.type, row.subtype))
        #expect(kind.content.fits(record.content))

        guard case .purchase(let purchase) = record.content else {
            #expect(!row.isSubscription)
            #expect(outcome.transactionID == nil)
            return
        }
        let transaction = purchase.transaction
        #expect(outcome.transactionID == transaction.transactionId)
        #expect(outcome.originalTransactionID == transaction.originalTransactionId)
        #expect(transaction.signedDate == record.signedDate)
        #expect(purchase.renewalInfo.map { $0.signedDate == record.signedDate } ?? true)
        #expect((purchase.renewalInfo != nil) == row.isSubscription)
        #expect(purchase.status == row.status)
        #expect((purchase.consumptionRequestReason != nil) == (row.type == .consumptionRequest))
        if let expected = row.baseline(of: purchase) {
            let info = try #require(purchase.renewalInfo)
            #expect(expected == info)
        }
        try #require(row.matches(purchase, shop.now), "\(purchase)")

        guard row.isSubscription, let customer = record.customer else { return }
        let state = try shop.state(customer)
        #expect(state.status == row.status)
        #expect(state.hasAccess == (row.status == .active || row.status == .billingGracePeriod))
        #expect(state.transactionID == transaction.transactionId)
    }

    @Test(arguments: MatrixRow.all)
    func `The store is consistent after a triggered notification and a year later`(_ row: MatrixRow) throws {
        var shop = Shop()
        _ = try shop.store.trigger(TriggerRequest(row.type, row.subtype), at: shop.now)
        try expectConsistent(shop.store, at: shop.now)
        shop.wait(.year)
        try expectConsistent(shop.store, at: shop.now)
    }
}
