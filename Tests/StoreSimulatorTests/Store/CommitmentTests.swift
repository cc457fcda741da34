import AppStoreModels
import Foundation
import StoreSimulator
import Testing

/// Yearly commitments with monthly payments.
@Suite struct CommitmentTests {
    @Test func `A refund ends a yearly commitment`() throws {
        var shop = Shop()
        try shop.perform(.purchase(customer: "anna", product: "plus.yearly", billingPlan: .monthly))
        try shop.perform(.approveRefund(customer: "anna"))
        #expect(try shop.last().renewalInfo?.autoRenewStatus == .off)
        #expect(try shop.last().renewalInfo?.commitmentInfo?.commitmentAutoRenewStatus == .off)
        shop.wait(.year)
        #expect(shop.newNotifications() == ["SUBSCRIBED/INITIAL_BUY", "REFUND"])
    }

    @Test(arguments: [false, true])
    func `After the end of the period, the reversal of a refund leaves no commitment`(isUnpaid: Bool) throws {
        var shop = Shop()
        try shop.perform(.purchase(customer: "anna", product: "plus.yearly", billingPlan: .monthly))
        if isUnpaid {
            try shop.perform(.failBilling(customer: "anna"))
            shop.wait(.month)
        }
        try shop.perform(.approveRefund(customer: "anna"))
        shop.wait(.month)
        try shop.perform(.reverseRefund(customer: "anna"))
        #expect(try shop.last().status == .expired)
        #expect(try shop.last().renewalInfo?.commitmentInfo == nil)
        try expectConsistent(shop.store, at: shop.now)
    }

    @Test func `A plan change after the cancellation of a commitment turns renewal on again`() throws {
        var shop = Shop()
        try shop.perform(.purchase(customer: "anna", product: "plus.yearly", billingPlan: .monthly))
        // The second purchase also withdraws the downgrade.
        for product in ["basic", "plus.yearly"] {
            try shop.perform(.cancel(customer: "anna"))
            #expect(try shop.last().renewalInfo?.commitmentInfo?.commitmentAutoRenewStatus == .off)
            try shop.buy(product)
            #expect(try shop.last().renewalInfo?.commitmentInfo?.commitmentAutoRenewStatus == .on)
        }
        shop.wait(.year)
        #expect(try shop.status() == .active)
    }

    @Test func `A yearly commitment has twelve payments, and a cancellation ends it after the twelfth`() throws {
        var shop = Shop()
        try shop.perform(.purchase(customer: "anna", product: "plus.yearly", billingPlan: .monthly))
        var payload = try shop.last().transaction
        #expect(payload.billingPlanType == .monthly)
        #expect(payload.commitmentInfo?.billingPeriodNumber == 1)
        #expect(payload.commitmentInfo?.totalBillingPeriods == 12)
        #expect(payload.commitmentInfo?.commitmentPrice == 102_000)
        #expect(payload.commitmentInfo?.commitmentExpiresDate == Period.year.date(after: Shop.start))
        #expect(payload.price == 8500)
        #expect(payload.expiresDate == Period.month.date(after: Shop.start))
        shop.wait(.month)
        try shop.perform(.cancel(customer: "anna"))
        let info = try #require(try shop.last().renewalInfo)
        #expect(info.autoRenewStatus == .on)
        #expect(info.commitmentInfo?.commitmentAutoRenewStatus == .off)
        #expect(info.renewalBillingPlanType == .monthly)
        for number in 3...12 {
            shop.wait(.month)
            payload = try shop.last().transaction
            #expect(payload.commitmentInfo?.billingPeriodNumber == Int32(number))
        }
        _ = shop.newNotifications()
        shop.wait(.month)
        #expect(shop.newNotifications() == ["EXPIRED/VOLUNTARY"])
        #expect(shop.now == Period.year.date(after: Shop.start))
        try expectConsistent(shop.store, at: shop.now)
    }

    @Test(arguments: [true, false])
    func `A customer who cancels in billing retry still owes the payments of a commitment`(isBefore: Bool) throws {
        var shop = Shop { $0.gracePeriod = .sixteenDays }
        try shop.perform(.purchase(customer: "anna", product: "plus.yearly", billingPlan: .monthly))
        if isBefore { try shop.perform(.cancel(customer: "anna")) }
        try shop.perform(.failBilling(customer: "anna"))
        shop.wait(.month)
        if !isBefore { try shop.perform(.cancel(customer: "anna")) }
        #expect(try shop.status() == .billingGracePeriod)
        try expectConsistent(shop.store, at: shop.now)
        _ = shop.newNotifications()
        try shop.perform(.fixBilling(customer: "anna"))
        #expect(shop.newNotifications() == ["DID_RENEW/BILLING_RECOVERY"])
        #expect(try shop.last().renewalInfo?.commitmentInfo?.commitmentAutoRenewStatus == .off)
    }

    @Test func `A commitment that is not cancelled is followed by another`() throws {
        var shop = Shop()
        try shop.perform(.purchase(customer: "anna", product: "plus.yearly", billingPlan: .monthly))
        shop.wait(.year)
        let payload = try shop.last().transaction
        #expect(payload.commitmentInfo?.billingPeriodNumber == 1)
        #expect(payload.commitmentInfo?.commitmentExpiresDate == Period.year.date(after: shop.now))
    }

    @Test(arguments: [false, true])
    func `A commitment ends with its twelfth period, even if a payment came late`(_ isLate: Bool) throws {
        var shop = Shop()
        // The 31st of January.
        shop.wait(days: 30)
        try shop.perform(.purchase(customer: "anna", product: "plus.yearly", billingPlan: .monthly))
        let year = Period.year.date(after: shop.now)
        #expect(try shop.last().transaction.commitmentInfo?.commitmentExpiresDate == year)
        if isLate {
            try shop.perform(.failBilling(customer: "anna"))
            shop.wait(.month)
            shop.wait(days: 10)
            try shop.perform(.fixBilling(customer: "anna"))
        }
        shop.now = year - 7 * 86_400
        shop.store.run(until: shop.now)
        let last = try shop.last()
        #expect(last.transaction.commitmentInfo?.billingPeriodNumber == 12)
        #expect(last.transaction.commitmentInfo?.commitmentExpiresDate == last.transaction.expiresDate)
        #expect(last.renewalInfo?.commitmentInfo?.commitmentRenewalDate == last.transaction.expiresDate)
        #expect((last.transaction.expiresDate == year) == !isLate)
    }

    @Test func `A commitment that begins on the last day of a month ends after twelve payments`() throws {
        var shop = Shop()
        shop.wait(days: 30)
        try shop.perform(.purchase(customer: "anna", product: "plus.yearly", billingPlan: .monthly))
        try shop.perform(.cancel(customer: "anna"))
        shop.wait(.year)
        #expect(shop.newNotifications().count == 2 + 11 + 1)
        #expect(try shop.status() == .expired)
    }
}
