public import Foundation

/// The current state of a customer: entitlements, subscriptions and consumables.
public struct Customer: Hashable, Sendable {
    /// The customer's identifier; nil while nobody is signed in.
    public var id: String?
    /// Whether the customer has no account yet.
    public var isAnonymous: Bool
    /// The active and inactive entitlements, sorted by key.
    public var entitlements: [Entitlement]
    /// The state of each subscription group, with the next step to offer.
    public var groups: [SubscriptionGroup]
    /// The bought quantities of consumables.
    public var consumables: [ConsumableTotals]
    /// The time of the server's response that this state is based on; nil without a response.
    public var asOf: Date?
    /// The source of this state.
    public var source: Source
    /// Whether the app can show a buy button.
    public var readiness: Readiness

    /// The source of a state or an entitlement.
    public enum Source: String, Hashable, Sendable {
        /// A response of the server since the app was started.
        case server
        /// The device's verified transactions.
        case device
        /// The server's response of an earlier launch.
        case cache
    }

    /// Whether the customer's state is known well enough to show a buy button.
    public enum Readiness: String, Hashable, Sendable {
        /// The client is requesting the state. This takes at most two seconds after the client has read its storage.
        case checking
        /// The app can show products for sale.
        case ready
    }

    /// Whether the customer has an entitlement now.
    public func isActive(_ entitlement: String) -> Bool { self[entitlement]?.isActive ?? false }

    /// Returns an entitlement by its key; nil if the customer never had it.
    public subscript(_ entitlement: String) -> Entitlement? { entitlements.first { $0.key == entitlement } }

    /// The most urgent next step: fixing a payment comes before an offer.
    public var nextStep: NextStep {
        let steps = groups.map(\.nextStep) + entitlements.compactMap(\.nextStep)
        return NextStep.byUrgency.first { steps.contains($0) } ?? .noAction
    }
}

/// An entitlement of a customer.
public struct Entitlement: Hashable, Sendable, Codable {
    /// The entitlement's name in your catalogue.
    public var key: String
    /// Whether the customer has access now.
    public var isActive: Bool
    /// `new`, `active` or `inactive`.
    public var state: String
    /// The reasons for the state, such as `in_grace_period`, `billing_retry` or `refunded`.
    public var details: [String] = []
    /// The end of the entitlement without a renewal; nil if it does not end.
    public var until: Date?
    /// The product that grants the entitlement.
    public var productID: String?
    /// The original transaction identifier of the purchase that grants the entitlement.
    public var originalTransactionID: String?
    /// The step to offer the customer next.
    public var nextStep: NextStep?
    /// The source of the entitlement.
    public var source = Customer.Source.cache

    /// Makes an entitlement as in a server's response.
    public init(key: String, isActive: Bool, until: Date? = nil, productID: String? = nil) {
        (self.key, self.isActive, self.until, self.productID) = (key, isActive, until, productID)
        state = isActive ? "active" : "inactive"
    }

    /// Whether the entitlement comes from a transaction. For a subscription, the period must end with the entitlement.
    func isGranted(by transaction: DeviceTransaction) -> Bool {
        guard originalTransactionID == String(transaction.originalID) else { return false }
        guard transaction.kind == .autoRenewable, let until else { return true }
        return transaction.expirationDate.map { abs($0.timeIntervalSince(until)) < 1 } ?? true
    }

    // `nextStep` and `source` are not part of the server's response.
    private enum CodingKeys: String, CodingKey {
        case key, isActive, state, details, until
        case productID = "productId"
        case originalTransactionID = "originalTransactionId"
    }
}

/// The step to offer a customer next.
public struct NextStep: RawRepresentable, Hashable, Sendable, Codable {
    /// The value in JSON.
    public let rawValue: String

    /// Makes a step from any value, including values that are not listed below.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Offer nothing.
    public static let noAction = Self(rawValue: "none")
    /// Offer a first subscription, with the introductory offer if the customer is eligible.
    public static let subscribe = Self(rawValue: "subscribe")
    /// Ask the customer to fix the payment method.
    public static let fixPayment = Self(rawValue: "fix_payment")
    /// Ask the customer to accept the higher price.
    public static let requestPriceConsent = Self(rawValue: "ask_price_consent")
    /// Make a promotional offer to a customer who turned renewal off and still has access.
    public static let saveOffer = Self(rawValue: "save_offer")
    /// Make the win-back offer that the App Store recommends.
    public static let winBackOffer = Self(rawValue: "win_back_offer")
    /// Make a promotional offer to a former subscriber.
    public static let promotionalOffer = Self(rawValue: "promotional_offer")

    static let byUrgency = [fixPayment, requestPriceConsent, saveOffer, winBackOffer, promotionalOffer, subscribe]
}

/// A transaction that could not be reported or delivered.
public struct StuckTransaction: Hashable, Sendable {
    /// The transaction. It stays unfinished.
    public var transaction: DeviceTransaction
    /// The reason.
    public var reason: StuckReason
}

/// The reason why a transaction is not finished.
public struct StuckReason: RawRepresentable, Hashable, Sendable {
    /// One of the values below, or the error code of the server's refusal.
    public let rawValue: String

    /// Makes a reason from any value, including values that are not listed below.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// StoreKit could not verify the transaction.
    public static let unverified = Self(rawValue: "unverified")
    /// Two responses of the server did not mention the reported transaction.
    public static let missingFromResponse = Self(rawValue: "not_named")
    /// The transaction is a consumable of another customer.
    public static let belongsToAnotherCustomer = Self(rawValue: "receipt_already_in_use")
    /// Another customer started the purchase on this device and has to sign in.
    public static let awaitingSignIn = Self(rawValue: "waits_for_customer")
    /// The app has not delivered the consumable yet.
    public static let notDelivered = Self(rawValue: "not_delivered")
}
