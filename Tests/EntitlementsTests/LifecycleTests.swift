import AppStoreModels
import Entitlements
import Foundation
import Testing

@Suite struct `Subscription life cycle` {
    @Test func `A subscription goes through trial, conversion, cancellation, expiry and win-back`() {
        let facts = [
            period("1", 0, 7) {
                $0.offerType = .introductory
                $0.offerDiscountType = .freeTrial
            }, period("2", 7, 37), period("3", 80, 110),
        ]
        let infos = [
            renewal(on: 0), renewal(on: 7), renewal(on: 20, renews: false),
            renewal(on: 37, renews: false) { $0.expirationIntent = .customerCancelled },
            renewal(on: 60, renews: false) {
                $0.expirationIntent = .customerCancelled
                $0.eligibleWinBackOfferIDs = ["back"]
            }, renewal(on: 80),
        ]
        func state(_ date: Double) -> CustomerStates { states(facts, infos, on: day(date)) }
        func step(_ date: Double) -> NextStep { state(date).group("g").nextStep }

        #expect(state(-1).group("g") == states([], on: day(0)).group("g"))
        #expect(step(-1) == .subscribe && state(-1).group("g").isEligibleForIntroductoryOffer)
        #expect(state(1).product("pro.month").details == [.inTrial])
        #expect(state(7).subscriptions.first?.transactionID == "2")
        #expect(state(7).product("pro.month").details == [])
        #expect(step(10) == .noAction)
        #expect(state(20).product("pro.month").details == [.willNotRenew])
        #expect(step(20) == .saveOffer)
        #expect(state(20).isPro == true)
        #expect(state(37).status == .expired)
        #expect(step(37) == .promotionalOffer)
        #expect(!state(37).group("g").isEligibleForIntroductoryOffer)
        #expect(step(60) == .winBackOffer)
        #expect(state(80).status == .active)
        #expect(state(80).entitlement("pro")?.willRenew == true)
    }

    @Test func `A payment recovered in the grace period keeps the billing cycle`() {
        let facts = [period("1", 0, 30), period("2", 30, 60, signed: 35)]
        let infos = [renewal(on: 0), failure(on: 30, grace: 46), renewal(on: 35)]
        #expect(states(facts, infos, on: day(34)).status == .billingGracePeriod)
        #expect(states(facts, infos, on: day(34)).group("g").nextStep == .fixPayment)
        let after = states(facts, infos, on: day(35))
        #expect(after.status == .active)
        #expect(after.entitlement("pro")?.until == day(60))
        #expect(after.group("g").nextStep == .noAction)
    }

    @Test func `Billing retry ends after 60 days with an expired subscription`() {
        let infos = [
            renewal(on: 0), failure(on: 30),
            renewal(on: 90, renews: false) { $0.expirationIntent = .billingError },
        ]
        let retry = states([period("1", 0, 30)], infos, on: day(31))
        #expect(retry.group("g").nextStep == .fixPayment)
        #expect(!retry.group("g").isEligibleForIntroductoryOffer)
        let over = states([period("1", 0, 30)], infos, on: day(90))
        #expect(over.subscriptions.first?.details == [.expired, .billingError])
        #expect(over.group("g").nextStep == .promotionalOffer)
        #expect(over.group("g").isEligibleForIntroductoryOffer)
    }

    @Test func `An upgrade takes effect at its purchase date and not before`() {
        let facts = [
            period("1", "basic.month", 0, 30), period("1", "basic.month", 0, 30, signed: 50) { $0.isUpgraded = true },
            period("2", "pro.month", 10, 40),
        ]
        let before = states(facts, on: day(10) - moment)
        #expect(before.product("basic.month").state == .active)
        #expect(before.isPro == false)
        let after = states(facts, on: day(10))
        #expect(after.isPro == true)
        #expect(after.product("basic.month").details == [.upgraded])
        #expect(after.entitlement("basic")?.productID == "pro.month")
    }

    @Test func `A downgrade takes effect at the next renewal`() {
        let facts = [period("1", 0, 30), period("2", "basic.month", 30, 60)]
        let infos = [renewal(on: 0), renewal(on: 5) { $0.autoRenewProductID = "basic.month" }]
        let before = states(facts, infos, on: day(10))
        #expect(before.product("pro.month").details == [.willChangeProduct])
        #expect(before.subscriptions.first?.autoRenewProductID == "basic.month")
        let after = states(facts, infos, on: day(30))
        #expect(after.isPro == false)
        #expect(after.product("basic.month").state == .active)
        #expect(after.product("pro.month").details == [.changedProduct])
    }

