public import Foundation

/// The state of a subscription, with the numbers of StoreKit and the App Store Server API.
public struct RenewalState: RawRepresentable, Hashable, Sendable, Codable {
    /// The number.
    public let rawValue: Int

    /// Makes a state from any number, including numbers that are not listed below.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// The subscription is active and paid.
    public static let subscribed = Self(rawValue: 1)
    /// The subscription has expired.
    public static let expired = Self(rawValue: 2)
    /// The payment failed and the App Store retries it. The customer has no access meanwhile.
    public static let inBillingRetry = Self(rawValue: 3)
    /// The payment failed. The customer has access until the grace period ends.
    public static let inGracePeriod = Self(rawValue: 4)
    /// The subscription was refunded or revoked.
    public static let revoked = Self(rawValue: 5)
}

/// The state of one subscription on this device.
public struct DeviceStatus: Equatable, Sendable {
    /// The state.
    public var state: RenewalState
    /// The latest transaction.
    public var transaction: DeviceTransaction
    /// The signed renewal info (JWS), which the server verifies.
    public var renewalJWS: String
    /// The date at which the App Store signed the renewal info.
    public var renewalSignedDate: Date
    /// The end of the billing grace period.
    public var gracePeriodExpirationDate: Date?
    /// Whether StoreKit verified both signatures on the device.
    public var isVerified: Bool

    /// Makes a status.
    public init(
        state: RenewalState, transaction: DeviceTransaction, renewalJWS: String, renewalSignedDate: Date,
        gracePeriodExpirationDate: Date? = nil, isVerified: Bool
    ) {
        (self.transaction, self.renewalJWS, self.renewalSignedDate) = (transaction, renewalJWS, renewalSignedDate)
        (self.state, self.gracePeriodExpirationDate, self.isVerified) = (state, gracePeriodExpirationDate, isVerified)
    }
}

/// A product as the App Store describes it.
public struct DeviceProduct: Hashable, Sendable, Identifiable {
    /// The product's identifier.
    public var id: String
    /// The kind of product.
    public var kind: ProductKind
    /// The localised name.
    public var displayName: String
    /// The localised description.
    public var description: String
    /// The localised price with its currency.
    public var displayPrice: String
    /// The price as a number.
    public var price: Decimal
    /// The identifier of the subscription group, for subscriptions.
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
public enum PurchaseOffer: Equatable, Sendable {
    /// A promotional offer, with the server's signature.
    case promotional(id: String, jws: String)
    /// The server's signed decision about the eligibility for the introductory offer.
    case introductory(jws: String)
    /// A win-back offer.
    case winBack(id: String)
}

/// The options of a purchase.
public struct PurchaseOptions: Equatable, Sendable {
    /// The quantity.
    public var quantity: Int
    /// The offer to apply.
    public var offer: PurchaseOffer?
    /// The account token that the App Store signs into the transaction. If it is nil, ``PurchaseClient`` sets it.
    public var appAccountToken: UUID?

    /// Makes options.
    public init(quantity: Int = 1, offer: PurchaseOffer? = nil, appAccountToken: UUID? = nil) {
        (self.quantity, self.offer, self.appAccountToken) = (quantity, offer, appAccountToken)
    }
}

/// StoreKit's result of a purchase.
public enum PurchaseResult: Equatable, Sendable {
    /// The product was bought. The transaction may be unverified.
    indirect case success(DeviceTransaction)
    /// The purchase needs approval, such as Ask to Buy or by the bank. The transaction may come later.
    case pending
    /// The customer cancelled the purchase.
    case cancelled
}
