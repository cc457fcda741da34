public import Foundation

/// Why a customer has an entitlement at an instant, or has not.
public struct Explanation: Sendable, Hashable, Encodable {
    /// The name in the catalogue.
    public var entitlement: String
    /// The instant.
    public var asOf: Date
    /// Whether the app should give access.
    public var isActive: Bool
    /// When access ends unless something happens. Nil if it does not end, and where there is none.
    public var until: Date?
    /// The rule that decided.
    public var rule: ExplanationRule
    /// The rule, with the product and the dates, for people. English; not for programs.
    public var sentence: String
    /// The product that gives the entitlement, or gave it last.
    public var productID: String?
    /// The transaction that decided.
    public var transactionID: String?
    /// Every fact that was looked at, and what came of it: transactions before renewal infos, each by identifier and by
    /// the date of signing.
    public var facts: [ExplainedFact]
    /// What came of the catalogue's boundary for who got the app early; nil where it has none.
    public var originalPurchase: ExplainedOriginalPurchase?

    // In JSON with Apple's spelling, as all else that is written.
    private enum CodingKeys: String, CodingKey {
        case entitlement, asOf, isActive, until, rule, sentence, facts, originalPurchase
        case productID = "productId"
        case transactionID = "transactionId"
    }
}

/// What came of an ``OriginalPurchaseRule``, and why.
public struct ExplainedOriginalPurchase: Sendable, Hashable, Encodable {
    /// What came of it.
    public var finding: OriginalPurchaseFinding
    /// The fact that decided; nil where none is known.
    public var fact: OriginalPurchaseFact?
}

/// A rule by which an entitlement is given or not.
public struct ExplanationRule: RawRepresentable, Hashable, Sendable, Codable {
    /// The text in JSON.
    public let rawValue: String

    /// Takes any text, listed below or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The paid period of a subscription is not over. Gives access.
    public static let subscriptionActive = Self(rawValue: "subscription_active")
    /// The period is over and unpaid, the billing grace period is not over. Gives access.
    public static let gracePeriod = Self(rawValue: "grace_period")
    /// A non-consumable product was bought and not taken back. Gives access.
    public static let nonConsumableOwned = Self(rawValue: "non_consumable_owned")
    /// The time of a non-renewing subscription is not over. Gives access.
    public static let durationRunning = Self(rawValue: "duration_running")
    /// The period is over and unpaid, and the App Store tries again.
    public static let billingRetry = Self(rawValue: "billing_retry")
    /// The last period is over.
    public static let expired = Self(rawValue: "expired")
    /// Sharing or an assignment ended.
    public static let revoked = Self(rawValue: "revoked")
    /// The customer has the money back.
    public static let refunded = Self(rawValue: "refunded")
    /// Another product or subscription took the place at once, and it does not give the entitlement.
    public static let upgradedAway = Self(rawValue: "upgraded_away")
    /// The subscription was renewed into another product, and it does not give the entitlement.
    public static let changedProduct = Self(rawValue: "changed_product")
    /// The time of a non-renewing subscription is over.
    public static let durationOver = Self(rawValue: "duration_over")
    /// The customer got the app before the boundary of the catalogue. Gives access.
    public static let boughtBefore = Self(rawValue: "bought_before")
    /// The team gave it. Gives access.
    public static let granted = Self(rawValue: "granted")
    /// The purchase that gave it belongs to another customer since. Only who knows whose purchases are says so.
    public static let transferred = Self(rawValue: "transferred")
    /// No product that gives it was bought.
    public static let neverBought = Self(rawValue: "never_bought")
    /// The catalogue does not name it.
    public static let unknownEntitlement = Self(rawValue: "unknown_entitlement")
}

/// A fact that an explanation has looked at.
public struct ExplainedFact: Sendable, Hashable, Encodable {
    /// What was signed.
    public var kind: FactKind
    /// `transactionId`; of a renewal info `originalTransactionId`.
    public var identifier: String
    /// `originalTransactionId`.
    public var originalTransactionID: String
    /// `productId`.
    public var productID: String
    /// `signedDate`.
    public var signedDate: Date
    /// What came of it.
    public var role: FactRole
    /// All that it says: of several that were signed at one instant, which one it is.
    package var version: Version

    /// A version of a fact, told from every other by what it says.
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

/// What the App Store signed.
public struct FactKind: RawRepresentable, Hashable, Sendable, Codable {
    /// The text in JSON.
    public let rawValue: String

    /// Takes any text, listed below or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// A transaction.
    public static let transaction = Self(rawValue: "transaction")
    /// A renewal info.
    public static let renewalInfo = Self(rawValue: "renewal_info")
}

/// What came of a fact: whether it decided, or why it was passed over.
public struct FactRole: RawRepresentable, Hashable, Sendable, Codable {
    /// The text in JSON.
    public let rawValue: String

    /// Takes any text, listed below or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// It decided.
    public static let decides = Self(rawValue: "decides")
    /// Another version was signed later, or at the same time.
    public static let olderVersion = Self(rawValue: "older_version")
    /// It was signed after the instant, and an earlier version counts, or it says nothing of the time before.
    public static let signedLater = Self(rawValue: "signed_later")
    /// The purchase is later than the instant, or a payment that was still owed then.
    public static let notYet = Self(rawValue: "not_yet")
    /// The subscription is in a later period.
    public static let earlierPeriod = Self(rawValue: "earlier_period")
    /// The period is paid for and has not begun.
    public static let laterPeriod = Self(rawValue: "later_period")
    /// Another product took its place.
    public static let upgraded = Self(rawValue: "upgraded")
    /// It is the subscription's current period, of a product that does not give the entitlement.
    public static let otherProduct = Self(rawValue: "other_product")
    /// It was refunded or revoked.
    public static let takenBack = Self(rawValue: "taken_back")
    /// It is over, or unpaid.
    public static let over = Self(rawValue: "over")
    /// It gives access too, but another goes first.
    public static let goesBehind = Self(rawValue: "goes_behind")
    /// It is about another subscription than the one that decided.
    public static let otherSubscription = Self(rawValue: "other_subscription")
    /// No purchase of this kind gives access.
    public static let neverEntitles = Self(rawValue: "never_entitles")
}
