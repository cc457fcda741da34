import AppStoreModels
import Foundation
import StoreSimulator
import Testing

/// Purchases that family members gain and lose.
@Suite struct FamilyTests {
    /// Returns a shop in which ben belongs to anna's family.
    private func family(_ environment: AppStoreEnvironment = .production) throws -> Shop {
        var shop = Shop(environment) { $0.gracePeriod = .sixteenDays }
        try shop.perform(.createCustomer(customer: "anna"))
        try shop.perform(.shareWithFamily(customer: "anna", member: "ben"))
        return shop
    }

    @Test func `A family member gets a shared subscription, loses it and gets it again`() throws {
        var shop = try family()
        try shop.buy("plus")
        #expect(shop.newNotifications() == ["SUBSCRIBED/INITIAL_BUY", "ben: SUBSCRIBED/INITIAL_BUY"])
        let (own, shared) = (try shop.last().transaction, try shop.last("ben").transaction)
        #expect(shared.inAppOwnershipType == .familyShared)
        #expect(shared.originalTransactionId == shared.transactionId)
        #expect(shared.transactionId != own.transactionId)
        #expect(shared.appTransactionId != own.appTransactionId)
        #expect(shared.expiresDate == own.expiresDate)
        #expect(shared.price == 0)

        shop.wait(days: 3)
        try shop.perform(.stopSharing(customer: "anna", member: "ben"))
        #expect(shop.newNotifications() == ["ben: REVOKE"])
        let revoked = try shop.last("ben")
        #expect(revoked.transaction.revocationDate == shop.now)
        #expect(revoked.transaction.revocationReason == .other)
        #expect(revoked.transaction.revocationType == .familyRevoke)
        #expect(revoked.status == .revoked)
        try shop.perform(.shareWithFamily(customer: "anna", member: "ben"))
        #expect(shop.newNotifications() == ["ben: SUBSCRIBED/RESUBSCRIBE"])
        #expect(try shop.last("ben").transaction.originalTransactionId == shared.transactionId)
        try expectConsistent(shop.store, at: shop.now)
    }

    @Test func `A subscription whose product has become another kind of product is not shared`() throws {
        var shop = Shop()
        try shop.buy("plus")
        let index = try #require(shop.store.catalogue.products.firstIndex { $0.id == "plus" })
        #expect(shop.store.catalogue.products[index].isFamilyShareable)
        shop.store.catalogue.products[index].type = .nonConsumable
        shop.store.catalogue.products[index].subscription = nil
        #expect(shop.newNotifications() == ["SUBSCRIBED/INITIAL_BUY"])
        try shop.perform(.shareWithFamily(customer: "anna", member: "ben"))
        let ben = try shop.store.state(of: "ben", at: shop.now)
        #expect(shop.newNotifications() == [] && ben.subscriptions == [] && ben.purchases == [])
    }

    @Test(arguments: [0, 86_400.0])
    func `A seat that is withdrawn is revoked, and one that is assigned again is another subscription`(
        lead: TimeInterval
    ) throws {
        var shop = Shop(.sandbox) { $0.maximumRenewalLeadTime = lead }
        try shop.perform(.assignSeat(customer: "anna", product: "plus"))
        // With a lead, the next period is charged already.
        shop.waitForNext()
        _ = shop.newNotifications()
        try shop.perform(.withdrawSeat(customer: "anna", product: "plus"))
        #expect(shop.newNotifications() == Array(repeating: "REVOKE", count: lead > 0 ? 2 : 1))
        let withdrawn = try shop.last()
        #expect(withdrawn.transaction.revocationDate == shop.now)
        #expect(withdrawn.transaction.revocationType == .assignmentRevoke)
        #expect(withdrawn.status == .revoked)
        try expectConsistent(shop.store, at: shop.now)
        try shop.expectRefusal(.withdrawSeat(customer: "anna", product: "plus"), .noSubscription)
        shop.wait(.month)
        #expect(shop.newNotifications() == [])
        try shop.perform(.assignSeat(customer: "anna", product: "plus"))
        #expect(shop.newNotifications() == ["SUBSCRIBED/RESUBSCRIBE"])
        #expect(try shop.status() == .active)
        // A purchase of the same product is no seat.
        try shop.buy("plus", by: "ben")
        try shop.expectRefusal(.withdrawSeat(customer: "ben", product: "plus"), .noSubscription)
    }

