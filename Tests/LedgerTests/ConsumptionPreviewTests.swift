import AppStoreModels
import Entitlements
import Foundation
import Ledger
import Testing

@Suite struct `Answers to consumption requests` {
    private func fact(
        _ type: ProductType = .consumable, _ ownership: InAppOwnershipType = .purchased
    ) -> TransactionFact {
        TransactionFact(
            transactionID: "1", originalTransactionID: "1", productID: "a", type: type,
            purchaseDate: Date(milliseconds: 0), signedDate: Date(milliseconds: 0), ownership: ownership)
    }

    private func usage(_ percentage: Int32?, _ delivery: DeliveryStatus? = nil) -> UsageReport {
        UsageReport(productID: "a", consumptionPercentage: percentage, deliveryStatus: delivery, reportedAt: 0)
    }

    private func answer(_ fact: TransactionFact, _ usage: UsageReport, _ preference: RefundPreference? = nil)
        -> ConsumptionRequest?
    {
        answer(fact, [usage], preference)
    }

    private func answer(_ fact: TransactionFact, _ usage: [UsageReport], _ preference: RefundPreference? = nil)
        -> ConsumptionRequest?
    {
        ConsumptionPreview(
            about: fact, usage: usage,
            policy: ConsumptionPolicy(defaultConsent: true, refundPreference: preference)
        ).request
    }

    @Test func `A consumption request obeys the App Store's rules`() {
        #expect(answer(fact(.autoRenewableSubscription), usage(5))?.consumptionPercentage == nil)
        #expect(
            answer(fact(.autoRenewableSubscription), usage(nil), .grantProrated)?.refundPreference == .grantProrated)
        #expect(answer(fact(), usage(5, .undeliveredOther))?.consumptionPercentage == 0)
        #expect(answer(fact(), usage(0), .grantProrated)?.refundPreference == nil)
        #expect(answer(fact(), usage(100_000), .grantProrated)?.refundPreference == nil)
        #expect(answer(fact(), usage(1), .grantProrated)?.refundPreference == .grantProrated)
        #expect(answer(fact(), usage(nil), .decline)?.refundPreference == .decline)
        #expect(answer(fact(.consumable, .familyShared), usage(5)) == nil)
    }

    @Test func `An answer needs a policy and consent, and the first report with a value decides`() {
        var refusal = UsageReport(reportedAt: 0)
        refusal.customerConsented = false
        let policy = ConsumptionPolicy(defaultConsent: true)
        #expect(ConsumptionPreview(about: fact(), usage: [refusal], policy: policy).obstacle == .noConsent)
        var consent = UsageReport(reportedAt: 0)
        consent.customerConsented = true
        func obstacle(_ usage: [UsageReport]) -> ConsumptionPreview.Obstacle? {
            ConsumptionPreview(about: fact(), usage: usage, policy: ConsumptionPolicy()).obstacle
        }
        #expect(obstacle([refusal, consent]) == .noConsent && obstacle([consent, refusal]) == nil)
        #expect(obstacle([UsageReport(reportedAt: 0), consent, refusal]) == nil)
        #expect(answer(fact(), [usage(nil), usage(7), usage(9)])?.consumptionPercentage == 7)
        #expect(ConsumptionPreview(about: fact(), usage: [], policy: nil).obstacle == .noPolicy)
        #expect(ConsumptionPreview(about: fact(), usage: [], policy: ConsumptionPolicy()).obstacle == .noConsent)
    }
}
