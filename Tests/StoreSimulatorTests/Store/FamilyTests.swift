import AppStoreModels
import Foundation
import StoreSimulator
import Testing

/// What family members gain and lose.
@Suite struct FamilyTests {
    /// Anna with Ben in her family.
    private func family(_ environment: AppStoreEnvironment = .production) throws -> Shop {
        var shop = Shop(environment) { $0.gracePeriod = .sixteenDays }
        try shop.perform(.createCustomer(customer: "anna"))
        try shop.perform(.shareWithFamily(customer: "anna", member: "ben"))
        return shop
    }

    @Test func `A member gains a subscription of his own kind, loses it, and gains it again`() throws {
        var shop = try family()
        try shop.buy("plus")
        #expect(shop.news() == ["SUBSCRIBED/INITIAL_BUY", "ben: SUBSCRIBED/INITIAL_BUY"])
        let (own, shared) = (try shop.last().transaction, try shop.last("ben").transaction)
        #expect(shared.inAppOwnershipType == .familyShared)
        #expect(shared.originalTransactionId == shared.transactionId)
        #expect(shared.transactionId != own.transactionId)
        #expect(shared.appTransactionId != own.appTransactionId)
        #expect(shared.expiresDate == own.expiresDate)
        #expect(shared.price == 0)

        shop.wait(days: 3)
        try shop.perform(.stopSharing(customer: "anna", member: "ben"))
        #expect(shop.news() == ["ben: REVOKE"])
        let revoked = try shop.last("ben")
        #expect(revoked.transaction.revocationDate == shop.now)
        #expect(revoked.transaction.revocationReason == .other)
        #expect(revoked.transaction.revocationType == .familyRevoke)
        #expect(revoked.status == .revoked)
        try shop.perform(.shareWithFamily(customer: "anna", member: "ben"))
        #expect(shop.news() == ["ben: SUBSCRIBED/RESUBSCRIBE"])
        #expect(try shop.last("ben").transaction.originalTransactionId == shared.transactionId)
        try expectSound(shop.store, at: shop.now)
    }

    @Test func `A refund takes it from the whole family, and its reversal gives it back`() throws {
        var shop = try family()
        try shop.buy("plus")
        _ = shop.news()
        try shop.perform(.approveRefund(customer: "anna", reason: .issueWithApp))
        #expect(shop.news() == ["REFUND", "ben: REVOKE"])
        #expect(try shop.last("ben").transaction.revocationReason == .issueWithApp)
        try shop.perform(.reverseRefund(customer: "anna"))
        #expect(shop.news() == ["REFUND_REVERSED", "ben: SUBSCRIBED/RESUBSCRIBE"])
        try expectSound(shop.store, at: shop.now)
    }

