internal import AppStoreModels
package import Foundation

/// A list of purchases that a team acts on.
///
/// What the customer's answer says decides who is in it: ``SubscriptionState/nextStep`` and the details of the state. There is
/// no second definition.
package enum Segment: Int, Sendable, Hashable, CaseIterable {
    // The numbers are in databases.

    /// Subscribers who will not renew and still have access: `save_offer`.
    case willNotRenew = 1
    /// Subscribers whose payment failed and who have access in the billing grace period: `fix_payment`.
    case inGrace = 2
    /// Those whose payment failed and who have no access meanwhile: `fix_payment`.
    case inBillingRetry = 3
    /// Former subscribers for whom the App Store names a win-back offer: `win_back_offer`.
    case winBackEligible = 4
    /// Subscribers who have not answered to a higher price: `ask_price_consent`.
    case priceConsentPending = 5
    /// Subscribers in a free trial, whether it will renew or not: the detail `in_trial`.
    case trialEnding = 6
    /// Purchases, and current or last periods of subscriptions, whose customer has the money back: the detail `refunded`.
    case refunded = 7

    /// The text in the API.
    package var name: String {
        switch self {
        case .willNotRenew: "will_not_renew"
        case .inGrace: "in_grace_period"
        case .inBillingRetry: "in_billing_retry"
        case .winBackEligible: "win_back_eligible"
        case .priceConsentPending: "price_consent_pending"
        case .trialEnding: "trial_ending"
        case .refunded: "refunded"
        }
    }

    /// The segment with this name in the API.
    package init?(name: String) {
        guard let segment = Self.allCases.first(where: { $0.name.isExactly(name) }) else { return nil }
        self = segment
    }

    /// Whether time alone ends it, so that what ends first comes first. Of the others the latest comes first.
    package var endsByItself: Bool {
        switch self {
        case .willNotRenew, .inGrace, .priceConsentPending, .trialEnding: true
        case .inBillingRetry, .winBackEligible, .refunded: false
        }
    }
}

/// That a purchase is in a segment, and why.
package struct SegmentEntry: Sendable, Hashable {
    /// The segment.
    package var segment: Segment
    /// Since when; nil where nothing says it.
    package var since: Date?
    /// Why; nil where there is nothing to say.
    package var reason: StateDetail?

    package init(_ segment: Segment, since: Date? = nil, reason: StateDetail? = nil) {
        self.segment = segment
        self.since = since
        self.reason = reason
    }
}

extension SubscriptionState {
    /// The segments that a subscription is in.
    package var segments: [SegmentEntry] {
        var entries: [SegmentEntry] = []
        switch nextStep {
        case .saveOffer: entries.append(SegmentEntry(.willNotRenew, reason: renewalReason))
        case .fixPayment where hasAccess: entries.append(SegmentEntry(.inGrace, since: expiresDate))
        case .fixPayment: entries.append(SegmentEntry(.inBillingRetry, since: lostAccess))
        case .winBackOffer:
            entries.append(
                SegmentEntry(
                    .winBackEligible, since: revocationDate ?? expiresDate, reason: StateDetail(expirationIntent)))
        case .askPriceConsent: entries.append(SegmentEntry(.priceConsentPending))
        default: break
        }
        if status == .active, ownership == .purchased, details.contains(.inTrial) {
            entries.append(SegmentEntry(.trialEnding, since: purchaseDate))
        }
        if details.contains(.refunded) { entries.append(SegmentEntry(.refunded, since: revocationDate)) }
        return entries
    }

    /// Why it will not renew. Before the period ends the App Store gives no reason: who has a higher price before them may
    /// mean that, and all others turned renewal off, or had it turned off when they asked for a refund.
    private var renewalReason: StateDetail {
        StateDetail(expirationIntent) ?? (priceIncreaseStatus == .pending ? .priceConsentPending : .cancelled)
    }

    /// When access ended of who is in billing retry: the end of the period, or of grace if there was any.
    var lostAccess: Date? {
        guard let grace = gracePeriodExpiresDate else { return expiresDate }
        return expiresDate.map { max($0, grace) } ?? grace
    }
}

extension PurchaseState {
    /// The segments that a purchase is in that is no auto-renewable subscription.
    package var segments: [SegmentEntry] {
        details.contains(.refunded) ? [SegmentEntry(.refunded, since: revocationDate)] : []
    }
}
