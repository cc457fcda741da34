public import AppStoreModels
public import Foundation

/// Why a customer has an entitlement at an instant, or why not.
public struct Explanation: Sendable, Hashable, Encodable {
    /// The name in the catalogue.
    public var entitlement: String
    /// The instant.
    public var asOf: Date
    /// Whether the app should give access.
    public var isActive: Bool
    /// When access ends unless a new fact arrives. Nil if access does not end, or if there is no access.
    public var until: Date?
    /// The rule that decided.
    public var rule: ExplanationRule
    /// An English sentence for people, with the product and the dates. Programs should use ``rule``.
    public var sentence: String
    /// The product that gives the entitlement, or gave it last.
    public var productID: String?
    /// The transaction that decided.
    public var transactionID: String?
    /// Every examined fact with its role: transactions before renewal infos, each sorted by identifier and by signing
    /// date.
    public var facts: [ExplainedFact]
    /// The result of the catalogue's rule for customers who got the app early; nil if the catalogue has no rule for the
    /// entitlement.
    public var originalPurchase: ExplainedOriginalPurchase?
    /// When access by ``productID`` ended; nil if there is access, or if that is unknown.
    package var endedDate: Date?
    /// The first sentence of ``sentence``: about the rule. Empty for early customers, whom the remarks describe.
    package var conclusion = ""
    /// The last sentences of ``sentence``: about early customers and grants, whatever happened to the purchases.
    package var remarks: [String] = []

    // Identifiers are spelled as in Apple's JSON.
    private enum CodingKeys: String, CodingKey {
        case entitlement, asOf, isActive, until, rule, sentence, facts, originalPurchase
        case productID = "productId"
        case transactionID = "transactionId"
    }
}

/// The result of an ``OriginalPurchaseRule``, and the fact that decided.
public struct ExplainedOriginalPurchase: Sendable, Hashable, Encodable {
    /// The result.
    public var finding: OriginalPurchaseFinding
    /// The fact that decided; nil if none is known.
    public var fact: OriginalPurchaseFact?
}

/// A rule that gives or denies an entitlement.
public struct ExplanationRule: OpenEnumeration {
    /// The text in JSON.
    public let rawValue: String

    /// Creates a value from any text, including unlisted ones.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The paid period of a subscription is not over. Gives access.
    public static let subscriptionActive = Self(rawValue: "subscription_active")
    /// The period is over and unpaid, but the billing grace period is not over. Gives access.
    public static let gracePeriod = Self(rawValue: "grace_period")
    /// A non-consumable product was bought and neither refunded nor revoked. Gives access.
    public static let nonConsumableOwned = Self(rawValue: "non_consumable_owned")
    /// The duration of a non-renewing subscription is not over. Gives access.
    public static let durationRunning = Self(rawValue: "duration_running")
    /// The period is over and unpaid, and the App Store is retrying the payment.
    public static let billingRetry = Self(rawValue: "billing_retry")
    /// The last period is over.
    public static let expired = Self(rawValue: "expired")
    /// Family sharing or an assignment ended.
    public static let revoked = Self(rawValue: "revoked")
    /// The purchase was refunded.
    public static let refunded = Self(rawValue: "refunded")
    /// Another product or subscription that does not give the entitlement replaced the product immediately.
    public static let replacedByUpgrade = Self(rawValue: "upgraded_away")
    /// The subscription was renewed with another product that does not give the entitlement.
    public static let changedProduct = Self(rawValue: "changed_product")
    /// The duration of a non-renewing subscription is over.
    public static let durationOver = Self(rawValue: "duration_over")
    /// The customer got the app before the version or date in the catalogue. Gives access.
    public static let qualifyingOriginalPurchase = Self(rawValue: "bought_before")
    /// The team granted the entitlement. Gives access.
    public static let granted = Self(rawValue: "granted")
    /// The purchase that gave the entitlement was transferred to another customer. The engine never returns this rule,
    /// because it does not know the owners of purchases.
    public static let transferred = Self(rawValue: "transferred")
    /// No product that gives the entitlement was bought.
    public static let neverBought = Self(rawValue: "never_bought")
    /// The catalogue does not contain the entitlement.
    public static let unknownEntitlement = Self(rawValue: "unknown_entitlement")
}

/// A fact that was examined for an explanation.
public struct ExplainedFact: Sendable, Hashable, Encodable {
    /// The kind of signed data.
    public var kind: FactKind
    /// `transactionId`; for a renewal info `originalTransactionId`.
    public var identifier: String
    /// `originalTransactionId`.
    public var originalTransactionID: String
    /// `productId`.
    public var productID: String
    /// `signedDate`.
    public var signedDate: Date
    /// The role of the fact in the decision.
    public var role: FactRole
    /// The complete fact. Distinguishes versions that were signed at the same instant.
    package var version: Version

    /// A version of a fact, identified by its content.
    package enum Version: Sendable, Hashable {
        case transaction(TransactionFact)
        case renewal(RenewalFact)
    }

    private enum CodingKeys: String, CodingKey {
        case kind, identifier, signedDate, role
        case originalTransactionID = "originalTransactionId"
        case productID = "productId"
    }
}

/// A kind of data that the App Store signs.
public struct FactKind: OpenEnumeration {
    /// The text in JSON.
    public let rawValue: String

    /// Creates a value from any text, including unlisted ones.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// A transaction.
    public static let transaction = Self(rawValue: "transaction")
    /// A renewal info.
    public static let renewalInfo = Self(rawValue: "renewal_info")
}

/// The role of a fact in a decision: whether it decided, or why it did not.
public struct FactRole: OpenEnumeration {
    /// The text in JSON.
    public let rawValue: String

    /// Creates a value from any text, including unlisted ones.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The fact decided.
    public static let decides = Self(rawValue: "decides")
    /// Another version was signed later, or at the same time.
    public static let olderVersion = Self(rawValue: "older_version")
    /// The fact was signed after the instant, and an earlier version counts; or it is a renewal info, which does not
    /// describe the time before it was signed.
    public static let signedLater = Self(rawValue: "signed_later")
    /// The purchase was made, or the overdue payment arrived, after the instant.
    public static let purchasedLater = Self(rawValue: "not_yet")
    /// The subscription is in a later period.
    public static let earlierPeriod = Self(rawValue: "earlier_period")
    /// The period is paid for but has not begun.
    public static let laterPeriod = Self(rawValue: "later_period")
    /// Another product replaced it.
    public static let upgraded = Self(rawValue: "upgraded")
    /// The current period of the subscription, for a product that does not give the entitlement.
    public static let otherProduct = Self(rawValue: "other_product")
    /// The purchase was refunded or revoked.
    public static let refundedOrRevoked = Self(rawValue: "taken_back")
    /// The period or the duration is over, or the period is unpaid.
    public static let ended = Self(rawValue: "over")
    /// The purchase gives access too, but another one has priority.
    public static let lowerPriority = Self(rawValue: "goes_behind")
    /// The renewal info belongs to another subscription than the one that decided.
    public static let otherSubscription = Self(rawValue: "other_subscription")
    /// Purchases of this type never give access.
    public static let typeGivesNoAccess = Self(rawValue: "never_entitles")
}
