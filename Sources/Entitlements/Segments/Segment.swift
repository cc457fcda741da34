internal import AppStoreModels
package import Foundation

/// A list of purchases on which a team can act.
///
/// Membership follows from the customer's state: from ``SubscriptionState/nextStep`` and the details. There is no
/// second definition. A segment considers each purchase alone; the lists of ``winBackEligible`` omit the customers who
/// have access by another one or owe a payment for it.
package enum Segment: Int, Sendable, Hashable, CaseIterable {
    // The raw values are stored in databases.

    /// Subscribers who will not renew and still have access: `save_offer`.
    case willNotRenew = 1
    /// Subscribers whose payment failed and who have access in the billing grace period: `fix_payment`.
    case inGrace = 2
    /// Subscribers whose payment failed and who have no access until it succeeds: `fix_payment`.
    case inBillingRetry = 3
    /// Former subscribers for whom the App Store names a win-back offer: `win_back_offer`.
    case winBackEligible = 4
    /// Subscribers who have not responded to a price increase: `ask_price_consent`.
    case priceConsentPending = 5
    /// Subscribers in a free trial, whether it will renew or not: the detail `in_trial`.
    case trialEnding = 6
    /// Refunded purchases, and subscriptions whose current or last period was refunded: the detail `refunded`.
    case refunded = 7

    /// The name in the API.
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

    /// Whether membership ends by time alone. Lists of these segments begin with the entry that ends first, lists of
    /// the others with the latest entry.
    package var endsWithTime: Bool {
        switch self {
        case .willNotRenew, .inGrace, .priceConsentPending, .trialEnding: true
        case .inBillingRetry, .winBackEligible, .refunded: false
        }
    }
}

/// The membership of a purchase in a segment at an instant, and the reason.
package struct SegmentEntry: Sendable, Hashable {
    /// The segment.
    package var segment: Segment
    /// When membership began; nil if that is unknown.
    package var since: Date?
    /// The reason; nil if there is none. One of ``reasons``.
    package var reason: StateDetail?

    /// All possible reasons: those of an expiration, and a price increase that waits for consent.
    package static let reasons: [StateDetail] = [
        .cancelled, .billingError, .priceIncreaseNotAccepted, .productNotAvailable, .priceConsentPending,
    ]
}

extension SubscriptionState {
    /// The segments that the subscription is in.
    package var segments: [SegmentEntry] {
        var entries: [SegmentEntry] = []
        switch nextStep {
        case .saveOffer: entries.append(SegmentEntry(segment: .willNotRenew, reason: renewalReason))
        case .fixPayment where hasAccess: entries.append(SegmentEntry(segment: .inGrace, since: expiresDate))
        case .fixPayment: entries.append(SegmentEntry(segment: .inBillingRetry, since: accessEndDate))
        case .winBackOffer:
            entries.append(
                SegmentEntry(
                    segment: .winBackEligible, since: revocationDate ?? expiresDate,
                    reason: StateDetail(expirationIntent)))
        case .requestPriceConsent: entries.append(SegmentEntry(segment: .priceConsentPending))
        default: break
        }
        if status == .active, ownership == .purchased, details.contains(.inTrial) {
            entries.append(SegmentEntry(segment: .trialEnding, since: purchaseDate))
        }
        if details.contains(.refunded) { entries.append(SegmentEntry(segment: .refunded, since: revocationDate)) }
        return entries
    }

    /// Why the subscription will not renew. Before the period ends the App Store gives no reason. A pending price
    /// increase is the probable reason; otherwise the customer turned renewal off, or it was turned off with a refund
    /// request.
    private var renewalReason: StateDetail {
        StateDetail(expirationIntent) ?? (priceIncreaseStatus == .pending ? .priceConsentPending : .cancelled)
    }

    /// When access ended for a subscription without access that was not revoked: at the end of the period, or of the
    /// grace period if the payment failed and a renewal info named it. A cancellation ends a grace period.
    var accessEndDate: Date? {
        guard let grace = knownGracePeriodEnd, status == .billingRetry || expirationIntent == .billingError else {
            return expiresDate
        }
        return expiresDate.map { max($0, grace) } ?? grace
    }

    /// When the billing grace period after the period ends, or ended, according to any renewal info.
    package var knownGracePeriodEnd: Date? { gracePeriodExpiresDate ?? formerGracePeriodEnd }
}

extension PurchaseState {
    /// The segments that a purchase other than an auto-renewable subscription is in.
    package var segments: [SegmentEntry] {
        details.contains(.refunded) ? [SegmentEntry(segment: .refunded, since: revocationDate)] : []
    }
}
