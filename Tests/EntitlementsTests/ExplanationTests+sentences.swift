import AppStoreModels
import Entitlements
import Foundation
import Testing

// The sentence of an explanation.
extension `An explanation` {
    @Test func `An explanation describes the subscription in a sentence`() {
        let infos = [renewal(on: 0), renewal(on: 5, renews: false), renewal(on: 6) { $0.autoRenewProductID = "x" }]
        let month = [period("1", 0, 30)]
        func sentence(_ date: Double) -> String { why(month, infos, on: day(date)).sentence }
        let until = "The subscription to pro.month runs until 2023-12-14T22:13:20Z"
        #expect(sentence(1) == until + " and will renew.")
        #expect(sentence(5) == until + " and will not renew.")
        #expect(sentence(6) == until + " and will renew into x.")
        let ended = "The subscription to pro.month ended on 2023-12-14T22:13:20Z"
        #expect(sentence(30) == ended + ": it was to renew, but no renewal is known.")
        #expect(why(month, [renewal(on: 5, renews: false)], on: day(30)).sentence == ended + ".")
        #expect(why(month, on: day(30)).sentence == ended + ".")
        // While consent to a higher price is missing, the renewal is not certain.
        let consents = [
            renewal(on: 0) { $0.priceIncreaseStatus = .pending },
            renewal(on: 6) { ($0.priceIncreaseStatus, $0.autoRenewProductID) = (.pending, "x") },
            renewal(on: 7) { $0.priceIncreaseStatus = .accepted },
        ]
        func asked(at date: Double) -> String { why(month, consents, on: day(date)).sentence }
        #expect(asked(at: 1) == until + " and will renew if the customer agrees to the higher price.")
        #expect(
            asked(at: 6) == until + " and will renew into x if the customer agrees to the higher price.")
        #expect(asked(at: 7) == until + " and will renew.")
        // After the grace period, the sentence still says when the paid period ended.
        #expect(
            why(month, [failure(on: 30)], on: day(47)).sentence
                == "The payment for pro.month failed; the period ended on 2023-12-14T22:13:20Z "
                + "and the App Store tries again.")
        #expect(
            why(month, [failure(on: 30, grace: 46)], on: day(47)).sentence
                == "The payment for pro.month failed; the period ended on 2023-12-14T22:13:20Z, the billing grace period "
                + "on 2023-12-30T22:13:20Z, and the App Store tries again.")
        // Also if only an earlier renewal info names the grace period.
        let failures = [failure(on: 30, grace: 46), failure(on: 46)].map { info in
            var info = info
            info.renewalDate = day(30)
            return info
        }
        #expect(
            why(month, failures, on: day(47)).sentence
                == why(month, [failure(on: 30, grace: 46)], on: day(47)).sentence)
        let over = renewal(on: 90, renews: false) {
            ($0.expirationIntent, $0.renewalDate) = (.billingError, day(30))
        }
        #expect(
            why(month, failures + [over], on: day(91)).sentence
                == "The subscription to pro.month ended on 2023-12-30T22:13:20Z: the payment failed.")
        let upgrade = month + [period("2", "other", 5, 35)]
        #expect(
            why(upgrade, on: day(6)).sentence
                == "pro.month was replaced on 2023-11-19T22:13:20Z by other, which does not give the entitlement.")
        let change = month + [period("2", "other", 30, 60)]
        #expect(
            why(change, on: day(31)).sentence
                == "pro.month ended on 2023-12-14T22:13:20Z; the subscription went on with other, "
                + "which does not give the entitlement.")
        #expect(why("tea", [], on: day(0)).sentence == "The catalogue has no entitlement \"tea\".")
    }

    @Test func `An explanation describes other purchases, sharing, seats and the billing grace period in a sentence`() {
        let map = purchase("1", "map", .nonConsumable, on: 0)
        #expect(why("map", [map], on: day(1)).sentence == "map was bought on 2023-11-14T22:13:20Z and does not end.")
        let sharedMap = purchase("1", "map", .nonConsumable, on: 0) { $0.ownership = .familyShared }
        #expect(
            why("map", [sharedMap], on: day(1)).sentence
                == "map (shared by the family) was bought on 2023-11-14T22:13:20Z and does not end.")
        let season = [purchase("1", "pro.season", .nonRenewingSubscription, on: 0)]
        #expect(
            why(season, on: day(1)).sentence
                == "pro.season was bought on 2023-11-14T22:13:20Z and lasts until 2023-12-14T22:13:20Z.")
        #expect(why(season, on: day(40)).sentence == "The duration of pro.season ended on 2023-12-14T22:13:20Z.")
        let seat = [period("1", 0, 30) { $0.ownership = .assigned }]
        #expect(
            why(seat, on: day(1)).sentence
                == "The subscription to pro.month (assigned) runs until 2023-12-14T22:13:20Z.")
        #expect(
            why([period("1", 0, 30)], [failure(on: 30, grace: 46)], on: day(31)).sentence
                == "The payment for pro.month failed; access continues in the billing grace period until "
                + "2023-12-30T22:13:20Z.")
        let left = period("1", 0, 30) {
            $0.refund(on: 1)
            $0.ownership = .familyShared
        }
        #expect(
            why([left], on: day(2)).sentence
                == "pro.month (shared by the family) was revoked on 2023-11-15T22:13:20Z.")
    }

    @Test(
        arguments: [
            (.customerCancelled, ": the customer had cancelled"), (.billingError, ": the payment failed"),
            (.priceIncreaseNotAccepted, ": the customer did not agree to the higher price"),
            (.productNotAvailable, ": the product was no longer for sale"), (ExpirationIntent(rawValue: 99), ""),
        ] as [(ExpirationIntent, String)])
    func `An explanation says why a subscription ended`(_ intent: ExpirationIntent, _ reason: String) {
        let info = renewal(on: 30, renews: false) { $0.expirationIntent = intent }
        #expect(
            why([period("1", 0, 30)], [info], on: day(31)).sentence
                == "The subscription to pro.month ended on 2023-12-14T22:13:20Z\(reason).")
    }

    @Test(arguments: [InAppOwnershipType.familyShared, .assigned])
    func `An explanation of a shared or assigned subscription does not say that the customer ended it`(
        _ ownership: InAppOwnershipType
    ) {
        let month = [period("1", 0, 30) { $0.ownership = ownership }]
        func sentence(_ infos: [RenewalFact], on date: Double) -> String { why(month, infos, on: day(date)).sentence }
        func end(_ intent: ExpirationIntent) -> RenewalFact {
            renewal(on: 31, renews: false) { $0.expirationIntent = intent }
        }
        #expect(sentence([end(.customerCancelled)], on: 31).hasSuffix(": the purchaser had cancelled."))
        #expect(
            sentence([end(.priceIncreaseNotAccepted)], on: 31)
                .hasSuffix(": the purchaser did not agree to the higher price."))
        #expect(
            sentence([failure(on: 30), end(.customerCancelled)], on: 31)
                .hasSuffix(", and the purchaser cancelled while the App Store tried again."))
        let asked = renewal(on: 1) { $0.priceIncreaseStatus = .pending }
        #expect(sentence([asked], on: 2).hasSuffix(" if the purchaser agrees to the higher price."))
    }

    @Test func `An explanation names the failed payment before a cancellation`() {
        let month = [period("1", 0, 30)]
        func cancellation(on date: Double) -> RenewalFact {
            renewal(on: date, renews: false) { $0.expirationIntent = .customerCancelled }
        }
        let failed =
            "The payment for pro.month failed; the period ended on 2023-12-14T22:13:20Z, and the customer cancelled "
        let inGrace = failed + "in the billing grace period, which ended access."
        let inRetry = failed + "while the App Store tried again."
        for (failure, cancelled, sentence) in [
            (failure(on: 30, grace: 46), 35.0, inGrace), (failure(on: 30, grace: 46), 50, inRetry),
            (failure(on: 30), 35, inRetry),
        ] {
            let infos = [renewal(on: 0), failure, cancellation(on: cancelled)]
            let explanation = why(month, infos, on: day(60))
            #expect(explanation.rule == .expired)
            #expect(explanation.sentence == sentence)
            // The App Store signs the same again when it is asked later.
            #expect(why(month, infos + [cancellation(on: 59)], on: day(60)).sentence == sentence)
        }
        // The failed payment was for an earlier period, or the customer had cancelled before the end.
        let paid = month + [period("2", 30, 60)]
        for (periods, infos) in [
            (paid, [failure(on: 30), renewal(on: 31), cancellation(on: 60)]), (month, [cancellation(on: 30)]),
        ] {
            #expect(why(periods, infos, on: day(61)).sentence.hasSuffix(": the customer had cancelled."))
        }
    }

    @Test func `An explanation says whether only a part was refunded`() {
        let month = period("1", 0, 30) { $0.refund(on: 4, type: .refundProrated) }
        #expect(why([month], on: day(5)).sentence == "pro.month was refunded in part on 2023-11-18T22:13:20Z.")
        let map = purchase("1", "map", .nonConsumable, on: 0) { $0.refund(on: 4, type: .refundProrated) }
        #expect(why("map", [map], on: day(5)).sentence == "map was refunded in part on 2023-11-18T22:13:20Z.")
        let full = period("1", 0, 30) { $0.refund(on: 4, type: .refundFull) }
        #expect(why([full], on: day(5)).sentence == "pro.month was refunded on 2023-11-18T22:13:20Z.")
        // The period of another product was refunded in part, not the one that gave the entitlement.
        let other = period("2", "other", 30, 60) { $0.refund(on: 31, type: .refundProrated) }
        #expect(why([full, other], on: day(32)).sentence == "pro.month was refunded on 2023-11-18T22:13:20Z.")
    }

    @Test func `A refund after the end of a purchase explains nothing that ended later`() {
        // Both gave the entitlement, and the one that ended first was refunded afterwards.
        let first = period("1", 0, 7) { $0.refund(on: 40) }
        let second = period("2", of: "2", "basic.month", 0, 30)
        let both = [first, second]
        #expect(
            why("basic", both, on: day(41)).sentence
                == "The subscription to basic.month ended on 2023-12-14T22:13:20Z.")
        #expect(states(both, on: day(41)).product("pro.month").endedDate == day(7))
        #expect(
            why(both, on: day(41)).sentence
                == "pro.month ended on 2023-11-21T22:13:20Z and was refunded on 2023-12-24T22:13:20Z.")
        let season = purchase("1", "pro.season", .nonRenewingSubscription, on: 0) { $0.refund(on: 40) }
        #expect(
            why([season], on: day(41)).sentence
                == "pro.season ended on 2023-12-14T22:13:20Z and was refunded on 2023-12-24T22:13:20Z.")
        // A refund ends a grace period, which the renewal info no longer names then.
        var grace = failure(on: 30, grace: 46)
        grace.renewalDate = day(30)
        let failed = renewal(on: 31, renews: false) {
            ($0.expirationIntent, $0.renewalDate) = (.billingError, day(30))
        }
        #expect(
            why([period("1", 0, 30) { $0.refund(on: 31) }], [grace, failed], on: day(32)).sentence
                == "pro.month was refunded on 2023-12-15T22:13:20Z.")
        // Without a grace period access had ended when the payment failed, before the refund.
        #expect(
            why([period("1", 0, 30) { $0.refund(on: 31) }], [failed], on: day(32)).sentence
                == "pro.month ended on 2023-12-14T22:13:20Z and was refunded on 2023-12-15T22:13:20Z.")
        // Both charges of an upgrade were refunded, that of the replaced period last.
        let upgrade = [
            period("1", "basic.month", 0, 30) { $0.refund(on: 10) },
            period("2", 3, 33, signed: 4) { ($0.reason, $0.revocationDate) = (.purchase, day(4)) },
        ]
        #expect(why("basic", upgrade, on: day(11)).sentence == "pro.month was refunded on 2023-11-18T22:13:20Z.")
        // After a refund the customer bought another product, which replaced nothing.
        let again = [
            period("1", 0, 30) { $0.refund(on: 4) }, period("2", "other", 5, 35) { $0.reason = .purchase },
        ]
        for date in [6.0, 31, 36] {
            #expect(why(again, on: day(date)).sentence == "pro.month was refunded on 2023-11-18T22:13:20Z.")
        }
    }

    @Test(arguments: [Double.nan, .infinity, -.infinity, 1e300])
    func `An explanation of facts with invalid dates has a sentence`(_ seconds: Double) {
        let invalidDate = Date(timeIntervalSince1970: seconds)
        let facts = [
            period("1", 0, 30) {
                $0.expiresDate = invalidDate
                $0.revocationDate = invalidDate
            }, purchase("2", "map", .nonConsumable, on: 0) { $0.purchaseDate = invalidDate },
        ]
        for name in ["pro", "map"] { #expect(!why(name, facts, on: day(1)).sentence.isEmpty) }
        #expect(!why(facts, on: invalidDate).sentence.isEmpty)
    }
}