    @Test func `A refund ends the current period, but not if it concerns an earlier one`() {
        let periods = [period("1", 0, 30), period("2", 30, 60)]
        let earlier = periods + [period("1", 0, 30) { $0.refund(on: 40) }]
        #expect(states(earlier, on: day(41)).status == .active)
        let current = periods + [period("2", 30, 60) { $0.refund(on: 40) }]
        #expect(states(current, on: day(40) - moment).status == .active)
        #expect(states(current, on: day(40)).status == .revoked)
    }

    @Test func `A reversed refund restores access to the rest of the period`() {
        let facts = [
            period("1", 0, 30), period("1", 0, 30) { $0.refund(on: 5) }, period("1", 0, 30, signed: 9),
        ]
        #expect(states(facts, on: day(5)).status == .revoked)
        #expect(states(facts, on: day(9)).status == .active)
        #expect(states(facts, on: day(30)).status == .expired)
    }

    @Test func `A family member has access until sharing ends, without a payment to fix`() {
        let shared = period("8", of: "8", 0, 30) { $0.ownership = .familyShared }
        var revoked = shared
        revoked.refund(on: 5)
        var info = failure(on: 30, grace: 46)
        info.originalTransactionID = "8"
        let before = states([shared], [info], on: day(4))
        #expect(before.subscriptions.first?.details == [.familyShared])
        #expect(before.group("g").nextStep == .noAction)
        #expect(states([shared], [info], on: day(47)).group("g").nextStep == .subscribe)
        let after = states([shared, revoked], on: day(5))
        #expect(after.status == .revoked)
        #expect(after.subscriptions.first?.details == [.revoked, .familyShared])
        #expect(after.group("g").nextStep == .subscribe)
    }

    @Test func `An expired subscription and a shared one coexist in a group`() {
        let facts = [
            period("1", 0, 30) { $0.offerType = .introductory },
            period("8", of: "8", 20, 50) { $0.ownership = .familyShared },
        ]
        let state = states(facts, [failure(on: 30)], on: day(35))
        #expect(state.subscriptions.map(\.status) == [.billingRetry, .active])
        #expect(state.group("g").state == .active)
        #expect(state.group("g").originalTransactionID == "8")
        #expect(state.isPro == true)
    }

    @Test func `An ended subscription has no offer while another one of its group gives access`() {
        let facts = [period("1", 0, 30), period("8", of: "8", 40, 70) { $0.ownership = .familyShared }]
        let other = period("9", of: "9", "news", 40, 70, group: "news")
        func steps(_ transactions: [TransactionFact], _ date: Double, offers: [String] = []) -> [NextStep] {
            let ended = renewal(on: 30, renews: false) {
                ($0.expirationIntent, $0.eligibleWinBackOfferIDs) = (.customerCancelled, offers)
            }
            return states(transactions, [ended], on: day(date)).subscriptions.map(\.nextStep)
        }
        #expect(steps(facts, 35, offers: ["comeback"]) == [.winBackOffer])
        #expect(steps(facts, 45, offers: ["comeback"]) == [.noAction, .noAction])
        #expect(steps(facts, 45) == [.noAction, .noAction])
        #expect(steps(facts, 75, offers: ["comeback"]) == [.winBackOffer, .subscribe])
        // A subscription of another group does not count.
        #expect(steps([facts[0], other], 45, offers: ["comeback"]) == [.winBackOffer, .noAction])
        // A former family member who subscribed needs no subscription.
        let own = period("1", 40, 70)
        let shared = period("8", of: "8", 0, 30) { $0.ownership = .familyShared }
        #expect(states([own, shared], on: day(45)).subscriptions.map(\.nextStep) == [.noAction, .noAction])
        // An unpaid subscription is still owed.
        let failed = states(facts, [failure(on: 30)], on: day(45))
        #expect(failed.subscriptions.map(\.nextStep) == [.fixPayment, .noAction])
    }