    @Test func `A non-consumable is shared, revoked, and given back`() throws {
        var shop = try family()
        try shop.buy("lamp")
        try shop.perform(.approveRefund(customer: "anna"))
        try shop.perform(.reverseRefund(customer: "anna"))
        #expect(
            shop.news() == [
                "ONE_TIME_CHARGE", "ben: ONE_TIME_CHARGE", "REFUND", "ben: REVOKE", "REFUND_REVERSED",
                "ben: ONE_TIME_CHARGE",
            ])
        #expect(try shop.last("ben").status == nil)
        try shop.buy("coins")
        #expect(shop.news() == ["ONE_TIME_CHARGE"])
        try shop.refuses(.requestRefund(customer: "ben"), .impossibleTransition)
        try expectSound(shop.store, at: shop.now)
    }

    @Test func `Members hear of renewals, failures and the end, unless that is switched off`() throws {
        for isTold in [true, false] {
            var shop = try family()
            shop.store.settings.notifiesFamilyMembers = isTold
            try shop.buy("plus")
            _ = shop.news()
            shop.wait(.month)
            #expect(shop.news() == (isTold ? ["DID_RENEW", "ben: DID_RENEW"] : ["DID_RENEW"]))
            try shop.perform(.failBilling(customer: "anna"))
            shop.wait(.month)
            #expect(try shop.status("ben") == .billingGracePeriod)
            try shop.perform(.cancel(customer: "anna"))
            #expect(try shop.status("ben") == .expired)
            #expect(shop.news().count == (isTold ? 6 : 3))
        }
    }

    @Test func `Who joins during the grace period has access to its end; who joins after it has none`() throws {
        var shop = try family()
        try shop.buy("plus")
        try shop.perform(.failBilling(customer: "anna"))
        shop.wait(.month)
        _ = shop.news()
        try shop.perform(.shareWithFamily(customer: "anna", member: "carl"))
        #expect(shop.news() == ["carl: SUBSCRIBED/INITIAL_BUY"])
        #expect(try shop.last("carl").status == .billingGracePeriod)
        shop.wait(days: 16)
        try shop.perform(.shareWithFamily(customer: "anna", member: "dora"))
        #expect(shop.news().count == 3)
        #expect(shop.store.customers["dora"]?.subscriptions == [])
        // The recovery brings it to everybody.
        try shop.perform(.fixBilling(customer: "anna"))
        #expect(
            shop.news() == [
                "DID_RENEW/BILLING_RECOVERY", "ben: DID_RENEW/BILLING_RECOVERY", "carl: DID_RENEW/BILLING_RECOVERY",
                "dora: SUBSCRIBED/INITIAL_BUY",
            ])
        try expectSound(shop.store, at: shop.now)
    }

    @Test func `An upgrade is an upgrade for everybody, and what cannot be shared is taken away`() throws {
        var shop = try family()
        try shop.buy("plus")
        _ = shop.news()
        try shop.buy("gold")
        #expect(shop.news() == ["DID_CHANGE_RENEWAL_PREF/UPGRADE", "ben: DID_CHANGE_RENEWAL_PREF/UPGRADE"])
        try shop.buy("basic")
        #expect(shop.news() == ["DID_CHANGE_RENEWAL_PREF/DOWNGRADE", "ben: DID_CHANGE_RENEWAL_PREF/DOWNGRADE"])
        #expect(try shop.state("ben").autoRenewProductID == "basic")
        shop.wait(.month)
        #expect(shop.news() == ["DID_RENEW", "ben: REVOKE"])
        try shop.buy("plus")
        #expect(shop.news() == ["DID_CHANGE_RENEWAL_PREF/UPGRADE", "ben: SUBSCRIBED/RESUBSCRIBE"])
        try expectSound(shop.store, at: shop.now)
    }

    @Test func `A member's period is as long as the purchaser's, whatever the offer or the billing`() throws {
        var shop = try family()
        try shop.perform(.purchase(customer: "anna", product: "plus.yearly", billingPlan: .monthly))
        shop.wait(.month)
        #expect(try shop.last("ben").transaction.expiresDate == shop.last().transaction.expiresDate)
        try expectSound(shop.store, at: shop.now)
    }

    @Test func `Extensions come to the family`() throws {
        var shop = try family()
        try shop.buy("plus")
        _ = shop.news()
        try shop.perform(.extendRenewal(customer: "anna", days: 5))
        #expect(shop.news() == ["RENEWAL_EXTENDED", "ben: RENEWAL_EXTENDED"])
        try shop.refuses(.extendRenewal(customer: "ben", days: 5), .notEligible)
        try shop.refuses(.cancel(customer: "ben"), .impossibleTransition)
        try expectSound(shop.store, at: shop.now)
    }

    @Test func `A family has six members and nobody twice`() throws {
        var shop = try family()
        try shop.refuses(.shareWithFamily(customer: "anna", member: "anna"), .invalidArgument)
        try shop.refuses(.shareWithFamily(customer: "anna", member: "ben"), .alreadyExists)
        for name in ["carl", "dora", "emil", "fred"] {
            try shop.perform(.shareWithFamily(customer: "anna", member: name))
        }
        try shop.refuses(.shareWithFamily(customer: "anna", member: "gina"), .limitReached)
        try shop.refuses(.stopSharing(customer: "anna", member: "gina"), .impossibleTransition)
    }

    @Test func `Clearing the purchaser's history takes it from the family`() throws {
        var shop = try family(.sandbox)
        try shop.perform(.purchase(customer: "anna", product: "plus"))
        try shop.buy("lamp")
        _ = shop.news()
        try shop.perform(.clearHistory(customer: "anna"))
        #expect(shop.news() == ["ben: REVOKE", "ben: REVOKE"])
        try expectSound(shop.store, at: shop.now)
        // The introductory offer is there again.
        try shop.perform(.purchase(customer: "anna", product: "plus"))
        #expect(try shop.last().transaction.offerType == .introductory)
        try expectSound(shop.store, at: shop.now)
    }
}
