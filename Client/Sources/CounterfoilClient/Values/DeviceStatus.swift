public import Foundation

/// Where a subscription stands, by the numbers of StoreKit and of the App Store Server API.
public struct RenewalState: RawRepresentable, Hashable, Sendable, Codable {
    /// The number.
    public let rawValue: Int

    /// Takes any number, listed below or not.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// Paid for.
    public static let subscribed = Self(rawValue: 1)
    /// Over.
    public static let expired = Self(rawValue: 2)
    /// The payment failed, the App Store tries again, and there is no access meanwhile.
    public static let inBillingRetry = Self(rawValue: 3)
    /// The payment failed, and there is access until the grace period ends.
    public static let inGracePeriod = Self(rawValue: 4)
    /// Taken back.
    public static let revoked = Self(rawValue: 5)
}

/// The state of one subscription on this device.
public struct DeviceStatus: Hashable, Sendable {
    /// Where it stands.
    public var state: RenewalState
    /// The latest transaction.
    public var transaction: DeviceTransaction
    /// The signed renewal info, which the server verifies.
    public var renewalJWS: String
    /// When the App Store signed the renewal info.
    public var renewalSignedDate: Date
    /// Until when there is access while the payment fails.
    public var gracePeriodExpirationDate: Date?
    /// Whether StoreKit verified both signatures on the device.
    public var isVerified: Bool

    /// Makes a state.
    public init(
        state: RenewalState, transaction: DeviceTransaction, renewalJWS: String, renewalSignedDate: Date,
        gracePeriodExpirationDate: Date? = nil, isVerified: Bool
    ) {
        (self.state, self.transaction, self.renewalJWS) = (state, transaction, renewalJWS)
        (self.renewalSignedDate, self.isVerified) = (renewalSignedDate, isVerified)
        self.gracePeriodExpirationDate = gracePeriodExpirationDate
    }
}

/// A product as the App Store describes it.
public struct DeviceProduct: Hashable, Sendable, Identifiable {
    /// Its identifier.
    public var id: String
    /// What kind it is.
    public var kind: ProductKind
    /// Its name in the customer's language.
    public var displayName: String
    /// Its description in the customer's language.
    public var description: String
    /// Its price as the customer reads it.
    public var displayPrice: String
    /// Its price as a number.
    public var price: Decimal
    /// The subscription group, for subscriptions.
    public var groupID: String?

    /// Makes a product.
    public init(
        id: String, kind: ProductKind, displayName: String, description: String, displayPrice: String, price: Decimal,
        groupID: String? = nil
    ) {
        (self.id, self.kind, self.groupID, self.price) = (id, kind, groupID, price)
        (self.displayName, self.displayPrice, self.description) = (displayName, displayPrice, description)
    }
}

/// An offer to apply to a purchase.
public enum PurchaseOffer: Hashable, Sendable {
    /// A promotional offer and the server's signature of it.
    case promotional(id: String, jws: String)
    /// The server's signature of whether there is an introductory offer.
    case introductory(jws: String)
    /// A win-back offer by its identifier.
    case winBack(id: String)
}

/// How to buy.
public struct PurchaseOptions: Hashable, Sendable {
    /// How many.
    public var quantity: Int
    /// An offer to apply.
    public var offer: PurchaseOffer?
    /// The account that the App Store signs into the transaction. ``PurchaseClient`` sets it.
    public var appAccountToken: UUID?

    /// Makes options.
    public init(quantity: Int = 1, offer: PurchaseOffer? = nil, appAccountToken: UUID? = nil) {
        (self.quantity, self.offer, self.appAccountToken) = (quantity, offer, appAccountToken)
    }
}

/// What StoreKit answers to a purchase.
public enum PurchaseResult: Equatable, Sendable {
    /// Bought, verified on the device or not.
    indirect case success(DeviceTransaction)
    /// Somebody else decides, or the bank: the transaction comes later, if at all.
    case pending
    /// The customer thought better of it.
    case cancelled
}