    @Test func `Without access, the next step in a group is about what the customer bought, not about a share`() {
        let facts = [period("1", 0, 30), period("8", of: "8", 0, 70) { $0.ownership = .familyShared }]
        let former = renewal(on: 30, renews: false) {
            ($0.expirationIntent, $0.eligibleWinBackOfferIDs) = (.customerCancelled, ["comeback"])
        }
        var unpaidShare = failure(on: 70)
        unpaidShare.originalTransactionID = "8"
        #expect(states(facts, [former], on: day(75)).group("g").nextStep == .winBackOffer)
        #expect(states(facts, [former, unpaidShare], on: day(75)).group("g").nextStep == .winBackOffer)
        let unpaid = states(facts, [failure(on: 30), unpaidShare], on: day(75)).group("g")
        #expect(unpaid.nextStep == .fixPayment && unpaid.originalTransactionID == "1")
    }

    @Test func `A customer with a subscription of their own is not eligible for the win-back offers of an ended one`() {
        let ended = renewal(on: 30, renews: false) {
            ($0.expirationIntent, $0.eligibleWinBackOfferIDs) = (.customerCancelled, ["comeback"])
        }
        let failed = renewal(of: "8", on: 70) {
            ($0.isInBillingRetry, $0.expirationIntent) = (true, .billingError)
        }
        func former(_ date: Double, _ change: @escaping (inout TransactionFact) -> Void = { _ in })
            -> SubscriptionState?
        {
            let other = period("8", of: "8", 40, 70, change: change)
            return states([period("1", 0, 30), other], [ended, failed], on: day(date))
                .subscriptions.first { $0.originalTransactionID == "1" }
        }
        #expect(former(35)?.eligibleWinBackOfferIDs == ["comeback"])
        // The other one runs, then its payment fails.
        for date in [45.0, 75] {
            #expect(former(date)?.eligibleWinBackOfferIDs == [])
            #expect(former(date)?.nextStep == .noAction)
        }
        // The App Store does not count what the family shares.
        let sharing = former(45) { $0.ownership = .familyShared }
        #expect(sharing?.eligibleWinBackOfferIDs == ["comeback"] && sharing?.nextStep == .noAction)
        let unpaid = former(75) { $0.ownership = .familyShared }
        #expect(unpaid?.nextStep == .winBackOffer)
        let reader = former(45) { $0.subscriptionGroupIdentifier = "news" }
        #expect(reader?.eligibleWinBackOfferIDs == ["comeback"])
    }

    @Test func `A pending price increase asks for consent, and ends the subscription without it`() {
        let pending = renewal(on: 5) { $0.priceIncreaseStatus = .pending }
        let ended = renewal(on: 30, renews: false) {
            $0.priceIncreaseStatus = .pending
            $0.expirationIntent = .priceIncreaseNotAccepted
        }
        let before = states([period("1", 0, 30)], [pending, ended], on: day(6))
        #expect(before.subscriptions.first?.details == [.priceConsentPending])
        #expect(before.group("g").nextStep == .requestPriceConsent)
        let after = states([period("1", 0, 30)], [pending, ended], on: day(30))
        #expect(after.subscriptions.first?.details == [.expired, .priceIncreaseNotAccepted])
        #expect(after.subscriptions.first?.priceIncreaseStatus == .pending)
        let accepted = renewal(on: 7) { $0.priceIncreaseStatus = .accepted }
        #expect(states([period("1", 0, 30)], [pending, accepted], on: day(8)).group("g").nextStep == .noAction)
    }

    @Test func `A renewal extension moves the end of the period`() {
        let facts = [period("1", 0, 30), period("1", 0, 40, signed: 20)]
        #expect(states(facts, on: day(19)).entitlement("pro")?.until == day(30))
        #expect(states(facts, on: day(39)).status == .active)
    }

    @Test(arguments: [
        (RevocationType?.some(.refundFull), InAppOwnershipType.familyShared, StateDetail.refunded),
        (.refundProrated, .purchased, .refunded), (.familyRevoke, .purchased, .revoked),
        (.assignmentRevoke, .assigned, .revoked), (nil, .purchased, .refunded), (nil, .familyShared, .revoked),
        (RevocationType(rawValue: "NEW"), .assigned, .revoked),
    ])
    func `A revocation is a refund or a withdrawal by its type or, without one, by ownership`(
        _ type: RevocationType?, _ ownership: InAppOwnershipType, _ detail: StateDetail
    ) {
        let fact = period("1", 0, 30) {
            $0.refund(on: 5, type: type)
            $0.ownership = ownership
        }
        #expect(states([fact], on: day(6)).subscriptions.first?.details.first == detail)
    }
}
