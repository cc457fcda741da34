public import Foundation

/// The kind of a product, with the values of the App Store's signed transactions.
public struct ProductKind: RawRepresentable, Hashable, Sendable, Codable {
    /// The value in a signed transaction.
    public let rawValue: String

    /// Makes a kind from any value, including values that are not listed below.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// A product that is used up and can be bought again.
    public static let consumable = Self(rawValue: "Consumable")
    /// A product that is bought once and does not expire.
    public static let nonConsumable = Self(rawValue: "Non-Consumable")
    /// A subscription that renews automatically.
    public static let autoRenewable = Self(rawValue: "Auto-Renewable Subscription")
    /// A subscription that does not renew. The app defines its length.
    public static let nonRenewing = Self(rawValue: "Non-Renewing Subscription")
}

/// The relationship of a customer to a purchase, with the values of the App Store's signed transactions.
public struct Ownership: RawRepresentable, Hashable, Sendable, Codable {
    /// The value in a signed transaction.
    public let rawValue: String

    /// Makes an ownership from any value, including values that are not listed below.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The customer bought the product.
    public static let purchased = Self(rawValue: "PURCHASED")
    /// A family member shares the purchase.
    public static let familyShared = Self(rawValue: "FAMILY_SHARED")
    /// An organisation bought the product and assigned it to the customer.
    public static let assigned = Self(rawValue: "ASSIGNED")
}

/// A transaction on this device.
///
/// It replaces StoreKit's `Transaction`, so that this library builds without Apple's SDK.
public struct DeviceTransaction: Hashable, Sendable {
    /// The identifier of this transaction.
    public var id: UInt64
    /// The identifier of the first transaction of the purchase.
    public var originalID: UInt64
    /// The product's identifier.
    public var productID: String
    /// The kind of product.
    public var kind: ProductKind
    /// The quantity.
    public var quantity: Int
    /// The date of the purchase or renewal.
    public var purchaseDate: Date
    /// The end of a subscription's period.
    public var expirationDate: Date?
    /// The date at which the App Store refunded or revoked the transaction.
    public var revocationDate: Date?
    /// Whether an upgrade to another subscription of the same group replaced this one.
    public var isUpgraded: Bool
    /// Whether the customer bought the product, or has it from the family or an organisation.
    public var ownership: Ownership
    /// The account token that the app passed to the purchase.
    public var appAccountToken: UUID?
    /// The environment: `Production`, `Sandbox` or `Xcode`.
    public var environment: String
    /// The date at which the App Store signed the transaction. Of two with the same `id`, the later one is valid.
    public var signedDate: Date
    /// The signed transaction (JWS), which the server verifies.
    public var jws: String
    /// Whether StoreKit verified the signature on the device.
    public var isVerified: Bool

    package init(
        id: UInt64, originalID: UInt64, productID: String, kind: ProductKind, quantity: Int = 1, purchaseDate: Date,
        expirationDate: Date? = nil, revocationDate: Date? = nil, isUpgraded: Bool = false,
        ownership: Ownership = .purchased, appAccountToken: UUID? = nil, environment: String, signedDate: Date,
        jws: String, isVerified: Bool
    ) {
        (self.id, self.originalID, self.productID, self.appAccountToken) = (id, originalID, productID, appAccountToken)
        (self.purchaseDate, self.expirationDate, self.revocationDate) = (purchaseDate, expirationDate, revocationDate)
        (self.isUpgraded, self.quantity, self.kind, self.environment) = (isUpgraded, quantity, kind, environment)
        (self.signedDate, self.jws, self.isVerified, self.ownership) = (signedDate, jws, isVerified, ownership)
    }
}

/// Decodes the payload of a JWS without verifying the signature.
package enum SignedText {
    package static func payload<Value: Decodable>(of jws: String) -> Value? {
        let parts = jws.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let data = bytes(parts[1]) else { return nil }
        return try? CustomerResponse.decoder.decode(Value.self, from: data)
    }

    /// Decodes base64url.
    static func bytes(_ text: Substring) -> Data? {
        let text = text.replacingOccurrences(of: "-", with: "+").replacingOccurrences(of: "_", with: "/")
        return Data(base64Encoded: text + String(repeating: "=", count: (4 - text.count % 4) % 4))
    }

    private struct Payload: Decodable { var environment, receiptType, transactionReason: String? }

    /// Whether a signed transaction is an automatic renewal.
    static func isRenewal(_ jws: String) -> Bool { (payload(of: jws) as Payload?)?.transactionReason == "RENEWAL" }

    /// Returns the environment of a signed transaction or app transaction.
    package static func environment(of jws: String) -> String? {
        (payload(of: jws) as Payload?).flatMap { $0.environment ?? $0.receiptType }
    }
}
