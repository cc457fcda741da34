public import Foundation

/// How one environment of the simulated App Store behaves where Apple's differs between environments, can be
/// configured, or is not documented.
public struct StoreSettings: Sendable, Hashable, Codable {
    /// How long a period lasts.
    public var rate = RenewalRate.realTime

    /// The billing grace period of App Store Connect.
    public var gracePeriod = BillingGracePeriod.off

    /// Whether the grace period also covers the renewal that follows a free offer.
    public var graceCoversFreeOffers = true

    /// How often a subscription renews before the system turns renewal off; nil for ever.
    public var renewalCap: Int?

    /// Within how many seconds before the end of a period the next one is charged, at a moment that the seed spreads; 0 for
    /// at its end. `DID_RENEW` comes then, with a `purchaseDate` that is still ahead. Faster rates shorten it. Tests that are
    /// about something else are simpler with 0.
    public var renewalLead: TimeInterval = 86_400

    /// By how many seconds at most a renewal comes late, which leaves a short lapse; 0 for never. A quarter of them do.
    public var renewalDelay: TimeInterval = 0

    /// Whether a subscription that began on the 31st renews on the last day of a shorter month and on the 31st again after
    /// that; otherwise it stays on the earlier day.
    public var keepsDayOfMonth = true

    /// Where notifications go; nil sends none.
    public var notificationURL: String?

    /// Which version of notifications the app gets. Version 1 tells of less, and of nothing in the history.
    public var notificationVersion = NotificationVersion.two

    /// Whether a failed notification is sent again, five times over 157 hours (three times over 78 in version 1).
    public var retriesNotifications = true

    /// Whether a 400 counts as a failure that is sent again, as documented, or as the end.
    public var retriesAfterBadRequest = true

    /// How long the receiver of a notification has, in seconds.
    public var deliveryTimeout: TimeInterval = 5

    /// How long the developer's server may take to name a retention message, in seconds.
    public var realtimeTimeout: TimeInterval = 0.7

    /// Who decides about refunds.
    public var refunds = RefundDecision.byCommand

    /// How long the answer to a consumption request may take, in seconds.
    public var consumptionWindow: TimeInterval = 12 * 3600

    /// Whether a mere `notificationType` in the history's filter means only those without a subtype.
    public var historyMatchesSubtypeExactly = true

    /// Whether family members' renewals, failures and expiries are notified too.
    public var notifiesFamilyMembers = true

    /// Whether the notification of a cancellation after a price notice has its subtype.
    public var cancellationAfterPriceNoticeHasSubtype = true

    /// Whether notifications about purchases carry `appAppleId`. Documented as absent in the sandbox, seen there in 2025.
    public var namesAppAppleID = true

    /// Whether all kinds of products bring consumption requests. Off: consumables and auto-renewable subscriptions.
    public var asksAboutAllProducts = true

    /// Whether a downgrade in the last day before the renewal is notified twice, when it is chosen and when it happens.
    public var announcesLateDowngrades = true

    /// Whether a change of plan that turns renewal on again is told by `AUTO_RENEW_ENABLED` as well.
    public var announcesRenewalSwitch = false

    /// How long extending the renewal date of all subscribers takes, in seconds.
    public var massExtensionDuration: TimeInterval = 3600

    /// Whether Apple's hourly quotas hold.
    public var enforcesRateLimits = true

    /// The production App Store's behaviour, as documented.
    public static let production = Self()

    /// The sandbox's behaviour, as documented, but for the speed of its subscriptions.
    public static let sandbox: Self = {
        var settings = Self()
        settings.renewalCap = 12
        settings.retriesNotifications = false
        settings.refunds = .automatic
        settings.consumptionWindow = 300
        return settings
    }()

    /// TestFlight's behaviour, as documented: that of the sandbox, but every subscription renews once a day, six times.
    public static let testFlight: Self = {
        var settings = sandbox
        settings.rate = .anyEveryDay
        settings.renewalCap = 6
        return settings
    }()

    /// Settings as documented for production.
    public init() {}

    /// Reads settings. What older versions did not know may be left out, and is as in production.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        rate = try container.decode(RenewalRate.self, forKey: .rate)
        gracePeriod = try container.decode(BillingGracePeriod.self, forKey: .gracePeriod)
        graceCoversFreeOffers = try container.decode(Bool.self, forKey: .graceCoversFreeOffers)
        renewalCap = try container.decodeIfPresent(Int.self, forKey: .renewalCap)
        renewalLead = try container.decodeIfPresent(TimeInterval.self, forKey: .renewalLead) ?? renewalLead
        renewalDelay = try container.decodeIfPresent(TimeInterval.self, forKey: .renewalDelay) ?? renewalDelay
        keepsDayOfMonth = try container.decodeIfPresent(Bool.self, forKey: .keepsDayOfMonth) ?? keepsDayOfMonth
        notificationURL = try container.decodeIfPresent(String.self, forKey: .notificationURL)
        notificationVersion =
            try container.decodeIfPresent(NotificationVersion.self, forKey: .notificationVersion) ?? notificationVersion
        retriesNotifications = try container.decode(Bool.self, forKey: .retriesNotifications)
        retriesAfterBadRequest = try container.decode(Bool.self, forKey: .retriesAfterBadRequest)
        deliveryTimeout = try container.decode(TimeInterval.self, forKey: .deliveryTimeout)
        realtimeTimeout = try container.decode(TimeInterval.self, forKey: .realtimeTimeout)
        refunds = try container.decode(RefundDecision.self, forKey: .refunds)
        consumptionWindow = try container.decode(TimeInterval.self, forKey: .consumptionWindow)
        historyMatchesSubtypeExactly = try container.decode(Bool.self, forKey: .historyMatchesSubtypeExactly)
        notifiesFamilyMembers = try container.decode(Bool.self, forKey: .notifiesFamilyMembers)
        cancellationAfterPriceNoticeHasSubtype = try container.decode(
            Bool.self, forKey: .cancellationAfterPriceNoticeHasSubtype)
        namesAppAppleID = try container.decode(Bool.self, forKey: .namesAppAppleID)
        asksAboutAllProducts = try container.decode(Bool.self, forKey: .asksAboutAllProducts)
        announcesLateDowngrades = try container.decode(Bool.self, forKey: .announcesLateDowngrades)
        announcesRenewalSwitch =
            try container.decodeIfPresent(Bool.self, forKey: .announcesRenewalSwitch) ?? announcesRenewalSwitch
        massExtensionDuration = try container.decode(TimeInterval.self, forKey: .massExtensionDuration)
        enforcesRateLimits = try container.decode(Bool.self, forKey: .enforcesRateLimits)
    }

    /// Who decides about refunds.
    @nonexhaustive
    public enum RefundDecision: String, Sendable, Hashable, Codable {
        /// Nobody but a command.
        case byCommand
        /// The store: by the developer's answer to the consumption request, or in favour of the customer when it is late.
        case automatic
    }
}
