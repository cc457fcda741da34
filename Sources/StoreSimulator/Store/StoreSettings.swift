public import Foundation

/// The behaviour of one environment of the simulated App Store, as far as it differs between Apple's environments, is
/// configurable, or is undocumented.
public struct StoreSettings: Sendable, Hashable, Codable {
    /// The rate at which subscriptions renew.
    public var rate = RenewalRate.realTime

    /// The billing grace period, as set in App Store Connect.
    public var gracePeriod = BillingGracePeriod.off

    /// Whether the grace period also applies to the renewal after a free offer.
    public var gracePeriodAppliesToFreeOffers = true

    /// The number of renewals after which the system turns renewal off; nil for no limit. It turns renewal off at the
    /// end of the last period: until then the renewal info shows that renewal is on.
    public var renewalCap: Int?

    /// The longest time before the end of a period at which the next period is charged, in seconds. The exact time
    /// depends on the seed. `DID_RENEW` is sent then, with a `purchaseDate` in the future. Accelerated rates shorten
    /// it. 0 charges at the end of the period, which simplifies tests of other behaviour.
    public var maximumRenewalLeadTime: TimeInterval = 86_400

    /// The longest delay of a renewal, in seconds; 0 for none. A quarter of the renewals are late, which leaves a short
    /// lapse.
    public var maximumRenewalDelay: TimeInterval = 0

    /// Whether a subscription that began on the 31st renews on the last day of shorter months and on the 31st again
    /// afterwards. Otherwise it stays on the earlier day.
    public var renewsOnOriginalDayOfMonth = true

    /// The URL to send notifications to; nil to send none.
    public var notificationURL: String?

    /// The version of App Store Server Notifications. Version 1 covers fewer events, and its notifications are not in
    /// the notification history.
    public var notificationVersion = NotificationVersion.two

    /// Whether failed deliveries are retried: five times over 157 hours, in version 1 three times over 78 hours.
    public var retriesNotifications = true

    /// Whether a delivery answered with status 400 is retried, as documented, or fails for good.
    public var retriesAfterBadRequest = true

    /// The time limit for the receiver's answer to a notification, in seconds.
    public var deliveryTimeout: TimeInterval = 5

    /// The time limit for the answer of the developer's server to a real-time retention request, in seconds.
    public var realtimeTimeout: TimeInterval = 0.7

    /// Who decides refund requests.
    public var refundDecision = RefundDecision.byCommand

    /// The time limit for the answer to a consumption request, in seconds.
    public var consumptionWindow: TimeInterval = 12 * 3600

    /// Whether a notification history filter with a `notificationType` alone matches only notifications without a
    /// subtype.
    public var historyMatchesSubtypeExactly = true

    /// Whether notifications are also sent for renewals, billing failures and expirations of family members' shares.
    public var sendsNotificationsForFamilyMembers = true

    /// Whether the notification of a cancellation after a price increase notice has a subtype.
    public var cancellationAfterPriceNoticeHasSubtype = true

    /// Whether sandbox notifications contain `appAppleId`. It is documented as absent in the sandbox, but was observed
    /// there in 2025.
    public var sandboxIncludesAppAppleID = true

    /// Whether refund requests for all product types cause consumption requests. Otherwise only consumables and
    /// auto-renewable subscriptions do.
    public var sendsConsumptionRequestsForAllProducts = true

    /// Whether a downgrade on the last day before the renewal sends `DID_CHANGE_RENEWAL_PREF` when the customer chooses
    /// it, in addition to the `DID_RENEW` of the renewal.
    public var sendsNotificationOnLateDowngrade = true

    /// Whether a change of plan that turns renewal on again also sends `AUTO_RENEW_ENABLED`.
    public var sendsAutoRenewEnabledOnPlanChange = false

    /// The duration of a renewal date extension for all subscribers, in seconds.
    public var massExtensionDuration: TimeInterval = 3600

    /// Whether Apple's hourly rate limits are enforced.
    public var enforcesRateLimits = true

    /// The production App Store's behaviour, as documented.
    public static let production = Self()

    /// The sandbox's behaviour, as documented, except for the renewal rate.
    public static let sandbox: Self = {
        var settings = Self()
        settings.renewalCap = 12
        settings.retriesNotifications = false
        settings.refundDecision = .automatic
        settings.consumptionWindow = 300
        return settings
    }()

    /// TestFlight's behaviour, as documented: the sandbox's, but every subscription renews once a day, up to six times.
    public static let testFlight: Self = {
        var settings = sandbox
        settings.rate = .anyEveryDay
        settings.renewalCap = 6
        return settings
    }()

    /// Creates settings with production's documented behaviour.
    public init() {}

    /// Who decides refund requests.
    @nonexhaustive
    public enum RefundDecision: String, Sendable, Hashable, Codable, CaseIterable {
        /// Only commands decide.
        case byCommand
        /// The store decides by the developer's answer to the consumption request, or grants the refund if there is no
        /// answer in time.
        case automatic

        /// Decodes a name.
        public init(from decoder: any Decoder) throws { self = try decoder.value(among: Self.allCases) }
    }
}