    @Test func `A command without a subscription is about the purchased one, not a later seat`() throws {
        var shop = Shop(.sandbox)
        let own = try shop.buy("plus")
        shop.wait(days: 1)
        try shop.perform(.assignSeat(customer: "anna", product: "plus"))
        let outcome = try shop.perform(.cancel(customer: "anna"))
        #expect(outcome.transactionID == own)
    }

    @Test func `A refund revokes the family's subscription, and its reversal restores it`() throws {
        var shop = try family()
        try shop.buy("plus")
        _ = shop.newNotifications()
        try shop.perform(.approveRefund(customer: "anna", reason: .issueWithApp))
        #expect(shop.newNotifications() == ["REFUND", "ben: REVOKE"])
        #expect(try shop.last("ben").transaction.revocationReason == .issueWithApp)
        try shop.perform(.reverseRefund(customer: "anna"))
        #expect(shop.newNotifications() == ["REFUND_REVERSED", "ben: SUBSCRIBED/RESUBSCRIBE"])
        try expectConsistent(shop.store, at: shop.now)
    }

    @Test func `A non-consumable is shared, revoked by a refund and restored by its reversal`() throws {
        var shop = try family()
        try shop.buy("lamp")
        try shop.perform(.approveRefund(customer: "anna"))
        try shop.perform(.reverseRefund(customer: "anna"))
        #expect(
            shop.newNotifications() == [
                "ONE_TIME_CHARGE", "ben: ONE_TIME_CHARGE", "REFUND", "ben: REVOKE", "REFUND_REVERSED",
                "ben: ONE_TIME_CHARGE",
            ])
        #expect(try shop.last("ben").status == nil)
        try shop.buy("coins")
        #expect(shop.newNotifications() == ["ONE_TIME_CHARGE"])
        try shop.expectRefusal(.requestRefund(customer: "ben"), .impossibleTransition)
        try expectConsistent(shop.store, at: shop.now)
    }

    @Test func `Family members' renewals, failures and expirations are notified unless the setting is off`() throws {
        for notifiesMembers in [true, false] {
            var shop = try family()
            shop.store.settings.sendsNotificationsForFamilyMembers = notifiesMembers
            try shop.buy("plus")
            _ = shop.newNotifications()
            shop.wait(.month)
            #expect(shop.newNotifications() == (notifiesMembers ? ["DID_RENEW", "ben: DID_RENEW"] : ["DID_RENEW"]))
            try shop.perform(.failBilling(customer: "anna"))
            shop.wait(.month)
            #expect(try shop.status("ben") == .billingGracePeriod)
            try shop.perform(.cancel(customer: "anna"))
            #expect(try shop.status("ben") == .expired)
            #expect(shop.newNotifications().count == (notifiesMembers ? 6 : 3))
        }
    }

    @Test func `A member who joins in the grace period gets access, and one who joins after it does not`() throws {
        var shop = try family()
        try shop.buy("plus")
        try shop.perform(.failBilling(customer: "anna"))
        shop.wait(.month)
        _ = shop.newNotifications()
        try shop.perform(.shareWithFamily(customer: "anna", member: "carl"))
        #expect(shop.newNotifications() == ["carl: SUBSCRIBED/INITIAL_BUY"])
        #expect(try shop.last("carl").status == .billingGracePeriod)
        shop.wait(days: 16)
        try shop.perform(.shareWithFamily(customer: "anna", member: "dora"))
        #expect(shop.newNotifications().count == 3)
        #expect(shop.store.customers["dora"]?.subscriptions == [])
        // The recovery gives access to all members.
        try shop.perform(.fixBilling(customer: "anna"))
        #expect(
            shop.newNotifications() == [
                "DID_RENEW/BILLING_RECOVERY", "ben: DID_RENEW/BILLING_RECOVERY", "carl: DID_RENEW/BILLING_RECOVERY",
                "dora: SUBSCRIBED/INITIAL_BUY",
            ])
        try expectConsistent(shop.store, at: shop.now)
    }

    @Test func `A plan change applies to the family, and an unshareable product revokes its access`() throws {
        var shop = try family()
        try shop.buy("plus")
        _ = shop.newNotifications()
        try shop.buy("gold")
        #expect(shop.newNotifications() == ["DID_CHANGE_RENEWAL_PREF/UPGRADE", "ben: DID_CHANGE_RENEWAL_PREF/UPGRADE"])
        try shop.buy("basic")
        #expect(
            shop.newNotifications() == ["DID_CHANGE_RENEWAL_PREF/DOWNGRADE", "ben: DID_CHANGE_RENEWAL_PREF/DOWNGRADE"])
        #expect(try shop.state("ben").autoRenewProductID == "basic")
        shop.wait(.month)
        #expect(shop.newNotifications() == ["DID_RENEW", "ben: REVOKE"])
        try shop.buy("plus")
        #expect(shop.newNotifications() == ["DID_CHANGE_RENEWAL_PREF/UPGRADE", "ben: SUBSCRIBED/RESUBSCRIBE"])
        try expectConsistent(shop.store, at: shop.now)
    }

    @Test(arguments: [false, true])
    func `The family learns that an offer withdrew a cancellation or a downgrade, but not of the offer`(
        announcesSwitch: Bool
    ) throws {
        var shop = try family()
        shop.store.settings.sendsAutoRenewEnabledOnPlanChange = announcesSwitch
        try shop.buy("plus")
        try shop.perform(.cancel(customer: "anna"))
        _ = shop.newNotifications()
        try shop.buy("plus", offer: "loyal")
        let own = announcesSwitch ? ["DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_ENABLED"] : []
        #expect(
            shop.newNotifications() == ["OFFER_REDEEMED"] + own + ["ben: DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_ENABLED"])
        #expect(try shop.last("ben").renewalInfo?.autoRenewStatus == .on)
        #expect(try shop.last("ben").renewalInfo?.offerType == nil)
        try shop.buy("basic")
        _ = shop.newNotifications()
        try shop.buy("plus", offer: "loyaler")
        #expect(shop.newNotifications() == ["OFFER_REDEEMED", "ben: DID_CHANGE_RENEWAL_PREF"])
        #expect(try shop.last("ben").renewalInfo?.autoRenewProductId == "plus")
        // Another offer changes nothing for the family.
        try shop.buy("plus", offer: "loyal")
        #expect(shop.newNotifications() == ["OFFER_REDEEMED"])
    }

    @Test func `A family member's period ends with the purchaser's, also with monthly billing`() throws {
        var shop = try family()
        try shop.perform(.purchase(customer: "anna", product: "plus.yearly", billingPlan: .monthly))
        shop.wait(.month)
        #expect(try shop.last("ben").transaction.expiresDate == shop.last().transaction.expiresDate)
        try expectConsistent(shop.store, at: shop.now)
    }

    @Test func `An extension applies to the family's subscription`() throws {
        var shop = try family()
        try shop.buy("plus")
        _ = shop.newNotifications()
        try shop.perform(.extendRenewal(customer: "anna", days: 5))
        #expect(shop.newNotifications() == ["RENEWAL_EXTENDED", "ben: RENEWAL_EXTENDED"])
        try shop.expectRefusal(.extendRenewal(customer: "ben", days: 5), .notEligible)
        try shop.expectRefusal(.cancel(customer: "ben"), .impossibleTransition)
        try expectConsistent(shop.store, at: shop.now)
    }

    @Test func `A family has at most six members, each of them once`() throws {
        var shop = try family()
        try shop.expectRefusal(.shareWithFamily(customer: "anna", member: "anna"), .invalidArgument)
        try shop.expectRefusal(.shareWithFamily(customer: "anna", member: "ben"), .alreadyExists)
        for name in ["carl", "dora", "emil", "fred"] {
            try shop.perform(.shareWithFamily(customer: "anna", member: name))
        }
        try shop.expectRefusal(.shareWithFamily(customer: "anna", member: "gina"), .limitReached)
        try shop.expectRefusal(.stopSharing(customer: "anna", member: "gina"), .impossibleTransition)
    }

    @Test func `Clearing the purchaser's history revokes the family's purchases`() throws {
        var shop = try family(.sandbox)
        try shop.perform(.purchase(customer: "anna", product: "plus"))
        try shop.buy("lamp")
        _ = shop.newNotifications()
        try shop.perform(.clearHistory(customer: "anna"))
        #expect(shop.newNotifications() == ["ben: REVOKE", "ben: REVOKE"])
        try expectConsistent(shop.store, at: shop.now)
        // The introductory offer is available again.
        try shop.perform(.purchase(customer: "anna", product: "plus"))
        #expect(try shop.last().transaction.offerType == .introductory)
        try expectConsistent(shop.store, at: shop.now)
    }
}
