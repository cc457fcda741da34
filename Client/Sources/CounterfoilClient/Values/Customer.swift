public import Foundation

/// What the customer has, now.
public struct Customer: Hashable, Sendable {
    /// Who it is; nil while nobody is signed in.
    public var id: String?
    /// Whether the customer has no account yet.
    public var isAnonymous: Bool
    /// What the customer has or had a right to, sorted by key.
    public var entitlements: [Entitlement]
    /// What the server says of each subscription group, and what to offer.
    public var groups: [SubscriptionGroup]
    /// What was bought of consumables.
    public var consumables: [ConsumableBalance]
    /// The instant of the server's answer that this stands on.
    public var asOf: Date?
    /// Where this comes from.
    public var source: Source
    /// Whether a buy button may be shown.
    public var readiness: Readiness

    /// Where an answer comes from.
    public enum Source: String, Hashable, Sendable {
        /// The server answered since the app was started.
        case server
        /// The device's verified transactions decide.
        case device
        /// The server's answer of an earlier launch.
        case cache
    }

    /// Whether the customer's state was looked at.
    public enum Readiness: String, Hashable, Sendable {
        /// The server is being asked. It takes two seconds at most.
        case checking
        /// Show what there is to buy.
        case ready
    }

    /// Whether the customer has a right to something now.
    public func isActive(_ entitlement: String) -> Bool { self[entitlement]?.isActive ?? false }

    /// An entitlement by its key.
    public subscript(_ entitlement: String) -> Entitlement? { entitlements.first { $0.key == entitlement } }

    /// What is most urgent to show: a payment to mend comes before an offer.
    public var nextStep: NextStep {
        let steps = groups.map(\.nextStep) + entitlements.compactMap(\.nextStep)
        return NextStep.byUrgency.first { steps.contains($0) } ?? .nothing
    }
}

/// A right to something.
public struct Entitlement: Hashable, Sendable, Codable {
    /// Its name in your catalogue.
    public var key: String
    /// Whether it is in force now.
    public var isActive: Bool
    /// `new`, `active` or `inactive`.
    public var state: String
    /// Why there is access, or why there is none: `in_grace_period`, `billing_retry`, `refunded` …
    public var details: [String] = []
    /// When it ends if nothing happens; nil if it does not end.
    public var until: Date?
    /// The product that it comes from.
    public var productID: String?
    /// The transaction that it comes from.
    public var originalTransactionID: String?
    /// What to show the customer next.
    public var nextStep: NextStep?
    /// Who says so.
    public var source = Customer.Source.cache

    /// Makes an entitlement, as a server answers it.
    public init(key: String, isActive: Bool, until: Date? = nil, productID: String? = nil) {
        (self.key, self.isActive, self.until, self.productID) = (key, isActive, until, productID)
        state = isActive ? "active" : "inactive"
    }

    /// The rest is not the server's to say.
    private enum CodingKeys: String, CodingKey {
        case key, isActive, state, details, until
        case productID = "productId"
        case originalTransactionID = "originalTransactionId"
    }
}

/// What to ask of the customer, or to offer, next.
public struct NextStep: RawRepresentable, Hashable, Sendable, Codable {
    /// The text in JSON.
    public let rawValue: String

    /// Takes any text, listed below or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Nothing.
    public static let nothing = Self(rawValue: "none")
    /// The first subscription, with the introductory offer if there is a right to it.
    public static let subscribe = Self(rawValue: "subscribe")
    /// Put the payment method in order.
    public static let fixPayment = Self(rawValue: "fix_payment")
    /// Agree to the higher price.
    public static let askPriceConsent = Self(rawValue: "ask_price_consent")
    /// A promotional offer to a customer who turned renewal off and still has access.
    public static let saveOffer = Self(rawValue: "save_offer")
    /// The win-back offer that the App Store names.
    public static let winBackOffer = Self(rawValue: "win_back_offer")
    /// A promotional offer to a former subscriber.
    public static let promotionalOffer = Self(rawValue: "promotional_offer")

    static let byUrgency = [fixPayment, askPriceConsent, saveOffer, winBackOffer, promotionalOffer, subscribe]
}

/// What became of a transaction that could not be handed over.
public struct StuckTransaction: Hashable, Sendable {
    /// The transaction. It stays unfinished.
    public var transaction: DeviceTransaction
    /// Why.
    public var reason: StuckReason
}

/// Why a transaction is not finished.
public struct StuckReason: RawRepresentable, Hashable, Sendable {
    /// One of the words below, or the server's code of a refusal.
    public let rawValue: String

    /// Takes any text, listed below or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// StoreKit could not verify it.
    public static let unverified = Self(rawValue: "unverified")
    /// The server answered twice without naming it.
    public static let notNamed = Self(rawValue: "not_named")
    /// It is a consumable of another customer.
    public static let ofAnotherCustomer = Self(rawValue: "receipt_already_in_use")
    /// Another customer started the purchase on this device, and has to sign in.
    public static let waitsForCustomer = Self(rawValue: "waits_for_customer")
    /// The app could not deliver it yet.
    public static let notDelivered = Self(rawValue: "not_delivered")
}
